/** Where requests of Anthropic's Messages go, and how. */

import { Lessons } from "../../providers/lessons.ts";
import type { ProviderRequest } from "../../providers/types.ts";
import { objects, string } from "../../providers/wire.ts";
import type { Wire } from "../../providers/wire.ts";
import { isFields } from "../values.ts";
import { fold, read } from "./answers.ts";
import { toAnthropic } from "./request.ts";

export function anthropicWire(): Wire {
  const lessons = new Lessons("temperature");
  return {
    name: "anthropic",
    format: "anthropic",
    noTools: { tool_choice: { type: "none" } },
    listHeaders: ["anthropic-beta"],
    baseUrl: "https://api.anthropic.com/v1",
    path: () => "messages",
    headers: (key, request) => ({
      "anthropic-version": "2023-06-01",
      "x-api-key": key,
      "anthropic-beta": betasOf(request).join(",") || undefined,
    }),
    write: toAnthropic,
    body: (request, stream) => lessons.apply(stream ? { ...request, stream: true } : request),
    learn: (sentence, sent) => lessons.learn(sentence, sent),
    read,
    fold,
  };
}

/** Returns the beta headers for server-managed context, by the kind of edit. */
function betasOf(request: ProviderRequest): string[] {
  const settings = request["context_management"];
  const types = isFields(settings) ? objects(settings["edits"]).map(({ type }) => string(type)) : [];
  return [
    ...(types.some((type) => type.startsWith("clear_")) ? ["context-management-2025-06-27"] : []),
    ...(types.some((type) => type.startsWith("compact_")) ? ["compact-2026-01-12"] : []),
  ];
}
