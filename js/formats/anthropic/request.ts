/** Requests of Anthropic's Messages. */

import type { ProviderRequest } from "../../providers/types.ts";
import { isFields } from "../values.ts";
import { withTools, writeTools, writeTurns } from "../request.ts";
import type { Conversation } from "../request.ts";
import { joined, systemApart } from "../turns.ts";
import type { Spoken } from "../turns.ts";
import { writeTool } from "./tools.ts";
import * as writer from "./write.ts";
import type { Block } from "./write.ts";

/** Max tokens of an answer if the host does not say: the field is required, and every model allows this number. */
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
    writeTool,
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
  const { system, rest } = systemApart(turns);
  const made = joined(spoken(writeTurns(writer, rest, tell)), writer.isResult);
  // An answer that is begun for the model may not end in a space.
  const last = made.at(-1)?.role === "assistant" ? made.at(-1)!.items.at(-1) : undefined;
  if (last?.["type"] === "text") last["text"] = String(last["text"]).trimEnd();
  return {
    system: writeTurns(writer, system, tell).flatMap((message) => blocks((message as Block)["content"])),
    messages: made.map(({ role, items }) => ({ role, content: writer.shortest(items) })),
  };
}

function spoken(messages: readonly unknown[]): Spoken<unknown, Block>[] {
  return (messages as Block[]).map(({ role, content }) => ({ role, items: blocks(content) }));
}
