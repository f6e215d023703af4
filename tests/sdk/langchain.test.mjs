/** `espalier/langchain` on LangChain 1.5. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  coerceMessageLikeToMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { contextEditingMiddleware, createAgent, createMiddleware, tool as langchainTool } from "langchain";
import { convert, countMessages, prune } from "espalier";
import { createContextEdit, createHooks, trimMessages } from "espalier/langchain";
import { memoryStorage } from "espalier/storage";
import { answer, refuse } from "../server/model.mjs";
import { langchain, langchainModel } from "./agents.mjs";
import { checkRequests, DONE, LIMIT, open, REQUEST, STEPS, SYSTEM, taskServer, TOOL } from "./task.mjs";

let server;
before(async () => (server = await taskServer()));
after(() => server.close());

const agent = (...middleware) => langchain(server, { middleware });
const task = () => [{ messages: [new HumanMessage(REQUEST)] }, { recursionLimit: 100 }];

/** A conversation of instances: a request, rounds with two calls each, an answer. */
function history(rounds, text = "a line\n".repeat(40)) {
  return [
    new SystemMessage(SYSTEM),
    new HumanMessage(REQUEST),
    ...Array.from({ length: rounds }, (_, at) => {
      const calls = ["a", "b"].map((name) => ({
        type: "tool_call",
        id: `${name}${at}`,
        name: "read",
        args: { path: `${name}${at}.txt` },
      }));
      return [
        new AIMessage({ content: "", tool_calls: calls }),
        ...calls.map(({ id, name }) => new ToolMessage({ content: text, tool_call_id: id, name })),
      ];
    }).flat(),
    new AIMessage(DONE),
    new HumanMessage("And part 8?"),
  ];
}

test("an agent with the hooks sends what fits, and keeps compactions", async () => {
  const conversation = await open("langchain");
  server.clear();
  server.script();
  const { messages } = await agent(createMiddleware(createHooks(conversation))).invoke(...task());
  assert.equal(messages.at(-1).content, DONE);
  assert.equal(messages.length, 2 + 2 * STEPS, "the state of the graph keeps all messages");
  checkRequests(server.seen, "openai-chat");
  assert.ok(conversation.usage().reported.promptTotal > 0);
  assert.ok(conversation.view().messages.some((message) => messages.includes(message)));
  await conversation.dispose();
});

test("a graph with checkpoints, and a conversation that is opened again, continue", async () => {
  server.clear();
  const [storage, checkpointer] = [memoryStorage(), new MemorySaver()];
  const config = { configurable: { thread_id: "reader" }, recursionLimit: 100 };
  let summaries = 0;
  for (let run = 0; run < 4; run++) {
    const conversation = await open("langchain", { storage });
    // The copies of a checkpoint differ from the answers in their metadata, stored messages in their form.
    for (let turn = 0; turn < 2; turn++) {
      server.script(STEPS, { before: server.seen.length });
      const hooks = createMiddleware(createHooks(conversation));
      const { messages } = await langchain(server, { middleware: [hooks], checkpointer }).invoke(task()[0], config);
      // The last answer comes after the last request.
      assert.equal(conversation.log.originals, messages.length - 1);
    }
    assert.ok(conversation.log.edits().length > summaries);
    summaries = conversation.log.edits().length;
    await conversation.dispose();
  }
  assert.deepEqual(server.seen.map(({ refused }) => refused).filter(Boolean), []);
});

test("the hooks send a smaller request after a refusal", async () => {
  const conversation = await open("langchain", { model: { name: "gpt-4o", maxPromptTokens: 100_000 } });
  server.clear();
  const tooLong = "This model's maximum context length is 4000 tokens. However, your messages resulted in 6050 tokens.";
  server.queue(refuse({ status: 400, message: tooLong, code: "context_length_exceeded" }), answer({ text: DONE }));
  const input = {
    messages: [new HumanMessage("A long story. ".repeat(2_000)), new AIMessage("Nice."), new HumanMessage(REQUEST)],
  };
  const { messages } = await agent(createMiddleware(createHooks(conversation))).invoke(input);
  assert.equal(messages.at(-1).content, DONE);
  assert.ok(server.seen[1].text.length < server.seen[0].text.length / 1.5);
  await conversation.dispose();
});

