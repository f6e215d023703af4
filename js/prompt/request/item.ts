/** Messages of a history in a prompt tree: one part that states its cost and is sent in its host's form. */

import { ChatCompletionContentPartKind } from "../../formats/raw/prompt.ts";
import type { ChatMessage } from "../../formats/raw/prompt.ts";
import type { Entry } from "./entries.ts";

/** The value of the part. */
export class HistoryItem {
  readonly entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }
}

/** Returns the entries of a message of a rendered prompt, if it is of a history. */
export function entriesOf({ content }: ChatMessage): readonly Entry[] | undefined {
  const [part] = content;
  return content.length === 1 &&
    part!.type === ChatCompletionContentPartKind.Opaque &&
    part!.value instanceof HistoryItem
    ? part!.value.entries
    : undefined;
}
