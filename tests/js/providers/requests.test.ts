/**
 * Requests: a conversation of any format becomes one that every provider takes; its own messages stay the caller's own
 * objects.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { readConversation } from "../../../js/formats/index.ts";
import { written } from "../../../js/formats/turns.ts";
import type { Format } from "../../../js/types/messages.ts";
import { EspalierError } from "../../../js/providers/index.ts";
import type { ProviderEvent, ProviderRequest, ToRequestOptions } from "../../../js/providers/index.ts";
import { WIRES } from "../../server/model.mjs";
import { conversation } from "./conversations.ts";
import { make, NAMES, scripted } from "./support.ts";
import type { WireName } from "./support.ts";
import { ADAPTERS } from "../formats/adapters.ts";
import { runs } from "../runs.ts";

const server = await scripted({ strict: true });
/** Headers that requests are checked with where nothing is sent. */
const HEADERS = { "anthropic-version": "2023-06-01" };

function request(
  name: WireName,
  messages: unknown,
  options: ToRequestOptions = {},
  events: ProviderEvent[] = [],
): ProviderRequest {
  return make(name, server, { onEvent: (event) => events.push(event) }).toRequest(messages, options);
}

/** As it would be on the wire. */
const sent = (body: ProviderRequest) => JSON.parse(JSON.stringify(body)) as Record<string, never>;

