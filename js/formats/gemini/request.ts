/** Requests of Gemini's generateContent. */

import type { ProviderRequest } from "../../providers/types.ts";
import { withTools, writeTools, writeTurns } from "../request.ts";
import type { Conversation } from "../request.ts";
import { joined, systemApart } from "../turns.ts";
import type { Turn } from "../turns.ts";
import { defined } from "../../options/data.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { NO_SIGNATURE } from "./checks.ts";
import { declaration } from "./tools.ts";
import * as writer from "./write.ts";

export function toGemini(conversation: Conversation): ProviderRequest {
  const { native, options } = conversation;
  const given = native && "request" in native ? plain(native.request) : {};
  const { system, contents } = native
    ? { system: [], contents: "list" in native ? native.list : given["contents"] }
    : written(conversation);
  const isOwn = (tool: Fields) =>
    Object.keys(tool).every(
      (name) => !["name", "parameters", "function", "input_schema", "inputSchema", "type"].includes(name),
    );
  const made = writeTools(conversation, isOwn, declaration);
  const own = (made as Fields[]).filter(isOwn);
  const declared = (made as Fields[]).filter((tool) => !isOwn(tool));
  const tools = [...own, ...(declared.length > 0 ? [{ functionDeclarations: declared }] : [])];
  const before = given["systemInstruction"] ?? given["system_instruction"];
  const parts = [
    ...textParts(options.system),
    ...(isFields(before) && Array.isArray(before["parts"]) ? (before["parts"] as unknown[]) : textParts(before)),
    ...system,
  ];
  const config = {
    ...(isFields(given["generationConfig"]) && given["generationConfig"]),
    ...(options.maxTokens !== undefined && { maxOutputTokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
  };
  return withTools(given, tools, {
    contents,
    ...(parts.length > 0 && {
      systemInstruction: options.system === undefined && isFields(before) ? before : { parts },
    }),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(options.contextManagement !== undefined && { contextManagement: options.contextManagement }),
    ...options.extra,
  });
}

/** The SDK keeps in `config` what the interface wants beside the contents, and single texts for turns. */
function plain(request: Readonly<Fields>): Fields {
  const { config, contents, model: _, system_instruction: __, ...rest } = request;
  const {
    systemInstruction,
    tools,
    toolConfig,
    safetySettings,
    cachedContent,
    abortSignal: ___,
    httpOptions: ____,
    ...generation
  } = isFields(config) ? config : {};
  const lifted = defined({ systemInstruction, tools, toolConfig, safetySettings, cachedContent });
  const list = Array.isArray(contents) ? (contents as unknown[]) : [contents];
  const turn = (item: unknown) =>
    isFields(item) && !("parts" in item) ? item : typeof item === "string" ? { text: item } : undefined;
  const loose = list.map(turn);
  const turns = loose.every((part) => part !== undefined) ? [{ role: "user", parts: loose }] : list;
  return {
    ...("system_instruction" in request && { systemInstruction: request["system_instruction"] }),
    ...rest,
    ...lifted,
    contents:
      turns.length === list.length && turns.every((item, at) => item === list[at]) && Array.isArray(contents)
        ? contents
        : turns,
    ...(Object.keys(generation).length > 0 && {
      generationConfig: { ...(isFields(rest["generationConfig"]) && rest["generationConfig"]), ...generation },
    }),
  };
}

function textParts(value: unknown): unknown[] {
  return typeof value === "string" && value !== "" ? [{ text: value }] : [];
}

function written({ turns, model, tell }: Conversation): { system: unknown[]; contents: unknown[] } {
  const { system, rest } = systemApart(turns);
  // Calls of other providers go without their ids: results are paired by name and order.
  const write = (list: readonly Turn[]) =>
    writeTurns(writer, list, tell, { id: () => "" }) as { role: string; parts: Fields[] }[];
  const contents = joined(
    write(rest).map(({ role, parts }) => ({
      role,
      items: role === "model" && isSigned(model) ? signed(parts) : parts,
    })),
    writer.isResponse,
  );
  return {
    system: write(system).flatMap(({ parts }) => parts),
    contents: contents.map(({ role, items }) => ({ role, parts: items })),
  };
}

/** True for models that demand a signature on the first call of a turn. */
function isSigned(model: string): boolean {
  return /gemini-([3-9]|\d\d)/.test(model);
}

function signed(parts: readonly Fields[]): Fields[] {
  const first = parts.findIndex((part) => "functionCall" in part);
  return parts.map((part, at) => (at === first ? { ...part, thoughtSignature: NO_SIGNATURE } : part));
}
