/** Marks of found words, as the page of a search shows them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { marksOf, pieces, wordOf } from "../../../www/search/marks.ts";

/** The text with `[…]` around what is marked. */
function marked(text: string, ...terms: string[]): string {
  const parts = pieces(text, 0, text.length, marksOf(text, terms));
  assert.equal(parts.map((part) => part.text).join(""), text);
  return parts.map(({ text: part, term }) => (term === undefined ? part : `[${part}]`)).join("");
}

const CASES: [what: string, text: string, terms: string[], expected: string][] = [
  ["a whole word, in any case", "Open OPEN reopen", ["open"], "[Open] [OPEN] reopen"],
  ["a part of a camel-case name", "openIndex(reopenIndex)", ["index"], "open[Index](reopen[Index])"],
  ["the part after an acronym", "HTMLParser XMLHttpRequest", ["parser", "http"], "HTML[Parser] XML[Http]Request"],
  ["a part between underscores", "max_results_2", ["results"], "max_[results]_2"],
  ["a name before its digits", "parser2 vec3f", ["parser"], "[parser]2 vec3f"],
  ["the whole name rather than its parts", "openIndex", ["open", "openindex"], "[openIndex]"],
  ["a run of parts", "reopenIndexAgain", ["indexagain"], "reopen[IndexAgain]"],
  ["letters of other scripts", "größe ÜBERGRÖSSE Überblick", ["größe", "überblick"], "[größe] ÜBERGRÖSSE [Überblick]"],
  ["several terms", "a call of the tool", ["tool", "call"], "a [call] of the [tool]"],
  [
    "other forms of a word",
    "parse parsing parsed Parses queries sparse",
    ["pars", "query"],
    "[parse] [parsing] [parsed] [Parses] [queries] sparse",
  ],
  ["no terms", "nothing here", [], "nothing here"],
  ["an empty text", "", ["a"], ""],
];

for (const [what, text, terms, expected] of CASES)
  test(`marks ${what}`, () => assert.equal(marked(text, ...terms), expected));

test("a line has the marks within it", () => {
  const text = "one\ntwo one\n";
  assert.deepEqual(pieces(text, 4, 11, marksOf(text, ["one"])), [{ text: "two " }, { text: "one", term: 0 }]);
});

test("a term is named by the word of the question that it comes from", () => {
  const question = "Which files does parseQueries read?";
  assert.deepEqual(
    ["fil", "query", "pars", "tool"].map((term) => wordOf(term, question)),
    ["files", "queries", "parse", "tool"],
  );
});