test("tools are counted; a schema that cannot be read is refused, and can be replaced", async () => {
  const { z: z3 } = await import("zod/v3");
  const old = langchainTool(() => "", {
    name: "old",
    description: "An old tool.",
    schema: z3.object({ path: z3.string() }),
  });
  const ask = async (options) => {
    const conversation = await open("langchain");
    const middleware = createMiddleware(createHooks(conversation, options));
    server.clear();
    server.queue(answer({ text: DONE }));
    try {
      const own = createAgent({ model: langchainModel(server), tools: [old], middleware: [middleware] });
      await own.invoke({ messages: [new HumanMessage(REQUEST)] });
      return conversation.usage().tools;
    } finally {
      await conversation.dispose();
    }
  };
  await assert.rejects(ask(), /tools\[0\] has a schema of a validation library.*options\.tools/);
  const { parameters } = TOOL;
  assert.ok((await ask({ tools: [{ name: "old", description: "An old tool.", schema: parameters }] })) > 10);
});

test("contextEditingMiddleware with the edit sends what fits", async () => {
  server.clear();
  server.script();
  const middleware = contextEditingMiddleware({ edits: [createContextEdit({ maxTokens: LIMIT - 200 })] });
  const { messages } = await agent(middleware).invoke(...task());
  assert.equal(messages.at(-1).content, DONE);
  for (const { body, refused } of server.seen) {
    assert.equal(refused, undefined);
    assert.ok(countMessages(body, { format: "openai-chat" }).total <= LIMIT);
  }
});

test("trimMessages: exact, whole pairs, unchanged instances are the same objects", async () => {
  const messages = history(12);
  const whole = countMessages(messages).total;
  for (const share of [0.2, 0.4, 0.7, 1]) {
    const maxTokens = Math.floor(whole * share);
    const trimmed = trimMessages(messages, { maxTokens, strategy: "last", includeSystem: true });
    assert.ok(countMessages(trimmed).total <= maxTokens);
    assert.equal(trimmed[0], messages[0], "the system prompt stays");
    assert.equal(trimmed.at(-1), messages.at(-1));
    const calls = trimmed.flatMap(({ tool_calls: list = [] }) => list.map(({ id }) => id));
    const results = trimmed.flatMap(({ tool_call_id: id }) => id ?? []);
    assert.deepEqual(results.sort(), calls.sort());
    // A real model of LangChain takes them.
    server.clear();
    server.queue(answer({ text: DONE }));
    assert.equal((await langchainModel(server).invoke(trimmed)).content, DONE);
  }
  assert.deepEqual(trimMessages(messages, { maxTokens: whole }), messages);
  assert.ok(trimMessages(messages, { maxTokens: whole }).every((message, at) => message === messages[at]));
  // In a chain: LangChain makes a runnable of a function.
  server.queue(answer({ text: DONE }));
  const { RunnableLambda } = await import("@langchain/core/runnables");
  const chain = RunnableLambda.from(trimMessages({ maxTokens: 2_000 })).pipe(langchainModel(server));
  assert.equal((await chain.invoke(messages)).content, DONE);
});

test("trimMessages refuses what it does not do", () => {
  const messages = history(1);
  const is = (options, path) => assert.throws(() => trimMessages(messages, options), { code: "bad_option", path });
  is({}, "options.maxTokens");
  is({ maxTokens: 100, strategy: "first" }, "options.strategy");
  is({ maxTokens: 100, startOn: "human" }, "options.startOn");
  assert.throws(() => trimMessages(messages, { maxTokens: 5 }), { code: "budget_exceeded" });
});

test("messages that change keep their class, their other fields, and LangChain's own JSON", () => {
  const text = "a line\n".repeat(3_000);
  const messages = history(1, text);
  messages[3].artifact = { rows: 3 };
  messages[3].response_metadata = { took: 5 };
  const { messages: shortened } = prune(messages, { budget: 3_000 });
  const changed = shortened[3];
  assert.ok(changed !== messages[3] && changed instanceof ToolMessage && ToolMessage.isInstance(changed));
  assert.ok(changed.content.length < text.length / 2);
  assert.equal(messages[3].content, text, "the caller's instance is as it was");
  assert.deepEqual(
    [changed.artifact, changed.response_metadata],
    [messages[3].artifact, messages[3].response_metadata],
  );
  // LangChain writes and reads the new text.
  const [again] = mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages([changed]));
  assert.equal(again.content, changed.content);
  assert.equal(again.tool_call_id, "a0");
});

test("the same conversation in all forms of JSON", () => {
  const messages = history(2);
  const forms = {
    stored: mapChatMessagesToStoredMessages(messages),
    serialised: JSON.parse(JSON.stringify(messages)),
    plain: messages.map((message) => ({ ...message.toDict().data, type: message.getType() })),
  };
  const essence = (list) => convert(list, "openai-chat").messages;
  for (const [form, list] of Object.entries(forms)) {
    assert.deepEqual(essence(list), essence(messages), form);
    assert.equal(countMessages(list).total, countMessages(messages).total, form);
    const { messages: kept } = prune(list, { budget: 300 });
    assert.ok(kept.length < list.length && kept.every((message) => list.includes(message)), form);
  }
});

