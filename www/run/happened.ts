/** What happened at each request, in a few words. */

import type { RunCompaction, RunRequest } from "./types.ts";

const number = (value: number) => value.toLocaleString("en");
const seconds = (ms: number) => `${(ms / 1_000).toFixed(ms % 1_000 === 0 ? 0 : 1)} s`;

export interface Happening {
  kind: "start" | "ready" | "applied" | "discarded" | "failed" | "wait" | "trim" | "lost" | "error";
  text: string;
}

/** Returns what happened by the number of the request; what happens between two belongs to the earlier one. */
export function happenings(
  requests: readonly RunRequest[],
  compactions: readonly RunCompaction[],
): Map<number, Happening[]> {
  const all = new Map<number, Happening[]>();
  const add = (at: number, kind: Happening["kind"], text: string) => {
    const place = Math.floor(at);
    const list = all.get(place);
    if (list) list.push({ kind, text });
    else all.set(place, [{ kind, text }]);
  };
  for (const made of compactions) {
    const {
      number: own,
      isBackground,
      start,
      ready,
      end,
      outcome,
      author,
      before = 0,
      after = 0,
      error,
      undone,
    } = made;
    const name = `compaction ${own}`;
    if (isBackground) add(start, "start", `${name} starts beside it`);
    if (isBackground && ready !== undefined && outcome !== "failed" && ready !== end)
      add(ready, "ready", `${name} is ready`);
    if (undone !== undefined) add(undone, "discarded", `${name} is undone before it`);
    if (end === undefined) continue;
    if (outcome === "applied") {
      const by = author === "model" ? "a model" : "rules";
      add(end, "applied", `${name} by ${by}: −${number(before - after)}`);
    } else if (outcome === "failed") add(end, "failed", `${name} failed${error ? `: ${error}` : ""}`);
    else add(end, "discarded", `${name} is ${outcome}`);
  }
  for (const row of requests) {
    if (row.waited > 0) add(row.number, "wait", `waits ${seconds(row.waited)}`);
    if (row.trimmed > 0) add(row.number, "trim", `${row.trimmed} removals in this request only`);
    if (row.lost > 0) add(row.number, "lost", `cache lost ${number(row.lost)}`);
    if (row.error !== undefined) add(row.number, "error", row.error);
  }
  return all;
}
