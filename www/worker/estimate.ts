/**
 * A first view of an example before engine and vocabulary are there: tokens by the length of texts, fates by age. The
 * examples are chat completions, so nothing else is loaded to read them; the readers of all formats come later, with
 * the engine.
 */

import { messages as chat } from "../../js/formats/openai/read-chat.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import { peekOf, textOf } from "../reading.ts";
import { tell } from "../talk.ts";
import { FATES, ROLES } from "./questions.ts";
import type { Estimate, Rows } from "./questions.ts";

/** Characters of a token in mixed text and code. */
const CHARACTERS = 4;
/** Rows that can be seen at once. */
const MAX_PEEKS = 60;
/** Larger conversations are not read twice. */
const MAX_MESSAGES = 5_000;

/** Tells the page an estimate, unless the conversation is in another format. */
export function tellEstimate(name: string, input: unknown, budget: number): void {
  const messages = readChat((input as { messages?: unknown[] }).messages ?? (input as unknown[]));
  if (!messages || messages.length > MAX_MESSAGES) return;
  const tokens = messages.map((message) => Math.ceil(textOf(message).length / CHARACTERS) + CHARACTERS);
  const size = messages.length;
  const rows: Rows = {
    index: Int32Array.from(messages.keys()),
    roles: Uint8Array.from(messages, ({ role }) => Math.max(0, ROLES.indexOf(role as (typeof ROLES)[number]))),
    fates: new Uint8Array(size).fill(FATES.indexOf("dropped")),
    before: Uint32Array.from(tokens),
    after: new Uint32Array(size),
  };
  let left = budget;
  for (let at = size - 1; at >= 0 && left >= tokens[at]!; at--) {
    left -= tokens[at]!;
    rows.fates[at] = FATES.indexOf("kept");
    rows.after[at] = tokens[at]!;
  }
  const first = rows.fates.indexOf(FATES.indexOf("kept"));
  const peeks = messages.slice(first, first + MAX_PEEKS).map((message) => peekOf(message, 200));
  const total = tokens.reduce((sum, count) => sum + count, 0);
  const format = "openai-chat";
  tell({ estimate: { name, format, total, sent: budget - left, budget, rows, first, peeks } satisfies Estimate });
}

function readChat(list: readonly unknown[]): NeutralMessage[] | undefined {
  const state = new Map<string, unknown>();
  try {
    return list.map(
      (message, at) => chat.read(message as Record<string, unknown>, at, `messages[${at}]`, state).message,
    );
  } catch {
    return undefined;
  }
}
