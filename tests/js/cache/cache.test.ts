/** Cache marks in every format, shared prefixes, prices and usage, on the package as it is shipped. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Format } from "../../../js/types/messages.ts";
import type { MarkOptions, MarkResult, NewestMark } from "../../../js/types/cache.ts";
import { freeze } from "../formats/common.ts";
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  samples,
  uiMessages,
} from "../formats/samples.ts";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

const {
  EspalierError,
  addUsage,
  cacheCost,
  clearingPays,
  compact,
  countMessages,
  placeMarks,
  prune,
  stablePrefix,
  usageCost,
} = espalier;

type Fields = Record<string, unknown>;
const mark = { type: "ephemeral" };
const hour = { type: "ephemeral", ttl: "1h" };

/** Marks whatever its length: the conversations here are short. */
const place = <T>(input: T, options: MarkOptions = {}): MarkResult<T> =>
  placeMarks(freeze(input), { minPrefixTokens: 0, ...options });
/** `newest 1.0` for a mark on part 0 of message 1, `tools t0` for one on a tool. */
const shown = ({ marks }: MarkResult<unknown>) =>
  marks
    .map((mark) =>
      "tool" in mark
        ? `${mark.why} t${mark.tool}`
        : `${mark.why} ${mark.message}${mark.part === undefined ? "" : `.${mark.part}`}`,
    )
    .join(", ");

function refused(run: () => unknown, code: string, path?: string): void {
  assert.throws(run, (error: unknown) => {
    assert.ok(error instanceof EspalierError, String(error));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
    return true;
  });
}

// ---------------------------------------------------------------- what marks look like

test("Anthropic: tools, system text, blocks", () => {
  const request = {
    model: "claude-sonnet-4-5",
    max_tokens: 9,
    system: "Be brief.",
    tools: [
      { name: "a", input_schema: {} },
      { name: "b", input_schema: {} },
      { name: "c", input_schema: {}, defer_loading: true },
    ],
    messages: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "tool_use", id: "1", name: "a", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: "done" },
          { type: "text", text: " " },
        ],
      },
    ],
  };
  const result = place(request);
  assert.equal(shown(result), "tools t1, system system.0, user m0.0, newest m2.0");
  const { messages: marked } = result;
  assert.deepEqual(marked.system, [{ type: "text", text: "Be brief.", cache_control: mark }]);
  assert.deepEqual(marked.tools, [request.tools[0], { ...request.tools[1], cache_control: mark }, request.tools[2]]);
  assert.equal(marked.tools[0], request.tools[0]);
  assert.deepEqual(marked.messages[0], { role: "user", content: [{ type: "text", text: "go", cache_control: mark }] });
  assert.equal(marked.messages[1], request.messages[1]);
  assert.deepEqual(marked.messages[2]!.content, [
    { type: "tool_result", tool_use_id: "1", content: "done", cache_control: mark },
    { type: "text", text: " " },
  ]);
  assert.equal(place(marked).messages, marked, "marked already");

  const long = place(request, { lifetime: { prefix: "1h" } }).messages;
  assert.deepEqual(
    [(long.tools[1] as Fields)["cache_control"], (long.system as unknown as Fields[])[0]!["cache_control"]],
    [hour, hour],
  );
  assert.deepEqual((long.messages[2]!.content as Fields[])[0]!["cache_control"], mark);

  // The same as a list, with what goes beside it.
  const apart = place(request.messages, { tools: request.tools, system: request.system });
  assert.equal(shown(apart), shown(result));
  assert.deepEqual([apart.messages, apart.tools, apart.system], [marked.messages, marked.tools, marked.system]);
  // A request that has the provider mark by itself gives one of its marks for that.
  assert.equal(place({ ...request, cache_control: mark }).marks.length, 3);
});

