/** The steps of the ladder that need no model, over all formats; profiles as data. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { espalier } from "../built.ts";

const { EspalierError, compact, countMessages, explainProfile, profile } = espalier;

const long = (word: string): string => `${word} says little about it\n`.repeat(60);
const body = "x".repeat(5_000);
/** Calls: name, arguments, result. */
const CALLS: [string, Record<string, unknown>, string][] = [
  ["read_file", { path: "src/a.ts" }, long("old")],
  ["str_replace", { path: "src/a.ts", old_str: "x", new_str: "y" }, "ok"],
  ["write_file", { path: "src/b.ts", content: body }, "written"],
  ["bash", { command: "npm test" }, `${long("out")}error: no such thing\nexit code: 1`],
  ["fetch", { url: "a" }, long("page a")],
  ["fetch", { url: "b" }, long("page b")],
  ["fetch", { url: "c" }, long("page c")],
  ["fetch", { url: "d" }, "the newest"],
];
const GREEDY = {
  targetShare: 0.4,
  ladder: ["stale", "media", "clear", "fit"] as const,
  profile: { shares: { relief: 0.05 }, gain: { stale: { share: 0 }, media: { share: 0 }, clear: { share: 0 } } },
  protect: { results: 0, rounds: 1, tokens: { share: 0, maxTokens: 0 } },
};

