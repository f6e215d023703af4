/** Requests of OpenAI's Responses. */

import type { ProviderRequest } from "../../providers/types.ts";
import { ids, urlOf, words, withTools, writeTools } from "../turns.ts";
import type { Conversation, Media, Text } from "../turns.ts";

export function toOpenaiResponses(conversation: Conversation): ProviderRequest {
  const { native, options, model } = conversation;
  const given = native && "request" in native ? native.request : undefined;
  const tools = writeTools(
    conversation,
    (tool) =>
      typeof tool["type"] === "string" && !("function" in tool) && !("custom" in tool) && !/_\d{8}$/.test(tool["type"]),
    (tool, parameters) => ({
      type: "function",
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      parameters,
      // Schemas of other providers seldom meet the demands of strict ones.
      strict: false,
    }),
  );
  const instructions = [options.system, given?.["instructions"]]
    .filter((text): text is string => typeof text === "string")
    .join("\n\n");
  return withTools(given, tools, {
    model,
    input: native ? ("list" in native ? native.list : given!["input"]) : written(conversation),
    ...(instructions !== "" && { instructions }),
    ...(options.maxTokens !== undefined && { max_output_tokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.contextManagement !== undefined && { context_management: options.contextManagement }),
    ...options.extra,
  });
}

function written({ turns, tell }: Conversation): unknown[] {
  const id = ids(/^.{1,64}$/s, "call_");
  return turns.flatMap((turn): unknown[] => {
    if (turn.role === "tool") {
      return turn.results.map(({ id: call, content }) => {
        const plain = content.every(({ type }) => type === "text");
        return {
          type: "function_call_output",
          call_id: id(call),
          output: plain ? words(content) || "(empty)" : content.map(input),
        };
      });
    }
    if (turn.role !== "assistant") return [{ type: "message", role: turn.role, content: turn.content.map(input) }];
    const said = words(turn.content);
    const out: unknown[] =
      said === "" ? [] : [{ type: "message", role: "assistant", content: [{ type: "output_text", text: said }] }];
    for (const item of turn.content) {
      if (item.type === "call")
        out.push({ type: "function_call", call_id: id(item.id), name: item.name, arguments: item.arguments || "{}" });
      else if (item.type !== "text")
        tell({ type: "lost", what: item.type, path: "input", why: "only users show pictures in this format" });
    }
    return out;
  });
}

function input(item: Text | Media): unknown {
  if (item.type === "text") return { type: "input_text", text: item.text };
  if (item.type === "image") return { type: "input_image", image_url: urlOf(item), detail: item.detail ?? "auto" };
  if (item.url !== undefined) return { type: "input_file", file_url: item.url };
  return {
    type: "input_file",
    filename: `document.${item.mediaType === "application/pdf" ? "pdf" : "bin"}`,
    file_data: urlOf(item),
  };
}