test("OpenAI-like: beside the content, or on a content part", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "go" },
        { type: "text", text: "on" },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "1", content: "done" },
  ];
  const beside = place(messages);
  assert.equal(shown(beside), "system m0.0, user m1.1, newest m3.0");
  assert.deepEqual(
    beside.messages,
    messages.map((message, at) => (at === 2 ? message : { ...message, copilot_cache_control: mark })),
  );
  assert.equal(beside.messages[2], messages[2]);
  assert.equal(place(beside.messages).messages, beside.messages);
  const parts = place(messages, { style: "part" });
  assert.deepEqual(
    parts.messages.map(({ content }) => content),
    [
      [{ type: "text", text: "Be brief.", cache_control: mark }],
      [
        { type: "text", text: "go" },
        { type: "text", text: "on", cache_control: mark },
      ],
      null,
      [{ type: "text", text: "done", cache_control: mark }],
    ],
  );
  assert.equal(place(parts.messages, { style: "part" }).messages, parts.messages);
  // Either way of marking is seen by the other.
  assert.equal(place(parts.messages).messages, parts.messages);
  assert.equal(place(beside.messages, { style: "part" }).messages, beside.messages);
});

test("OpenAI's own models get no marks in chat requests, which its server refuses", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "go" },
  ];
  for (const model of ["gpt-4o", "gpt-5.6"]) {
    const { messages: same, marks } = place(messages, { model });
    assert.equal(same, messages);
    assert.deepEqual(marks, []);
    const request = { model, messages };
    assert.equal(place(request).messages, request);
  }
  // Another server is asked for, or another company's model.
  for (const options of [
    { model: "gpt-4o", style: "part" },
    { model: "gpt-4o", profile: "copilot-chat" },
  ] as const)
    assert.ok(place(messages, options).marks.length > 0);
  assert.equal(place(messages, { model: "anthropic/claude-sonnet-4.5" }).marks.length, 2);
  assert.equal(place(messages, { model: "a-model-of-mine" }).marks.length, 2);
});