function accepted(name: WireName, body: ProviderRequest): void {
  const refusal = WIRES[name].check(sent(body), HEADERS);
  assert.equal(refusal, undefined, `${name}: ${refusal?.message}\n${JSON.stringify(body, null, 1).slice(0, 3_000)}`);
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CHAT = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}`, detail: "low" } },
    ],
  },
  {
    role: "assistant",
    content: "I look.",
    tool_calls: [
      { id: "call|1", type: "function", function: { name: "look", arguments: '{"at":"x"}' } },
      { id: "call|2", type: "function", function: { name: "look", arguments: "" } },
    ],
  },
  { role: "tool", tool_call_id: "call|1", content: "a pixel" },
  { role: "tool", tool_call_id: "call|2", content: "" },
  { role: "user", content: "Thanks." },
];
const TOOLS = [
  {
    type: "function",
    function: {
      name: "look",
      description: "Looks.",
      parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    },
  },
];

test("OpenAI's messages in Anthropic's words", () => {
  assert.deepEqual(
    sent(request("anthropic", CHAT, { tools: TOOLS, maxTokens: 9, temperature: 0, system: "House rules." })),
    {
      model: "test",
      max_tokens: 9,
      temperature: 0,
      system: [
        { type: "text", text: "House rules." },
        { type: "text", text: "Be brief." },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "toolu_1", name: "look", input: { at: "x" } },
            { type: "tool_use", id: "toolu_2", name: "look", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "a pixel" },
            { type: "tool_result", tool_use_id: "toolu_2", content: "" },
            { type: "text", text: "Thanks." },
          ],
        },
      ],
      tools: [{ name: "look", description: "Looks.", input_schema: TOOLS[0]!.function.parameters }],
    },
  );
});

test("OpenAI's messages in Gemini's words", () => {
  assert.deepEqual(
    sent(request("gemini", CHAT, { tools: TOOLS, maxTokens: 9, temperature: 0, system: "House rules." })),
    {
      contents: [
        { role: "user", parts: [{ text: "What is this?" }, { inlineData: { mimeType: "image/png", data: PIXEL } }] },
        {
          role: "model",
          parts: [
            { text: "I look." },
            { functionCall: { name: "look", args: { at: "x" } } },
            { functionCall: { name: "look", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "look", response: { output: "a pixel" } } },
            { functionResponse: { name: "look", response: { output: "" } } },
            { text: "Thanks." },
          ],
        },
      ],
      systemInstruction: { parts: [{ text: "House rules." }, { text: "Be brief." }] },
      tools: [
        {
          functionDeclarations: [
            { name: "look", description: "Looks.", parametersJsonSchema: TOOLS[0]!.function.parameters },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 9, temperature: 0 },
    },
  );
  // Newer models demand a signature on the first call of a turn; this is the documented one for calls that another
  // model made.
  const { contents } = sent(make("gemini", server, { model: "gemini-3-pro-preview" }).toRequest(CHAT)) as unknown as {
    contents: { parts: Record<string, unknown>[] }[];
  };
  assert.deepEqual(
    contents[1]!.parts.map(({ thoughtSignature }) => thoughtSignature),
    [undefined, "skip_thought_signature_validator", undefined],
  );
});

test("OpenAI's messages as items of Responses", () => {
  assert.deepEqual(
    sent(request("openai-responses", CHAT, { tools: TOOLS, maxTokens: 9, temperature: 0, system: "House rules." })),
    {
      model: "test",
      max_output_tokens: 9,
      temperature: 0,
      instructions: "House rules.",
      input: [
        { type: "message", role: "system", content: "Be brief." },
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "low" },
          ],
        },
        { type: "message", role: "assistant", content: "I look." },
        { type: "function_call", call_id: "call|1", name: "look", arguments: '{"at":"x"}' },
        { type: "function_call", call_id: "call|2", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "call|1", output: "a pixel" },
        { type: "function_call_output", call_id: "call|2", output: "(empty)" },
        { type: "message", role: "user", content: "Thanks." },
      ],
      tools: [
        {
          type: "function",
          name: "look",
          description: "Looks.",
          parameters: TOOLS[0]!.function.parameters,
          strict: false,
        },
      ],
    },
  );
});

const ANTHROPIC = {
  model: "claude",
  max_tokens: 1_000,
  system: "Be brief.",
  tools: [
    { name: "shoot", input_schema: { type: "object" } },
    { type: "bash_20250124", name: "bash" },
  ],
  messages: [
    { role: "user", content: "Take a picture." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "tool_use", id: "toolu_a", name: "shoot", input: { n: 1 } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_a",
          is_error: true,
          content: [
            { type: "text", text: "dark" },
            { type: "image", source: { type: "base64", media_type: "image/jpeg", data: PIXEL } },
          ],
        },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      ],
    },
  ],
};

test("Anthropic's messages in OpenAI's words: what results show, users show", () => {
  const events: ProviderEvent[] = [];
  const body = sent(request("openai-chat", ANTHROPIC, { maxTokens: 9 }, events));
  assert.deepEqual(body, {
    model: "test",
    max_tokens: 9,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Take a picture." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "toolu_a", type: "function", function: { name: "shoot", arguments: '{"n":1}' } }],
      },
      { role: "tool", tool_call_id: "toolu_a", content: "dark" },
      {
        role: "user",
        content: [
          { type: "text", text: "(of the results above)" },
          { type: "image_url", image_url: { url: `data:image/jpeg;base64,${PIXEL}` } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        ],
      },
    ],
    tools: [{ type: "function", function: { name: "shoot", parameters: { type: "object" } } }],
  });
  assert.deepEqual(
    events.map((event) => event.type === "lost" && [event.what, event.path]),
    [
      ["reasoning", "messages[1]"],
      ["tool bash", "tools"],
    ],
  );
  accepted("openai-chat", body);
});

test("messages of a provider's own format stay the caller's own objects", () => {
  const mine: [WireName, Record<string, unknown>, string][] = [
    ["openai-chat", { messages: CHAT, top_p: 1 }, "messages"],
    ["anthropic", { ...ANTHROPIC, thinking: { type: "enabled", budget_tokens: 1_024 } }, "messages"],
    ["gemini", { contents: [{ role: "user", parts: [{ text: "a" }] }], safetySettings: [] }, "contents"],
    [
      "openai-responses",
      {
        input: [
          { type: "message", role: "user", content: "a" },
          { type: "compaction", encrypted_content: "sealed" },
        ],
        store: false,
      },
      "input",
    ],
  ];
  for (const [name, body, list] of mine) {
    const before = JSON.stringify(body);
    const made = request(name, body, { maxTokens: 5, extra: { metadata: { a: "b" } } });
    const [own, got] = [body[list] as unknown[], made[list] as unknown[]];
    assert.equal(got.length, own.length);
    own.forEach((message, at) => assert.equal(got[at], message));
    for (const field of ["top_p", "thinking", "safetySettings", "store"]) assert.equal(made[field], body[field]);
    assert.deepEqual(made["metadata"], { a: "b" });
    const alone = request(name, own);
    own.forEach((message, at) => assert.equal((alone[list] as unknown[])[at], message));
    assert.equal(JSON.stringify(body), before);
  }
  // Words alone are as much Anthropic's as OpenAI's.
  const plain = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "user", content: "c" },
  ];
  const { messages } = request("anthropic", plain) as { messages: unknown[] };
  plain.forEach((message, at) => assert.equal(messages[at], message));
  // Gateways keep system messages in the list, the interface wants them apart.
  const { system, messages: rest } = request("anthropic", [{ role: "system", content: "s" }, ...plain], {
    format: "anthropic",
  }) as { system: unknown; messages: unknown[] };
  assert.deepEqual([system, rest[0] === plain[0]], ["s", true]);
});

test("no choice of tools without tools", () => {
  const user = [{ role: "user", content: "a" }];
  for (const name of ["openai-chat", "anthropic"] as const) {
    const body = request(
      name,
      { messages: user, tools: [], tool_choice: "auto", parallel_tool_calls: true, top_p: 1 },
      { format: name },
    );
    assert.deepEqual(
      Object.keys(body).filter((field) => /tool/.test(field)),
      [],
    );
    assert.equal(body["top_p"], 1);
    const with_ = request(name, { messages: user, tools: TOOLS, tool_choice: "auto" }, { format: name });
    assert.ok("tools" in with_ && "tool_choice" in with_);
  }
});

test("an answer that is begun for Anthropic's model ends in no space", () => {
  const { messages } = request("anthropic", [
    { role: "system", content: "s" },
    { role: "user", content: "a" },
    { role: "assistant", content: "It is \n" },
  ]) as { messages: unknown[] };
  assert.deepEqual(messages.at(-1), { role: "assistant", content: "It is" });
});

test("the request of Gemini's SDK becomes one of its interface", () => {
  const body = request("gemini", {
    model: "gemini-2.5-pro",
    contents: "Hello.",
    config: {
      systemInstruction: "s",
      temperature: 0.5,
      tools: [{ functionDeclarations: [{ name: "f" }] }, { googleSearch: {} }],
      abortSignal: null,
    },
  });
  assert.deepEqual(sent(body), {
    contents: [{ role: "user", parts: [{ text: "Hello." }] }],
    systemInstruction: { parts: [{ text: "s" }] },
    tools: [{ functionDeclarations: [{ name: "f" }] }, { googleSearch: {} }],
    generationConfig: { temperature: 0.5 },
  });
});

test("options that make no sense", () => {
  const provider = make("openai-chat", server);
  for (const [options, path] of [
    [{ maxTokens: -1 }, "options.maxTokens"],
    [{ maxTokens: 0.5 }, "options.maxTokens"],
    [{ temperature: NaN }, "options.temperature"],
    [{ system: 7 }, "options.system"],
    [null, "options"],
  ] as const) {
    assert.throws(
      () => provider.toRequest(CHAT, options as never),
      (error) => error instanceof EspalierError && error.path === path,
    );
  }
  for (const messages of [null, 7, "text", [7], {}])
    assert.throws(
      () => provider.toRequest(messages),
      (error) => error instanceof EspalierError && error.code === "unknown_format",
    );
  assert.throws(
    () => provider.toRequest([{ role: "nobody", content: "a" }]),
    (error) => error instanceof EspalierError && error.code === "bad_message" && error.path === "messages[0].role",
  );
});

test("every transcript becomes a request that every provider takes", () => {
  const folder = new URL("../../fixtures/transcripts/", import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const transcript = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as {
      messages: { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[];
    };
    // Recordings end in the middle of things: up to the last request or result.
    const answered = new Set(transcript.messages.map(({ tool_call_id: id }) => id));
    const whole = transcript.messages.filter(({ tool_calls: calls = [] }) => calls.every(({ id }) => answered.has(id)));
    const end = whole.findLastIndex(({ role }) => role === "user" || role === "tool");
    const messages = whole.slice(0, end + 1);
    // Their own format is not touched: what is wrong in it is for repair to see to.
    for (const name of NAMES.filter((name) => name !== "openai-chat")) {
      const body = request(name, messages);
      const refusal = WIRES[name].check(sent(body), HEADERS)?.message;
      // A recording may begin with the assistant's greeting, which is for repair to see to.
      if (refusal)
        assert.match(refusal, /first message must use|immediately after a user turn/, `${file}, ${name}: ${refusal}`);
    }
  }
});

// ---- any conversation

test("property: any conversation, from any format, is taken by every provider; nothing said is lost", () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const sources: [Format, unknown][] = [
        ["espalier", messages],
        ...Object.entries(ADAPTERS).map(([format, adapter]): [Format, unknown] => [
          format as Format,
          messages.flatMap((message) => written(adapter, [message])),
        ]),
      ];
      for (const [format, source] of sources) {
        const before = JSON.stringify(source);
        for (const name of NAMES) {
          // Adapters write what the core inserts; of a whole conversation that is not always valid in their own format.
          if (name === format) continue;
          const body = request(name, source, { format });
          accepted(name, body);
          const json = JSON.stringify(sent(body));
          for (const { role, parts } of messages) {
            for (const part of parts)
              if (part.type === "text" && part.text.trim() !== "" && role === "user")
                assert.ok(json.includes(JSON.stringify(part.text).slice(1, -1)), `${format} to ${name}: ${part.text}`);
          }
          const calls = readConversation(sent(body), { format: name }).messages.flatMap(({ parts }) =>
            parts.filter(({ type }) => type === "toolCall"),
          ).length;
          assert.equal(calls, messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "toolCall")).length);
        }
        assert.equal(JSON.stringify(source), before);
      }
    }),
    { numRuns: runs(150) },
  );
});

test("property: a picture arrives whole in every format that has pictures", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300_000 }), (bytes) => {
      const data = Buffer.from(bytes).toString("base64");
      const sources: [Format, unknown][] = [
        [
          "openai-chat",
          [{ role: "user", content: [{ type: "image_url", image_url: { url: `data:image/webp;base64,${data}` } }] }],
        ],
        [
          "openai-responses",
          [
            {
              type: "message",
              role: "user",
              content: [{ type: "input_image", image_url: `data:image/webp;base64,${data}` }],
            },
          ],
        ],
        [
          "anthropic",
          [{ role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/webp", data } }] }],
        ],
        ["gemini", [{ role: "user", parts: [{ inlineData: { mimeType: "image/webp", data } }] }]],
        ["vscode", [{ role: 1, content: [{ data: bytes, mimeType: "image/webp" }] }]],
        ["ai-sdk", [{ role: "user", content: [{ type: "image", image: bytes, mediaType: "image/webp" }] }]],
        ["ai-sdk", [{ role: "user", content: [{ type: "file", data, mediaType: "image/webp" }] }]],
      ];
      for (const [format, source] of sources) {
        for (const name of NAMES)
          assert.ok(JSON.stringify(request(name, source, { format })).includes(data), `${format} to ${name}`);
      }
    }),
    { numRuns: runs(8) },
  );
});
