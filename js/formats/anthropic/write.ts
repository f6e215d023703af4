/** Requests of Anthropic's Messages. */

import { objectArguments } from "../parts.ts";
import type { ProviderRequest } from "../../providers/types.ts";
import { isFields } from "../values.ts";
import { ids, withTools, writeTools } from "../turns.ts";
import type { Call, Conversation, Media, Text } from "../turns.ts";
import { append } from "../append.ts";

type Block = Record<string, unknown>;

/** What an answer may have if nobody says: the field is demanded, and every model allows so many. */
const MAX_TOKENS = 4_096;

export function toAnthropic(conversation: Conversation): ProviderRequest {
  const { native, options, model } = conversation;
  const given = native && "request" in native ? native.request : undefined;
  const { system, messages } = native
    ? apart("list" in native ? native.list : (given!["messages"] as readonly unknown[]))
    : written(conversation);
  const tools = writeTools(
    conversation,
    (tool) => "input_schema" in tool || /_\d{8}$/.test(String(tool["type"])) || tool["type"] === "custom",
    (tool, schema) => ({
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      input_schema: { type: "object", ...schema },
    }),
  );
  return withTools({ max_tokens: MAX_TOKENS, ...given }, tools, {
    model,
    messages,
    ...systemField(
      [...blocks(options.system), ...blocks(given?.["system"]), ...system],
      options.system === undefined && system.length === 0 ? given?.["system"] : undefined,
    ),
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.contextManagement !== undefined && { context_management: options.contextManagement }),
    ...options.extra,
  });
}

/** The host's own system prompt stays as it is; several are a list; a single text without mark is a text. */
function systemField(all: readonly Block[], own: unknown): { system?: unknown } {
  if (own !== undefined) return { system: own };
  const [first, ...more] = all.filter((block) => block["type"] !== "text" || String(block["text"]).trim() !== "");
  if (!first) return {};
  return {
    system:
      more.length === 0 && !("cache_control" in first) && first["type"] === "text" ? first["text"] : [first, ...more],
  };
}

function blocks(content: unknown): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as unknown[]).filter(isFields) : [];
}

/** Gateways keep system messages in the list; the interface itself wants those in front apart. */
function apart(list: readonly unknown[]): { system: Block[]; messages: readonly unknown[] } {
  const first = list.findIndex((message) => !isFields(message) || message["role"] !== "system");
  const end = first < 0 ? list.length : first;
  if (end === 0) return { system: [], messages: list };
  return {
    system: list.slice(0, end).flatMap((message) => blocks((message as Block)["content"])),
    messages: list.slice(end),
  };
}

function written({ turns, tell }: Conversation): { system: Block[]; messages: unknown[] } {
  const id = ids(/^[A-Za-z0-9_-]{1,64}$/, "toolu_");
  const system: Block[] = [];
  const messages: { role: "user" | "assistant"; content: Block[] }[] = [];
  const say = (role: "user" | "assistant", content: Block[], marked: boolean) => {
    const last = content.at(-1);
    if (!last) return;
    if (marked) last["cache_control"] = { type: "ephemeral" };
    const before = messages.at(-1);
    // Results of one round belong into one message, in front of the words that come with them.
    if (before?.role === role) append(before.content, content);
    else messages.push({ role, content });
  };
  for (const turn of turns) {
    if (turn.role === "tool") {
      say(
        "user",
        turn.results.map(({ id: call, content, isError }) => ({
          type: "tool_result",
          tool_use_id: id(call),
          content: content.flatMap(block),
          ...(isError && { is_error: true }),
        })),
        turn.marked,
      );
    } else if (turn.role === "system" && messages.length === 0) {
      const made = turn.content.flatMap(block);
      if (turn.marked && made.length > 0) made.at(-1)!["cache_control"] = { type: "ephemeral" };
      append(system, made);
    } else if (turn.role === "assistant") {
      const media = turn.content.find(({ type }) => type === "image" || type === "document");
      if (media)
        tell({ type: "lost", what: media.type, path: "messages", why: "only users show pictures in this format" });
      say(
        "assistant",
        turn.content.flatMap((item): Block[] => {
          if (item.type !== "call") return item.type === "text" ? block(item) : [];
          return [
            { type: "tool_use", id: id((item as Call).id), name: item.name, input: objectArguments(item.arguments) },
          ];
        }),
        turn.marked,
      );
    } else {
      // A system message in the middle is the user's, as it is for every server that knows no other.
      say("user", turn.content.flatMap(block), turn.marked);
    }
  }
  // An answer that is begun for the model may not end in a space.
  const end = messages.at(-1);
  const last = end?.role === "assistant" ? end.content.at(-1) : undefined;
  if (last?.["type"] === "text") last["text"] = String(last["text"]).trimEnd();
  return {
    system,
    messages: messages.map(({ role, content }) => {
      const [only, ...more] = content;
      return {
        role,
        content: more.length === 0 && only!["type"] === "text" && !("cache_control" in only!) ? only!["text"] : content,
      };
    }),
  };
}

function block(item: Text | Media): Block[] {
  // Blank texts are refused.
  if (item.type === "text") return item.text.trim() === "" ? [] : [{ type: "text", text: item.text }];
  const source =
    item.url === undefined
      ? { type: "base64", media_type: item.mediaType, data: item.base64 }
      : { type: "url", url: item.url };
  return [{ type: item.type, source }];
}
