/** How often a conversation crosses into the engine. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { atMost, crossed } from "../crossings.ts";
import { SUMMARY, begin, open, round } from "./support.ts";

for (const name of ["gpt-4o", "claude-sonnet-4-5"])
  test(`a request that fits crosses few times (${name})`, async () => {
    const conversation = await open({ model: { name, maxPromptTokens: 100_000 } });
    conversation.append(begin(5));
    await conversation.prepare();
    conversation.reportUsage(2_000);
    for (let number = 5; number < 9; number += 1) {
      conversation.append(round(number));
      atMost(3, await crossed(() => conversation.prepare()));
      atMost(1, await crossed(() => conversation.reportUsage(2_000 + number * 200)));
    }
  });

// A call of the model takes two more: the messages to show it, and its answer.
for (const [llm, max] of [
  [undefined, 6],
  [async () => SUMMARY, 8],
] as const)
  test(`a request that compacts crosses few times (${llm ? "by a model" : "by rules"})`, async () => {
    const conversation = await open({ background: false, ...(llm && { llm }) });
    conversation.append(begin(5));
    await conversation.prepare();
    conversation.append(Array.from({ length: 40 }, (_, number) => round(number + 5)).flat());
    const names = await crossed(async () => {
      const { report } = await conversation.prepare();
      assert.deepEqual(
        report.compactions.map(({ status }) => status),
        ["applied"],
      );
    });
    atMost(max, names);
  });