test("AI SDK: in the options of the provider", () => {
  const messages = [
    { role: "system", content: "Be brief.", providerOptions: { openai: { x: 1 } } },
    { role: "user", content: [{ type: "text", text: "go", providerOptions: { anthropic: { citations: true } } }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm" },
        { type: "tool-call", toolCallId: "1", toolName: "f", input: {} },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1", toolName: "f", output: { type: "text", value: "done" } }],
    },
  ];
  const result = place(messages);
  assert.equal(shown(result), "system m0.0, user m1.0, newest m3.0");
  assert.deepEqual(result.messages[0]!.providerOptions, { openai: { x: 1 }, anthropic: { cacheControl: mark } });
  assert.deepEqual((result.messages[1]!.content as Fields[])[0]!["providerOptions"], {
    anthropic: { citations: true, cacheControl: mark },
  });
  assert.equal(result.messages[2], messages[2]);
  assert.equal(place(result.messages).messages, result.messages);
  assert.deepEqual(place(result.messages, { maxMarks: 0 }).messages, messages, "taken away again");
  const other = place(messages, { providerKey: "bedrock" }).messages[3]!.content as Fields[];
  assert.deepEqual(other[0]!["providerOptions"], { bedrock: { cacheControl: mark } });
  // A mark on a whole message is on its last part; a request's own system text cannot carry one.
  const whole = [
    { role: "user", content: [{ type: "text", text: "go" }], providerOptions: { anthropic: { cacheControl: hour } } },
  ];
  const request = { system: "Be brief.", messages: whole };
  assert.equal(place(request, { format: "ai-sdk" }).messages, request);
  const ui = uiMessages();
  assert.deepEqual([place(ui).messages, place(ui).marks], [ui, []]);
});

test("VS Code: data parts, of the host's own class", () => {
  const messages = [
    new LanguageModelChatMessage(1, [
      new LanguageModelTextPart("go"),
      new LanguageModelDataPart(new Uint8Array(3), "image/png"),
    ]),
    new LanguageModelChatMessage(2, [
      new LanguageModelThinkingPart("hm", "t"),
      new LanguageModelToolCallPart("1", "f", {}),
    ]),
    new LanguageModelChatMessage(1, [new LanguageModelToolResultPart("1", [new LanguageModelTextPart("done")])]),
  ];
  const result = placeMarks(messages, { minPrefixTokens: 0 });
  assert.equal(shown(result), "user m0.1, newest m2.0");
  const part = result.messages[2]!.content[1] as LanguageModelDataPart;
  assert.ok(part instanceof LanguageModelDataPart && result.messages[2] instanceof LanguageModelChatMessage);
  assert.deepEqual([part.mimeType, new TextDecoder().decode(part.data)], ["cache_control", "ephemeral"]);
  assert.equal(result.messages[1], messages[1]);
  assert.equal(messages[2]!.content.length, 1);
  assert.equal(placeMarks(result.messages, { minPrefixTokens: 0 }).messages, result.messages);
  const made = placeMarks(messages, {
    minPrefixTokens: 0,
    dataPart: (data, mimeType) => ({ mine: data.length, mimeType }),
  });
  assert.deepEqual(made.messages[2]!.content[1], { mine: 9, mimeType: "cache_control" });
});

test("the neutral model, and formats without marks", () => {
  const messages = [
    { id: "u", role: "user", parts: [{ type: "text", text: "go" }] },
    { id: "a", role: "assistant", parts: [{ type: "reasoning", text: "hm" }] },
  ];
  assert.deepEqual(place(messages, { format: "espalier" }).messages, [
    { ...messages[0], parts: [...messages[0]!.parts, { type: "cacheMark" }] },
    messages[1],
  ]);
  for (const format of ["gemini", "openai-responses"] as const) {
    const sample = samples[format]();
    const result = placeMarks(sample);
    assert.deepEqual([result.messages === sample, result.marks], [true, []]);
  }
});

test("every sample keeps what else it holds", () => {
  for (const format of ["anthropic", "openai-chat", "ai-sdk", "espalier"] as const) {
    const sample = samples[format]();
    // The sample of `openai-chat` is for a model of OpenAI, which has no marks unless a style says for whom they are.
    const { messages: marked, marks } = placeMarks(sample, { minPrefixTokens: 0, style: "message" });
    assert.ok(marks.length >= 2, format);
    assert.equal(countMessages(marked).total, countMessages(sample).total, `${format}: marks cost nothing`);
    for (const key of Object.keys(sample))
      if (!["messages", "tools", "system"].includes(key)) assert.equal(marked[key], sample[key]);
  }
});

// ---------------------------------------------------------------- marks of the host's

test("marks in wrong places go, and inner ones move out", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "go" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s", cache_control: mark },
        { type: "text", text: "", cache_control: mark },
        { type: "tool_use", id: "1", name: "a", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "done", cache_control: hour }] },
      ],
    },
  ];
  const result = place(messages, { tools: [{ name: "a", defer_loading: true, cache_control: mark }] });
  assert.equal(shown(result), "user m0.0, caller m2.0");
  assert.deepEqual(
    result.unmarked.map((gone) => ("tool" in gone ? `t${gone.tool}` : `${gone.index}.${gone.part}`)),
    ["t0", "1.0", "1.1"],
  );
  assert.deepEqual(
    result.messages[1]!.content.map((block) => "cache_control" in block),
    [false, false, false],
  );
  assert.deepEqual(result.messages[2]!.content, [
    { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "done" }], cache_control: hour },
  ]);
  // The user's mark was lengthened for the longer one behind it.
  assert.deepEqual(result.messages[0]!.content[0], { type: "text", text: "go", cache_control: hour });
  assert.deepEqual(result.tools, [{ name: "a", defer_loading: true }]);
});

test("a loop whose host keeps the marks in its history", () => {
  let history: Fields[] = [{ role: "user", content: "go" }];
  let previousNewest: NewestMark | undefined;
  const seen: string[] = [];
  for (let round = 0; round < 6; round++) {
    const result: MarkResult<Fields[]> = place(history, {
      system: "Be brief.",
      tools: [{ name: "a" }],
      format: "anthropic",
      ...(previousNewest && { previousNewest }),
    });
    assert.ok(JSON.stringify([result.messages, result.system, result.tools]).match(/cache_control/g)!.length <= 4);
    seen.push(shown(result));
    previousNewest = result.newest;
    history = [
      ...result.messages,
      { role: "assistant", content: [{ type: "tool_use", id: `${round}`, name: "a", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `${round}`, content: "done" }] },
    ];
  }
  assert.deepEqual(seen.slice(0, 3), [
    "tools t0, system system.0, newest m0.0",
    "tools t0, system system.0, caller m0.0, newest m2.0",
    "tools t0, system system.0, caller m2.0, newest m4.0",
  ]);
});

