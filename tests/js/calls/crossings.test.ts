/** How often `prune` and `compact` cross into the engine. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { crossed } from "../crossings.ts";
import { SUMMARY, begin } from "../conversation/support.ts";

const messages = begin(40);
const MODELS = [undefined, "gpt-4o", "claude-sonnet-4-5"];

test("limits of a model cost no crossing", async () => {
  const model = { name: "gpt-4o", maxPromptTokens: 2_000 };
  espalier.prune(messages, { model });
  assert.deepEqual(await crossed(() => espalier.prune(messages, { model })), ["prunePlan"]);
});

for (const model of MODELS) {
  const name = model ?? "no model";
  const options = { budget: 2_000, ...(model && { model }) };
  // The first call asks for the encoding of the model's name, and counts with it from then on.
  espalier.prune(messages, options);

  test(`a call of prune crosses once (${name})`, async () => {
    assert.deepEqual(await crossed(() => espalier.prune(messages, options)), ["prunePlan"]);
  });

  test(`a compaction by rules crosses once (${name})`, async () => {
    const crossings = await crossed(async () => {
      const { status } = await espalier.compact(messages, options);
      assert.equal(status, "applied");
    });
    assert.deepEqual(crossings, ["beginCompaction"]);
  });

  test(`a compaction by a model crosses twice (${name})`, async () => {
    const crossings = await crossed(async () => {
      const { report } = await espalier.compact(messages, { ...options, llm: async () => SUMMARY });
      assert.equal(report.model?.error, undefined);
    });
    assert.deepEqual(crossings, ["beginCompaction", "compaction_resume"]);
  });
}

test("a request to the model in a provider's own format costs no crossing of its own", async () => {
  const request = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 ? "assistant" : "user",
    content: [{ type: "text", text: `${at} `.repeat(200) }],
  }));
  for (const shape of ["fork", "full"] as const) {
    const options = { budget: 2_000, format: "anthropic", shape, llm: async () => SUMMARY } as const;
    const crossings = await crossed(async () => {
      const { report } = await espalier.compact(request, options);
      assert.equal(report.model?.asked[0]?.shape, shape);
    });
    assert.deepEqual(crossings, ["beginCompaction", "compaction_resume"]);
  }
});
