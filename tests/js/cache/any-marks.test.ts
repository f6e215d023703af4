/** Properties of cache marks: any conversation, with any marks of the host's in it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Format } from "../../../js/types/messages.ts";
import type { MarkOptions } from "../../../js/types/cache.ts";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

const { placeMarks } = espalier;

type Fields = Record<string, unknown>;

const mark = { type: "ephemeral" };
const hour = { type: "ephemeral", ttl: "1h" };

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
