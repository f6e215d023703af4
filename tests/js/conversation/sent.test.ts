/** Whatever a conversation holds, its provider takes what is sent, and a valid view is sent unchanged. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";
import type { Format } from "../../../js/types/messages.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { messagesOf } from "../formats/common.ts";
import { hosts } from "../validity/hosts.ts";
import { FORMATS } from "./struck.ts";
import { HOSTS, heard } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, validate, repair } = espalier;
const WHOM: Record<Format, ProviderName> = {
  "openai-chat": "openai-chat",
  "openai-responses": "openai-responses",
  anthropic: "anthropic",
  gemini: "gemini",
  vscode: "vscode",
  "ai-sdk": "anthropic",
  langchain: "openai-chat",
  "openai-agents": "openai-responses",
  raw: "openai-chat",
  espalier: "openai-chat",
};
/** What the assistant says, in a format. */
const said = (format: Format, text: string): Fields =>
  (
    ({
      gemini: { role: "model", parts: [{ text }] },
      vscode: { role: 2, content: [{ value: text }] },
      langchain: { type: "ai", content: text },
      raw: { role: 2, content: [{ type: 1, text }] },
      espalier: { id: text, role: "assistant", parts: [{ type: "text", text }] },
    }) as Partial<Record<Format, Fields>>
  )[format] ?? { role: "assistant", content: text };
const open = (format: Format) =>
  openConversation<Fields>({
    format,
    provider: WHOM[format],
    model: { name: "gpt-4o", maxPromptTokens: 1_000_000 },
    entropy: 1,
    automatic: false,
  });

for (const format of FORMATS) {
  const provider = WHOM[format];
  const { user, round } = HOSTS[format];
  const next = (number: number, id = `c${number}`) =>
    round({ id, name: "bash", args: { command: `make part${number}` }, text: "made" });
  const check = async (conversation: Awaited<ReturnType<typeof open>>) => {
    const { messages, repaired } = conversation.view();
    const { messages: sent } = await conversation.prepare();
    const isValid = repair(messages, { provider, format, pending: "keep", model: "gpt-4o" }).messages === messages;
    if (isValid && repaired.length === 0) assert.deepEqual(sent, messages);
    assert.deepEqual(validate(sent, provider, { format, pending: "keep" }), []);
  };

  test(`${format}: whatever is appended, the provider takes what is sent`, async () => {
    let mended = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(hosts[format], { minLength: 1, maxLength: 3 }), async (inputs) => {
        const conversation = await open(format);
        conversation.append([user("Fix it."), ...next(0), ...next(1)]);
        await check(conversation);
        for (const [piece, input] of inputs.entries()) {
          const messages = messagesOf(input) as Fields[];
          conversation.append(
            format === "espalier"
              ? messages.map((message) => ({ ...message, id: `${piece}${String(message["id"])}` }))
              : messages,
          );
          await check(conversation);
          conversation.append([...next(10 + 2 * piece), ...next(11 + 2 * piece)]);
          await check(conversation);
        }
        mended += Number((await conversation.prepare()).report.repaired.length > 0);
        await conversation.dispose();
      }),
      { numRuns: runs(60), seed: 5 },
    );
    assert.ok(mended > 0);
  });

  test(`${format}: calls that have an id of long ago, results of nothing, edits, undo and rewinds`, async () => {
    const conversation = await open(format);
    conversation.append(format === "espalier" ? [{ ...user("Fix it."), id: "q" }] : [user("Fix it.")]);
    const ids: string[] = [];
    const more = async (messages: Fields[]) => {
      ids.push(
        ...conversation.append(
          format === "espalier"
            ? messages.map((message) => ({ ...message, id: `n${ids.length}-${String(message["id"])}` }))
            : messages,
        ),
      );
      await check(conversation);
    };
    for (let number = 0; number < 6; number += 1) await more(next(number));
    await more(next(9, "c1"));
    await more(next(10));
    const edit = conversation.log.edit({
      kind: "replace_range",
      rule: "mine",
      range: { from: ids[2]!, to: ids[5]!, summary: "Parts were made." },
    });
    await check(conversation);
    for (let number = 11; number < 14; number += 1) await more(next(number));
    conversation.undo(edit);
    await check(conversation);
    conversation.rewind(ids[7]);
    await check(conversation);
    await more(next(20));
    await more(next(21).slice(1));
    await more(next(22));
    await conversation.dispose();
  });

  test(`${format}: what comes back before later messages is valid as well`, async () => {
    const conversation = await open(format);
    const odd = next(1, `c ${"x".repeat(80)}!`);
    const ids = conversation.append([user("Fix it."), ...odd]);
    await check(conversation);
    conversation.append(next(0));
    const edit = conversation.log.edit({
      kind: "replace_range",
      rule: "mine",
      range: { from: ids[1]!, to: ids.at(-1)!, summary: "A part was made." },
    });
    for (let number = 2; number < 6; number += 1) {
      conversation.append(next(number));
      // Words that are valid wherever one begins to look.
      conversation.append([
        said(format, `So ${number}.`),
        user(`${"And ".repeat(number)}now?`),
        said(format, `Well ${number}.`),
        user(`${"And ".repeat(number)}then?!`),
      ]);
      await check(conversation);
    }
    conversation.undo(edit);
    await check(conversation);
    conversation.append(next(7));
    await check(conversation);
    await conversation.dispose();
  });

  test(`${format}: what a request shares with the one before is counted as if it were counted anew`, async () => {
    const conversation = await open(format);
    const events = heard(conversation);
    conversation.append([user("Fix it."), ...next(0)]);
    let before: Fields[] = [];
    for (let number = 1; number < 12; number += 1) {
      if (number === 6)
        conversation.log.edit({
          kind: "replace_range",
          rule: "mine",
          range: {
            from: conversation.view().plan.flatMap((item) => (item.type === "insert" ? [] : [item.id]))[1]!,
            to: conversation.view().plan.flatMap((item) => (item.type === "insert" ? [] : [item.id]))[4]!,
            summary: "Parts were made.",
          },
        });
      const { messages } = await conversation.prepare(
        number === 9 ? { model: { name: "gpt-4", maxPromptTokens: 1_000_000 } } : {},
      );
      const { shared } = events.flatMap((event) => (event.type === "context_usage" ? [event] : [])).at(-1)!;
      const same = messages.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(before[at]));
      const count = same < 0 ? messages.length : same;
      const { plan } = conversation.view();
      const ids = plan.slice(0, count).map((item) => (item.type === "insert" ? item.message.id : item.id));
      if (number > 1 && plan.length === messages.length)
        assert.deepEqual(
          shared,
          { messages: count, tokens: count === 0 ? 0 : conversation.log.tokensOf(ids) },
          `${number}`,
        );
      before = messages;
      conversation.append(next(number));
    }
    await conversation.dispose();
  });
}
