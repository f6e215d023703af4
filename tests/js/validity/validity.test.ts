/** What providers refuse, by the messages that hosts hold; and that repair leaves nothing of it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { EspalierError } from "../../../js/errors/errors.ts";
import type { Finding, ProviderName, RepairOptions } from "../../../js/types/validity.ts";
import type { Format } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import { freeze, messagesOf } from "../formats/common.ts";
import { refused } from "../refused.ts";
import { runs } from "../runs.ts";
import { hosts } from "./hosts.ts";

const PROVIDERS: ProviderName[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];

const options = fc.record({
  orphans: fc.constantFrom("drop", "text"),
  lostCalls: fc.constantFrom("synthesize", "drop"),
  pending: fc.constantFrom("keep", "synthesize", "drop"),
  purpose: fc.constantFrom("answer", "summary"),
  model: fc.constantFrom("gpt-4o", "gemini-3-pro", "o3-mini", "mistral-medium"),
  dropThoughts: fc.constantFrom(false, false, true),
}) as fc.Arbitrary<Omit<RepairOptions, "provider">>;

/** Whatever comes in, what goes out is valid, the same again, and as far as it was right the caller's own. */
function mends(format: Format, provider: ProviderName, count: number): void {
  fc.assert(
    fc.property(hosts[format], options, (input, chosen) => {
      freeze(input);
      const all = { ...chosen, provider, format };
      const { messages, report } = espalier.repair(input, all);
      const judge = { ...chosen, format, pending: chosen.pending === "keep" ? ("keep" as const) : ("report" as const) };
      const { orphans: _, lostCalls: __, dropThoughts: ___, ...asked } = judge;
      const left = espalier.validate(messages, provider, asked);
      assert.deepEqual(
        left.filter(({ path, rule }) => !/^tools/.test(path) && rule !== "tools-missing"),
        [],
        JSON.stringify(messages, undefined, 1),
      );
      const again = espalier.repair(messages, all);
      assert.equal(again.messages, messages, JSON.stringify([messages, again], undefined, 1));
      assert.deepEqual(again.report.changes, []);
      const found = espalier.validate(input, provider, asked);
      if (found.length === 0 && !chosen.dropThoughts && chosen.purpose !== "summary") assert.equal(messages, input);
      if (messages !== input) assert.ok(report.changes.length > 0);
      // What nobody found fault with, in the middle of what is right, is the caller's own.
      if (found.length === 0) return;
      for (const { index, path, message } of found) {
        assert.ok(message && path);
        if (index !== undefined) assert.ok(index < messagesOf(input).length);
      }
    }),
    { seed: 3, numRuns: runs(count) },
  );
}

for (const provider of PROVIDERS) {
  test(`${provider}: its own messages are mended`, () => mends(provider, provider, 1500));
  test(`${provider}: neutral messages are mended`, () => mends("espalier", provider, 500));
  test(`${provider}: messages of the AI SDK are mended`, () => mends("ai-sdk", provider, 300));
}

// ---------------------------------------------------------------- what is found, and where

/** Findings as `rule path`, one a line. */
function finds(provider: ProviderName, input: unknown, expected: string, more: object = {}): void {
  freeze(input);
  const found = espalier.validate(input, provider, more).map(({ rule, path }: Finding) => `${rule} ${path}`);
  assert.deepEqual(
    found,
    expected
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
  );
}

/** And what repair makes of the messages. */
function becomes(provider: ProviderName, input: unknown, expected: unknown, more: object = {}): void {
  const { messages } = espalier.repair(freeze(input), { provider, ...more });
  assert.deepEqual(messages, expected);
}

const q = { role: "user", content: "q" };
const call = (id: string, name = "run") => ({ id, type: "function", function: { name, arguments: "{}" } });
const use = (id: string) => ({ type: "tool_use", id, name: "run", input: {} });
const result = (id: string, more = {}) => ({ type: "tool_result", tool_use_id: id, content: "r", ...more });
const ephemeral = { type: "ephemeral" };

