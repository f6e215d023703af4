/** The rows of the view of tokens. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { rowAt, rowsOf } from "../../../www/tokens/layout.ts";
import type { Tokens } from "../../../www/tokens/layout.ts";

function tokensOf(...texts: string[]): Tokens {
  let end = 0;
  return {
    text: texts.join(""),
    ids: Uint32Array.from(texts, (_, at) => at + 1),
    ends: Uint32Array.from(texts, (text) => (end += text.length)),
  };
}

test("a row takes as many tokens as fit", () => {
  assert.deepEqual([...rowsOf(tokensOf("abc", " de", " fg", "h"), 6, false)], [0, 2]);
  assert.deepEqual([...rowsOf(tokensOf("abc", " de", " fg", "h"), 7, false)], [0, 2]);
});

test("a line break ends a row, also within a token and at the end", () => {
  assert.deepEqual([...rowsOf(tokensOf("a", "\n", "b", ";\n\n", "c"), 80, false)], [0, 2, 4]);
  assert.deepEqual([...rowsOf(tokensOf("a", "\n"), 80, false)], [0]);
});

test("a token that is wider than a row has its own, and nothing has no row", () => {
  assert.deepEqual([...rowsOf(tokensOf("a", "bcdefgh", "i"), 4, false)], [0, 1, 2]);
  assert.deepEqual([...rowsOf(tokensOf(), 4, false)], []);
});

test("parts of a character take a column, wide characters two", () => {
  const tokens = { text: "ab", ids: Uint32Array.of(1, 2, 3), ends: Uint32Array.of(1, 1, 2) };
  assert.deepEqual([...rowsOf(tokens, 2, false)], [0, 2]);
  assert.deepEqual([...rowsOf(tokensOf("日本", "語"), 5, false)], [0, 1]);
});

test("ids take the room of their digits", () => {
  const tokens = { text: "ab", ids: Uint32Array.of(123456, 123456), ends: Uint32Array.of(1, 2) };
  assert.deepEqual([...rowsOf(tokens, 8, false)], [0]);
  assert.deepEqual([...rowsOf(tokens, 8, true)], [0, 1]);
});

test("a token is found in its row", () => {
  const rows = Uint32Array.of(0, 4, 9);
  assert.deepEqual(
    [0, 3, 4, 8, 9, 100].map((index) => rowAt(rows, index)),
    [0, 0, 1, 1, 2, 2],
  );
});