test("the previous request's newest mark is used while what stands before it is the same", () => {
  const request = (rounds: number, first = "go"): Fields[] => [
    { role: "user", content: first },
    ...Array.from({ length: rounds }, (_, at) => [
      { role: "assistant", content: [{ type: "tool_use", id: `${at}`, name: "a", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `${at}`, content: "done" }] },
    ]).flat(),
  ];
  const { newest } = place(request(2));
  const next = (messages: Fields[]) => shown(place(messages, { previousNewest: newest! }));
  assert.equal(next(request(3)), "user m0.0, previous m4.0, newest m6.0");
  assert.equal(next(request(3, "something else")), "user m0.0, newest m6.0");
  assert.equal(JSON.stringify(newest), JSON.stringify(JSON.parse(JSON.stringify(newest))), "plain data");
});

test("short prefixes are not marked; which are short depends on the model", () => {
  const messages = [{ role: "user", content: "word ".repeat(1_500) }];
  const marked = (options: MarkOptions) => placeMarks(messages, options).marks.length === 1;
  assert.ok(marked({ format: "anthropic", model: "claude-sonnet-4-5" }));
  assert.ok(!marked({ format: "anthropic", model: "claude-opus-4-5" }));
  // 1,500 tokens of ours are about 1,950 of Claude's.
  assert.ok(marked({ format: "anthropic", minPrefixTokens: 1_900 }));
  assert.ok(!marked({ format: "anthropic", minPrefixTokens: 2_000 }));
  assert.ok(!marked({ model: "gpt-4o", minPrefixTokens: 1_900 }));
  assert.ok(placeMarks([{ role: "user", content: "go" }], { profile: "copilot-chat" }).marks.length === 1);
});

test("a summary of ours is recognised", async () => {
  const messages: Fields[] = [{ role: "system", content: "Be brief." }];
  for (let at = 0; at < 30; at++)
    messages.push(
      { role: "user", content: `request ${at} `.repeat(30) },
      { role: "assistant", content: `answer ${at} `.repeat(30) },
    );
  const { messages: short, status } = await compact(messages, { budget: 2_000 });
  assert.equal(status, "applied");
  assert.match(shown(place(short)), /summary m1\.0, newest/);
  assert.match(shown(place(messages, { summary: 3 })), /summary m3\.0/);
});

test("options that make no sense", () => {
  const messages = [{ role: "user", content: "go" }];
  const bad = (options: unknown, path: string) =>
    refused(() => placeMarks(messages, options as MarkOptions), "bad_option", path);
  for (const max of [-1, 1.5, Number.NaN, "4", null]) bad({ maxMarks: max }, "options.maxMarks");
  bad({ minPrefixTokens: -1 }, "options.minPrefixTokens");
  bad({ profile: "free" }, "options.profile");
  bad({ scheme: "gemini" }, "options.scheme");
  bad({ scheme: "openai", format: "anthropic" }, "options.scheme");
  bad({ style: "none" }, "options.style");
  bad({ providerKey: "" }, "options.providerKey");
  bad({ dataPart: 7 }, "options.dataPart");
  bad({ lifetime: "1d" }, "options.lifetime");
  bad({ lifetime: 5 }, "options.lifetime");
  bad({ lifetime: { messages: "2h" } }, "options.lifetime.messages");
  bad({ lifetime: { prefix: "5m", messages: "1h" } }, "options.lifetime.messages");
  bad({ summary: 9 }, "options.summary");
  bad({ previousNewest: "m0" }, "options.previousNewest");
  bad({ previousNewest: { message: 0 } }, "options.previousNewest.message");
  bad({ previousNewest: { message: "m0", part: -1 } }, "options.previousNewest.part");
  bad({ previousNewest: { message: "m0", prefix: 1 } }, "options.previousNewest.prefix");
  bad(null, "options");
  refused(() => placeMarks("go"), "unknown_format", "messages");
});

// ---------------------------------------------------------------- any conversation, any marks

