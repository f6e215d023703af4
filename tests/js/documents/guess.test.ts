/** What the playground takes a text without a name for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { guess, pastedName } from "../../../www/source/guess.ts";
import { SAMPLES } from "./samples.ts";

for (const [language, { text }] of Object.entries(SAMPLES)) {
  test(`${language} is known by its looks`, () => {
    assert.equal(guess(text), language);
    assert.equal(guess(text.replaceAll("\n", "\r\n")), language);
  });
}

test("what is no source of a known language is left alone, at once", () => {
  for (const text of [
    "",
    "\n",
    "Dear all, let us meet at ten.\n",
    "# Title\n\n```js\nconst a = (b) => c;\n```\n",
    "<!doctype html>\n<script>\nconst a = () => 1;\n</script>\n",
    "a:\n  b: 1\n",
    "body { color: red; }\n",
    "function(".repeat(10_000),
  ]) {
    assert.equal(guess(text), undefined, text.slice(0, 40));
  }
});

test("pasted JSON may begin with empty lines", () => {
  assert.equal(pastedName('\n\n  {"a": 1}'), "pasted.json");
});
