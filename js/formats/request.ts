/** What the requests of all providers have in common: the conversation as turns or as the host's own, and tools. */

import type { ProviderEvent, ToRequestOptions } from "../providers/types.ts";
import type { Format, NeutralTool, Part } from "../types/messages.ts";
import { asSent } from "./adapter.ts";
import { readConversation } from "./index.ts";
import { schemaOf, toolsOf } from "./tools.ts";
import { idsFor, turnsOf } from "./turns.ts";
import type { IdRule, Turn, TurnWriter, Writing } from "./turns.ts";
import { isFields } from "./values.ts";
import type { Fields } from "./values.ts";

/** What a request is made of. */
export interface Conversation {
  /** The host's own request or list of messages, if it is in the provider's format. */
  native?: { list: readonly unknown[] } | { request: Readonly<Fields> };
  /** The conversation, if it is in another format. */
  turns: Turn[];
  /** Definitions as they were given, and as read. */
  rawTools: readonly unknown[];
  tools: NeutralTool[];
  options: ToRequestOptions;
  model: string;
  tell(event: ProviderEvent): void;
}

/** Reads what the host passed for a request of `format`. */
export function conversation(
  messages: unknown,
  format: Format,
  model: string,
  options: ToRequestOptions,
  tell: (event: ProviderEvent) => void,
  isOwn: (list: readonly unknown[]) => boolean = () => true,
): Conversation {
  const given = options.tools ?? undefined;
  const asked = { ...(options.format && { format: options.format }), ...(given !== undefined && { tools: given }) };
  const reading = readConversation(messages, asked);
  const request = isFields(messages) ? messages : undefined;
  const rawTools = toolsOf(given, request);
  const about = { rawTools, tools: reading.tools, options, model, tell };
  const list = request ? request["messages"] : messages;
  if (
    (reading.format === format && (!Array.isArray(list) || isOwn(list))) ||
    (format === "anthropic" && options.format === undefined && isPlain(messages))
  ) {
    const own = asSent(reading);
    return {
      ...about,
      turns: [],
      native: request ? { request: own as Fields } : { list: own as readonly unknown[] },
    };
  }
  return { ...about, turns: turnsOf(reading.messages, lossTo(tell)) };
}

/** Writes turns of a conversation in a provider's format. */
export function writeTurns(
  format: TurnWriter & { ids?: IdRule },
  turns: readonly Turn[],
  tell: (event: ProviderEvent) => void,
  { id = idsFor(format), list = [] }: Partial<Pick<Writing, "id" | "list">> = {},
): unknown[] {
  return turns.flatMap((turn) => format.write(turn, { list, id, lost: lossTo(tell) }));
}

function lossTo(tell: (event: ProviderEvent) => void): Writing["lost"] {
  return (part: Part, id, why) => {
    const path = /^m\d+$/.test(id) ? `messages[${id.slice(1)}]` : id;
    tell({ type: "lost", what: part.type === "opaque" ? "part" : part.type, path, why });
  };
}

/**
 * True for texts alone, which look the same in both: they are Anthropic's as much as OpenAI's, and stay the caller's
 * own objects.
 */
function isPlain(messages: unknown): boolean {
  return (
    Array.isArray(messages) &&
    messages.length > 0 &&
    messages.every(
      (message: unknown) =>
        isFields(message) &&
        (message["role"] === "user" || message["role"] === "assistant") &&
        typeof message["content"] === "string" &&
        message["content"].trim() !== "" &&
        Object.keys(message).length === 2,
    )
  );
}

/** Without tools there is no choice of them, and an empty list is refused. The host's `extra` wins. */
export function withTools<Request extends Fields>(
  given: Readonly<Fields> | undefined,
  tools: readonly unknown[],
  request: Request,
): Fields {
  if (tools.length > 0) return { ...given, tools, ...request };
  const { tools: _, tool_choice: __, parallel_tool_calls: ___, toolConfig: ____, ...rest } = given ?? {};
  return { ...rest, ...request };
}

/** Tool definitions as a provider has them: its own stay as they are, others are rewritten if they have a schema. */
export function writeTools(
  { rawTools, tools, tell }: Pick<Conversation, "rawTools" | "tools" | "tell">,
  isOwn: (tool: Fields) => boolean,
  write: (tool: NeutralTool, schema: Fields) => unknown,
): unknown[] {
  const raw = rawTools.filter(isFields);
  if (raw.length === rawTools.length && raw.every(isOwn)) return [...rawTools];
  return tools.flatMap((tool) => {
    const given = raw.find((item) => item["name"] === tool.name || item["type"] === tool.name);
    if (given && isOwn(given)) return [given];
    // A tool of a type of its own, without a schema, is run by its provider.
    const type = given?.["type"];
    const hosted = tool.schema === undefined && typeof type === "string" && type !== "function" && type !== "custom";
    const schema = schemaOf(tool);
    if (hosted || (tool.schema !== undefined && !schema)) {
      const why = "only the provider it is made for can run it";
      tell({ type: "lost", what: `tool ${tool.name}`, path: "tools", why });
      return [];
    }
    return [write(tool, schema ?? { type: "object", properties: {} })];
  });
}
