/**
 * Sizes at which the cost per item used to grow with the number of items, or at which a list passed as arguments exceeded the stack. Each
 * case took minutes, or threw, before; none has a time limit of its own.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropic, gemini, openai } from "../../../js/providers/index.ts";
import { espalier } from "../built.ts";

const { prune, repair, toolContent } = espalier;

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

test("toolContent: 300,000 parts, some of them for others", async () => {
  const content = many(300_000, (at) => ({ type: "text", text: String(at), ...(at % 3 === 0 && { annotations: { audience: ["user"] } }) }));
  const result = await toolContent({ content });
  assert.equal(result.withheld, 100_000);
});

test("gemini: 60,000 messages of one role become one", () => {
  const contents = many(60_000, (at) => ({ role: "user", parts: [{ text: `line ${at}` }] }));
  const { messages } = repair({ contents } as never, { provider: "gemini" });
  const [first, ...others] = (messages as unknown as { contents: { parts: unknown[] }[] }).contents;
  assert.deepEqual([others.length, first!.parts.length, first!.parts[59_999]], [0, 60_000, { text: "line 59999" }]);
});

test("gemini: prune of 25,000 rounds", () => {
  const contents = many(25_000, (at) => [
    { role: "user", parts: [{ text: `Question ${at}` }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: { at } } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { output: `content ${at}` } } }] },
  ]).flat();
  const { report } = prune({ contents } as never, { budget: 1_000_000, format: "gemini" } as never) as { report: { removed: unknown[] } };
  assert.ok(report.removed.length >= 0);
});

test("repair: 150,000 changes", () => {
  const messages = many(150_000, (at) => ({ role: "tool", tool_call_id: `lost${at}`, content: "x" }));
  const { report } = repair([{ role: "user", content: "Hello." }, ...messages], { provider: "openai-chat" });
  assert.ok(report.changes.length >= 150_000);
});

test("requests with 200,000 parts in one message", () => {
  const messages = [{ role: "user", content: many(200_000, (at) => ({ type: "text", text: `${at}` })) }];
  for (const make of [openai, anthropic, gemini]) {
    const request = make({ model: "test", apiKey: "sk-0123456789" }).toRequest(messages, { maxTokens: 10 });
    assert.ok(JSON.stringify(request).includes("199999"), make.name);
  }
});
