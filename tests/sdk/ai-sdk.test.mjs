/** `espalier/ai-sdk` on the AI SDK 5, 6 and 7. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { EspalierError } from "espalier";
import { createMiddleware, createPrepareStep } from "espalier/ai-sdk";
import { answer, refuse } from "../server/model.mjs";
import { AI_SDKS, aiSdk } from "./agents.mjs";
import { checkRequests, DONE, open, REQUEST, STEPS, taskServer } from "./task.mjs";

let server;
before(async () => (server = await taskServer()));
after(() => server.close());

for (const version of Object.keys(AI_SDKS)) {
  test(`AI SDK ${version}: prepareStep sends what fits, and keeps compactions`, async () => {
    const { sdk, tools, options } = aiSdk(server, version);
    const conversation = await open("ai-sdk");
    server.clear();
    server.script();
    const { text, steps } = await sdk.generateText({
      ...options,
      prepareStep: createPrepareStep(conversation, { tools }),
    });
    assert.equal(text, DONE);
    assert.equal(steps.length, STEPS + 1);
    checkRequests(server.seen, "openai-chat");
    assert.equal(conversation.log.originals, 1 + 2 * STEPS, "the conversation keeps all messages");
    assert.ok(conversation.usage().reported.promptTotal > 0, "the usage of each step was reported");
    await conversation.dispose();
  });

  test(`AI SDK ${version}: so does a middleware, for answers that are streamed`, async () => {
    const { sdk, options } = aiSdk(server, version);
    const conversation = await open("ai-sdk");
    const model = sdk.wrapLanguageModel({ model: options.model, middleware: createMiddleware(conversation) });
    server.clear();
    server.script();
    const result = sdk.streamText({ ...options, model });
    assert.equal((await result.text).endsWith(DONE), true);
    assert.equal((await result.steps).length, STEPS + 1);
    checkRequests(server.seen, "openai-chat");
    // The usage of each answer was reported.
    assert.equal(conversation.usage().reported.promptTotal > 0, true);
    await conversation.dispose();
  });

  test(`AI SDK ${version}: a middleware sends a smaller request after a refusal, and passes other errors on`, async () => {
    const { sdk, options } = aiSdk(server, version);
    const conversation = await open("ai-sdk", { model: { name: "gpt-4o", maxPromptTokens: 100_000 } });
    const model = sdk.wrapLanguageModel({ model: options.model, middleware: createMiddleware(conversation) });
    server.clear();
    const words = { role: "user", content: "A long story. ".repeat(2_000) };
    const messages = [words, { role: "assistant", content: "Nice." }, { role: "user", content: REQUEST }];
    const tooLong =
      "This model's maximum context length is 4000 tokens. However, your messages resulted in 6050 tokens.";
    server.queue(refuse({ status: 400, message: tooLong, code: "context_length_exceeded" }), answer({ text: DONE }));
    const { text } = await sdk.generateText({ ...options, model, messages, tools: undefined });
    assert.equal(text, DONE);
    assert.equal(server.seen.length, 2);
    assert.ok(server.seen[1].text.length < server.seen[0].text.length / 1.5);
    server.queue(refuse({ status: 401, message: "wrong key" }));
    await assert.rejects(sdk.generateText({ ...options, model, messages, tools: undefined }), /wrong key/);
    await conversation.dispose();
  });
}

test("what changes in an answer that OpenAI has stored is sent, not referred to", async () => {
  const { sdk } = aiSdk(server, 7);
  const model = createOpenAI({ apiKey: "k", baseURL: `${server.url}/v1` }).responses("gpt-4o");
  const text = "word ".repeat(3_000);
  server.clear();
  server.queue(answer({ text }), answer({ number: 2, text: DONE }), answer({ number: 3, text: DONE }));
  const question = { role: "user", content: "Write a story." };
  const { response } = await sdk.generateText({ model, messages: [question] });
  const messages = [question, ...response.messages, { role: "user", content: "Go on." }];
  await sdk.generateText({ model, messages });
  assert.deepEqual(server.seen[1].body.input[1], { type: "item_reference", id: "msg_1" });
  const conversation = await open("ai-sdk", { messages, model: { name: "gpt-4o", maxPromptTokens: 100_000 } });
  conversation.log.edit({
    kind: "truncate",
    rule: "test",
    targets: [{ message: "m1", part: 0, to: { type: "text", text: "A story." } }],
  });
  await sdk.generateText({ model, messages: conversation.view().messages });
  const [, sent] = server.seen[2].body.input;
  assert.equal(sent.role, "assistant", JSON.stringify(sent));
  assert.match(JSON.stringify(sent.content), /A story\./);
  await conversation.dispose();
});

test("the next call continues the conversation, and a changed list changes it", async () => {
  const { sdk, options } = aiSdk(server, 7);
  const conversation = await open("ai-sdk");
  const model = sdk.wrapLanguageModel({ model: options.model, middleware: createMiddleware(conversation) });
  const say = async (...messages) => {
    server.queue(answer({ text: "Yes." }));
    await sdk.generateText({ ...options, model, tools: undefined, messages });
    return conversation.log.originals;
  };
  const user = (content) => ({ role: "user", content });
  const yes = { role: "assistant", content: [{ type: "text", text: "Yes." }] };
  assert.equal(await say(user("One?")), 1);
  // Instructions may change with every call: they are not of the conversation.
  options.system = "It is Monday.";
  assert.equal(await say(user("One?"), yes, user("Two?")), 3);
  // The user takes the second question back.
  assert.equal(await say(user("One?"), yes, user("Three?")), 4);
  const view = conversation.view().messages.map(({ content }) => content.map(({ text }) => text).join(""));
  assert.deepEqual(view, ["One?", "Yes.", "Three?"]);
  assert.match(server.seen.at(-1).text, /It is Monday/);
  assert.doesNotMatch(server.seen.at(-1).text, /Two/);
  await conversation.dispose();
});

test("a model of an unknown version, and a conversation of another format are refused", async () => {
  const conversation = await open("ai-sdk");
  const { wrapGenerate } = createMiddleware(conversation);
  const model = { specificationVersion: "v5", doGenerate: () => assert.fail("it was called") };
  await assert.rejects(
    wrapGenerate({ model, params: { prompt: [] } }),
    (error) => error instanceof EspalierError && /v2, v3 or v4: a model of the AI SDK 5, 6 or 7/.test(error.message),
  );
  await conversation.dispose();
  const chat = await open("openai-chat");
  assert.throws(() => createPrepareStep(chat), { code: "bad_option", path: "conversation.log.format" });
  await chat.dispose();
});