test("openai-chat: what only its messages show", () => {
  finds("openai-chat", [q, { role: "assistant", content: "a", tool_calls: [] }], "empty-calls messages[1].tool_calls");
  becomes(
    "openai-chat",
    [q, { role: "assistant", content: "a", tool_calls: [] }],
    [q, { role: "assistant", content: "a" }],
  );
  const calls = { role: "assistant", content: null, tool_calls: [call("a")] };
  const answered = (content: unknown) => [q, calls, { role: "tool", tool_call_id: "a", content }];
  finds("openai-chat", answered("r"), "");
  for (const content of [null, []]) {
    finds("openai-chat", answered(content), "content messages[2].content");
    becomes("openai-chat", answered(content), answered(""));
  }
  finds(
    "openai-chat",
    [q, { ...calls, content: [] }],
    "pending-call messages[1].tool_calls[0]\ncontent messages[1].content",
  );
  becomes("openai-chat", [q, { ...calls, content: [] }], [q, calls]);
  finds("openai-chat", [{ ...q, name: "Ann B." }], "message-name messages[0].name");
  becomes("openai-chat", [{ ...q, name: "Ann B." }], [{ ...q, name: "Ann_B." }]);
  finds("openai-chat", { model: "gpt-4o", tool_choice: "auto", messages: [q] }, "tool-choice tool_choice");
  becomes("openai-chat", { model: "gpt-4o", tool_choice: "auto", messages: [q] }, { model: "gpt-4o", messages: [q] });
  finds("openai-chat", { model: "gpt-4o", tool_choice: "auto", tools: [call("x")], messages: [q] }, "");
  finds(
    "openai-chat",
    [
      q,
      { role: "assistant", content: null, tool_calls: [{ ...call("a"), id: undefined }] },
      { role: "tool", content: "r" },
    ],
    "missing-id messages[1].tool_calls[0]",
  );
  finds(
    "openai-chat",
    [
      q,
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "r" },
    ],
    "",
  );
  finds(
    "openai-chat",
    [q, { role: "assistant", content: null, tool_calls: [call("a", "a.b"), call("a")] }],
    `
    tool-name messages[1].tool_calls[0]
    pending-call messages[1].tool_calls[0]
    double-id messages[1].tool_calls[1]
    pending-call messages[1].tool_calls[1]`,
  );
  const tools = [call("x"), { type: "function", function: { name: "a b" } }];
  finds("openai-chat", { messages: [q], tools }, "tool-name tools[1].name");
  const seen = [
    q,
    { role: "assistant", content: null, tool_calls: [call("a")] },
    {
      role: "tool",
      tool_call_id: "a",
      content: [{ type: "image_url", image_url: { url: "https://example.org/a.png" } }],
    },
  ];
  finds("openai-chat", seen, "image-place messages[2].content[0]");
  becomes("openai-chat", seen, [
    seen[0],
    seen[1],
    { ...seen[2], content: [{ type: "text", text: "[Image was attached]" }] },
  ]);
});

test("anthropic: thoughts, tools of the server, the system prompt", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "s" };
  const said = { type: "text", text: "a" };
  const assistant = (...content: unknown[]) => ({ role: "assistant", content });
  finds("anthropic", [q, assistant(thinking, said)], "");
  finds("anthropic", [q, assistant({ ...thinking, signature: "" }, said)], "thought-signature messages[1].content[0]");
  becomes("anthropic", [q, assistant({ ...thinking, signature: "" }, said)], [q, assistant(said)]);
  finds("anthropic", [q, assistant({ type: "redacted_thinking" }, said)], "thought-signature messages[1].content[0]");
  finds("anthropic", [q, assistant(said, thinking, said)], "thought-first messages[1].content[1]");
  finds("anthropic", [q, assistant(thinking, said, thinking, said)], "");
  finds(
    "anthropic",
    [{ role: "user", content: [{ type: "text", text: "q" }, thinking] }],
    "thought-role messages[0].content[1]",
  );
  finds("anthropic", [{ role: "system", content: "s" }, q], "role messages[0].role");
  becomes("anthropic", [{ role: "system", content: "s" }, q], [{ role: "user", content: "s" }, q]);
  const [search, found] = [
    { type: "server_tool_use", id: "s1", name: "tool_search", input: {} },
    { type: "tool_search_tool_result", tool_use_id: "s1", content: [] },
  ];
  finds("anthropic", [q, assistant(search, found, said), q], "");
  finds("anthropic", [q, assistant(found, said), q], "orphan-server-result messages[1].content[0]");
  finds("anthropic", [q, assistant(search, said), q], "lost-server-call messages[1].content[0]");
  finds("anthropic", [q, assistant(said, search)], "");
  becomes("anthropic", [q, assistant(search, said), q], [q, assistant(said), q]);
  finds(
    "anthropic",
    { messages: [q, assistant(use("a")), { role: "user", content: [result("a")] }], tools: [] },
    "tools-missing messages",
  );
});

