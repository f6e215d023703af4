/** The text of a message, for places where a provider accepts nothing else. */

import { ChatCompletionContentPartKind } from "../../formats/raw/prompt.ts";
import type { ChatCompletionContentPart } from "../../formats/raw/prompt.ts";

export function textOf(content: readonly ChatCompletionContentPart[]): string {
  return content.map((part) => (part.type === ChatCompletionContentPartKind.Text ? part.text : "")).join("");
}
