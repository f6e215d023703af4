/** Draws the page of a document: figures, removed ranges, the outline, the ladder of a change. */

import type { Definition } from "../js/documents/outline.ts";
import type { Gap, GrammarState, Opened, Outlined, Reduced, Summarized } from "./document-protocol.ts";
import { element, made, milliseconds, number } from "./dom.ts";
import type { Failed } from "./talk.ts";

export function showError(error: Failed | undefined): void {
  const alert = element("alert");
  alert.hidden = !error;
  if (!error) return;
  const close = made("button", "", "Close");
  close.addEventListener("click", () => showError(undefined));
  alert.replaceChildren(made("span", "", `${error.message} [${error.code}]`), close);
}

const WHY: Record<string, string> = {
  noQuery: "the profile copilot-chat has no structure for this language",
  tooLong: "it is longer than 1 MB, the limit for parsing",
  tooHard: "it takes too much work to parse",
  badGrammar: "the engine refused the grammar",
};

/** Returns why there is no syntax tree. */
function reason(why: string, { language }: Opened, grammar: GrammarState): string {
  if (grammar.state === "loading") return `the grammar of ${language} is still loading`;
  if (grammar.state === "failed") return `the grammar of ${language} could not be loaded: ${grammar.failure.message}`;
  if (why in WHY) return WHY[why]!;
  return language ? `there is no grammar for ${language}` : "its language is unknown";
}

export function showFacts(
  { text, wanted, tokens, gaps, basis, ms }: Summarized,
  opened: Opened,
  grammar: GrammarState,
): void {
  const before = opened.tokens;
  element("before").textContent = number(before);
  element("after").textContent = number(tokens);
  const over = tokens - wanted.budget;
  const outcome =
    over > 0
      ? `${number(over)} over the budget: the profile copilot-chat takes four characters for a token, and keeps what is selected.`
      : gaps.length === 0
        ? "The file is whole."
        : `${number(gaps.length)} ${gaps.length === 1 ? "stretch is" : "stretches are"} missing.`;
  const lines = text === "" ? 0 : text.split("\n").length - Number(text.endsWith("\n"));
  element("status").textContent =
    `${outcome} ${number(lines)} lines, summarised in ${milliseconds(ms)}, counted exactly with o200k_base.`;
  meter(tokens, before, wanted.budget);
  const arrived =
    grammar.state === "loaded"
      ? `, grammar loaded in ${milliseconds(grammar.ms)}${grammar.bytes ? ` (${number(Math.round(grammar.bytes / 1000))} kB)` : ""}`
      : "";
  element("basis").textContent =
    basis.path === "syntax"
      ? `Parsed by tree-sitter as ${opened.language}${arrived}${basis.hasErrors ? "; the text has syntax errors" : ""}.`
      : `Folded by indentation, since ${reason(basis.why ?? "", opened, grammar)}`.replace(/\.?$/, ".");
  element("retry").hidden = grammar.state !== "failed";
}

function meter(tokens: number, before: number, budget: number): void {
  const scale = Math.max(before, budget, 1);
  const filled = made("i", "conversation");
  filled.style.width = `${(100 * tokens) / scale}%`;
  const limit = made("b", "limit");
  limit.style.left = `min(calc(100% - 3px), ${(100 * budget) / scale}%)`;
  const box = element("meter");
  box.replaceChildren(filled, limit);
  box.ariaLabel = box.title = `${number(tokens)} of ${number(before)} tokens, of a budget of ${number(budget)}`;
}

export function showGaps(gaps: Gap[], choose: (at: number) => void): void {
  element("gaps-title").textContent = `What is missing (${number(gaps.length)})`;
  if (!element<HTMLDetailsElement>("gaps-card").open) return;
  element("gaps")
    .querySelector("tbody")!
    .replaceChildren(
      ...gaps.map(({ lines: [first, last], tokens, kind, names, handle }, at) => {
        const row = made("tr");
        const show = made("button", "", "show");
        show.ariaLabel = `show lines ${first} to ${last}`;
        show.addEventListener("click", () => choose(at));
        const cell = made("td");
        cell.append(show);
        const code = made("td");
        code.append(made("code", "", handle));
        row.append(
          made("td", "", first === last ? `${first}` : `${first}-${last}`),
          made("td", "count", number(tokens)),
          made("td", "", names.join(", ") || kind.replaceAll("_", " ") || "text"),
          code,
          cell,
        );
        return row;
      }),
    );
}

export function showOutline(
  { definitions, tokens, folded }: Outlined,
  gaps: Gap[],
  choose: (definition: Definition) => void,
): void {
  const rows: HTMLElement[] = [];
  const open = definitions.toReversed().map((definition) => ({ definition, depth: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { definition, depth } = next;
    rows.push(row(definition, depth, gaps, choose));
    for (const child of definition.children.toReversed()) open.push({ definition: child, depth: depth + 1 });
  }
  element("outline").replaceChildren(...rows);
  element("outline-title").textContent =
    `Outline (${number(rows.length)} ${folded ? "folds" : "definitions"}, ${number(tokens)} tokens)`;
}

function row(
  definition: Definition,
  depth: number,
  gaps: Gap[],
  choose: (definition: Definition) => void,
): HTMLElement {
  const { name, kind, line, endLine, start, end } = definition;
  const button = made("button");
  const gone = gaps.some(({ range }) => range[0] <= start && end <= range[1]);
  const label = made("span", gone ? "name gone" : "name", name || "(no name)");
  label.style.paddingInlineStart = `${depth}rem`;
  button.append(
    label,
    made("span", "dim kind", kind),
    made("span", "dim", line === endLine ? `line ${line}` : `${line}-${endLine}`),
  );
  button.addEventListener("click", () => choose(definition));
  const item = made("li");
  item.append(button);
  return item;
}

const STEPS: Record<string, string> = {
  whole: "the whole file",
  definitions: "the definitions around the changes, with heads and ends of the enclosing ones",
  statements: "only the statements around the changes",
  headers: "the changed lines with the heads of the enclosing definitions",
  changes: "the changed lines alone",
  dropped: "nothing",
};

export function showReduced(
  { path, rungs, now, least }: Reduced,
  budget: number,
  choose: (tokens: number) => void,
): void {
  element("diff-status").textContent = now
    ? `${path}: ${number(now.tokens)} of ${number(budget)} tokens.`
    : `The changed lines of ${path} alone take ${number(least)} tokens; the budget is ${number(budget)}.`;
  element("ladder").replaceChildren(
    ...rungs.map(({ step, tokens, gaps }) => {
      const button = made("button");
      button.append(
        made("span", "", step),
        made("span", "", `${number(tokens)} tokens`),
        made("span", "dim", `${STEPS[step]}; ${gaps === 1 ? "1 gap" : `${gaps} gaps`}`),
      );
      if (step === now?.step) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => choose(tokens));
      const item = made("li");
      item.append(button);
      return item;
    }),
  );
  const reduced = element("reduced");
  reduced.hidden = !now;
  reduced.textContent = now?.text ?? "";
}
