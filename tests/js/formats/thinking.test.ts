/** The host's own thought in front of another message of its turn, and which thoughts stay where they are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConversation, RULES } from "../../../js/formats/index.ts";
import { idsOfFixedThoughts } from "../../../js/formats/thinking.ts";
import type { PlanItem } from "../../../js/types/messages.ts";

type Block = Record<string, unknown>;

const thought = (n: number): Block => ({ type: "thinking", thinking: `What about ${n}?`, signature: `sig${n}` });

test("plans put the host's own part in front, in every format that signs thoughts", () => {
  const part = { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } };
  const call = { type: "tool-call", toolCallId: "a", toolName: "bash", input: {} };
  const neutral = [
    { id: "x", role: "assistant", parts: [{ type: "reasoning", text: "hm" }] },
    { id: "y", role: "assistant", own: 1, parts: [{ type: "toolCall", callId: "a", name: "bash", arguments: "{}" }] },
  ];
  const cases: ["anthropic" | "ai-sdk" | "espalier", Block[], string][] = [
    [
      "anthropic",
      [
        { role: "assistant", content: [thought(0)] },
        { role: "assistant", own: 1, content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] },
      ],
      "content",
    ],
    [
      "ai-sdk",
      [
        { role: "assistant", content: [part] },
        { role: "assistant", own: 1, content: [call] },
      ],
      "content",
    ],
    ["espalier", neutral, "parts"],
  ];
  for (const [format, list, name] of cases) {
    const reading = readConversation(list, { format });
    const [from, to] = reading.messages.map(({ id }) => id);
    const plan: PlanItem[] = [
      {
        type: "edit",
        id: to!,
        parts: [{ from: from!, part: 0 }, { part: 0 }],
      },
    ];
    const [out] = reading.rebuild(plan) as Block[];
    assert.deepEqual(
      out,
      { ...list[1], [name]: [(list[0]![name] as Block[])[0], (list[1]![name] as Block[])[0]] },
      format,
    );
    assert.equal((out![name] as Block[])[0], (list[0]![name] as Block[])[0], format);
    assert.equal((out![name] as Block[])[1], (list[1]![name] as Block[])[0], format);
  }
});

test("which thoughts stay where they are", () => {
  const sealed = (fields: Block) => ({ role: "assistant", content: [{ type: "reasoning", text: "hm", ...fields }] });
  const id = (at: number) => `m${at}`;
  const list = [
    sealed({}),
    sealed({ providerOptions: { anthropic: { signature: "s" } } }),
    sealed({ providerOptions: { anthropic: { redactedData: "d" } } }),
    sealed({ providerOptions: { openai: {} } }),
  ];
  assert.deepEqual(idsOfFixedThoughts(RULES["ai-sdk"], list, id), ["m0", "m3"]);
  const page = [
    {
      role: "assistant",
      parts: [{ type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "s" } } }],
    },
  ];
  assert.deepEqual(idsOfFixedThoughts(RULES["ai-sdk"], page, id), []);
  assert.deepEqual(idsOfFixedThoughts(RULES["espalier"], [{ parts: [{ type: "reasoning", text: "hm" }] }], id), []);
  for (const format of ["openai-chat", "openai-responses", "gemini", "vscode"] as const)
    assert.equal(idsOfFixedThoughts(RULES[format], list, id), undefined);
  // Rubbish is looked at and passed over.
  assert.deepEqual(idsOfFixedThoughts(RULES["anthropic"], [null, 1, "a", { content: 3 }, { content: [null] }], id), []);
});
