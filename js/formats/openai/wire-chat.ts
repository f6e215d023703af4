/**
 * Where requests of chat completions go, and how: OpenAI and compatible servers (Azure, OpenRouter, Groq, vLLM, Ollama,
 * llama.cpp, LM Studio, …).
 */

import { Lessons } from "../../providers/lessons.ts";
import type { ProviderRequest } from "../../providers/types.ts";
import type { Wire } from "../../providers/wire.ts";
import { foldChat, readChat } from "./answers-chat.ts";
import { toOpenaiChat } from "./request-chat.ts";

/** @param official OpenAI's own models no longer accept `max_tokens`; compatible servers often only know this field. */
export function chatWire(official: boolean): Wire {
  const lessons = new Lessons("max_tokens", "max_completion_tokens", "temperature", "stream_options");
  return {
    name: "openai",
    format: "openai-chat",
    noTools: { tool_choice: "none" },
    baseUrl: "https://api.openai.com/v1",
    path: () => "chat/completions",
    headers: (key) => ({ authorization: key && `Bearer ${key}` }),
    write: toOpenaiChat,
    body(request, stream) {
      const { max_tokens: most, ...rest } = request;
      const { temperature, ...body } =
        most === undefined ? rest : { ...rest, [limitName(lessons, official, rest)]: most };
      return {
        ...body,
        ...(temperature !== undefined && !lessons.has("temperature") && { temperature }),
        ...(stream && { stream: true }),
        ...(stream &&
          !lessons.has("stream_options") && {
            stream_options: { include_usage: true, ...(request["stream_options"] as object | undefined) },
          }),
      };
    },
    learn: (sentence, sent) => lessons.learn(sentence, sent),
    read: readChat,
    fold: foldChat,
  };
}

function limitName(lessons: Lessons, official: boolean, rest: ProviderRequest): string {
  if ("max_completion_tokens" in rest || lessons.has("max_tokens")) return "max_completion_tokens";
  return official && !lessons.has("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
}
