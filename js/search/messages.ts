/** Writes the hits of a search as a message of any format. */

import { FORMATS } from "../formats/index.ts";
import { convert, countMessages } from "../entries/verbs.ts";
import { call as cross, ready, wasm } from "../engine/engine.ts";
import { badOption as bad, EspalierError } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { SEARCH_MESSAGES } from "../options/schemas/prompt.ts";
import { fittingHits, needHits } from "./shown.ts";
import type { FoundHits } from "./shown.ts";
import { countText } from "../tokens/texts.ts";
import type { CostModelName, EncodingName } from "../types/count.ts";
import type { Format, NeutralMessage } from "../types/messages.ts";
import { loadNeeded } from "../engine/vocabulary.ts";

export interface SearchMessagesOptions {
  /** The format of the result. */
  format: Format;
  /** Max tokens of the result, including the overhead of a message. Default: all hits whole. */
  budget?: number;
  /** The call that the search answers: the result is then a tool result. Default: a message of the user. */
  call?: { id: string; name?: string };
  /** Wins over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /** A model name; selects the encoding. */
  model?: string;
  /** Default `espalier`. */
  costModel?: CostModelName;
}

/** The text of a tool result without hits. */
const NOTHING = "No results.";

/**
 * Returns the hits of a search as a message: one of the user, or the result of a tool call. Hits are shown as
 * `SearchResults` shows them: the most relevant last, the least relevant dropped first.
 *
 * ```ts
 * import { searchMessages } from "espalier/prompt";
 *
 * const answer = { // as `index.search` returns it
 *   query: "where are tokens counted?",
 *   hits: [{ path: "src/count.ts", firstLine: 11, lastLine: 11, header: "", text: "export const count = 1;" }],
 * };
 * const messages = await searchMessages(answer, { format: "openai-chat", budget: 500, call: { id: "call_1" } });
 * const content = '<file path="src/count.ts" lines="12">\nexport const count = 1;\n</file>';
 * messages; // => [{ role: "tool", tool_call_id: "call_1", content }]
 * ```
 *
 * @returns one message; none if no hit is shown and no call needs an answer
 * @throws EspalierError `bad_option`, `unknown_encoding`; `budget_exceeded` if not even "No results." fits as the
 *   answer to a call
 */
export async function searchMessages(answer: FoundHits, options: SearchMessagesOptions): Promise<unknown[]> {
  const { format, budget, call, encoding, model, costModel } = check(options, SEARCH_MESSAGES);
  needHits(answer, "answer");
  if (!FORMATS.includes(format)) throw bad("format", `one of ${FORMATS.join(", ")}`, format);
  await ready();
  const counting = {
    ...(encoding !== undefined && { encoding }),
    ...(model !== undefined && { model }),
    ...(costModel !== undefined && { costModel }),
  };
  const name =
    encoding ?? (model === undefined ? "o200k_base" : (cross(() => wasm().encodingForModel(model)) as EncodingName));
  await loadNeeded(name);

  const made = (text: string) => convert([neutral(text, call)], format, { from: "espalier" }).messages;
  const cost = (messages: unknown[]) =>
    countMessages(messages, { ...counting, format }).perMessage.reduce((sum, { tokens }) => sum + tokens, 0);
  const countTokens = (text: string) => countText(text, name);
  const least = made(call ? NOTHING : "");
  const most = budget ?? Infinity;
  // The first try subtracts the overhead of a message, the second the error of the first.
  let room = most - cost(made(""));
  for (;;) {
    const shown = room > 0 ? await fittingHits(answer, { tokenBudget: room, countTokens }) : [];
    if (shown.length === 0) break;
    const messages = made(shown.reverse().join("\n"));
    const over = cost(messages) - most;
    if (!(over > 0)) return messages;
    room -= over;
  }
  if (!call) return [];
  const needed = cost(least);
  if (needed > most) {
    const message = `the answer to a call needs ${needed} tokens, but options.budget is ${most}`;
    throw new EspalierError({
      code: "budget_exceeded",
      message,
      path: "options.budget",
      details: { budget: most, needed, largest: [] },
    });
  }
  return least;
}

function neutral(text: string, call: SearchMessagesOptions["call"]): NeutralMessage {
  if (!call) return { id: "search", role: "user", parts: [{ type: "text", text }] };
  const content = [{ type: "text" as const, text }];
  return {
    id: "search",
    role: "tool",
    parts: [{ type: "toolResult", callId: call.id, ...(call.name !== undefined && { name: call.name }), content }],
  };
}
