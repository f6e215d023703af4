/** What reference systems do to make histories valid, and where Espalier differs. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";

type Turn = { role: string; parts: Record<string, unknown>[] };

function load<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../fixtures/vectors/${name}.json`, import.meta.url), "utf8")) as T;
}

const PLACEHOLDER = "skip_thought_signature_validator";

// ---------------------------------------------------------------- gemini-cli

/** Cases in which we give something else, with the history that we give. */
const OTHERWISE: Record<string, Turn[]> = {
  // An empty list of contents is refused as well.
  empty: [{ role: "user", parts: [{ text: "Please continue." }] }],
  // A result without its call tells nothing that can be trusted; the reference invents a call for it.
  "orphan-response-after-user": [{ role: "user", parts: [{ text: "x" }] }],
  "name-mismatch": [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [{ functionCall: { name: "a", args: {}, id: "c1" }, thoughtSignature: PLACEHOLDER }] },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            name: "a",
            response: { error: "The tool execution result was lost due to context management truncation." },
            id: "c1",
          },
        },
      ],
    },
    { role: "model", parts: [{ text: "x" }] },
    { role: "user", parts: [{ text: "y" }] },
  ],
};

interface Hardening {
  id: string;
  history: Turn[];
  sentinels?: { continuation: string };
  expected: { history: Turn[] };
}

for (const { id, history, sentinels, expected } of load<{ cases: Hardening[] }>("gemini-cli/head-history-hardening")
  .cases) {
  test(`gemini-cli, hardening: ${id}`, () => {
    const { messages } = espalier.repair(
      { contents: history },
      {
        provider: "gemini",
        model: "gemini-3-pro",
        lostText: "The tool execution result was lost due to context management truncation.",
        ...(sentinels && { opening: sentinels.continuation }),
      },
    );
    assert.deepEqual(messages.contents, OTHERWISE[id] ?? expected.history);
    assert.deepEqual(espalier.validate(messages, "gemini", { model: "gemini-3-pro" }), []);
  });
}

/**
 * The reference drops a whole run of the model where one turn of it is empty; we drop what is empty, and nothing that
 * is not.
 */
const CURATED: Record<string, string> = {
  "all-valid": "a|b|c",
  "run-all-or-nothing": "a|good|c",
  "no-parts": "ac",
  "user-empty-kept": "[The beginning of this conversation is not shown.]|x|Please continue.",
  "dropped-call-orphans-response": "a|()|[]|z|Please continue.",
};

for (const { id, history } of load<{ cases: { id: string; history: Turn[] }[] }>("gemini-cli/curated-history").cases) {
  test(`gemini-cli, curated history: ${id}`, () => {
    const { messages } = espalier.repair({ contents: history }, { provider: "gemini" });
    const said = (part: Record<string, unknown>) =>
      "functionCall" in part ? "()" : "functionResponse" in part ? "[]" : part["text"];
    assert.equal(messages.contents.map(({ parts }) => parts.map(said).join("")).join("|"), CURATED[id]);
  });
}

// ---------------------------------------------------------------- Copilot Chat

interface Short {
  role: string;
  text?: string;
  id?: string;
  calls?: string[];
}
interface Sanitizers {
  toolSearch: { messages: Short[]; out: Short[] }[];
  validate: { messages: Short[]; out: Short[]; filterReasons: string[] }[];
  internalIds: { messages: Short[]; out: Short[] }[];
}

const sanitizers = load<Sanitizers>("copilot-chat/sanitizers");

/** The vectors' short form as OpenAI messages; calls are `id:tool`. */
function chat({ role, text = "", id, calls }: Short) {
  if (role === "tool") return { role, tool_call_id: id, content: text };
  const made = calls?.map((call) => ({
    id: call.split(":")[0]!,
    type: "function",
    function: { name: call.split(":")[1] ?? "f", arguments: "{}" },
  }));
  return { role, content: text, ...(made && { tool_calls: made }) };
}

