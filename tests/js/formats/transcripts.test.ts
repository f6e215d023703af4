/**
 * Real transcripts in every format, through the shipped package: what fits, what pairs up, and whose objects come back.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readConversation } from "../../../js/formats/index.ts";
import { written } from "../../../js/formats/turns.ts";
import type { Format, NeutralMessage } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import { named } from "../conversation/replay.ts";
import { freeze, messagesOf } from "./common.ts";
import { refusal } from "./rules.ts";
import { ADAPTERS } from "./adapters.ts";

const FILES = ["tau-airline-0.json", "sweagent-marshmallow-1867.json", "openhands-ponyc-4593.json"];
/** Formats in which neighbours may have to be one message. */
const JOINS: ReadonlySet<Format> = new Set<Format>(["gemini", "anthropic", "vscode"]);
const SHARES = [0.02, 0.1, 0.35, 0.7, 1];

/** The transcript as a provider takes it: one recording ends with a call that nobody answered. */
function wellFormed(messages: readonly NeutralMessage[]): NeutralMessage[] {
  const all = named(messages);
  return all.at(-1)?.parts.some(({ type }) => type === "toolCall") ? all.slice(0, -1) : all;
}

/** What a client of this format would hold: neighbours that it puts together are together. */
function hosted(format: keyof typeof ADAPTERS, messages: readonly NeutralMessage[]): unknown[] {
  const adapter = ADAPTERS[format];
  const source = { input: [], list: [], name: "messages" };
  return messages
    .flatMap((message) => written(adapter, [message], source))
    .reduce<unknown[]>((out, message) => {
      const last = out.at(-1) as Record<string, unknown[]> | undefined;
      const list = adapter.merge?.list ?? "";
      const joined = !last
        ? undefined
        : adapter.merge?.takes(last, message)
          ? { ...last, [list]: [...last[list]!, ...(message as Record<string, unknown[]>)[list]!] }
          : adapter.join?.(last, message);
      return joined === undefined ? [...out, message] : [...out.slice(0, -1), joined];
    }, []);
}

for (const format of Object.keys(ADAPTERS) as (keyof typeof ADAPTERS)[]) {
  for (const file of FILES) {
    test(`${format}: ${file}`, async () => {
      const transcript = JSON.parse(
        readFileSync(new URL(`../../fixtures/transcripts/${file}`, import.meta.url), "utf8"),
      ) as unknown;
      const list = freeze(hosted(format, wellFormed(readConversation(transcript, {}).messages)));
      const whole = espalier.countMessages(list, { format }).total;
      assert.equal(refusal(format, list), undefined, "the input is well-formed");
      for (const share of SHARES) {
        const budget = Math.ceil(whole * share);
        for (const run of [espalier.prune, espalier.compact]) await fits(run, list, { budget, format });
      }
      assert.equal(espalier.prune(list, { budget: whole, format }).messages, list, "what fits is the very input");
    });
  }
}

async function fits(
  run: typeof espalier.prune | typeof espalier.compact,
  list: unknown[],
  options: { budget: number; format: Format },
): Promise<void> {
  const { budget, format } = options;
  let result;
  try {
    result = await run(list, options);
  } catch (error) {
    const { code, details } = error as { code?: string; details?: { needed: number } };
    assert.equal(code, "budget_exceeded");
    assert.ok(details!.needed > budget, "it is refused only where what must stay is too much");
    return;
  }
  const out = messagesOf(result.messages);
  const { after, messages: fates } = result.report;
  assert.ok(after.total <= budget);
  assert.ok(espalier.countMessages(out, { format }).total <= after.total);
  assert.equal(refusal(format, out), undefined);
  // What the report calls kept is the caller's own object; put together with a neighbour, its parts are.
  const inside = new Set(out.flatMap(partsOf));
  for (const { id, fate } of fates) {
    const original = /^m\d+$/.test(id) ? list[Number(id.slice(1))] : undefined;
    if (fate === "kept" && original) {
      const parts = partsOf(original);
      const isJoined = JOINS.has(format) && parts.length > 0 && parts.every((part) => inside.has(part));
      assert.ok(out.includes(original) || isJoined, `${id} is untouched`);
    }
    if (fate === "dropped" || fate === "covered") assert.ok(!out.includes(original), `${id} is gone`);
  }
  const own = out.filter((message) => list.includes(message)).map((message) => list.indexOf(message));
  assert.deepEqual(
    own,
    [...own].sort((a, b) => a - b),
    "the order stays",
  );
}

function partsOf(message: unknown): unknown[] {
  const { parts, content } = message as { parts?: unknown; content?: unknown };
  const list = parts ?? content;
  return Array.isArray(list) ? (list as unknown[]) : [];
}
