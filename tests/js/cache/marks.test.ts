/** Cache marks: how they look in every format, and where they go. */

import assert from "node:assert/strict";
import { test } from "node:test";
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
import { refused } from "../refused.ts";

const { compact, countMessages, placeMarks, stablePrefix } = espalier;

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