const lifetime = fc.constantFrom(mark, hour);
const words = fc.constantFrom("go", "on", "", " ", "text of some length");
/** Something with or without a mark in a field. */
const withField = <T extends object>(item: fc.Arbitrary<T>, field: string) =>
  fc
    .tuple(item, fc.option(lifetime, { nil: undefined, freq: 3 }))
    .map(([item, found]) => (found ? { ...item, [field]: found } : item) as T);
const listOf = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 4 });

const textBlock = withField(
  words.map((text) => ({ type: "text", text })),
  "cache_control",
);
const block = fc.oneof(
  textBlock,
  withField(fc.constant({ type: "tool_use", id: "1", name: "a", input: {} }), "cache_control"),
  withField(
    listOf(textBlock).map((content) => ({ type: "tool_result", tool_use_id: "1", content })),
    "cache_control",
  ),
  withField(fc.constant({ type: "thinking", thinking: "hm", signature: "s" }), "cache_control"),
  withField(fc.constant({ type: "redacted_thinking", data: "x" }), "cache_control"),
  withField(fc.constant({ type: "server_tool_use", id: "2", name: "web_search", input: {} }), "cache_control"),
);
const sdkPart = fc
  .tuple(
    fc.oneof(
      words.map((text) => ({ type: "text", text })),
      fc.constant({ type: "reasoning", text: "hm" }),
      fc.constant({ type: "tool-call", toolCallId: "1", toolName: "a", input: {} }),
    ),
    fc.option(lifetime, { nil: undefined, freq: 3 }),
  )
  .map(([part, cacheControl]) => (cacheControl ? { ...part, providerOptions: { anthropic: { cacheControl } } } : part));
const dataMark = () => ({ data: new Uint8Array(9), mimeType: "cache_control" });
const neutral = fc.oneof(
  words.map((text) => ({ type: "text", text })),
  fc.constant({ type: "cacheMark" }),
  fc.constant({ type: "reasoning", text: "hm" }),
);

const conversations: Record<
  string,
  {
    input: fc.Arbitrary<unknown>;
    isMark: (item: Fields) => boolean;
    format: Format;
    forbidden: (item: Fields) => boolean;
  }
> = {
  anthropic: {
    format: "anthropic",
    input: fc.record({
      system: fc.oneof(words, listOf(textBlock)),
      tools: listOf(
        fc
          .tuple(withField(fc.constant({ name: "a", input_schema: {} }), "cache_control"), fc.boolean())
          .map(([tool, later]) => (later ? { ...tool, defer_loading: true } : tool)),
      ),
      messages: listOf(
        fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.oneof(words, listOf(block)) }),
      ),
    }),
    isMark: (item) => Boolean(item["cache_control"]),
    forbidden: (item) =>
      Boolean(item["cache_control"]) &&
      (/thinking/.test(String(item["type"])) ||
        item["defer_loading"] === true ||
        (item["type"] === "text" && String(item["text"]).trim() === "")),
  },
  "openai-chat": {
    format: "openai-chat",
    input: listOf(
      fc.oneof(
        withField(
          fc.record({
            role: fc.constantFrom("system", "user", "assistant"),
            content: fc.oneof(words, listOf(textBlock)),
          }),
          "copilot_cache_control",
        ),
        withField(
          fc.record({
            role: fc.constant("tool"),
            tool_call_id: fc.constant("1"),
            content: fc.oneof(words, listOf(textBlock)),
          }),
          "cache_control",
        ),
        withField(
          fc.constant({
            role: "assistant",
            content: null,
            tool_calls: [{ id: "1", type: "function", function: { name: "a", arguments: "{}" } }],
          }),
          "cache_control",
        ),
      ),
    ),
    isMark: (item) => Boolean(item["cache_control"] ?? item["copilot_cache_control"]),
    forbidden: (item) =>
      Boolean(item["cache_control"]) && item["type"] === "text" && String(item["text"]).trim() === "",
  },
  "ai-sdk": {
    format: "ai-sdk",
    input: listOf(
      fc
        .tuple(
          fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.oneof(words, listOf(sdkPart)) }),
          fc.option(lifetime, { nil: undefined }),
        )
        .map(([message, cacheControl]) =>
          cacheControl ? { ...message, providerOptions: { anthropic: { cacheControl } } } : message,
        ),
    ),
    isMark: (item) => "cacheControl" in item,
    forbidden: (item) => item["type"] === "reasoning" && "providerOptions" in item,
  },
  vscode: {
    format: "vscode",
    input: listOf(
      fc.record({
        role: fc.constantFrom(1, 2),
        content: listOf(
          fc.oneof(
            words.map((value) => ({ value })),
            fc.constant(null).map(dataMark),
            fc.boolean().map((inside) => ({ callId: "1", content: inside ? [{ value: "done" }, dataMark()] : [] })),
          ),
        ),
      }),
    ),
    isMark: (item) => item["mimeType"] === "cache_control",
    forbidden: () => false,
  },
  espalier: {
    format: "espalier",
    input: listOf(fc.record({ role: fc.constantFrom("system", "user", "assistant"), parts: listOf(neutral) })).map(
      (list) => list.map((message, at) => ({ id: `x${at}`, ...message })),
    ),
    isMark: (item) => item["type"] === "cacheMark",
    forbidden: () => false,
  },
};

