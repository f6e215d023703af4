/** Requests of OpenAI's chat completions. */

import type { ProviderRequest } from "../../providers/types.ts";
import { ids, urlOf, words, withTools, writeTools } from "../turns.ts";
import type { Call, Conversation, Media, Text, Turn } from "../turns.ts";
import { append } from "../append.ts";

export function toOpenaiChat(conversation: Conversation): ProviderRequest {
  const { native, options, model } = conversation;
  const given = native && "request" in native ? native.request : undefined;
  const own = native
    ? "list" in native
      ? native.list
      : (given!["messages"] as readonly unknown[])
    : written(conversation);
  const tools = writeTools(
    conversation,
    (tool) => "function" in tool || "custom" in tool,
    (tool, parameters) => ({
      type: "function",
      function: {
        name: tool.name,
        ...(tool.description !== undefined && { description: tool.description }),
        parameters,
      },
    }),
  );
  return withTools(given, tools, {
    model,
    messages: options.system === undefined ? own : [{ role: "system", content: options.system }, ...own],
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.contextManagement !== undefined && { context_management: options.contextManagement }),
    ...options.extra,
  });
}

function written({ turns, tell }: Conversation): unknown[] {
  const id = ids(/^.{1,40}$/s, "call_");
  const out: unknown[] = [];
  // Pictures that results hold: tool messages take words only, and nothing may stand between them.
  let shown: Media[] = [];
  const show = () => {
    if (shown.length > 0)
      out.push({
        role: "user",
        content: [{ type: "text", text: "(of the results above)" }, ...shown.map((media) => part(media))],
      });
    shown = [];
  };
  for (const turn of turns) {
    if (turn.role !== "tool") show();
    if (turn.role === "tool") {
      for (const { id: call, content } of turn.results) {
        const media = content.filter((item): item is Media => item.type !== "text");
        append(shown, media);
        out.push({
          role: "tool",
          tool_call_id: id(call),
          content: words(content) || (media.length > 0 ? "(shown below)" : "(empty)"),
        });
      }
    } else if (turn.role === "assistant") {
      const calls = turn.content.filter((item): item is Call => item.type === "call");
      const media = turn.content.find(({ type }) => type === "image" || type === "document");
      if (media)
        tell({ type: "lost", what: media.type, path: "messages", why: "only users show pictures in this format" });
      const said = words(turn.content);
      if (said === "" && calls.length === 0) continue;
      const made = calls.map((call) => ({
        id: id(call.id),
        type: "function",
        function: { name: call.name, arguments: call.arguments || "{}" },
      }));
      out.push({ role: "assistant", content: said || null, ...(made.length > 0 && { tool_calls: made }) });
    } else {
      out.push({ role: turn.role, content: content(turn) });
    }
  }
  show();
  return out;
}

/** Words alone are a text. */
function content({ content }: Extract<Turn, { role: "system" | "user" }>): unknown {
  return content.every(({ type }) => type === "text") ? words(content) : content.map((item) => part(item));
}

function part(item: Text | Media): unknown {
  if (item.type === "text") return item;
  if (item.type === "image")
    return {
      type: "image_url",
      image_url: { url: urlOf(item), ...(item.detail !== undefined && { detail: item.detail }) },
    };
  // Documents have no address in this format.
  return item.base64 === undefined
    ? { type: "text", text: `(document: ${item.url})` }
    : {
        type: "file",
        file: {
          filename: `document.${item.mediaType === "application/pdf" ? "pdf" : (item.mediaType.split(/[/+]/)[1] ?? "bin")}`,
          file_data: urlOf(item),
        },
      };
}
