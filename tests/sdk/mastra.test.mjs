/** `espalier/mastra` on Mastra's agents. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, refuse } from "../server/model.mjs";
import { mastra } from "./agents.mjs";
import { checkRequests, DONE, open, REQUEST, STEPS, taskServer } from "./task.mjs";

let server;
before(async () => (server = await taskServer()));
after(() => server.close());

const agent = (conversation) => mastra(server, conversation);

test("an agent with the processor sends what fits, and keeps compactions", async () => {
  const conversation = await open("ai-sdk");
  server.clear();
  server.script();
  const { text } = await agent(conversation).generate(REQUEST, { maxSteps: 50 });
  assert.match(text, new RegExp(`${DONE}$`));
  checkRequests(server.seen, "openai-chat");
  assert.equal(conversation.log.originals, 1 + 2 * STEPS);
  assert.ok(conversation.usage().tools > 10, "the tools are counted");
  assert.ok(conversation.usage().reported.promptTotal > 0);
  await conversation.dispose();
});

test("it repeats a request that was refused as too large", async () => {
  const conversation = await open("ai-sdk", { model: { name: "gpt-4o", maxPromptTokens: 100_000 } });
  server.clear();
  const tooLong = "This model's maximum context length is 4000 tokens. However, your messages resulted in 6050 tokens.";
  server.queue(refuse({ status: 400, message: tooLong, code: "context_length_exceeded" }), answer({ text: DONE }));
  const { text } = await agent(conversation).generate([
    { role: "user", content: "A long story. ".repeat(2_000) },
    { role: "assistant", content: "Nice." },
    { role: "user", content: REQUEST },
  ]);
  assert.equal(text, DONE);
  assert.ok(server.seen[1].text.length < server.seen[0].text.length / 1.5);
  await conversation.dispose();
});