function walk(value: unknown, see: (item: Fields) => void): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  see(value as Fields);
  for (const inner of Object.values(value)) walk(inner, see);
}

/** Everything but marks; a text of its own is the same as one block. */
function bare(value: unknown): unknown {
  const text = JSON.stringify(value, (key, item: unknown) => {
    if (["cache_control", "copilot_cache_control", "cacheControl"].includes(key)) return undefined;
    if ((key === "content" || key === "system") && typeof item === "string") return [{ type: "text", text: item }];
    if (Array.isArray(item))
      return item.filter(
        (part: unknown) =>
          (part as Fields | null)?.["type"] !== "cacheMark" &&
          (part as Fields | null)?.["mimeType"] !== "cache_control",
      );
    return item;
  });
  return JSON.parse(text.replaceAll(/,?"anthropic":\{\}/g, "").replaceAll(/,?"providerOptions":\{\}/g, ""));
}

for (const [name, { input, isMark, format, forbidden }] of Object.entries(conversations)) {
  test(`${name}: never too many marks, none in a wrong place, nothing else changed, and once is enough`, () => {
    const settings = fc.record({
      maxMarks: fc.integer({ min: 0, max: 5 }),
      profile: fc.constantFrom("espalier", "copilot-chat"),
      lifetime: fc.constantFrom(undefined, "1h", { prefix: "1h" }),
      style: fc.constantFrom("message", "part"),
    }) as fc.Arbitrary<MarkOptions>;
    fc.assert(
      fc.property(input, settings, (conversation, options) => {
        // Frozen objects with bytes cannot be; these are checked by their JSON.
        const before = JSON.stringify(conversation);
        const mark = (messages: unknown) => placeMarks(messages, { format, minPrefixTokens: 0, ...options });
        const { messages: marked, marks } = mark(conversation);
        let found = 0;
        walk(marked, (item) => {
          found += Number(isMark(item));
          assert.ok(options.profile === "copilot-chat" || !forbidden(item), JSON.stringify(item));
        });
        assert.equal(found, marks.length, "as many as were reported");
        assert.ok(found <= options.maxMarks!, `${found} marks`);
        assert.equal(JSON.stringify(conversation), before);
        assert.deepEqual(bare(marked), bare(conversation));
        const again = mark(marked);
        assert.equal(again.messages, marked, "the very same");
        assert.deepEqual(
          again.marks.map(({ why: _, ...rest }) => rest),
          marks.map(({ why: _, ...rest }) => rest),
        );
      }),
      { numRuns: runs(600) },
    );
  });
}

// ---------------------------------------------------------------- shared prefixes

const turns = (count: number): Fields[] =>
  Array.from({ length: count }, (_, at) => [
    { role: "user", content: `request ${at} `.repeat(20) },
    { role: "assistant", content: `answer ${at} `.repeat(20) },
  ]).flat();

