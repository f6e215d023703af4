/** What `npm test` repeats at its end of a check that failed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { whatFailed } from "../../../scripts/what-failed.mjs";

const failure = (name: string) => `test at tests/${name}.test.ts:1:1\n✖ ${name} (1.2 ms)\n  Error\n\n      at tests`;
const process = (name: string) =>
  `✖ ${name} (1.2 ms)\n  Error\n✔ other (1 ms)\nℹ fail 1\n\n✖ failing tests:\n\n${failure(name)}\n`;

test("the end of a run repeats the failures of every process", () => {
  const output = `${process("first")}${process("second")}▶ suite\n  ✔ third (1 ms)\nℹ fail 0\n`;
  assert.equal(whatFailed(output), `${failure("first")}\n\n${failure("second")}`);
});

test("the end of a run repeats the last lines of other output", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  assert.equal(whatFailed(`${lines.join("\n")}\n`), lines.slice(40).join("\n"));
});
