/**
 * A format is one folder and one line in a table: nothing else knows it, and no other file names a provider's fields.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Adapter, Reading } from "../../../js/formats/adapter.ts";
import { ADAPTERS, FORMATS, RULES } from "../../../js/formats/table.ts";
import { has, usageRecord } from "../../../js/formats/usage.ts";
import type { Format } from "../../../js/types/messages.ts";

/** Messages of the format of this test: `{ who: "me", says: "Hello." }`. */
const toy: Adapter<number> = {
  format: "toy" as Format,
  shape: { isMessage: (message) => "who" in message },
  read: ({ who, says }, at) => ({
    message: {
      id: `m${at}`,
      role: who === "bot" ? "assistant" : "user",
      parts: [{ type: "text", text: String(says) }],
    },
    pieces: [0],
  }),
  edit: () => assert.fail("nothing is edited"),
  write: ({ role, parts }) => [
    {
      who: role === "assistant" ? "bot" : "me",
      says: parts.map((part) => (part.type === "text" ? part.text : "")).join(" "),
    },
  ],
  withSystem: (system, says) => ({ rule: system, says }),
  tools: () => [],
  writeTool: ({ name }, schema) => ({ called: name, takes: schema }),
  places: {
    part: () => ["says"],
    item: () => [],
    arguments: [],
    renamed: () => ({ place: [], fix: "drop" }) as never,
  },
  usage: {
    isOwn: (raw) => has(raw, "words"),
    read: (raw) => usageRecord({ raw, total: raw["words"], output: raw["answer"], sum: undefined }),
  },
  limits: { maxImages: 0 },
};
Object.assign(ADAPTERS, { toy });
Object.assign(RULES, { toy });
(FORMATS as string[]).push("toy");

// Imported afterwards: these read the table when they are loaded.
const { readConversation } = await import("../../../js/formats/index.ts");
const { convert, requestOf } = await import("../../../js/formats/convert.ts");
const { usageFrom, usageOf } = await import("../../../js/providers/usage.ts");
const { definition } = await import("../../../js/recall/definitions.ts");

const messages = [
  { who: "me", says: "Hello." },
  { who: "bot", says: "Good morning." },
];

test("a format of the table is recognised, read and rebuilt", () => {
  const reading: Reading = readConversation(messages, {});
  assert.equal(reading.format, "toy");
  assert.deepEqual(
    reading.messages.map(({ role }) => role),
    ["user", "assistant"],
  );
  assert.equal(reading.rebuild(reading.messages.map(({ id }) => ({ type: "keep", id }))), messages);
  const inserted = { id: "new", role: "user" as const, parts: [{ type: "text" as const, text: "Hi." }] };
  const [first, second] = reading.rebuild([
    { type: "insert", message: inserted },
    { type: "keep", id: "m1" },
  ]) as unknown[];
  assert.deepEqual(first, { who: "me", says: "Hi." });
  assert.equal(second, messages[1]);
});

test("conversations are converted to a format of the table, and from it", () => {
  const chat = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello." },
  ];
  assert.deepEqual(requestOf(convert(chat, "toy" as Format)), {
    rule: "Be brief.",
    says: [{ who: "me", says: "Hello." }],
  });
  assert.deepEqual(convert(messages, "openai-chat").messages, [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Good morning." },
  ]);
});

test("usage and tools of a format of the table are known", () => {
  assert.equal(usageOf({ words: 7, answer: 2 })?.promptTotal, 7);
  assert.equal(usageFrom("toy" as "gemini", { words: 7, answer: 2 })?.usage.output, 2);
  const { called } = definition("toy" as "raw", "recall", async () => "") as unknown as { called: string };
  assert.equal(called, "recall");
});

/** Fields and types of providers' messages, requests and answers. */
const FIELDS = [
  // "tool_calls" is also our word for why an answer ended.
  /\["tool_calls"|(?<!")\btool_calls\b/,
  /\b(tool_call_id|max_tokens|function_call(_output)?|finish_reason|image_url|input_text|output_text)\b/,
  /\b(tool_use(_id)?|tool_result|cache_control|input_schema|stop_reason|redacted_thinking|input_tokens)\b/,
  /\b(functionCall|functionResponse|functionDeclarations|systemInstruction|thoughtSignature|inlineData)\b/,
  /\b(inputSchema|providerOptions|promptTokenCount|prompt_tokens|call_id)\b|"tool-(call|result)"/,
];

/** Files that name them for another reason. */
const ALLOWED = new Map([
  ["js/conversation/system-events.ts", "fields of Copilot Chat's telemetry"],
  ["js/providers/refusal-rules.ts", "texts of servers' errors"],
]);

test("fields of providers are named in js/formats alone", () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const files = readdirSync(join(root, "js"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    // The layouts of other agents' sessions are formats of their own.
    .filter((name) => !/^(formats|sessions)\//.test(name))
    .map((name) => `js/${name}`);
  const found = files.filter((file) => {
    const code = readFileSync(join(root, file), "utf8").replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, "");
    return FIELDS.some((field) => field.test(code));
  });
  assert.deepEqual(found, [...ALLOWED.keys()]);
});
