/**
 * Patterns on texts that others wrote take time in proportion to the length. With one that backtracks these texts of a
 * million characters would take hours: 100,000 took 14 to 84 s, and the first one is cubic.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { titleOf } from "../../../js/conversation/checkpoints.ts";
import { isCpp } from "../../../js/documents/headers.ts";
import { readAsked } from "../../../js/recall/asked.ts";
import { readSession } from "../../../js/sessions/index.ts";
import { guess } from "../../../www/source/guess.ts";

const LENGTH = 1_000_000;
const many = (text: string, length = LENGTH) => text.repeat(Math.ceil(length / text.length));
const title = (summary: string) => titleOf(summary, () => "the goal");
const aider = (line: string) => readSession(`# aider chat started at 2024-01-01\n\n#### hi${line}\n`);

const TEXTS: Record<string, (() => unknown)[]> = {
  "titles of summaries": [
    () => title(`<title>${many(" ")}`),
    () => title(many("<title>")),
    () => title(`# a${many(" title a")}${many("\n")}`),
  ],
  "headers of C": [
    () => isCpp(`class\ts\t${many("\t")}\0`),
    () => isCpp(`enum class s${many(" ")}\0`),
    () => isCpp(`namespace s${many(" ")}\0`),
  ],
  "ids to recall": [() => readAsked({ id: many("\t") }), () => readAsked({ id: `${many(")")}x` })],
  "a history of aider": [
    () => aider(`${many(" ")}x`),
    () => aider(`\n\n> ${many(" ")}x`),
    () => aider(`\n\n# aider chat started at${many(" ")}\rx`),
  ],
  "a text without a name": [() => guess(many("\n"))],
};

for (const [name, reads] of Object.entries(TEXTS))
  test(`${name}: hostile texts are read`, () => {
    for (const read of reads) read();
  });

test("what the patterns find is as before", () => {
  assert.equal(title("# Title\n\n  Fix the parser\nMore"), "Fix the parser");
  assert.equal(title("## The title of all\r\nFix it"), "Fix it");
  assert.equal(title("x <checkpoint_title> Fix it \n</checkpoint_title>"), "Fix it");
  assert.equal(title("<title></title><TITLE>\nFix it</TITLE>"), "Fix it");
  assert.equal(title("The <title> of it all"), "the goal");
  const found = (id: string) => (readAsked({ id }) as { ids: string[] }).ids;
  assert.deepEqual(found("[m1], `m5`; m10 .. m20, m3 to  m4, (m7 – m9)."), [
    "m1",
    "m5",
    "m10..m20",
    "m3..m4",
    "m7..m9",
  ]);
  for (const cpp of ["class A\n{", "class A : public B", "enum class E\n:", "namespace a\n  {", "class A final\t;"])
    assert.ok(isCpp(cpp), cpp);
  assert.ok(!isCpp("int class;"));
});
