/** A first view before engine and vocabulary are there: tokens by the length of texts, fates by age. */

import { readConversation } from "../../js/formats/index.ts";
import { peekOf, textOf } from "../reading.ts";
import type { Open } from "../session.ts";
import { firstView, viewOf } from "../session.ts";
import { tell } from "../talk.ts";
import { FATES, ROLES } from "./questions.ts";
import type { Estimate, Rows } from "./questions.ts";

/** Characters of a token in mixed text and code. */
const CHARACTERS = 4;
/** Rows that can be seen at once. */
const MAX_PEEKS = 60;
/** Larger conversations are not read twice. */
const MAX_MESSAGES = 5_000;

/** Tells the page an estimate. */
export function tellEstimate(open: Open, budget: number): void {
  const { input, options } = viewOf(open, firstView(open));
  const { messages, format } = readConversation(input, options);
  if (messages.length > MAX_MESSAGES) return;
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
  const estimate: Estimate = { name: open.name, format, total, sent: budget - left, budget, rows, first, peeks };
  tell({ estimate });
}
