/**
 * Shows a prompt on the page of inline context: its parts in order, their cost, and each candidate with its outcome.
 */

import { element, made, milliseconds, number } from "./dom.ts";
import { Rows } from "./rows.ts";

/** A part of the prompt. */
export interface Part {
  kind: string;
  /** The file or provider of the part. */
  from: string;
  /** Absent if it was not counted on its own. */
  tokens: number | undefined;
  text: string;
}

/** An item that could have been sent. */
export interface Candidate {
  kind: string;
  from: string;
  weight: number;
  tokens: number;
  outcome: string;
  isSent: boolean;
}

export interface Facts {
  limit: number;
  context: number;
  prefix: number;
  suffix: number;
  free: number;
  /** Tokens at the beginning that the previous request had, too. */
  shared: number;
  isSuffixReused: boolean;
  isTooShort: boolean;
  ms: number;
}

const rows = new Rows(element("prompt"));
/** Parts that the user expanded. */
const open = new Set<string>(["prefix"]);

export function showPrompt(parts: readonly Part[]): void {
  rows.replace(
    parts.map((part) => {
      const { kind, from, tokens, text } = part;
      const key = `${kind} ${from}`;
      const item = made("li");
      item.dataset["key"] = key;
      const button = made("button");
      button.type = "button";
      button.append(
        made("span", "kind", kind),
        made("span", "from", from),
        made("span", "count", tokens === undefined ? "" : `${number(tokens)} tokens`),
      );
      const body = made("pre", "code", text);
      const draw = () => {
        const isOpen = open.has(kind === "prefix" || kind === "suffix" ? kind : key);
        button.ariaExpanded = String(isOpen);
        body.hidden = !isOpen;
        // Scrolls to the text next to the cursor, which matters most.
        if (isOpen && kind === "prefix") requestAnimationFrame(() => body.scrollTo(0, body.scrollHeight));
      };
      button.addEventListener("click", () => {
        const name = kind === "prefix" || kind === "suffix" ? kind : key;
        if (!open.delete(name)) open.add(name);
        draw();
      });
      item.append(button, body);
      draw();
      return item;
    }),
  );
}

export function showFacts({
  limit,
  context,
  prefix,
  suffix,
  free,
  shared,
  isSuffixReused,
  isTooShort,
  ms,
}: Facts): void {
  const used = context + prefix + suffix;
  element("used").textContent = number(used);
  element("limit").textContent = number(limit);
  element("status").textContent =
    `Made in ${milliseconds(ms)}. ${isTooShort ? "The document is too short for a completion." : `${number(free)} tokens are free.`}`;
  const again = isSuffixReused ? ", and the suffix is that of the previous request" : "";
  element("structure").textContent =
    shared > 0
      ? `${number(shared)} tokens at the beginning equal the previous request's${again}: a provider's cache has them.`
      : "";
  const segments = [
    ["frame", context, "context"],
    ["conversation", prefix, "prefix"],
    ["tools", suffix, "suffix"],
  ] as const;
  const box = element("meter");
  box.replaceChildren(
    ...segments.map(([className, tokens]) => {
      const segment = made("i", className);
      segment.style.width = `${(100 * tokens) / Math.max(limit, used, 1)}%`;
      return segment;
    }),
  );
  const words = segments.map(([, tokens, name]) => `${name} ${number(tokens)}`).join(", ");
  box.ariaLabel = box.title = `${words}, of ${number(limit)} tokens`;
  element("split").replaceChildren(
    ...segments.flatMap(([className, tokens, name]) => [
      made("span", `key ${className}`),
      ` ${name} ${number(tokens)} `,
    ]),
  );
}

export function showCandidates(candidates: readonly Candidate[]): void {
  const sent = candidates.filter(({ isSent }) => isSent).length;
  element("items-title").textContent = `Candidates (${number(sent)} of ${number(candidates.length)} are sent)`;
  element("items")
    .querySelector("tbody")!
    .replaceChildren(
      ...candidates.map(({ kind, from, weight, tokens, outcome, isSent }) => {
        const row = made("tr", isSent ? "" : "missing");
        row.append(
          made("td", "", kind),
          made("td", "from", from),
          made("td", "count", weight.toFixed(2)),
          made("td", "count", number(tokens)),
          made("td", "", outcome),
        );
        return row;
      }),
    );
}
