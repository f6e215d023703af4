/** Requests of OpenAI's Responses. */

import type { ProviderRequest } from "../../providers/types.ts";
import { withTools, writeTools, writeTurns } from "../request.ts";
import type { Conversation } from "../request.ts";
import { writeResponsesTool } from "./tools.ts";
import * as writer from "./write-responses.ts";

export function toOpenaiResponses(conversation: Conversation): ProviderRequest {
  const { native, options, model } = conversation;
  const given = native && "request" in native ? native.request : undefined;
  const tools = writeTools(
    conversation,
    (tool) =>
      typeof tool["type"] === "string" && !("function" in tool) && !("custom" in tool) && !/_\d{8}$/.test(tool["type"]),
    writeResponsesTool,
  );
  const instructions = [options.system, given?.["instructions"]]
    .filter((text): text is string => typeof text === "string")
    .join("\n\n");
  return withTools(given, tools, {
    model,
    input: native
      ? "list" in native
        ? native.list
        : given!["input"]
      : writeTurns(writer, conversation.turns, conversation.tell),
    ...(instructions !== "" && { instructions }),
    ...(options.maxTokens !== undefined && { max_output_tokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.contextManagement !== undefined && { context_management: options.contextManagement }),
    ...options.extra,
  });
}
