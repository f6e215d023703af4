/**
 * Real recordings, played again through conversations in every provider's form, with no model, a poor one and a good
 * one.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isTried } from "../runs.ts";
import { SHAPES, WRITERS, replayed } from "./replay.ts";

/** Small recordings, and budgets that they do not fit into. */
const FILES: [string, number[]][] = [
  ["tau-airline-11.json", [2_500, 4_000]],
  ["sweagent-marshmallow-1867.json", [4_000, 8_000]],
  ["cline-sidebar.json", [8_000, 16_000]],
  ["openhands-ponyc-4593.json", [8_000, 16_000]],
];

for (const [row, [file, budgets]] of FILES.entries()) {
  const { messages } = JSON.parse(
    readFileSync(new URL(`../../fixtures/transcripts/${file}`, import.meta.url), "utf8"),
  ) as { messages: unknown };
  for (const [column, shape] of SHAPES.entries()) {
    test(`${file} as ${shape}: every request is valid and on budget, the newest request is in it, and no compaction is for nothing`, async () => {
      for (const [at, budget] of budgets.entries()) {
        for (const [number, writer] of Object.keys(WRITERS).entries()) {
          if (!isTried(3, row, column, at, number)) continue;
          const found = await replayed(messages, shape, budget, writer, shape === "openai-chat" ? 1 : 3);
          assert.deepEqual(found.wrong, [], `${budget}, ${writer}`);
          assert.equal(found.exceeded, 0, `${budget}, ${writer}`);
          // One or two calls for each, and no compaction at every request.
          assert.ok(found.calls <= 4 * (found.compactions + 1) && found.row <= 3, JSON.stringify(found));
          if (budget === budgets[0]) assert.ok(found.compactions > 0, `${budget}, ${writer}: ${JSON.stringify(found)}`);
        }
      }
    });
  }
}
