/** Requests of OpenAI's chat completions. */

import type { ProviderRequest } from "../../providers/types.ts";
import { withTools, writeTools, writeTurns } from "../request.ts";
import type { Conversation } from "../request.ts";
import { writeChatTool } from "./tools.ts";
import * as writer from "./write-chat.ts";

export function toOpenaiChat(conversation: Conversation): ProviderRequest {
  const { native, options, model } = conversation;
  const given = native && "request" in native ? native.request : undefined;
  const own = native
    ? "list" in native
      ? native.list
      : (given!["messages"] as readonly unknown[])
    : writeTurns(writer, conversation.turns, conversation.tell);
  const tools = writeTools(conversation, (tool) => "function" in tool || "custom" in tool, writeChatTool);
  return withTools(given, tools, {
    model,
    messages: options.system === undefined ? own : [{ role: "system", content: options.system }, ...own],
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.contextManagement !== undefined && { context_management: options.contextManagement }),
    ...options.extra,
  });
}
