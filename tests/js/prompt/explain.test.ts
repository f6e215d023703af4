/** Explanations of a rendered prompt. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { all, h } from "./pieces.ts";

const { Chunk, render, SystemMessage, TextChunk, UserMessage } = espalier as any;

test("an explanation names the reason, and the step of the data", async () => {
  const long = "long ".repeat(200);
  const prompt = await render(
    all(
      h(SystemMessage, { priority: 10 }, "s"),
      h(UserMessage, {}, "q", h(TextChunk, { priority: 1 }, long), h(Chunk, { priority: 2 }, h(TextChunk, {}, "two"))),
    ),
    { budget: 20 },
  );
  const chunk = prompt.explain("UserMessage > TextChunk");
  assert.deepEqual(chunk.removal.rule, "empty");
  const { step, cause, rival } = chunk.removal;
  assert.equal(cause.priority, 1);
  assert.match(cause.path, /UserMessage > TextChunk > "long /);
  assert.equal(prompt.explain(cause.id).removal.step, step);
  assert.match(
    chunk.sentence,
    new RegExp(
      `removed in step ${step} to .*: it went because the last of its content, .*, had the lowest priority \\(1\\)`,
    ),
  );
  assert.match(rival.path, /UserMessage > Chunk/);
  assert.match(chunk.sentence, / Next would have been .*UserMessage > Chunk \(priority 2\)\.$/);
});
