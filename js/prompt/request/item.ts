/** A message of a history in a prompt tree: one part that says what it costs, and is sent in the form that its host holds it in. */

import { ChatCompletionContentPartKind } from "../output/raw.ts";
import type { ChatMessage } from "../output/raw.ts";
import type { Entry } from "./entries.ts";

/** The value of the part. */
export class HistoryItem {
  readonly entry: Entry;

  constructor(entry: Entry) {
    this.entry = entry;
  }
}

/** The entry behind a message of a rendered prompt, if it is one of a history. */
export function entryOf({ content }: ChatMessage): Entry | undefined {
  const [part] = content;
  return content.length === 1 && part!.type === ChatCompletionContentPartKind.Opaque && part!.value instanceof HistoryItem ? part!.value.entry : undefined;
}
