/** Compactions of a conversation go by the counts that it holds; what comes of them is what comes of its messages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { begin, round, SUMMARY } from "./support.ts";
import type { Fields } from "./support.ts";

const open = (options: object = {}) =>
  espalier.openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 4_000 },
    entropy: 1,
    automatic: false,
    ...options,
  });

test("a compaction by held counts is the compaction of the messages", async () => {
  const conversation = await open();
  conversation.append(begin(40));
  for (let step = 0; step < 3; step += 1) {
    const { log } = conversation;
    const view = log.neutral();
    const plan = await conversation.preview();
    const plain = await espalier.compact(
      view,
      log.counted({
        budget: 4_000,
        // In little room the next turns get 3,000 tokens.
        targetShare: 1 - 3_000 / (4_000 - plan.report.before.frame),
        force: true,
        trigger: "manual" as const,
        profile: "espalier" as const,
        timeoutMs: 120_000,
      }),
    );
    assert.deepEqual(
      [
        plan.status,
        plan.report.before,
        plan.report.covered,
        plan.report.steps.map(({ step, outcome }) => [step, outcome]),
      ],
      [
        plain.status,
        plain.report.before,
        plain.report.covered,
        plain.report.steps.map(({ step, outcome }) => [step, outcome]),
      ],
    );
    // The log knows what a record replaces: its messages keep their numbers.
    const record = plan.edits.find(({ message }) => message)!.message!;
    if (step === 0) assert.deepEqual([plan.edits, plan.report], [plain.edits, plain.report]);
    else assert.ok(!JSON.stringify(record).includes("~"));
    assert.ok(plan.report.quality!.cache!.saved > 0, "previews tell the price of the cache");
    conversation.apply(plan);
    conversation.append(Array.from({ length: 20 }, (_, n) => round(100 * (step + 1) + n)).flat());
  }
});

test("facts that were pinned in words stand among the constraints, once, until they are unpinned", async () => {
  const conversation = await open();
  conversation.append(begin(20));
  const pin = conversation.pin({ fact: "Use tabs,\nnever spaces." });
  const text = () => JSON.stringify(conversation.view().messages);
  assert.equal((await conversation.compact()).status, "applied");
  assert.equal(text().split("- pinned: Use tabs, never spaces.").length, 2);
  assert.ok(!text().includes("pinned-facts"));
  conversation.append(Array.from({ length: 20 }, (_, n) => round(100 + n)).flat());
  assert.equal((await conversation.compact()).status, "applied");
  assert.equal(text().split("Use tabs, never spaces.").length, 2);
  conversation.unpin(pin);
  conversation.append(Array.from({ length: 20 }, (_, n) => round(200 + n)).flat());
  assert.equal((await conversation.compact()).status, "applied");
  assert.ok(!text().includes("Use tabs"));
});

test("the report of a range names what was added to it", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 100_000 }, llm: async () => SUMMARY });
  conversation.append(begin(20));
  const { report } = await conversation.compactRange("m9", "m20");
  assert.deepEqual(report!.grown, ["m8", "m21"]);
  assert.equal(report!.covered.length, 14);
});
