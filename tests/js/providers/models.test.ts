/** Models that are objects: VS Code's and the AI SDK's, as their hosts make them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { setVSCode } from "../../../js/formats/index.ts";
import { aiSdk, EspalierError, generator, vscode } from "../../../js/providers/index.ts";
import type { AiSdkOptions, ProviderEvent, VscodeOptions } from "../../../js/providers/index.ts";
import { conversation } from "./conversations.ts";
import { failure, firing, hurried } from "./support.ts";
import { runs } from "../runs.ts";

type Fields = Record<string, unknown>;

// ---- VS Code, as far as extensions see it

class LanguageModelTextPart {
  value: string;
  constructor(value: string) {
    this.value = value;
  }
}
class LanguageModelThinkingPart {
  value: string;
  constructor(value: string) {
    this.value = value;
  }
}
class LanguageModelToolCallPart {
  callId: string;
  name: string;
  input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
class LanguageModelToolResultPart {
  callId: string;
  content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
class LanguageModelDataPart {
  data: Uint8Array;
  mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
}
class LanguageModelChatMessage {
  role: number;
  content: unknown[];
  name: string | undefined;
  constructor(role: number, content: string | unknown[], name?: string) {
    this.role = role;
    this.content = typeof content === "string" ? [new LanguageModelTextPart(content)] : content;
    this.name = name;
  }
}
class LanguageModelError extends Error {
  code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
    this.name = "LanguageModelError";
  }
}
const api = {
  LanguageModelChatMessage,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  LanguageModelDataPart,
};

interface Sent {
  messages: LanguageModelChatMessage[];
  options: Fields;
  token: { isCancellationRequested: boolean; onCancellationRequested(run: () => void): { dispose(): void } };
}

function editor(
  answer: (sent: Sent) => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>,
  options: Partial<VscodeOptions> = {},
) {
  const seen: Sent[] = [];
  const model = {
    id: "copilot-gpt-4o",
    async sendRequest(messages: LanguageModelChatMessage[], options: Fields, token: Sent["token"]) {
      // The editor takes instances of its own classes only.
      for (const { role, content } of messages) {
        assert.ok(role === 1 || role === 2);
        assert.ok(
          content.length > 0 && content.every((part) => Object.values(api).some((known) => part instanceof known)),
          JSON.stringify(content),
        );
      }
      const sent = { messages, options, token };
      seen.push(sent);
      return { stream: await answer(sent) };
    },
  };
  return { seen, provider: vscode({ model, api, clock: hurried(), ...options } as unknown as VscodeOptions) };
}
async function* parts(...all: unknown[]) {
  yield* all;
}

const CHAT = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ],
  },
  {
    role: "assistant",
    content: "I look.",
    tool_calls: [
      { id: "a", type: "function", function: { name: "look", arguments: '{"at":1}' } },
      { id: "b", type: "function", function: { name: "look", arguments: "{}" } },
    ],
  },
  { role: "tool", tool_call_id: "a", content: "a pixel" },
  { role: "tool", tool_call_id: "b", content: "another" },
  { role: "user", content: "Thanks." },
];
const TOOLS = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];

test("VS Code: words, thoughts and calls", async () => {
  const call = new LanguageModelToolCallPart("c1", "look", { at: 2 });
  const { provider, seen } = editor(() =>
    parts(
      new LanguageModelThinkingPart("hm"),
      new LanguageModelTextPart("one "),
      new LanguageModelTextPart("two"),
      call,
    ),
  );
  const pieces: unknown[] = [];
  const answer = await provider.send(provider.toRequest(CHAT, { tools: TOOLS, maxTokens: 7 }), {
    onPart: (part) => pieces.push(part.type),
  });
  assert.deepEqual(
    [answer.text, answer.reasoning, answer.finish, answer.usage, answer.toolCalls],
    ["one two", "hm", "tool_calls", undefined, [{ id: "c1", name: "look", arguments: '{"at":2}', input: { at: 2 } }]],
  );
  assert.deepEqual(pieces, ["reasoning", "text", "text", "toolCall", "done"]);
  const [{ messages, options } = assert.fail()] = seen;
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      [1, [new LanguageModelTextPart("Be brief.")]],
      [
        1,
        [
          new LanguageModelTextPart("What is this?"),
          new LanguageModelDataPart(new TextEncoder().encode("hi"), "image/png"),
        ],
      ],
      [
        2,
        [
          new LanguageModelTextPart("I look."),
          new LanguageModelToolCallPart("a", "look", { at: 1 }),
          new LanguageModelToolCallPart("b", "look", {}),
        ],
      ],
      [
        1,
        [
          new LanguageModelToolResultPart("a", [new LanguageModelTextPart("a pixel")]),
          new LanguageModelToolResultPart("b", [new LanguageModelTextPart("another")]),
          new LanguageModelTextPart("Thanks."),
        ],
      ],
    ],
  );
  assert.deepEqual(options, {
    tools: [{ name: "look", description: "", inputSchema: { type: "object" } }],
    modelOptions: { max_tokens: 7 },
  });
  // The answer can be sent back: words are one part, everything else is the editor's own.
  const [message] = answer.messages as LanguageModelChatMessage[];
  assert.ok(message instanceof LanguageModelChatMessage && message.role === 2);
  assert.deepEqual(message.content, [new LanguageModelThinkingPart("hm"), new LanguageModelTextPart("one two"), call]);
});

test("VS Code: its own messages stay as they are; others need its classes", async () => {
  const own = [new LanguageModelChatMessage(1, "Hello.")];
  const { provider } = editor(() => parts(new LanguageModelTextPart("Hi.")), { api: undefined as never });
  assert.equal(provider.toRequest(own)["messages"], own);
  assert.throws(
    () => provider.toRequest(CHAT),
    (error) => error instanceof EspalierError && error.code === "bad_option" && error.path === "options.api",
  );
  assert.equal((await provider.send(provider.toRequest(own))).text, "Hi.");
  assert.throws(
    () => vscode({ model: {} } as unknown as VscodeOptions),
    (error) => error instanceof EspalierError && error.path === "options.model",
  );
});

test("VS Code: messages that lost their classes on the way through JSON get them back; the module is found where it can be", async () => {
  const plain = [
    { role: 1, content: [{ value: "Look." }] },
    { role: 2, content: [{ callId: "a", name: "look", input: {} }] },
    { role: 1, content: [{ callId: "a", content: [{ value: "a pixel" }] }] },
  ];
  const kept = new LanguageModelChatMessage(1, "Thanks.");
  const { provider } = editor(() => parts(new LanguageModelTextPart("Hi.")));
  const [first, second, third, last] = provider.toRequest([...plain, kept])["messages"] as LanguageModelChatMessage[];
  assert.ok(last === kept && [first, second, third].every((message) => message instanceof LanguageModelChatMessage));
  const [result] = third!.content as [LanguageModelToolResultPart];
  assert.ok(
    first!.content[0] instanceof LanguageModelTextPart &&
      second!.content[0] instanceof LanguageModelToolCallPart &&
      result instanceof LanguageModelToolResultPart &&
      result.content[0] instanceof LanguageModelTextPart,
  );
  const { provider: without } = editor(() => parts(new LanguageModelTextPart("Hi.")), { api: undefined as never });
  setVSCode(api as never);
  try {
    assert.ok(
      (without.toRequest(CHAT)["messages"] as unknown[]).every(
        (message) => message instanceof LanguageModelChatMessage,
      ),
    );
  } finally {
    setVSCode();
  }
});

test("VS Code: what a model says of usage is read, and is no part of the answer", async () => {
  const usage = (json: string) => new LanguageModelDataPart(new TextEncoder().encode(json), "usage");
  const ask = async (...said: unknown[]) => {
    const { provider } = editor(() =>
      parts(new LanguageModelTextPart("one "), ...said, new LanguageModelTextPart("two")),
    );
    const { text, usage, messages, warnings } = await provider.send(provider.toRequest(CHAT));
    assert.equal(text, "one two");
    return {
      usage: usage && [usage.input, usage.cacheRead, usage.output, usage.promptTotal],
      warnings: warnings.length,
      parts: (messages as LanguageModelChatMessage[])[0]!.content.length,
    };
  };
  assert.deepEqual(
    await ask(
      usage(
        '{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":60}}',
      ),
    ),
    { usage: [40, 60, 7, 100], warnings: 0, parts: 1 },
  );
  assert.deepEqual(await ask(), { usage: undefined, warnings: 0, parts: 1 });
  // What is no record is a part like any other.
  for (const odd of ["{not", "null", "{}"])
    assert.deepEqual(await ask(usage(odd)), { usage: undefined, warnings: 0, parts: 3 });
});

test("VS Code: errors", async () => {
  const table: [unknown, string, object][] = [
    [new LanguageModelError("Model was not found", "NotFound"), "bad_request", { kind: "not_found" }],
    [new LanguageModelError("Language model 'x' cannot be used", "NoPermissions"), "auth", {}],
    [new LanguageModelError("Response got filtered", "Blocked"), "content_filter", {}],
    [new LanguageModelError("Your quota is used up", "Blocked"), "rate_limited", { kind: "quota", attempts: 1 }],
    [Object.assign(new Error("Try again later"), { name: "ChatRateLimited" }), "rate_limited", { attempts: 3 }],
    [
      new Error(
        'Request Failed: 400 {"error":{"message":"prompt token count of 140213 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}\n',
      ),
      "context_length",
      { used: 140213, limit: 128000, status: 400 },
    ],
    [new Error("Message exceeds token limit."), "context_length", {}],
    [new Error("Request Failed: 429 slow down"), "rate_limited", { attempts: 3 }],
    [new Error("Request Failed: 502 Bad Gateway"), "overloaded", { attempts: 3 }],
    [new Error("net::ERR_CONNECTION_RESET"), "network", { attempts: 3 }],
    [new Error("Response contained no choices."), "bad_response", {}],
    ["thrown text", "bad_response", {}],
    [undefined, "bad_response", {}],
  ];
  for (const [thrown, code, details] of table) {
    // Thrown at once, and from within the stream.
    for (const provider of [
      editor(() => {
        throw thrown;
      }).provider,
      editor(() => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(thrown) }) })).provider,
    ]) {
      const error = await failure(provider.send(provider.toRequest(CHAT)));
      assert.equal(error.code, code, String(thrown));
      assert.equal(error.cause, thrown);
      for (const [name, value] of Object.entries(details))
        assert.equal((error.details as unknown as Fields)[name], value, name);
    }
  }
});

test("VS Code: calling off and silence reach the editor as a cancelled token", async () => {
  const silent = () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => undefined),
      return: async () => (returned++, { done: true as const, value: undefined }),
    }),
  });
  let returned = 0;
  const soon = () => {
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    return stop.signal;
  };
  for (const [how, limit, code] of [
    [{ timeoutMs: 30 }, 30, "timeout"],
    [{ idleTimeoutMs: 20 }, 20, "timeout"],
    [
      {
        get signal() {
          return soon();
        },
      },
      0,
      "aborted",
    ],
  ] as const) {
    const { provider, seen } = editor(silent, { clock: firing(limit, () => limit > 0 && seen.length > 0)! });
    const error = await failure(provider.send(provider.toRequest(CHAT), how));
    assert.equal(error.code, code);
    assert.equal(seen[0]!.token.isCancellationRequested, true);
  }
  assert.equal(returned, 3);
  const { provider: never, seen } = editor(silent);
  assert.equal((await failure(never.send(never.toRequest(CHAT), { signal: AbortSignal.abort() }))).code, "aborted");
  assert.equal(seen.length, 0, "what was called off before it began is not sent");
  // A reader that stops.
  let cancelled = 0;
  const { provider } = editor(({ token }) => {
    token.onCancellationRequested(() => cancelled++);
    return parts(new LanguageModelTextPart("a"), new LanguageModelTextPart("b"));
  });
  for await (const part of provider.stream(provider.toRequest(CHAT))) if (part.type === "text") break;
  assert.equal(cancelled, 1);
  await provider.send(provider.toRequest(CHAT));
  assert.equal(cancelled, 1, "what ended by itself is not cancelled");
});

// ---- the AI SDK

class APICallError extends Error {
  statusCode: number | undefined;
  responseBody: string | undefined;
  responseHeaders: Record<string, string>;
  isRetryable: boolean;
  constructor(statusCode: number | undefined, responseBody: string | undefined, responseHeaders = {}) {
    super("Failed");
    this.name = "AI_APICallError";
    this.statusCode = statusCode;
    this.responseBody = responseBody;
    this.responseHeaders = responseHeaders;
    this.isRetryable = statusCode === undefined || statusCode >= 429;
  }
}

const CONTENT = [
  { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "s" } } },
  { type: "text", text: "one two" },
  { type: "tool-call", toolCallId: "c1", toolName: "look", input: '{"at":2}' },
  { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
];
const V2 = { inputTokens: 100, outputTokens: 20, totalTokens: 120, cachedInputTokens: 60, reasoningTokens: 5 };
const V3 = {
  inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
  outputTokens: { total: 20, text: 15, reasoning: 5 },
};

function sdk(version: "v2" | "v3", options: Partial<AiSdkOptions> = {}, fail?: (sent: Fields) => unknown) {
  const seen: Fields[] = [];
  const end =
    version === "v2"
      ? { finishReason: "tool-calls", usage: V2 }
      : { finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: V3 };
  const model = {
    specificationVersion: version,
    provider: "fake",
    modelId: "fake-1",
    async doGenerate(call: Fields) {
      seen.push(call);
      if (fail) throw await fail(call);
      return { content: CONTENT, ...end, warnings: [], response: { id: "resp_1" } };
    },
    async doStream(call: Fields) {
      seen.push(call);
      const all: unknown[] = [
        { type: "stream-start", warnings: [] },
        { type: "response-metadata", id: "resp_1" },
        { type: "reasoning-start", id: "0" },
        { type: "reasoning-delta", id: "0", delta: "hm" },
        { type: "reasoning-end", id: "0", providerMetadata: { anthropic: { signature: "s" } } },
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "one " },
        { type: "text-delta", id: "0", delta: "two" },
        { type: "text-end", id: "0" },
        { type: "tool-input-start", id: "c1", toolName: "look" },
        { type: "tool-input-delta", id: "c1", delta: '{"at":2}' },
        { type: "tool-input-end", id: "c1" },
        CONTENT[2],
      ];
      const error = fail && { type: "error", error: await fail(call) };
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of error ? [error] : [...all, CONTENT[3], { type: "finish", ...end }])
              controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
  return { seen, provider: aiSdk({ model, clock: hurried(), ...options } as unknown as AiSdkOptions) };
}

for (const version of ["v2", "v3"] as const) {
  test(`AI SDK, ${version}: plain and streamed are alike`, async () => {
    for (const stream of [false, true]) {
      const { provider, seen } = sdk(version);
      const pieces: string[] = [];
      const answer = await provider.send(
        provider.toRequest(CHAT, { tools: TOOLS, maxTokens: 7, temperature: 0.5, system: "House rules." }),
        { stream, onPart: ({ type }) => pieces.push(type) },
      );
      assert.deepEqual(
        [answer.text, answer.reasoning, answer.finish, answer.requestId, answer.warnings],
        ["one two", "hm", "tool_calls", "resp_1", []],
      );
      assert.deepEqual(answer.toolCalls, [{ id: "c1", name: "look", arguments: '{"at":2}', input: { at: 2 } }]);
      assert.deepEqual(
        { ...answer.usage, raw: 0 },
        {
          input: version === "v2" ? 40 : 30,
          cacheRead: 60,
          cacheWrite: version === "v2" ? 0 : 10,
          output: 20,
          reasoning: 5,
          promptTotal: 100,
          raw: 0,
        },
      );
      assert.deepEqual(answer.messages, [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
            { type: "text", text: "one two" },
            { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: 2 } },
          ],
        },
      ]);
      assert.deepEqual([pieces.at(-1), new Set(pieces).size], ["done", 4]);
      const { abortSignal, ...call } = seen[0]!;
      assert.ok(abortSignal instanceof AbortSignal);
      assert.deepEqual(call, {
        maxOutputTokens: 7,
        temperature: 0.5,
        tools: [{ type: "function", name: "look", inputSchema: { type: "object" } }],
        prompt: [
          { role: "system", content: "House rules." },
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "What is this?" },
              { type: "file", data: "aGk=", mediaType: "image/png" },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "text", text: "I look." },
              { type: "tool-call", toolCallId: "a", toolName: "look", input: { at: 1 } },
              { type: "tool-call", toolCallId: "b", toolName: "look", input: {} },
            ],
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "a", toolName: "look", output: { type: "text", value: "a pixel" } },
              { type: "tool-result", toolCallId: "b", toolName: "look", output: { type: "text", value: "another" } },
            ],
          },
          { role: "user", content: [{ type: "text", text: "Thanks." }] },
        ],
      });
    }
  });

  test(`AI SDK, ${version}: errors`, async () => {
    const refusal = (message: string) =>
      JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
    const table: [unknown, string, Fields][] = [
      [
        new APICallError(400, refusal("prompt is too long: 213462 tokens > 200000 maximum")),
        "context_length",
        { used: 213462, limit: 200000, status: 400, attempts: 1 },
      ],
      [
        new APICallError(429, refusal("slow down"), { "retry-after": "3", "request-id": "req_7" }),
        "rate_limited",
        { retryAfterMs: 3_000, requestId: "req_7", attempts: 3 },
      ],
      [new APICallError(529, refusal("Overloaded")), "overloaded", { attempts: 3 }],
      [new APICallError(401, undefined), "auth", { attempts: 1 }],
      [
        Object.assign(new Error("Failed after 3 attempts."), {
          name: "AI_RetryError",
          lastError: new APICallError(503, "{}"),
        }),
        "overloaded",
        {},
      ],
      [
        new TypeError("fetch failed", {
          cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
        }),
        "network",
        { attempts: 3 },
      ],
      [new Error("a bug"), "bad_response", { attempts: 1 }],
    ];
    for (const [thrown, code, details] of table) {
      for (const stream of [false, true]) {
        const error = await failure(sdk(version, {}, () => thrown).provider.send({ prompt: [] }, { stream }));
        assert.equal(error.code, code, String(thrown));
        for (const [name, value] of Object.entries(details))
          assert.equal((error.details as unknown as Fields)[name], value, `${name} of ${code}`);
      }
    }
  });
}

test("AI SDK: model messages become prompts, what is one already stays the caller's own", () => {
  const { provider } = sdk("v2");
  const own = { role: "assistant", content: [{ type: "text", text: "b" }] };
  const { prompt } = provider.toRequest(
    {
      system: "s",
      messages: [
        { role: "user", content: "a" },
        own,
        { role: "user", content: [{ type: "image", image: "data:image/png;base64,aGk=" }] },
      ],
      topP: 0.5,
    },
    { format: "ai-sdk" },
  ) as { prompt: unknown[] };
  assert.deepEqual(prompt, [
    { role: "system", content: "s" },
    { role: "user", content: [{ type: "text", text: "a" }] },
    own,
    { role: "user", content: [{ type: "file", data: "aGk=", mediaType: "image/*" }] },
  ]);
  assert.equal(prompt[2], own);
  // A page's messages hold calls and results in one.
  const ui = [
    { id: "1", role: "user", parts: [{ type: "text", text: "Look." }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-look", toolCallId: "a", state: "output-available", input: { at: 1 }, output: "x" },
        { type: "step-start" },
        { type: "text", text: "Done." },
      ],
    },
    { id: "3", role: "user", parts: [{ type: "text", text: "Thanks." }] },
  ];
  const wanted = [
    { role: "user", content: [{ type: "text", text: "Look." }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "look", input: { at: 1 } }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "a", toolName: "look", output: { type: "text", value: "x" } }],
    },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { role: "user", content: [{ type: "text", text: "Thanks." }] },
  ];
  assert.deepEqual(provider.toRequest(ui)["prompt"], wanted);
  assert.deepEqual(generator({ generate: async () => ({}) }).toRequest(ui)["messages"], wanted);
});

test("AI SDK: what Anthropic's cache had to do with is in the usage, in every version", async () => {
  const own = { input_tokens: 12, cache_creation_input_tokens: 300, cache_read_input_tokens: 6_209, output_tokens: 8 };
  const metadata = { providerMetadata: { anthropic: { usage: own, cacheCreationInputTokens: 300 } } };
  const five = { inputTokens: 12, outputTokens: 8, totalTokens: 20, cachedInputTokens: 6_209 };
  const six = {
    inputTokens: { total: 6_521, noCache: 12, cacheRead: 6_209, cacheWrite: 300 },
    outputTokens: { total: 8, text: 8, reasoning: 0 },
  };
  for (const body of [{ usage: five, ...metadata }, { usage: six, ...metadata }, { usage: six }]) {
    const { usage, warnings } = await generator({
      generate: async () => ({ text: "a", finishReason: "stop", ...body }),
    }).send({});
    assert.deepEqual(
      { ...usage, raw: 0 },
      { input: 12, cacheRead: 6_209, cacheWrite: 300, output: 8, reasoning: 0, promptTotal: 6_521, raw: 0 },
    );
    assert.deepEqual(warnings, []);
  }
  // Without Anthropic's record the sum is below what was cached, and that is said.
  const { warnings } = await generator({
    generate: async () => ({ text: "a", finishReason: "stop", usage: five }),
  }).send({});
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ["usage_mismatch"],
  );
});

test("generateText-like functions", async () => {
  const seen: Fields[] = [];
  const events: ProviderEvent[] = [];
  const provider = generator({
    generate: async (request) => {
      seen.push({ ...request });
      if (seen.length === 1) throw new APICallError(503, "{}");
      return {
        text: "one two",
        toolCalls: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: 2 } }],
        finishReason: "tool-calls",
        usage: V2,
        response: { id: "resp_1" },
      };
    },
    clock: hurried(),
    onEvent: (event) => events.push(event),
  });
  const { text, toolCalls, finish, usage } = await provider.send(
    provider.toRequest(CHAT, { tools: TOOLS, maxTokens: 7 }),
  );
  assert.deepEqual(
    [text, toolCalls, finish, usage?.promptTotal],
    ["one two", [{ id: "c1", name: "look", arguments: '{"at":2}', input: { at: 2 } }], "tool_calls", 100],
  );
  assert.deepEqual([events.map(({ type }) => type), seen.length], [["retry"], 2]);
  const { messages, maxRetries, maxOutputTokens, tools } = seen[1]! as {
    messages: unknown[];
    maxRetries: number;
    maxOutputTokens: number;
    tools: Record<string, { inputSchema: { jsonSchema: unknown } }>;
  };
  assert.deepEqual(
    [messages.length, maxRetries, maxOutputTokens, tools["look"]!.inputSchema.jsonSchema],
    [5, 0, 7, { type: "object" }],
  );
  // The AI SDK 7 refuses system messages in the list unless it is asked to take them.
  assert.equal(seen[1]!["allowSystemInMessages"], true);
  // The host's own tools can be run by the SDK, so they stay.
  const own = { look: { inputSchema: { jsonSchema: { type: "object" } }, execute: () => 1 } };
  const { tools: kept } = provider.toRequest(
    { messages: [{ role: "user", content: [{ type: "text", text: "a" }] }], tools: own },
    { format: "ai-sdk" },
  );
  assert.equal(kept, own);
});

/**
 * Calls and results by message: every call is answered by the message right behind it, and nothing else is answered.
 */