const formats: Record<string, () => object[]> = {
  "openai-chat": () => [
    { role: "system", content: "s" },
    { role: "user", content: "go" },
    ...CALLS.flatMap(([name, args, result], at) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${at}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      },
      { role: "tool", tool_call_id: `c${at}`, content: result },
    ]),
  ],
  "openai-responses": () => [
    { role: "user", content: "go" },
    ...CALLS.flatMap(([name, args, result], at) => [
      { type: "function_call", call_id: `c${at}`, name, arguments: JSON.stringify(args) },
      { type: "function_call_output", call_id: `c${at}`, output: result },
    ]),
  ],
  anthropic: () => [
    { role: "user", content: "go" },
    ...CALLS.flatMap(([name, input, content], at) => [
      {
        role: "assistant",
        content: [
          { type: "text", text: "now" },
          { type: "tool_use", id: `c${at}`, name, input },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content }] },
    ]),
  ],
  gemini: () => [
    { role: "user", parts: [{ text: "go" }] },
    ...CALLS.flatMap(([name, args, result], at) => [
      { role: "model", parts: [{ functionCall: { id: `c${at}`, name, args } }] },
      { role: "user", parts: [{ functionResponse: { id: `c${at}`, name, response: { output: result } } }] },
    ]),
  ],
  "ai-sdk": () => [
    { role: "user", content: "go" },
    ...CALLS.flatMap(([toolName, input, value], at) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${at}`, toolName, input }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: `c${at}`, toolName, output: { type: "text", value } }],
      },
    ]),
  ],
};

for (const [format, make] of Object.entries(formats)) {
  test(`${format}: placeholders and short arguments are in the places of the long ones`, async () => {
    const messages = make();
    const frozen = JSON.stringify(messages);
    const options = { format: format as "openai-chat" };
    const whole = countMessages(messages, options).total;
    const {
      status,
      messages: out,
      edits,
      report,
    } = await compact(messages, { ...options, ...GREEDY, budget: whole - 1 });
    assert.equal(status, "applied");
    assert.equal(JSON.stringify(messages), frozen, "the input is as it was");
    assert.deepEqual([...new Set(edits.map((edit) => edit.kind))].sort(), [
      "clear_arguments",
      "clear_result",
      "supersede",
    ]);
    assert.equal(out.length, messages.length);
    const text = JSON.stringify(out);
    assert.match(
      text,
      /\[superseded: read_file src\/a\.ts, 60 lines, [\d,]+ characters; m\d+ edited it; recall m\d+\]/,
    );
    assert.match(
      text,
      /\[cleared: bash `npm test`, 62 lines, [\d,]+ characters, exit code 1; recall m\d+\]\\n+error: no such thing/,
    );
    assert.match(text, /"?src\/b\.ts/);
    assert.ok(!text.includes(body) && text.includes("xxxx"));
    assert.equal(countMessages(out, options).total, report.after.total, "the report is of what came out");
    // Whatever was not changed is the caller's own object.
    const changed = new Set(edits.flatMap((edit) => edit.targets.map((target) => target.message)));
    out.forEach((message, at) => {
      if (!changed.has(`m${at}`)) assert.equal(message, messages[at], `message ${at}`);
    });
    assert.equal(out.at(-1), messages.at(-1));
  });
}

test("the arguments are still JSON with their keys", async () => {
  const messages = formats["openai-chat"]!() as { tool_calls?: { function: { arguments: string } }[] }[];
  const whole = countMessages(messages).total;
  const { messages: out } = await compact(messages, { ...GREEDY, budget: whole - 1 });
  const written = JSON.parse(out[6]!.tool_calls![0]!.function.arguments) as { path: string; content: string };
  assert.deepEqual(Object.keys(written), ["path", "content"]);
  assert.ok(written.content.length <= 500 && written.content.includes("recall m6"));
});

test("old pictures and thoughts go", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: long("hm"), signature: "s" },
        { type: "text", text: "I see." },
      ],
    },
    { role: "user", content: "go on" },
    { role: "assistant", content: [{ type: "text", text: long("done") }] },
  ];
  const whole = countMessages(messages, { format: "anthropic" }).total;
  const { messages: out, edits } = await compact(messages, {
    format: "anthropic",
    // Its provider takes no line break at the end, so one token less would fit.
    budget: whole - 10,
    ladder: ["media", "fit"],
    profile: { shares: { relief: 0.05, keepRecent: { share: 0 } }, gain: { media: { share: 0 } } },
  });
  assert.deepEqual(
    edits.map((edit) => edit.kind).filter((kind) => kind !== "drop"),
    ["drop_media", "drop_reasoning"].filter((kind) => edits.some((edit) => edit.kind === kind)),
  );
  assert.ok(edits.some((edit) => edit.kind === "drop_reasoning"));
  assert.ok(!JSON.stringify(out).includes("thinking"));
});

/** An old turn with a call, and a new one. The reasoning is where each format has it. */
const reasoned = {
  "openai-chat": [
    { role: "user", content: "Read a.ts." },
    {
      role: "assistant",
      content: "",
      reasoning_content: long("first"),
      tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "text" },
    { role: "assistant", content: "Read.", reasoning_content: long("second") },
    { role: "user", content: "Go on." },
    { role: "assistant", content: long("done") },
  ],
  anthropic: [
    { role: "user", content: "Read a.ts." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: long("first"), signature: "s" },
        { type: "tool_use", id: "c1", name: "read", input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "text" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: long("second"), signature: "s" },
        { type: "text", text: "Read." },
      ],
    },
    { role: "user", content: "Go on." },
    { role: "assistant", content: [{ type: "text", text: long("done") }] },
  ],
};

// Kimi and DeepSeek refuse a conversation with a call that lost its reasoning.
for (const [format, model, stays] of [
  ["openai-chat", "kimi-k3", ["first"]],
  ["openai-chat", "deepseek-v4-pro", ["first"]],
  ["openai-chat", "a-model-of-our-own", ["first"]],
  ["anthropic", "kimi-k3", ["first"]],
  ["anthropic", "claude-sonnet-4-5", []],
] as const)
  test(`${format}, ${model}: the reasoning of a call ${stays.length > 0 ? "stays" : "goes"}`, async () => {
    const messages = reasoned[format] as object[];
    const whole = countMessages(messages, { format }).total;
    const { messages: out, edits } = await compact(messages, {
      format,
      model,
      budget: whole - 10,
      ladder: ["media", "fit"],
      profile: { shares: { relief: 0.05, keepRecent: { share: 0 } }, gain: { media: { share: 0 } } },
    });
    assert.ok(edits.some((edit) => edit.kind === "drop_reasoning"));
    const text = JSON.stringify(out);
    assert.deepEqual(
      ["first", "second"].filter((word) => text.includes(word)),
      stays,
    );
  });

test("profiles are data", () => {
  for (const name of ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"] as const) {
    const whole = profile(name);
    assert.equal(whole.name, name);
    assert.deepEqual(profile(JSON.parse(JSON.stringify(whole))), whole);
    assert.deepEqual(profile({ ...whole, name: "mine" }), { ...whole, name: "mine" });
    assert.deepEqual(explainProfile(name, whole), []);
  }
  assert.deepEqual(explainProfile("espalier", { start: { warm: 0.7 }, block: null }), [
    { field: "start.warm", a: 0.78, b: 0.7 },
    { field: "block", a: 0.95, b: null },
  ]);
});

const refused = (run: () => unknown, path: string) =>
  assert.throws(run, (e: InstanceType<typeof EspalierError>) => e.code === "bad_option" && e.path === path, path);

test("what is no profile is refused by name", async () => {
  refused(() => profile({ start: { heat: 1 } } as never), "profile.start.heat");
  refused(() => profile({ start: { warm: NaN } }), "profile.start.warm");
  refused(() => profile({ protect: { results: 1.5 } }), "profile.protect.results");
  refused(() => profile("claude" as never), "profile");
  refused(() => profile(null as never), "profile");
  refused(() => explainProfile("espalier", { nothing: 1 } as never), "b.nothing");
  const rejected = (options: object, path: string) =>
    assert.rejects(
      compact([{ role: "user", content: "go" }], { budget: 100, ...options }),
      (e: InstanceType<typeof EspalierError>) => e.code === "bad_option" && e.path === path,
      path,
    );
  await rejected({ profile: 7 }, "options.profile");
  await rejected({ profile: { cut: { at: "noon" } } }, "options.profile.cut.at");
  await rejected({ ladder: ["clear", "clear"] }, "options.ladder[1]");
  await rejected({ ladder: ["squeeze"] }, "options.ladder[0]");
  await rejected({ ladder: "clear" }, "options.ladder");
  await rejected({ exempt: [7] }, "options.exempt");
  await rejected({ protect: 3 }, "options.protect");
  await rejected({ protect: { result: 3 } }, "options.profile.protect.result");
});