test("conversations of other formats become messages that LangChain takes", async () => {
  const chat = convert(history(2), "openai-chat").messages;
  const messages = convert(chat, "langchain").messages;
  assert.deepEqual(convert(messages, "openai-chat").messages, chat);
  server.clear();
  server.queue(answer({ text: DONE }));
  assert.equal((await langchainModel(server).invoke(messages)).content, DONE);
  assert.equal(server.seen[0].refused, undefined);
  assert.equal(server.seen[0].body.messages.length, chat.length);
  const instances = messages.map(coerceMessageLikeToMessage);
  assert.ok(instances.every((message) => BaseMessage.isInstance(message)));
  assert.deepEqual(convert(instances, "openai-chat").messages, chat);
});

test("what changes in an answer of the Responses API changes in the request, too", async () => {
  const model = new ChatOpenAI({
    model: "gpt-4o",
    apiKey: "k",
    useResponsesApi: true,
    configuration: { baseURL: `${server.url}/v1` },
  });
  const text = "word ".repeat(3_000);
  server.clear();
  server.queue(
    answer({ calls: [{ id: "c1", name: "write", input: { path: "a.txt", text } }] }),
    answer({ number: 2, text: DONE }),
  );
  const question = new HumanMessage("Write a.txt.");
  const reply = await model.invoke([question]);
  assert.ok(JSON.stringify(reply.response_metadata.output).includes(text), "LangChain keeps the provider's items");
  const messages = [
    question,
    reply,
    new ToolMessage({ content: "ok", tool_call_id: "c1" }),
    new AIMessage("Done."),
    new HumanMessage("Go on."),
  ];
  const conversation = await open("langchain", { messages, model: { name: "gpt-4o", maxPromptTokens: 100_000 } });
  conversation.log.edit({
    kind: "clear_arguments",
    rule: "test",
    targets: [{ message: "m1", part: 0, to: { type: "arguments", arguments: '{"path":"a.txt","text":"(long)"}' } }],
  });
  assert.equal((await model.invoke(conversation.view().messages)).content[0].text ?? DONE, DONE);
  const [, request] = server.seen;
  assert.equal(request.refused, undefined);
  const [call] = request.body.input.filter(({ type }) => type === "function_call");
  assert.deepEqual([call.call_id, JSON.parse(call.arguments)], ["c1", { path: "a.txt", text: "(long)" }]);
  assert.ok(JSON.stringify(reply.response_metadata.output).includes(text), "the caller's answer is as it was");
  await conversation.dispose();
});

test("chunks of a stream, calls in three places, and invalid calls", async () => {
  const chunk = new AIMessageChunk({
    content: [
      { type: "text", text: "Look." },
      { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
    ],
    tool_call_chunks: [{ type: "tool_call_chunk", id: "c1", name: "read", args: '{"path":"a"}', index: 0 }],
    additional_kwargs: {
      tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
    },
  });
  const result = new ToolMessage({ content: "text", tool_call_id: "c1" });
  const [{ tool_calls: calls }] = convert([chunk, result], "openai-chat").messages;
  assert.deepEqual(calls, [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }]);
  // Arguments that become shorter do so in all places.
  const long = new AIMessage({
    content: "",
    tool_calls: [{ type: "tool_call", id: "c1", name: "write", args: { path: "a", text: "word ".repeat(4_000) } }],
    additional_kwargs: {
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "write", arguments: JSON.stringify({ path: "a", text: "word ".repeat(4_000) }) },
        },
      ],
    },
  });
  const invalid = new AIMessage({
    content: "",
    invalid_tool_calls: [{ id: "c2", name: "read", args: "{oops", error: "no JSON" }],
  });
  const other = new ToolMessage({ content: "text", tool_call_id: "c2" });
  const read = convert([invalid, other], "openai-chat").messages[0].tool_calls;
  assert.equal(read[0].function.arguments, '{"arguments":"{oops"}');
  const messages = [new HumanMessage("go"), long, result, new AIMessage("ok"), new HumanMessage("go on")];
  const conversation = await open("langchain", { messages });
  const args = '{"path":"a","text":"(long)"}';
  conversation.log.edit({
    kind: "clear_arguments",
    rule: "test",
    targets: [{ message: "m1", part: 0, to: { type: "arguments", arguments: args } }],
  });
  const [, shorter] = conversation.view().messages;
  assert.deepEqual(shorter.tool_calls[0].args, JSON.parse(args));
  assert.equal(shorter.additional_kwargs.tool_calls[0].function.arguments, args);
  await conversation.dispose();
});