test("openai-responses: items that occur twice", () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" };
  const said = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "a" }] };
  const calls = { type: "function_call", id: "fc_1", call_id: "c1", name: "run", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "c1", output: "r" };
  const turn = [q, thought, calls, output, said, q];
  finds("openai-responses", turn, "");
  // A turn that was appended twice.
  const twice = [...turn.slice(0, -1), ...turn.slice(1)];
  becomes("openai-responses", twice, turn);
  const { report } = espalier.repair(twice, { provider: "openai-responses" });
  assert.deepEqual(
    report.changes.map(({ rule, index }) => `${rule} ${index}`),
    ["double-item 5", "double-item 6", "double-item 8", "empty 7", "orphan-result 7"],
  );
  // Ids that another library made up twice.
  const nameless = { type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] };
  const other = { ...nameless, id: "msg_1" };
  finds("openai-responses", [q, said, q, other, q], "double-item messages[3].id");
  becomes("openai-responses", [q, said, q, other, q], [q, said, q, nameless, q]);
  finds("openai-responses", [q, said, q, { type: "item_reference", id: "msg_1" }, q], "double-item messages[3]");
});

test("anthropic: cache marks", () => {
  const marked = (text: string, ttl?: string) => ({
    type: "text",
    text,
    cache_control: { ...ephemeral, ...(ttl && { ttl }) },
  });
  const user = (...content: unknown[]) => ({ role: "user", content });
  finds("anthropic", [user(marked("a"), marked("b"), marked("c"), marked("d"))], "");
  const five = { system: [marked("s")], messages: [user(marked("a"), marked("b"), marked("c"), marked("d"))] };
  finds("anthropic", five, "mark-count messages[0].content[0].cache_control");
  becomes("anthropic", five, {
    ...five,
    messages: [user({ type: "text", text: "a" }, marked("b"), marked("c"), marked("d"))],
  });
  finds("anthropic", [user(marked("a"), marked("b", "1h"))], "mark-order messages[0].content[1].cache_control.ttl");
  finds("anthropic", { system: [marked("a", "1h")], messages: [user(marked("b", "1h"), marked("c"))] }, "");
  finds(
    "anthropic",
    { tools: [{ name: "run", defer_loading: true, cache_control: ephemeral }], messages: [q] },
    "mark-place tools[0].cache_control",
  );
  const inside = [q, { role: "assistant", content: [use("a")] }, user({ ...result("a"), content: [marked("x")] })];
  finds("anthropic", inside, "mark-place messages[2].content[0].content[0].cache_control");
});

test("anthropic: a picture says its own type", () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
  const picture = (media_type: string) => ({ type: "image", source: { type: "base64", media_type, data: png } });
  const shown = (media_type: string) => [
    { role: "user", content: [picture(media_type)] },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [picture(media_type)] }] },
  ];
  finds("anthropic", shown("image/png"), "");
  finds(
    "anthropic",
    shown("image/jpg"),
    `image-type messages[0].content[0].source.media_type
     image-type messages[2].content[0].content[0].source.media_type`,
  );
  becomes("anthropic", shown("image/jpeg"), shown("image/png"));
});

