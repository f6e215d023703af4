/** Budgets that cannot be met: what the error says is true of what the host gave, and leads there. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";
import type { CompactOptions } from "../../../js/types/compact.ts";
import type { NeutralMessage } from "../../../js/types/messages.ts";

const { compact, countMessages, countTools, openConversation, prune } = espalier;

const tools = [
  {
    type: "function",
    function: { name: "bash", description: "runs ".repeat(600), parameters: { type: "object", properties: {} } },
  },
];
const system = { role: "system", content: "be exact. ".repeat(150) };
const messages = [system, { role: "user", content: "hi" }];

type Details = { budget: number; needed: number; largest: { id: string; tokens: number; why: string }[] };

async function exceeded(run: () => unknown): Promise<Details & { path: string | undefined; message: string }> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof espalier.EspalierError && error.code === "budget_exceeded", String(error));
    return { ...(error.details as Details), path: error.path, message: error.message };
  }
  return assert.fail("it fitted");
}

test("the numbers are those of the whole request, wherever it is cut", async () => {
  const needed = countMessages(messages, { tools }).total;
  const all: [what: string, path: string | undefined, run: () => unknown][] = [
    ["prune", "options.budget", () => prune(messages, { budget: 1_000, tools })],
    ["compact", "options.budget", () => compact(messages, { budget: 1_000, tools })],
    [
      "prepare",
      undefined,
      async () => {
        const conversation = await openConversation<unknown>({
          format: "openai-chat",
          model: { name: "gpt-4o", maxPromptTokens: 1_000 },
          tools,
        });
        conversation.append(messages);
        return conversation.prepare();
      },
    ],
  ];
  for (const [what, path, run] of all) {
    const found = await exceeded(run);
    assert.deepEqual([found.budget, found.needed, found.path], [1_000, needed, path], what);
    assert.deepEqual(
      found.largest.map(({ id }) => id),
      ["tools", "m0", "m1"],
      what,
    );
    assert.equal(found.largest[0]!.tokens, countTools(tools).total, what);
    assert.match(
      found.message,
      new RegExp(`needs ${needed} tokens, the budget allows 1000; the largest is tools`),
      what,
    );
  }
});

test("tools alone, a system prompt apart, and messages by their names in the log", async () => {
  const open = async (maxPromptTokens: number, options: object) => {
    const conversation = await openConversation({
      format: "openai-chat",
      model: { name: "gpt-4o", maxPromptTokens },
      ...options,
    });
    conversation.append([
      { role: "user", content: "hi" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "go" },
    ]);
    return conversation;
  };
  const alone = await exceeded(async () => (await open(600, { tools })).prepare());
  assert.equal(alone.budget, 600);
  assert.ok(alone.needed > countTools(tools).total && alone.largest[0]!.id === "tools", JSON.stringify(alone));
  const apart = await exceeded(async () => (await open(300, { system: system.content })).prepare());
  assert.deepEqual([apart.budget, apart.largest[0]!.id, apart.largest.at(-1)!.id], [300, "system", "m2"]);
});

const text = (words: number) => [{ type: "text" as const, text: "word ".repeat(words) }];

/**
 * Conversations that Anthropic, Gemini and VS Code take only in a longer form: calls left alone, a turn that is not the
 * user's at first.
 */
function crooked(seed: number): NeutralMessage[] {
  const call = (id: string) => ({
    type: "toolCall" as const,
    callId: id,
    name: "bash",
    arguments: `{"command":"make ${"x".repeat(seed % 37)}"}`,
  });
  return [
    { id: "a0", role: "assistant", parts: [...text(seed % 11), call("c1"), call("c2")] },
    {
      id: "t1",
      role: "tool",
      parts: [{ type: "toolResult", callId: "c2", name: "bash", content: text(20 + (seed % 50)), isError: false }],
    },
    { id: "u1", role: "user", parts: text(seed % 23) },
    { id: "a1", role: "assistant", parts: [call("c3")] },
    { id: "a2", role: "assistant", parts: [...text(5), call("c4")] },
    { id: "u2", role: "user", parts: text(30 + (seed % 90)) },
  ];
}

test("a budget raised to what is needed is enough, also where a provider wants more than was kept", async () => {
  let raised = 0;
  for (let seed = 1; seed < 120; seed += Math.floor(120 / runs(120))) {
    for (const provider of ["anthropic", "gemini", "vscode", "openai-chat"] as const) {
      const options: CompactOptions = {
        format: "espalier",
        provider,
        budget: 40 + seed,
        ...(seed % 3 === 0 && { keep: ["u1", 0] }),
      };
      for (let budget = options.budget, tries = 0; ; tries += 1) {
        try {
          const { messages: sent, report } = await compact(crooked(seed), { ...options, budget });
          const { total } = countMessages(sent, { format: "espalier" });
          assert.ok(total <= budget && report.after.total === total);
          assert.equal(report.steps.at(-1)?.tokensAfter ?? total, total, "the last step is not the result");
          break;
        } catch (error) {
          if (!(error instanceof espalier.EspalierError) || error.code !== "budget_exceeded") throw error;
          const details = error.details as Details;
          assert.equal(details.budget, budget);
          assert.ok(details.needed > budget, `${provider} ${seed}: needs ${details.needed} of ${budget}`);
          assert.ok(tries < 5, `${provider} ${seed}: raised again and again`);
          budget = details.needed;
          raised += 1;
        }
      }
    }
  }
  assert.ok(raised > runs(50), String(raised));
});

test("what is kept by its place is kept, whatever messages are called", () => {
  const own: NeutralMessage[] = ["a", "m0", "m1", "b", "c"].map((id, at) => ({
    id,
    role: at % 2 ? "assistant" : "user",
    parts: text(at === 4 ? 1 : 200),
  }));
  for (const [at, message] of own.entries()) {
    const ids = (keep: (string | number)[]) =>
      prune(own, { format: "espalier", budget: 600, keep }).messages.map(({ id }) => id);
    assert.ok(ids([at]).includes(message.id));
    assert.deepEqual(ids([at]), ids([message.id]));
  }
  for (const keep of [-1, 5, 0.5, NaN])
    assert.throws(() => prune(own, { format: "espalier", budget: 600, keep: [keep] }), {
      code: "bad_option",
      path: "options.keep[0]",
    });
  const said = ["one", "two", "three", "four", "five"];
  const request = {
    system: "be brief",
    messages: said.map((word, at) => ({
      role: at % 2 ? "assistant" : "user",
      content: `${word} ${"word ".repeat(at === 4 ? 1 : 200)}`,
    })),
  };
  const { messages: left } = prune(request, { format: "anthropic", budget: 500, keep: [1] }).messages;
  assert.deepEqual(
    left.map(({ content }) => content.split(" ")[0]),
    ["one", "two", "five"],
    "a turn keeps its opening",
  );
});
