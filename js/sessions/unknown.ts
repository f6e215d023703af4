/** Errors for files that no reader accepts: what the file is, what was expected, and what it resembles. */

import { EspalierError } from "../errors/errors.ts";
import { isFields } from "./draft.ts";
import type { Sample } from "./reader.ts";
import { READERS, STRANGERS } from "./readers.ts";

export function noLayout(sample: Sample, name = "the file"): EspalierError {
  for (const explain of STRANGERS) {
    const why = explain(sample);
    if (why !== undefined)
      return new EspalierError({ code: "no_conversation", message: `${name} ${why}`, path: "source" });
  }
  if (
    sample.records.length === 0 ||
    (sample.shape === "text" && sample.records.every((line) => String(line).trim() === ""))
  ) {
    return new EspalierError({ code: "no_conversation", message: `${name} is empty`, path: "source" });
  }
  const tools = [...new Set(READERS.map(({ tool }) => tool))].join(", ");
  const near = nearestLayout(sample);
  const like =
    near === undefined
      ? ""
      : ` It resembles a file of ${near.tool} most, of which it has ${near.has}, but not all that its reader needs: the version may be newer than this reader.`;
  const message = `${name} is not a session file of a known tool: it contains ${looks(sample)}.${like} Known tools: ${tools}.`;
  return new EspalierError({ code: "unknown_session", message, path: "source" });
}

/** Makes the error for JSON that ends early or is damaged. It does not quote the text, which may contain secrets. */
export function notJson(text: string, name = "the file"): EspalierError {
  const isCut = !/[\]}"]\s*$/.test(text);
  const why = isCut ? "it ends in the middle, as a file that is still being written" : "it is damaged";
  return new EspalierError({
    code: "bad_json",
    message: `${name} is neither JSON nor JSON Lines: ${why}`,
    path: "source",
  });
}

/** Fields of an object may be data, and keys of services have digits, so only plain words are shown. */
const NAME = /^[$_A-Za-z]{1,30}$/;

function names(sample: Sample): string[] {
  const found = new Set<string>();
  for (const record of sample.records.slice(0, 50)) {
    if (Array.isArray(record))
      for (const item of record.slice(0, 20)) if (isFields(item)) for (const name of Object.keys(item)) found.add(name);
    if (isFields(record)) for (const name of Object.keys(record)) found.add(name);
  }
  return [...found].filter((name) => NAME.test(name));
}

function looks(sample: Sample): string {
  if (sample.shape === "text") return isJson(sample.records.join("\n")) ? "a JSON value" : "text that is not JSON";
  const has = names(sample);
  const shown =
    has.length === 0 ? "" : ` with the fields ${has.slice(0, 10).join(", ")}${has.length > 10 ? ", …" : ""}`;
  if (sample.shape === "lines") return `JSON Lines${shown}`;
  return `${Array.isArray(sample.records[0]) ? "a JSON list" : isFields(sample.records[0]) ? "a JSON object" : "a JSON value"}${shown}`;
}

/** Tells whether a text is a JSON value, also a number, `true`, `false` or `null`. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the layout with the most matching marks, if at least half of its marks match. */
function nearestLayout(sample: Sample): { tool: string; has: string } | undefined {
  const has = new Set(names(sample));
  let best: { tool: string; has: string; share: number } | undefined;
  for (const { tool, marks = [], shapes } of READERS) {
    if (marks.length < 2 || !shapes.includes(sample.shape)) continue;
    const shared = marks.filter((mark) => has.has(mark));
    const share = shared.length / marks.length;
    if (share >= 0.5 && share > (best?.share ?? 0)) best = { tool, has: shared.join(", "), share };
  }
  return best;
}
