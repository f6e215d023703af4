/** Converts the options that refer to messages to the core's form: how they are counted, which stay. */

import { badOption as bad } from "../errors/errors.ts";
import type { Reading } from "../formats/adapter.ts";
import { RULES } from "../formats/index.ts";
import { idsOfFixedThoughts } from "../formats/thinking.ts";
import { isFields, looking } from "../formats/values.ts";
import { encodingOf } from "../tokens/count.ts";
import { hostTokenizer } from "../tokens/host-tokenizer.ts";
import { hostImageSize } from "../tokens/host-image-size.ts";
import { imageModel } from "../tokens/images.ts";
import type { CountOptions } from "../types/count.ts";
import type { ModelLimits, PruneOptions } from "../types/prune.ts";

/** The options for counting. */
export type Counting = {
  [name in "encoding" | "tokenizer" | "model" | "costModel" | "images" | "imageSize"]?: CountOptions[name] | undefined;
};

/** Checks the options for counting and returns them in the core's form. */
export function counting(
  reading: Reading,
  { encoding, tokenizer: given, model, costModel, images, imageSize }: Counting,
) {
  const tokenizer = hostTokenizer(given);
  if (tokenizer && encoding !== undefined) throw bad("tokenizer", "absent if there is an encoding", given);
  if (!tokenizer) encodingOf({ encoding, model });
  return {
    encoding,
    tokenizer,
    model,
    costModel,
    tools: reading.tools,
    format: reading.format,
    ...imageModel(images),
    imageSize: hostImageSize(imageSize),
  };
}

/** Returns the options, with the model that a whole request names unless they name one. */
export function withModelOf<O extends { model?: string | ModelLimits | undefined }>(messages: unknown, options: O): O {
  if (!isFields(messages) || !isFields(options) || options.model !== undefined) return options;
  const model = looking("messages", () => messages["model"]);
  return typeof model === "string" && model !== "" ? { ...options, model } : options;
}

/** Returns the ids of messages that the host wants to keep; indices refer to the list that was passed. */
export function keptIds(reading: Reading, keep: readonly (string | number)[] | undefined): string[] {
  if (keep === undefined) return [];
  const known = new Set(reading.messages.map((message) => message.id));
  return keep.map((item: string | number, at) => {
    const id = typeof item === "number" ? idAt(reading, item) : item;
    if (id === undefined || !known.has(id)) throw bad(`keep[${at}]`, "the id or index of a message", item);
    return id;
  });
}

/** Returns the id of a message by its place in the host's list; a request's separate system prompt comes before. */
export function idAt({ messages, source }: Reading, at: number): string | undefined {
  return at < 0 ? undefined : messages[messages.length - source.list.length + at]?.id;
}

/** Returns the options of a cut that refer to messages: how they count, which stay, which thoughts cannot move. */
export function cutFields(reading: Reading, options: Counting & Pick<PruneOptions, "keep">) {
  return {
    ...counting(reading, options),
    keep: [...keptIds(reading, options.keep), ...reading.demanded],
    thinking: fixedThoughts(reading),
  };
}

/** Ids of the messages whose thoughts cannot move to another message; nothing for formats without signed thoughts. */
function fixedThoughts(reading: Reading): string[] | undefined {
  return idsOfFixedThoughts(RULES[reading.format], reading.source.list, (at) => idAt(reading, at)!);
}
