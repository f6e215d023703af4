/** What a summary is, in words. */

import { count, number } from "../conversation/words.ts";
import { milliseconds } from "../app/time.ts";
import type { GrammarState, Opened, Summarized } from "./protocol.ts";

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

export function outcomeOf({ text, wanted, tokens, gaps, ms }: Summarized, { encoding }: Opened): string {
  const over = tokens - wanted.budget;
  const outcome =
    over > 0
      ? `${number(over)} over the budget: the profile copilot-chat takes four characters for a token, and keeps what is selected.`
      : gaps.length === 0
        ? "The file is whole."
        : `${number(gaps.length)} ${gaps.length === 1 ? "stretch is" : "stretches are"} missing.`;
  const lines = text === "" ? 0 : text.split("\n").length - Number(text.endsWith("\n"));
  return `${outcome} ${count(lines, "line")}, summarised in ${milliseconds(ms)}, counted exactly with ${encoding}.`;
}

export function basisOf({ basis }: Summarized, opened: Opened, grammar: GrammarState): string {
  if (basis.path !== "syntax")
    return `Folded by indentation, since ${reason(basis.why ?? "", opened, grammar)}`.replace(/\.?$/, ".");
  const size = grammar.state === "loaded" && grammar.bytes ? ` (${number(Math.round(grammar.bytes / 1000))} kB)` : "";
  const arrived = grammar.state === "loaded" ? `, grammar loaded in ${milliseconds(grammar.ms)}${size}` : "";
  const errors = basis.hasErrors ? "; the text has syntax errors" : "";
  return `Parsed by tree-sitter as ${opened.language}${arrived}${errors}.`;
}