test("pictures that no server can read", () => {
  const shown = (url: string) => [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
  for (const url of ["data:image/svg+xml,%3Csvg/%3E", "data:,", "blob:https://a.example/1", "file:///a.png"])
    finds("openai-chat", shown(url), "bad-image messages[0].content[0]");
  finds("openai-chat", shown("https://a.example/a.png"), "");
  finds("openai-responses", [{ role: "user", content: [{ type: "input_image", file_id: "file-1" }] }], "");
});

test("gemini: signatures and fields of parts", () => {
  const user = { role: "user", parts: [{ text: "q" }] };
  const model = {
    role: "model",
    parts: [{ functionCall: { name: "f", args: {} } }, { functionCall: { name: "g", args: {} } }],
  };
  const answers = {
    role: "user",
    parts: ["f", "g"].map((name) => ({ functionResponse: { name, response: { output: "r" } } })),
  };
  const contents = [user, model, answers];
  finds("gemini", { contents }, "");
  finds("gemini", { contents, model: "gemini-2.5-pro" }, "");
  finds("gemini", { contents, model: "gemini-3-pro" }, "thought-signature contents[1].parts[0].thoughtSignature");
  const signed = {
    ...model,
    parts: [{ ...model.parts[0], thoughtSignature: "skip_thought_signature_validator" }, model.parts[1]],
  };
  becomes("gemini", { contents }, { contents: [user, signed, answers] }, { model: "gemini-3-pro" });
  finds(
    "gemini",
    { contents: [{ role: "user", parts: [{ text: "q", note: 1 }] }] },
    "part-field contents[0].parts[0].note",
  );
  // A part has exactly one field of data; one without is refused by the server.
  const empty = (...parts: object[]) => [user, { role: "model", parts }, user];
  finds("gemini", empty({}), "part-data messages[1].parts[0]");
  for (const part of [{}, { thought: true }, { thoughtSignature: "s" }, { text: null }, { videoMetadata: {} }]) {
    becomes("gemini", empty({ text: "a" }, part), empty({ text: "a" }));
    assert.deepEqual(espalier.validate(espalier.repair(empty(part), { provider: "gemini" }).messages, "gemini"), []);
  }
  finds("gemini", empty({ text: "", thoughtSignature: "s" }, { text: "a" }, { executableCode: { code: "1" } }), "");
  // A result without a name is known by its id; what it says is not lost.
  const called = { role: "model", parts: [{ functionCall: { id: "a", name: "f", args: {} } }] };
  const answer = (name: string) => ({
    role: "user",
    parts: [{ functionResponse: { id: "a", name, response: { output: "r" } } }],
  });
  becomes("gemini", [user, called, answer("unknown")], [user, called, answer("f")]);
});

test("what stays is the caller's own, and what moves, too", () => {
  const input = freeze({
    model: "claude",
    system: "s",
    tools: [{ name: "run", input_schema: {} }],
    messages: [
      q,
      { role: "assistant", content: [{ type: "text", text: "a" }, use("a"), use("b")] },
      { role: "user", content: [result("b")] },
      { role: "user", content: [{ type: "text", text: "w" }, result("a")] },
      { role: "assistant", content: "z" },
    ],
  });
  const { messages: out, report } = espalier.repair(input, { provider: "anthropic" });
  assert.deepEqual([out.model, out.system, out.tools], [input.model, input.system, input.tools]);
  const [first, second, third, ...rest] = out.messages;
  assert.ok(first === input.messages[0] && second === input.messages[1] && rest.at(-1) === input.messages[4]);
  const [blocks, given] = [third!.content as unknown[], input.messages.map(({ content }) => content as unknown[])];
  assert.ok(blocks[0] === given[2]![0] && blocks[1] === given[3]![1]);
  assert.deepEqual(
    report.changes.map(({ rule, path }) => `${rule} ${path}`),
    ["result-split messages[3].content[1]", "words-before-result messages[3].content[1]"],
  );
  assert.deepEqual(report.left, []);
  // Neutral messages that are taken apart have ids of their own.
  const neutral = [
    { id: "u", role: "user", parts: [{ type: "text", text: "q" }] },
    { id: "a", role: "assistant", parts: [{ type: "toolCall", callId: "1", name: "run", arguments: "{}" }] },
    { id: "b", role: "assistant", parts: [{ type: "toolCall", callId: "2", name: "run", arguments: "{}" }] },
    { id: "t", role: "tool", parts: ["1", "2"].map((callId) => ({ type: "toolResult", callId, content: [] })) },
  ];
  assert.deepEqual(
    espalier.repair(neutral, { provider: "openai-chat" }).messages.map(({ id }) => id),
    ["u", "a", "t", "b", "t:moved:1"],
  );
});

test("calls that are running", () => {
  const input = [q, { role: "assistant", content: null, tool_calls: [call("a")] }];
  assert.equal(espalier.repair(input, { provider: "openai-chat" }).messages, input);
  assert.deepEqual(
    espalier.repair(input, { provider: "openai-chat" }).report.left.map(({ rule }) => rule),
    ["pending-call"],
  );
  finds("openai-chat", input, "", { pending: "keep" });
  assert.throws(
    () => espalier.repair(input, { provider: "openai-chat", pending: "refuse" }),
    (error: EspalierError) => error.code === "pending_calls" && error.path === "messages[1].tool_calls[0]",
  );
});

// ---------------------------------------------------------------- input that is none

test("options that make no sense", () => {
  for (const provider of ["morse", "ai-sdk", "espalier", "constructor", "", undefined, null, 7, {}, Symbol("x")]) {
    const path =
      typeof provider === "string" ? "provider" : provider?.constructor === Object ? "options.provider" : "options";
    refused(() => espalier.validate([q], provider as ProviderName), "bad_option", path);
    refused(() => espalier.validate([q], { provider: provider as ProviderName }), "bad_option", "options.provider");
    refused(() => espalier.repair([q], { provider: provider as ProviderName }), "bad_option", "options.provider");
  }
  for (const [name, value] of [
    ["orphans", "keep"],
    ["lostCalls", true],
    ["pending", "report"],
    ["opening", " "],
    ["closing", 7],
    ["lostText", ""],
    ["dropThoughts", "yes"],
    ["purpose", "fun"],
    ["model", 4],
    ["rules", {}],
    ["tools", 7],
    ["format", "morse"],
  ] as const) {
    refused(
      () => espalier.repair([q], { provider: "gemini", [name]: value } as unknown as RepairOptions),
      "bad_option",
      `options.${name}`,
    );
  }
  refused(() => espalier.validate([q], "gemini", null as unknown as object), "bad_option", "options");
  refused(() => espalier.repair([q], null as unknown as RepairOptions), "bad_option", "options");
  refused(() => espalier.validate([q], "openai-chat", { pending: "drop" } as object), "bad_option", "options.pending");
  refused(
    () => espalier.validate([q], "openai-chat", { rules: [{ textonly: true }] } as object),
    "bad_option",
    "options.rules[0].textonly",
  );
  refused(() => espalier.validate([q], "openai-chat", { rules: [7] } as object), "bad_option", "options.rules[0]");
  refused(
    () => espalier.validate([q], "openai-chat", { rules: [{ textOnly: "yes" }] } as object),
    "bad_option",
    "options.rules[0].textOnly",
  );
});

test("messages that are none", () => {
  for (const input of [null, undefined, 7, "x", {}])
    refused(() => espalier.validate(input, "openai-chat"), "unknown_format", "messages");
  refused(() => espalier.validate([q, null], "openai-chat"), "bad_message", "messages[1]");
  refused(() => espalier.repair([q, null], { provider: "anthropic" }), "bad_message", "messages[1]");
  refused(() => espalier.validate([{ role: "tool", content: "x" }], "anthropic"), "bad_message", "messages[0].role");
  refused(
    () => espalier.validate([{ id: "a", role: "robot", parts: [{ type: "opaque", json: "" }] }], "anthropic"),
    "bad_message",
    "messages[0].role",
  );
  refused(
    () =>
      espalier.validate(
        [
          {
            role: "user",
            get content(): never {
              throw new Error("no");
            },
          },
        ],
        "openai-chat",
        { format: "openai-chat" },
      ),
    "bad_message",
    "messages[0]",
  );
});

test("arguments that hold themselves", () => {
  const input: Record<string, unknown> = { path: "a" };
  input["self"] = input;
  const calling = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "run", input }] };
  const messages = [q, calling, { role: "user", content: [result("a")] }];
  assert.deepEqual(
    espalier.validate(messages, "anthropic").map(({ rule, path }) => `${rule} ${path}`),
    ["arguments messages[1].content[0].input"],
  );
  const out = espalier.repair(messages, { provider: "anthropic" }).messages;
  assert.deepEqual((out[1]!.content as { input: unknown }[])[0]!.input, { path: "a", self: "(again)" });
  assert.equal(input["self"], input);
  // The words alone are no offence.
  const plain = [
    q,
    { role: "assistant", content: [{ ...use("a"), input: { say: "(again)" } }] },
    { role: "user", content: [result("a")] },
  ];
  finds("anthropic", plain, "");
});