/** And back: `assistant a (1 2)`, `tool r [1]`. */
function line(message: object): string {
  const {
    role,
    content,
    tool_calls: calls,
    tool_call_id: id,
  } = message as { role: string; content: string; tool_calls?: { id: string }[]; tool_call_id?: string };
  return [role, content, calls?.length && `(${calls.map((call) => call.id).join(" ")})`, id && `[${id}]`]
    .filter(Boolean)
    .join(" ");
}

const LOST = "No result was recorded for this call; whether it ran is unknown.";

test("copilot-chat: searches for tools are left out of requests to summarise", () => {
  for (const [at, { messages, out }] of sanitizers.toolSearch.entries()) {
    const target = {
      provider: "openai-chat",
      purpose: "summary",
      rules: [{ purpose: "summary", dropTools: ["tool_search"] }],
    } as const;
    const lines = espalier.repair(messages.map(chat), target).messages.map(line);
    // The reference leaves an assistant without content and calls, which is refused.
    assert.deepEqual(
      lines,
      out
        .map(chat)
        .map(line)
        .filter((text) => text !== "assistant"),
      `case ${at}`,
    );
  }
  // For Anthropic's own messages that row is built in.
  const [search] = [{ type: "tool_use", id: "t", name: "tool_search", input: {} }];
  const messages = [
    { role: "user", content: "u" },
    { role: "assistant", content: [{ type: "text", text: "a" }, search] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "r" }] },
  ];
  assert.equal(espalier.repair(messages, { provider: "anthropic" }).messages, messages);
  assert.deepEqual(espalier.repair(messages, { provider: "anthropic", purpose: "summary" }).messages, [
    messages[0],
    { role: "assistant", content: [{ type: "text", text: "a" }] },
  ]);
});

test("copilot-chat: results without calls go as there; calls without results, which it sends, get a stand-in", () => {
  const ours = [
    ["user u", "assistant a (1 2)", "tool r [1]", `tool ${LOST} [2]`],
    ["user u", "assistant a (1)", `tool ${LOST} [1]`, "user v"],
    ["user u"],
    ["user u", "assistant a"],
    ["user u", "assistant a (1)", "tool r1 [1]"],
    // The last call is running still; its id was used before, by a call that has its result.
    ["assistant a (1)", "tool r1 [1]", "assistant b (1)", `tool ${LOST} [1]`],
    // A result behind words goes to its call instead of being left where it is refused.
    ["assistant a (1 2 3)", `tool ${LOST} [1]`, `tool ${LOST} [2]`, "tool r3 [3]", "user hook", "assistant b"],
    // A late result is kept, too, behind the message that asked for it.
    ["assistant a (1)", "tool late [1]", "assistant b (2)", "tool ok [2]"],
  ];
  for (const [at, { messages, out }] of sanitizers.validate.entries()) {
    const lines = espalier
      .repair(messages.map(chat), { provider: "openai-chat", pending: "synthesize" })
      .messages.map(line);
    assert.deepEqual(lines, ours[at], `case ${at}`);
    // Whatever the reference keeps is kept.
    for (const text of out.map(chat).map(line)) assert.ok(lines.includes(text), `case ${at}: ${text}`);
  }
});

test("copilot-chat: suffixes of VS Code are cut off ids", () => {
  for (const { messages } of sanitizers.internalIds) {
    const answered = [...messages.slice(0, 2), { role: "tool", id: "plain", text: "r" }].map(chat);
    const lines = espalier.repair(answered, { provider: "openai-chat" }).messages.map(line);
    assert.deepEqual(lines, ["assistant a (abc plain)", "tool r [abc]", "tool r [plain]"]);
  }
  const other = [
    chat({ role: "assistant", calls: ["x__vscode_9:f"] }),
    chat({ role: "tool", id: "x__vscode_9", text: "r" }),
  ];
  assert.equal(espalier.repair(other, { provider: "openai-chat" }).messages, other);
});
