/** The rules of providers hold for what `prune` and `compact` return, without a repair before or after. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { LlmRequest } from "../../../js/types/llm.ts";
import type { Finding, ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";
import { freeze } from "../formats/common.ts";
import { runs } from "../runs.ts";
import { hosts } from "../validity/hosts.ts";

const { Pruner, compact, countMessages, prune, validate } = espalier;

const PROVIDERS: ProviderName[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];

/** The names of tools are the host's affair. */
const ours = ({ path, rule }: Finding) => !/^tools/.test(path) && rule !== "tools-missing";
const share = fc.double({ min: 0.05, max: 1.1, noNaN: true });

/** What a host that does not name its provider has sent before, and a cut cannot bring about. */
const SENT = /^(?:missing-id|internal-id|call-id|tool-name|media-model|image-place|bad-image)$/;

/** The result fits, its tokens are those of the report, and its provider takes it. */
function check(
  provider: ProviderName,
  input: unknown,
  budget: number,
  isTrusted: boolean,
  { messages, report }: { messages: unknown; report: { after: { total: number; messages: number } } },
): void {
  const made = () => JSON.stringify([input, messages], undefined, 1);
  const options = { format: provider, pending: "keep" } as const;
  const isSilent = validate(input, provider, options).some(({ rule }) => rule === "no-messages");
  const found = validate(messages, provider, options).filter(
    (finding) => ours(finding) && !(isSilent && finding.rule === "no-messages"),
  );
  assert.deepEqual(isTrusted ? found.filter(({ rule }) => !SENT.test(rule)) : found, [], made());
  assert.ok(report.after.total <= budget);
  const { total, messages: count } = countMessages(messages, { format: provider });
  assert.deepEqual({ total, count }, { total: report.after.total, count: report.after.messages }, made());
}

function isRefusal(error: unknown): boolean {
  const { code } = error as { code: string };
  return code === "budget_exceeded" || code === "compaction_failed";
}

test("nothing is said in a conversation in which nobody said anything", () => {
  for (const format of PROVIDERS)
    assert.deepEqual(prune<unknown[]>([], { format, provider: format, budget: 99 }).messages, []);
});