test("what two requests share", () => {
  const [before, after] = [turns(3), turns(4)];
  const grown = stablePrefix(before, after);
  assert.deepEqual([grown.messages, grown.extends, grown.difference], [6, true, undefined]);
  assert.equal(grown.tokens, countMessages(before).total);
  const changed = after.map((message, at) =>
    at === 2 ? { ...message, content: `${String(message["content"])}!` } : message,
  );
  const shared = stablePrefix(after, changed);
  assert.equal(shared.tokens, countMessages(after.slice(0, 2)).total);
  assert.deepEqual(shared.difference, {
    index: 2,
    id: "m2",
    part: 0,
    kind: "text",
    offset: String(after[2]!["content"]).length,
  });
  const { perMessage } = countMessages(after);
  assert.deepEqual(stablePrefix(after, changed, { counts: perMessage.map(({ tokens }) => tokens) }), shared);
  // Whether messages are the same objects or only equal ones makes no difference either.
  const copied = structuredClone(after);
  assert.deepEqual(stablePrefix(copied, changed), shared);
  assert.deepEqual(stablePrefix(before, copied), grown);
  const [one, other] = [
    { system: "Be brief.", messages: before },
    { system: "Be brief.", messages: after },
  ];
  assert.deepEqual(stablePrefix(one, other), stablePrefix(structuredClone(one), other));
  // Marks make no difference.
  assert.ok(stablePrefix(after, placeMarks(after, { minPrefixTokens: 0 }).messages).extends);
});

test("tools, formats, system prompts", () => {
  const request = samples.anthropic();
  assert.ok(stablePrefix(request, { ...request }).extends);
  const tools = [...(request["tools"] as unknown[]), { name: "other", input_schema: {} }];
  assert.deepEqual(stablePrefix(request, { ...request, tools }).difference, { index: 1, id: "other", kind: "tools" });
  assert.deepEqual(stablePrefix(request, request, { tools, previousTools: [] }).difference?.kind, "tools");
  assert.equal(stablePrefix(request, { ...request, system: "Be long." }).difference?.id, "system");
  for (const format of Object.keys(samples) as Format[])
    assert.ok(stablePrefix(samples[format](), samples[format]()).extends, format);
});

test("the rule behind a difference", () => {
  const history = turns(20);
  const first = prune(history.slice(0, 30), { budget: 1_000 });
  const next = prune(history, { budget: 1_000 });
  const { difference } = stablePrefix(first.messages, next.messages, {
    report: next.report,
    previousReport: first.report,
  });
  const dropped = next.report.messages.filter(({ fate }) => fate === "dropped").map(({ id }) => id);
  assert.equal(difference?.cause?.rule, next.report.messages.find(({ fate }) => fate === "dropped")?.rule);
  assert.ok(difference!.cause!.ids.every((id) => dropped.includes(id)));
  const gone = new Set(first.report.messages.filter(({ fate }) => fate === "dropped").map(({ id }) => id));
  assert.ok(
    difference!.cause!.ids.every((id) => !gone.has(id)),
    "what had gone before is not to blame",
  );
  const own = stablePrefix(history, [{ role: "user", content: "other" }], {
    report: { messages: [{ id: "m0", role: "user", before: 1, after: 1, fate: "kept" }] },
  });
  assert.equal(own.difference?.cause?.rule, "input");
});

test("prefix options that make no sense", () => {
  refused(() => stablePrefix(turns(1), turns(1), { counts: [1] }), "bad_option", "options.counts");
  refused(() => stablePrefix(turns(1), turns(1), { counts: [1, -1] }), "bad_option", "options.counts[1]");
  refused(() => stablePrefix(turns(1), turns(1), { report: 7 as never }), "bad_option", "options.report");
  refused(() => stablePrefix(7, turns(1)), "unknown_format", "messages");
});

// ---------------------------------------------------------------- prices and usage

