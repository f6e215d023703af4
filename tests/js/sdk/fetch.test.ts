/** `espalier/fetch`: requests of a provider's client, as they go over the wire. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import type * as Fetching from "../../../js/sdk/fetch.ts";
import { espalier } from "../built.ts";
import { answer, modelServer, refuse } from "../../server/model.mjs";

const { createFetch } = (await import(new URL("../../../pkg/dist/fetch.js", import.meta.url).href)) as typeof Fetching;
const server = await modelServer({ strict: true });
after(() => server.close());
/** What the server got: bodies and headers. */
const seen = () => server.seen as unknown as { body: Fields; text: string; headers: Record<string, string> }[];

type Fields = Record<string, any>;
const LONG = "The river flows to the sea. ".repeat(150);
const LIMIT = 3_000;

/** One round of an agent's history in each format, and a request with it. */
const FORMATS: Record<string, { path: string; list: string; round(n: number): Fields[]; rest: Fields; ask: Fields }> = {
  "openai-chat": {
    path: "/v1/chat/completions",
    list: "messages",
    ask: { role: "user", content: "Fix the parser." },
    rest: { model: "gpt-4o" },
    round: (n) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${n}`, type: "function", function: { name: "read", arguments: `{"path":"p${n}"}` } }],
      },
      { role: "tool", tool_call_id: `c${n}`, content: `${n}: ${LONG}` },
    ],
  },
  "openai-responses": {
    path: "/v1/responses",
    list: "input",
    ask: { role: "user", content: "Fix the parser." },
    rest: { model: "gpt-4o", instructions: "You fix builds." },
    round: (n) => [
      { type: "function_call", call_id: `c${n}`, name: "read", arguments: `{"path":"p${n}"}` },
      { type: "function_call_output", call_id: `c${n}`, output: `${n}: ${LONG}` },
    ],
  },
  anthropic: {
    path: "/v1/messages",
    list: "messages",
    ask: { role: "user", content: "Fix the parser." },
    rest: { model: "claude-sonnet-4-6", max_tokens: 100, system: [{ type: "text", text: "You fix builds." }] },
    round: (n) => [
      { role: "assistant", content: [{ type: "tool_use", id: `c${n}`, name: "read", input: { path: `p${n}` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: `${n}: ${LONG}` }] },
    ],
  },
  gemini: {
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    list: "contents",
    ask: { role: "user", parts: [{ text: "Fix the parser." }] },
    rest: { systemInstruction: { parts: [{ text: "You fix builds." }] } },
    round: (n) => [
      { role: "model", parts: [{ functionCall: { name: "read", args: { path: `p${n}` } } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output: `${n}: ${LONG}` } } }] },
    ],
  },
};

const READ = {
  name: "read",
  description: "Reads.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};
const TOOLS: Record<string, Fields[]> = {
  "openai-chat": [{ type: "function", function: READ }],
  "openai-responses": [{ type: "function", ...READ }],
  anthropic: [{ name: "read", description: "Reads.", input_schema: READ.parameters }],
  gemini: [{ functionDeclarations: [READ] }],
};

const open = (format: string, options: Fields = {}) =>
  espalier.openConversation<any>({
    format: format as "anthropic",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 1,
    ...options,
  });

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: {
    "content-type": "application/json",
    "x-api-key": "k",
    "anthropic-version": "2023-06-01",
    authorization: "Bearer k",
  },
  body: JSON.stringify(body),
});

for (const [format, { path, list, ask, rest, round }] of Object.entries(FORMATS)) {
  test(`${format}: every request fits, and the conversation keeps all messages`, async () => {
    const conversation = await open(format);
    const fetch = createFetch(conversation);
    server.clear();
    const messages = [ask];
    for (let n = 1; n <= 10; n++) {
      messages.push(...round(n));
      server.queue(answer({ number: n, text: "Ok." }));
      const response = await fetch(`${server.url}${path}`, post({ ...rest, [list]: messages, tools: TOOLS[format] }));
      assert.equal(response.status, 200, await response.clone().text());
      await response.json();
    }
    for (const { body } of seen()) {
      assert.ok(espalier.countMessages(body, { format: format as "anthropic" }).total <= LIMIT);
      assert.match(JSON.stringify(body), /Fix the parser/);
    }
    assert.ok(seen().at(-1)!.body[list].length < messages.length);
    assert.equal(conversation.log.originals, messages.length);
    assert.ok(conversation.usage().tools > 10, "the tools are counted");
    if (format !== "openai-chat") assert.ok(conversation.usage().frame > 0, "the system prompt is counted");
    assert.ok(conversation.usage().reported.promptTotal > 0, "usage is reported");
    await conversation.dispose();
  });
}

test("it may become the global fetch, for a client that takes none", async () => {
  const before = globalThis.fetch;
  const conversation = await open("openai-chat");
  globalThis.fetch = createFetch(conversation) as typeof before;
  try {
    server.queue(answer({ number: 1, text: "Ok." }));
    const body = { model: "gpt-4o", messages: [{ role: "user", content: "Fix the parser." }] };
    const response = await fetch(`${server.url}/v1/chat/completions`, post(body));
    await response.json();
    assert.deepEqual([response.status, conversation.usage().requests], [200, 1]);
  } finally {
    globalThis.fetch = before;
    await conversation.dispose();
  }
});

test("requests that need no change, and those that are no call of the model, are sent as they are", async () => {
  const conversation = await open("anthropic");
  const given: unknown[] = [];
  const fetch = createFetch(conversation, {
    fetch: (input, init) => {
      given.push(input, init);
      return Promise.resolve(Response.json({}));
    },
    belongs: ({ model }) => model !== "small",
  });
  const messages = [{ role: "user", content: LONG.repeat(4) }];
  for (const [url, init] of [
    ["http://h/v1/messages", post({ messages: [{ role: "user", content: "Hi." }] })],
    ["http://h/v1/messages/count_tokens", post({ messages })],
    ["http://h/v1/messages", post({ model: "small", messages })],
    ["http://h/v1/messages", post({ thread: { previous_message_id: "m" }, messages })],
    ["http://h/v1/files", { method: "POST", body: new Blob(["a"]) }],
    ["http://h/v1/models", undefined],
  ] as const) {
    await fetch(url, init);
    assert.deepEqual(given.splice(0), [url, init]);
  }
  assert.equal(conversation.log.originals, 1);
  await conversation.dispose();
});

test("a Request is sent with its own headers, and another body", async () => {
  const conversation = await open("openai-chat");
  const { ask, round } = FORMATS["openai-chat"]!;
  const messages = [ask, ...Array.from({ length: 8 }, (_, n) => round(n)).flat()];
  server.clear();
  server.queue(answer({ text: "Ok." }));
  const request = new Request(`${server.url}/v1/chat/completions`, post({ model: "gpt-4o", messages }));
  const response = await createFetch(conversation)(request);
  assert.equal(response.status, 200);
  const { headers, body } = seen()[0]!;
  assert.equal(headers["x-api-key"], "k");
  assert.ok(body.messages.length < messages.length);
  await conversation.dispose();
});

test("a refusal as too large is followed by a smaller request; other refusals are the client's", async () => {
  const conversation = await open("openai-chat", { model: { name: "gpt-4o", maxPromptTokens: 100_000 } });
  const { ask, round } = FORMATS["openai-chat"]!;
  const messages = [ask, ...Array.from({ length: 8 }, (_, n) => round(n)).flat()];
  const fetch = createFetch(conversation);
  const send = () => fetch(`${server.url}/v1/chat/completions`, post({ model: "gpt-4o", messages }));
  const message = "This model's maximum context length is 4000 tokens. However, your messages resulted in 7200 tokens.";
  server.clear();
  server.queue(refuse({ status: 400, message, code: "context_length_exceeded" }), answer({ text: "Ok." }));
  assert.equal((await send()).status, 200);
  assert.equal(seen().length, 2);
  assert.ok(seen()[1]!.text.length < seen()[0]!.text.length / 1.5);
  server.queue(refuse({ status: 401, message: "No such key." }));
  const refused = await send();
  assert.equal(refused.status, 401);
  assert.match(await refused.text(), /No such key/);
  await conversation.dispose();
});

test("usage is taken from streams, and cache marks that move rewind nothing", async () => {
  const conversation = await open("anthropic");
  const { ask, round, rest } = FORMATS["anthropic"]!;
  const fetch = createFetch(conversation);
  server.clear();
  const messages: Fields[] = [ask];
  for (let n = 1; n <= 3; n++) {
    messages.push(...round(n));
    const marked = messages.map((message, at) => {
      if (at < messages.length - 1) return message;
      const [block] = message["content"] as Fields[];
      return { ...message, content: [{ ...block, cache_control: { type: "ephemeral" } }] };
    });
    server.queue(answer({ number: n, text: "Ok." }));
    const response = await fetch(`${server.url}/v1/messages`, post({ ...rest, messages: marked, stream: true }));
    assert.match(await response.text(), /message_stop/);
  }
  assert.equal(conversation.log.originals, messages.length);
  assert.ok(conversation.usage().reported.promptTotal > 0);
  await conversation.dispose();
});

test("another format has no requests to fit", async () => {
  const conversation = await open("ai-sdk");
  assert.throws(() => createFetch(conversation), /conversation\.log\.format must be one of openai-chat/);
  await conversation.dispose();
});
