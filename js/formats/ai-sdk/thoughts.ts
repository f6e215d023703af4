/** Thoughts of the AI SDK that Anthropic signed. */

import type { Thoughts } from "../thinking.ts";
import { isSeal } from "../thinking.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";
import type { Piece } from "./read.ts";

export const thoughts: Thoughts<Piece> = {
  index: ({ at }) => (at === "string" ? undefined : at),
  isUnsigned: (part) => part["type"] === "reasoning" && !isSigned(part),
};

/** Model messages keep the signature in their options, UI messages in metadata; version 4 kept it beside the text. */
function isSigned(part: Fields): boolean {
  const provider = part["providerOptions"] ?? part["providerMetadata"];
  const anthropic = isFields(provider) ? provider["anthropic"] : undefined;
  return (
    isSeal(part["signature"]) ||
    (isFields(anthropic) && (isSeal(anthropic["signature"]) || isSeal(anthropic["redactedData"])))
  );
}