function paired(
  messages: readonly unknown[],
  calls: (message: Fields) => unknown[],
  results: (message: Fields) => unknown[],
): void {
  let open: unknown[] = [];
  for (const message of messages as Fields[]) {
    assert.deepEqual([...results(message)].sort(), [...open].sort());
    open = calls(message);
  }
  assert.deepEqual(open, []);
}

test("property: any conversation keeps its calls and results together", () => {
  const { provider: code } = editor(() => parts());
  fc.assert(
    fc.property(conversation, (messages) => {
      const known = messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "toolCall").length;
      const ofType = (type: string) => (message: Fields) =>
        (Array.isArray(message["content"]) ? (message["content"] as Fields[]) : []).flatMap((part) =>
          part["type"] === type ? [part["toolCallId"]] : [],
        );
      for (const version of ["v2", "v3"] as const) {
        const { prompt } = sdk(version).provider.toRequest(messages, { format: "espalier" }) as { prompt: Fields[] };
        paired(prompt, ofType("tool-call"), ofType("tool-result"));
        assert.equal(prompt.flatMap(ofType("tool-call")).length, known);
      }
      const made = code.toRequest(messages, { format: "espalier" })["messages"] as LanguageModelChatMessage[];
      const instances =
        (kind: new (...args: never[]) => { callId: string }) =>
        ({ content }: Fields) =>
          (content as unknown[]).flatMap((part) => (part instanceof kind ? [part.callId] : []));
      paired(made, instances(LanguageModelToolCallPart), instances(LanguageModelToolResultPart));
      for (const { content } of made) {
        assert.ok(content.length > 0);
        const isResult = content.map((part) => part instanceof LanguageModelToolResultPart);
        assert.deepEqual(
          isResult,
          [...isResult].sort((a, b) => Number(b) - Number(a)),
          "results come first",
        );
      }
    }),
    { numRuns: runs(200) },
  );
});

test("objects that are no models, and models that answer rubbish", async () => {
  for (const model of [undefined, {}, { doGenerate() {}, doStream() {}, specificationVersion: "v1" }])
    assert.throws(() => aiSdk({ model } as unknown as AiSdkOptions), EspalierError);
  assert.throws(() => generator({} as never), EspalierError);
  for (const value of [undefined, null, 7, "text", {}, { content: 7 }]) {
    const provider = generator({ generate: async () => value });
    assert.equal((await failure(provider.send({}))).code, "bad_response");
  }
  const stuck = generator({ generate: () => new Promise(() => undefined), clock: firing(20, () => true)! });
  assert.equal((await failure(stuck.send({}, { timeoutMs: 20 }))).code, "timeout");
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  assert.equal((await failure(stuck.send({}, { signal: stop.signal }))).code, "aborted");
});
