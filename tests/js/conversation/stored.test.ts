/** What other systems store and estimate, by their own rows. Where ours differs it is said, and how. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { StoredSummary } from "../../../js/conversation/imported.ts";
import type { Fields } from "./support.ts";

const rows = <Row>(name: string) =>
  (JSON.parse(readFileSync(new URL(`../../fixtures/vectors/${name}`, import.meta.url), "utf8")) as { cases: Row[] })
    .cases;

// ------------------------------------------------------------ Copilot Chat

interface Stored {
  toolCallRoundId: string;
  text: string;
}
interface Turn {
  id: string;
  user: string;
  response?: string;
  rounds?: { id: string; response: string; calls: string[] }[];
  summaries?: Stored[];
  summary?: Stored;
  pending?: Stored[];
}
interface Restoring {
  name: string;
  turns: Turn[];
  summaries: { id: string; summary: string | null }[][];
  quirk?: string;
}

/** The reference takes the newest record for the summary, also one that says that there is none. */
const FAILED = "failure-record-hides-success";

for (const { name, turns, summaries, quirk } of rows<Restoring>("copilot-chat/summary-persistence.json")) {
  test(`Copilot Chat's summaries: ${name}`, async () => {
    const messages: Fields[] = [];
    /** The last message of each round. */
    const ends = new Map<string, string>();
    const end = (id: string) => ends.set(id, `m${messages.length - 1}`);
    for (const { id, user, response, rounds } of turns) {
      messages.push({ role: "user", content: user });
      for (const round of rounds ?? []) {
        messages.push({
          role: "assistant",
          content: round.response,
          tool_calls: round.calls.map((call) => ({
            id: call,
            type: "function",
            function: { name: "run", arguments: "{}" },
          })),
        });
        messages.push(...round.calls.map((call) => ({ role: "tool", tool_call_id: call, content: `out ${call}` })));
        end(round.id);
      }
      if (response === undefined) continue;
      messages.push({ role: "assistant", content: response });
      end(id);
    }
    messages.push({ role: "user", content: "next" });
    // The list, else the one of older builds, else what was pending.
    const stored = turns.flatMap(({ summaries: list, summary, pending }) =>
      list?.length ? list : summary ? [summary] : (pending ?? []),
    );
    const conversation = await espalier.openConversation<Fields>({
      format: "openai-chat",
      model: { maxPromptTokens: 8_000 },
      entropy: 1,
      messages,
    });
    const wanted: StoredSummary[] = stored.map(({ toolCallRoundId, text }) => ({
      upTo: ends.get(toolCallRoundId) ?? "gone",
      text,
    }));
    const { edits } = conversation.importSummaries(wanted);
    const expected =
      quirk === FAILED
        ? [["a", "SA"]]
        : summaries.flat().flatMap(({ id, summary }) => (summary === null ? [] : [[id, summary]]));
    assert.equal(edits.length, expected.length);
    const { messages: sent } = await conversation.prepare();
    const text = sent.map(({ content }) => String(content)).join("\n");
    // The newest replaces its round and all before it; what is behind it follows.
    const newest = expected.at(-1);
    assert.equal(
      sent.filter(({ content }) => String(content).includes("<conversation-summary")).length,
      newest ? 1 : 0,
    );
    if (newest) assert.ok(text.includes(`\n${newest[1]!}\n`), text);
    const after = newest ? Number(ends.get(newest[0]!)!.slice(1)) + 1 : 0;
    assert.deepEqual(sent.slice(newest ? 1 : 0), messages.slice(after));
    while (conversation.undo());
    assert.deepEqual(conversation.view().messages, messages);
  });
}

// ------------------------------------------------------------ gemini-cli

type Long = string | { $rep: [Long, number] } | { $cat: Long[] };
interface Estimated {
  id: string;
  parts: { text?: Long; inlineData?: { mimeType: string; data: string } }[];
  expected: { tokens: number };
}
const text = (long: Long): string =>
  typeof long === "string"
    ? long
    : "$rep" in long
      ? text(long.$rep[0]).repeat(long.$rep[1])
      : long.$cat.map(text).join("");

/**
 * Only texts, pictures and documents are ever estimated by its rule: calls, results and whatever else there is are
 * counted.
 */
const COUNTED = ["function-response", "nested-depth-5", "function-call", "audio", "null-response", "cjk-response"];

test("gemini-cli's estimates: texts as it has them, documents at its flat price; calls and results are counted", () => {
  let agree = 0;
  const differ: string[] = [];
  for (const { id, parts, expected } of rows<Estimated>("gemini-cli/estimate-tokens.json")) {
    if (parts.length > 0 && parts.every((part) => part.text !== undefined)) {
      assert.equal(
        espalier.estimate(parts.map((part) => text(part.text!)).join(""), { rule: "gemini" }).tokens,
        expected.tokens,
        id,
      );
    } else if (parts[0]?.inlineData?.mimeType === "application/pdf") {
      assert.equal(
        espalier.countPart({ type: "document", mediaType: "application/pdf", dataLength: 1 }, { images: "gemini-cli" })
          .tokens,
        expected.tokens,
        id,
      );
    } else if (parts.every((part) => Object.keys(part).length === 0)) {
      assert.equal(espalier.estimate("", { rule: "gemini" }).tokens, expected.tokens, id);
    } else {
      differ.push(id);
      continue;
    }
    agree += 1;
  }
  assert.deepEqual([differ, agree], [COUNTED, 9]);
});