test("nothing that a host holds breaks it", () => {
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(
      "user",
      "assistant",
      "tool",
      "model",
      "text",
      "tool_use",
      "tool_result",
      "thinking",
      "function_call",
      "toolCall",
      "toolResult",
      null,
      undefined,
      1,
      7n,
      NaN,
      ephemeral,
    ),
    fc.string({ maxLength: 3 }),
  );
  const keys = fc.constantFrom(
    "role",
    "content",
    "parts",
    "type",
    "text",
    "id",
    "tool_calls",
    "function",
    "name",
    "input",
    "functionCall",
    "functionResponse",
    "cache_control",
    "tool_use_id",
    "callId",
    "value",
    "data",
    "signature",
    "system",
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium" },
      leaf,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(keys, tie("tree"), { maxKeys: 5 }),
    ),
  }));
  const formats = fc.constantFrom<Format | undefined>(
    undefined,
    "openai-chat",
    "anthropic",
    "gemini",
    "vscode",
    "ai-sdk",
    "espalier",
  );
  fc.assert(
    fc.property(
      fc.array(tree, { maxLength: 3 }),
      fc.constantFrom(...PROVIDERS),
      formats,
      fc.boolean(),
      (list, provider, format, inside) => {
        const input = inside ? { messages: list, tools: [list[0]] } : list;
        for (const run of [
          () => espalier.validate(input, provider, { ...(format && { format }) }),
          () => espalier.repair(input, { provider, ...(format && { format }) }),
        ]) {
          try {
            run();
          } catch (error) {
            const { name, code, path, message } = error as EspalierError;
            assert.equal(name, "EspalierError", String((error as Error).stack));
            assert.ok(code !== "engine_crashed" && path, message);
          }
        }
      },
    ),
    { seed: 1, numRuns: runs(2000) },
  );
});

