/** Models of the AI SDK, and functions like its `generateText`. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { generator } from "../../../js/providers/index.ts";
import type { ProviderEvent } from "../../../js/providers/index.ts";
import { failure, hurried } from "./support.ts";
import { APICallError, CHAT, sdk, TOOLS, V2 } from "./model-objects.ts";
import type { Fields } from "./model-objects.ts";

/** What `fetch` and the body of its answer throw without a network: Chromium, Firefox, WebKit, Node. */
const CONNECTION = [
  "Failed to fetch",
  "network error",
  "NetworkError when attempting to fetch resource.",
  "Error in input stream",
  "Load failed",
  "terminated",
];

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
      ...CONNECTION.map((said): [unknown, string, Fields] => [new TypeError(said), "network", { attempts: 3 }]),
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
