/** Conversations of one format in another one. */

import { badOption } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { CONVERT } from "../options/schemas/sessions.ts";
import type { Format, NeutralMessage, Part, ToolList } from "../types/messages.ts";
import { mergedAll } from "./adapter.ts";
import { words } from "./parts.ts";
import { readConversation } from "./index.ts";
import { ADAPTERS, FORMATS } from "./table.ts";
import { idsFor, systemApart, turnsOf } from "./turns.ts";
import type { Turn } from "./turns.ts";

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
  /** Type of the part: `reasoning`, `image`, `document`, `opaque`, or `text` that is blank. */
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

/**
 * Converts a conversation to another provider's format: texts, tool calls with their results, pictures and documents.
 * Thoughts do not cross, since only the provider that signed them takes them back, and Anthropic takes no blank texts;
 * `lost` lists each omitted value.
 * Messages in the wanted format come back as they are.
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
  const { from, tools } = check(options, CONVERT);
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

  const adapter = ADAPTERS[to];
  const losses = new Losses(neutral, neutral.length - reading.source.list.length);
  const turns = turnsOf(neutral, losses.report);
  const { system, rest } = adapter.withSystem ? systemApart(turns) : { system: [], rest: turns };
  const how = { list: [], id: idsFor(adapter), lost: losses.report };
  const list = mergedAll(
    adapter,
    rest.flatMap((turn) => adapter.write(turn, how)),
  );
  const prompt = system
    .map(({ parts }) => words(parts))
    .filter((text) => text !== "")
    .join("\n\n");
  return { format: to, messages: list, ...(prompt !== "" && { system: prompt }), lost: losses.list() };
}

/**
 * Returns a converted conversation as its provider takes it: a request if the system prompt is apart, else the list.
 */
export function requestOf({ format, messages, system }: Omit<Converted, "lost">): unknown {
  if (system === undefined) return messages;
  if (format === "espalier") return { system, messages };
  const adapter = ADAPTERS[format];
  const made = adapter.withSystem?.(system, messages) ?? adapter.withInstructions?.(system, messages);
  if (made) return made;
  const turn: Turn = { id: "system", role: "system", parts: [{ type: "text", text: system }], isMarked: false };
  const own = adapter.write(turn, { list: messages, id: idsFor(adapter), lost: () => undefined });
  return [...own, ...messages];
}

/** Counts lost parts by message and type. */
class Losses {
  readonly #counts = new Map<string, ConversionLoss>();
  readonly #indices: Map<string, number>;

  constructor(messages: readonly NeutralMessage[], offset: number) {
    this.#indices = new Map(messages.map(({ id }, index) => [id, index - offset]));
  }

  readonly report = ({ type }: Part, id: string) => {
    const key = `${type} ${id}`;
    const known = this.#counts.get(key);
    if (known) known.count += 1;
    else this.#counts.set(key, { index: this.#indices.get(id) ?? 0, part: type, count: 1 });
  };

  list(): ConversionLoss[] {
    return [...this.#counts.values()].sort((a, b) => a.index - b.index);
  }
}