test("neutral messages whose fields are no texts are refused, with the path", () => {
  const check = (part: object, path: string) => {
    const messages = [
      { id: "u", role: "user", parts: [{ type: "text", text: "Hello." }] },
      { id: "a", role: "assistant", parts: [part] },
    ] as never;
    for (const run of [
      () => espalier.validate(messages, "anthropic", { format: "espalier" }),
      () => espalier.repair(messages, { provider: "openai-chat", format: "espalier" }),
    ]) {
      assert.throws(
        run,
        (error: unknown) =>
          error instanceof Error &&
          (error as EspalierError).code === "bad_message" &&
          (error as EspalierError).path === `messages[1].parts[0].${path}`,
        path,
      );
    }
  };
  const call = { type: "toolCall", callId: "c", name: "read", arguments: "{}" };
  for (const value of [1, -0, false, null, undefined]) {
    check({ type: "text", text: value }, "text");
    check({ type: "reasoning", text: value }, "text");
    for (const field of ["callId", "name", "arguments"]) check({ ...call, [field]: value }, field);
    check({ type: "toolResult", callId: value, content: [] }, "callId");
    check({ type: "toolResult", callId: "c", content: [{ type: "text", text: value }] }, "content[0].text");
  }
  check({ ...call, type: "text" }, "text");
  check({ type: "image", data: 5 }, "data");
  check({ type: "toolResult", callId: "c", content: [{ type: "image", data: null }] }, "content[0].data");
});
