/**
 * Converts summaries that another system stored beside a conversation to edits, so that the view becomes the messages
 * that this system would have sent.
 */

import { badOption as bad } from "../errors/errors.ts";
import type { ConversationLog } from "../log/log.ts";

/** A summary of everything up to a message. */
export interface StoredSummary {
  /** Id of the last message that it replaces; a message in a round means the whole round. */
  upTo: string;
  text: string;
}

const TAG = "conversation-summary";

/**
 * Applies summaries to the log, newest last: each replaces those before it. Skips summaries that end at an unknown
 * message.
 */
export function importSummaries<T>(
  log: ConversationLog<T>,
  summaries: readonly StoredSummary[],
): { edits: string[]; ignored: StoredSummary[] } {
  if (!Array.isArray(summaries)) throw bad("summaries", "a list of { upTo, text }", summaries, "importSummaries");
  summaries.forEach((summary: unknown, at) => {
    const { upTo, text } = (summary ?? {}) as Partial<StoredSummary>;
    if (typeof upTo !== "string" || typeof text !== "string")
      throw bad(`summaries[${at}]`, "{ upTo, text }", summary, "importSummaries");
  });
  const edits: string[] = [];
  const ignored: StoredSummary[] = [];
  const frame = new Set(
    log
      .neutral()
      .filter(({ role }) => role === "system" || role === "developer")
      .map(({ id }) => id),
  );
  const from = log
    .view()
    .plan.map((item) => (item.type === "insert" ? item.message.id : item.id))
    .find((id) => !frame.has(id));
  for (const summary of summaries) {
    const { upTo, text } = summary;
    if (from === undefined || log.original(upTo) === undefined || frame.has(upTo) || text.trim() === "") {
      ignored.push(summary);
      continue;
    }
    edits.push(
      log.edit({
        kind: "replace_range",
        rule: "imported",
        author: "model",
        range: { from, to: upTo, summary: wrapInTags(text) },
      }),
    );
  }
  return { edits, ignored };
}

const OPENING = /^<conversation-summary(?:\s[^<>]*)?>/;
const CLOSING = "</conversation-summary>";
/** An opening or closing tag, in any case and with blanks, escaped or not. */
const ANY_TAG = /<(?=\\*\s*(?:\/\s*)?conversation-summary)/gi;

/** Puts a summary into our tags, and escapes tags in it. A text that already is one such element stays unchanged. */
function wrapInTags(given: string): string {
  const text = given.trim();
  const head = OPENING.exec(text)?.[0];
  // Text after the end of the element would read as a message of the user.
  if (head !== undefined && text.endsWith(CLOSING) && text.slice(head.length, -CLOSING.length).search(ANY_TAG) < 0)
    return text;
  return `<${TAG}>\n${text.replace(ANY_TAG, "<\\")}\n</${TAG}>`;
}