test("ids that the host has sent stay, in one call and in request after request", () => {
  const id = `router-${"x".repeat(40)}`;
  const call = { id, type: "function", function: { name: "run", arguments: "{}" } };
  const messages = [
    { role: "user", content: "one ".repeat(400) },
    { role: "assistant", content: "two ".repeat(400) },
    { role: "user", content: "And now?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: "done" },
  ];
  const options = { budget: 700, format: "openai-chat" } as const;
  const pruner = new Pruner();
  for (const done of [prune<unknown[]>(messages, options), pruner.prune<unknown[]>(messages, options)]) {
    assert.ok(done.report.removed.length > 0);
    assert.ok(done.messages.includes(messages[3]) && done.messages.includes(messages[4]));
  }
  const named = pruner.prune<unknown[]>(messages, { ...options, provider: "openai-chat" });
  assert.ok(!named.messages.includes(messages[3]));
  pruner.free();
});

test("a tool choice stays if the tools are in the request or in the options", async () => {
  const tools = [{ type: "function", function: { name: "run", parameters: { type: "object" } } }];
  const messages = [
    { role: "user", content: "one ".repeat(400) },
    { role: "assistant", content: "two ".repeat(400) },
    { role: "user", content: "And now?" },
  ];
  const request = { model: "gpt-4o", messages, tool_choice: "auto" };
  const cases: [typeof request, { tools?: typeof tools }][] = [
    [Object.assign({ tools }, request), {}],
    [request, { tools }],
  ];
  for (const [input, options] of cases) {
    const budget = 700;
    const pruned = prune(input, { ...options, budget, provider: "openai-chat" });
    assert.ok(pruned.report.removed.length > 0);
    assert.equal(pruned.messages.tool_choice, "auto");
    const done = await compact(input, { ...options, budget });
    assert.equal(done.status, "applied");
    assert.equal(done.messages.tool_choice, "auto");
  }
});

for (const provider of PROVIDERS) {
  for (const isNamed of [false, true])
    test(`${provider}${isNamed ? ", named" : ""}: a pruned conversation is valid, fits, and is counted as it is written`, () => {
      fc.assert(
        fc.property(hosts[provider], share, (input, share) => {
          const budget = Math.floor(countMessages(input, { format: provider }).total * share);
          const options = { format: provider, budget, ...(isNamed && { provider }) };
          try {
            check(provider, input, budget, !isNamed, prune<unknown>(freeze(input), options));
          } catch (error) {
            if (!isRefusal(error)) throw error;
          }
        }),
        { seed: 12, numRuns: runs(300) },
      );
    });

  test(`${provider}: so is the request that the model gets`, async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(hosts[provider], share, async (input, share) => {
        const budget = Math.floor(countMessages(input, { format: provider }).total * share);
        let failure: unknown;
        const llm = ({ shape, messages, request, promptTokens }: LlmRequest) => {
          if (shape === "simple") return Promise.reject(new Error("Only its own format is of interest"));
          asked++;
          try {
            const sent = request ?? messages;
            const after = countMessages(sent, { format: provider });
            check(provider, input, after.total, false, { messages: sent, report: { after } });
            // Other shapes list neither the instructions nor the tools among the messages of every provider.
            // These also remove what the engine does not see: unanswered calls of the server, doubled items.
            const removesMore = provider === "anthropic" || provider === "openai-responses";
            if (shape === "fork" && !removesMore) assert.equal(after.total, promptTokens);
            else if (shape === "fork") assert.ok(after.total <= promptTokens);
          } catch (error) {
            failure ??= error;
          }
          return Promise.resolve("A summary.");
        };
        try {
          await compact<unknown>(freeze(input), { format: provider, budget, shape: "fork", force: true, llm });
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
        if (failure) throw failure;
      }),
      { seed: 14, numRuns: 150 },
    );
    assert.ok(asked >= 10, `${asked} requests`);
  });

  test(`${provider}: so is a compacted one`, async () => {
    await fc.assert(
      fc.asyncProperty(hosts[provider], share, async (input, share) => {
        const budget = Math.floor(countMessages(input, { format: provider }).total * share);
        try {
          const done = await compact<unknown>(freeze(input), { format: provider, budget, force: true });
          if (done.status === "applied") check(provider, input, budget, false, done);
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
      }),
      { seed: 13, numRuns: runs(150) },
    );
  });
}

test("a conversation that need not be compacted is sent as its provider takes it", async () => {
  const said = (role: string, content: unknown) => ({ role, content });
  const use = { type: "tool_use", id: "t1", name: "bash", input: {} };
  const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
  const turn = (role: string, text: string) => ({ role, parts: [{ text }] });
  const cases: [ProviderName, object[]][] = [
    ["anthropic", [said("user", [result]), said("assistant", "It passed."), said("user", "Good.")]],
    ["anthropic", [said("user", "Test."), said("assistant", [use]), said("user", "Hurry."), said("user", [result])]],
    ["gemini", [turn("user", "Hi."), turn("user", "Are you there?")]],
    ["openai-responses", [said("user", "Hi."), { type: "reasoning", id: "rs_1", summary: [] }, said("user", "Go on.")]],
  ];
  for (const [format, messages] of cases) {
    const { status, messages: out } = await compact(messages, { budget: 10_000, format });
    assert.equal(status, "unchanged");
    assert.notDeepEqual(validate(messages, format), []);
    assert.deepEqual(validate(out, format), []);
  }
  const [, sound] = cases[2]!;
  const one = sound.slice(0, 1);
  assert.equal((await compact(one, { budget: 10_000, format: "gemini" })).messages, one);
});
