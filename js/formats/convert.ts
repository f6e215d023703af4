/** Conversations of one format in another one. */

import { badOption, EspalierError } from "../errors/errors.ts";
import { known } from "../options/known.ts";
import { CONVERT } from "../options/names/sessions.ts";
import type { Format, NeutralMessage, Part, ToolList } from "../types/messages.ts";
import { carriedOut } from "./adapter.ts";
import { picture } from "./media.ts";
import { words } from "./parts.ts";
import { ADAPTERS, FORMATS, readConversation } from "./index.ts";

export interface ConvertOptions {
  /** Format of the messages passed. Default: found out from them. */
  from?: Format;
  /** Tool definitions, for formats that name tools in results. */
  tools?: ToolList;
}

/** Parts of a message that the other format cannot hold. */
export interface ConversionLoss {
  /** Index of the message in the list that was passed. */
  index: number;
  /** Type of the part: `reasoning`, `image`, `document`, `opaque`. */
  part: Part["type"];
  count: number;
}

export interface Converted {
  format: Format;
  messages: unknown[];
  /** System prompt, for formats that keep it apart from the messages. */
  system?: string;
  lost: ConversionLoss[];
}

/** Formats whose requests hold the system prompt beside the messages. */
const APART = new Set<Format>(["anthropic", "gemini"]);
const WITH_PICTURES = new Set<Format>(["openai-chat", "openai-responses", "anthropic", "gemini"]);
const ALWAYS = new Set<Part["type"]>(["text", "toolCall", "toolResult", "cacheMark"]);

/**
 * Converts a conversation to another provider's format: texts, tool calls with their results, and pictures. Thoughts do
 * not cross, since only the provider that signed them takes them back; `lost` lists what is left out. Messages in the
 * wanted format come back as they are.
 *
 * ```ts
 * import { convert } from "espalier";
 *
 * const call = { id: "c1", type: "function" as const, function: { name: "ls", arguments: "{}" } };
 * const messages = [
 *   { role: "system", content: "Be brief." },
 *   { role: "user", content: "What is here?" },
 *   { role: "assistant", content: null, tool_calls: [call] },
 *   { role: "tool", tool_call_id: "c1", content: "a.ts" },
 * ];
 * const { system, messages: anthropic } = convert(messages, "anthropic");
 * system; // => "Be brief."
 * anthropic.at(-1); // => { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a.ts" }] }
 * ```
 *
 * Providers differ in more than form: pass the result to {@link repair} before it is sent.
 *
 * @throws EspalierError `unknown_format`, `bad_message`, `bad_option`
 */
export function convert(messages: unknown, to: Format, options: ConvertOptions = {}): Converted {
  const { from, tools } = known(options, CONVERT);
  if (!FORMATS.includes(to)) throw badOption("", `one of ${FORMATS.join(", ")}`, to, "to");
  const reading = readConversation(messages, { ...(from && { format: from }), ...(tools && { tools }) });
  const neutral = reading.messages;
  const apart =
    neutral[0]?.id === "system" && !reading.source.list.includes(neutral[0]) ? words(neutral[0].parts) : undefined;
  if (reading.format === to)
    return {
      format: to,
      messages: [...reading.source.list],
      ...(apart !== undefined && { system: apart }),
      lost: [],
    };
  if (to === "espalier") return { format: to, messages: neutral, lost: [] };

  const { system, rest } = APART.has(to) ? withoutSystem(neutral) : { system: undefined, rest: neutral };
  const offset = apart === undefined ? 0 : 1;
  const lost = neutral.flatMap((message, index) => losses(message, index - offset, to));
  const nowhere = { source: { list: [] }, place: () => undefined, original: unreachable, again: unreachable };
  const list = carriedOut(
    ADAPTERS[to],
    rest.map((message) => ({ type: "insert", message })),
    nowhere,
  );
  return { format: to, messages: list, ...(system !== undefined && { system }), lost };
}

function unreachable(): never {
  throw new EspalierError({ code: "engine_crashed", message: "a new message has no original" });
}

/** The system prompt: the messages of the system that come first. */
function withoutSystem(messages: readonly NeutralMessage[]): {
  system: string | undefined;
  rest: readonly NeutralMessage[];
} {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const end = first < 0 ? messages.length : first;
  const system = messages
    .slice(0, end)
    .map(({ parts }) => words(parts))
    .filter((text) => text !== "")
    .join("\n\n");
  return { system: system === "" ? undefined : system, rest: messages.slice(end) };
}

function losses({ role, parts }: NeutralMessage, index: number, to: Format): ConversionLoss[] {
  const counts = new Map<Part["type"], number>();
  const count = (part: Part, crosses: boolean) => {
    if (!crosses) counts.set(part.type, (counts.get(part.type) ?? 0) + 1);
  };
  for (const part of parts) {
    count(
      part,
      ALWAYS.has(part.type) ||
        (WITH_PICTURES.has(to) &&
          picture(part) !== undefined &&
          (role === "user" || to === "anthropic" || to === "gemini")),
    );
    if (part.type !== "toolResult") continue;
    for (const held of part.content)
      count(held, ALWAYS.has(held.type) || (to === "anthropic" && picture(held) !== undefined));
  }
  return Array.from(counts, ([part, number]) => ({ index, part, count: number }));
}