test("whether clearing pays, by hand", () => {
  // 20,000 tokens at 1.25 instead of 0.1 once; 30,000 tokens at 0.1 with each request.
  assert.deepEqual(clearingPays({ cleared: 30_000, suffix: 20_000, requests: 10 }), {
    pays: true,
    saved: 7_000,
    once: 23_000,
    perRequest: 3_000,
    breakEven: 8,
  });
  assert.equal(clearingPays({ cleared: 30_000, suffix: 20_000, requests: 7 }).pays, false);
  assert.equal(clearingPays({ cleared: 30_000, suffix: 20_000, requests: 1, hitRate: 0 }).pays, true);
  assert.equal(clearingPays({ cleared: 30_000, suffix: 20_000, lifetime: "1h" }).breakEven, 13);
  assert.equal(clearingPays({ cleared: 10, suffix: 20, replacement: 10 }).breakEven, undefined);
  const bad = (options: unknown, path: string) => refused(() => clearingPays(options as never), "bad_option", path);
  bad({ suffix: 1 }, "options.cleared");
  bad({ cleared: 1.5, suffix: 1 }, "options.cleared");
  bad({ cleared: 1, suffix: 1, hitRate: 2 }, "options.hitRate");
  bad({ cleared: 1, suffix: 1, requests: Number.NaN }, "options.requests");
  bad({ cleared: 1, suffix: 1, extra: -1 }, "options.extra");
  bad({ cleared: 1, suffix: 1, prices: { cacheRead: "0.1" } }, "options.prices.cacheRead");
  bad({ cleared: 1, suffix: 1, lifetime: "1d" }, "options.lifetime");
  bad(undefined, "options");
});

test("what a request costs", () => {
  assert.deepEqual(cacheCost({ total: 10_000, shared: 8_000 }), {
    cost: 3_300,
    cacheRead: 8_000,
    cacheWrite: 2_000,
    input: 0,
    withoutCache: 10_000,
  });
  assert.equal(cacheCost({ total: 10_000, marked: 0 }).cost, 10_000);
  assert.equal(
    cacheCost({ total: 10_000, shared: 8_000, prices: { cacheWrite: 1, cacheRead: 0.5 }, output: 10 }).cost,
    4_000 + 2_000 + 50,
  );
  refused(() => cacheCost({ total: -1 }), "bad_option", "options.total");
});

test("usage adds up", () => {
  const one = {
    input: 100,
    cacheRead: 900,
    cacheWrite: 50,
    output: 30,
    reasoning: 10,
    promptTotal: 1_050,
    raw: { any: "thing" },
  };
  const sum = addUsage(one, undefined, one, { output: 1, input: Number.NaN });
  assert.deepEqual(sum, {
    input: 200,
    cacheRead: 1_800,
    cacheWrite: 100,
    output: 61,
    reasoning: 20,
    promptTotal: 2_100,
  });
  assert.deepEqual(addUsage(), { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, promptTotal: 0 });
  const cost = usageCost(one);
  assert.deepEqual([cost.cost, cost.saved, cost.output], [100 + 90 + 62.5 + 150, 1_050 - 252.5, 150]);
  assert.ok(Math.abs(cost.hitRate - 900 / 1_050) < 1e-12);
  assert.equal(usageCost(one, {}, { lifetime: "1h" }).cacheWrite, 100);
  assert.deepEqual([usageCost({}).cost, usageCost({}).hitRate], [0, 0]);
  refused(() => usageCost(one, { output: -1 }), "bad_option", "options.prices.output");
});

test("odd input: cycles, broken characters, what throws when it is looked at", () => {
  const cyclic: Fields = {};
  cyclic["self"] = cyclic;
  const messages = [
    { role: "user", content: "lone \ud800" },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "a", input: cyclic }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "nul \0" }] },
  ];
  const { messages: marked } = placeMarks(messages, { minPrefixTokens: 0, format: "anthropic" });
  assert.equal((marked[0]!.content as unknown as Fields[])[0]!["text"], "lone \ud800");
  assert.equal(marked[1], messages[1]);
  assert.ok(stablePrefix(messages, marked, { format: "anthropic" }).extends);
  refused(
    () =>
      placeMarks(
        [
          {
            role: "user",
            get content() {
              throw new Error("no");
            },
          },
        ],
        { format: "openai-chat" },
      ),
    "bad_message",
    "messages[0]",
  );
  refused(() => placeMarks([null], { format: "anthropic" }), "bad_message", "messages[0]");
  refused(
    () => stablePrefix([{ role: "user", content: "go" }], [{ role: "nobody" }], { format: "openai-chat" }),
    "bad_message",
    "messages[0].role",
  );
  assert.deepEqual(placeMarks([]), { messages: [], marks: [], unmarked: [] });
});
