/** Requests of Gemini's generateContent. */

import { objectArguments } from "../parts.ts";
import type { ProviderRequest } from "../../providers/types.ts";
import { isFields } from "../values.ts";
import { withTools, words, writeTools } from "../turns.ts";
import type { Conversation, Media, Text } from "../turns.ts";
import { append } from "../append.ts";

type Fields = Record<string, unknown>;

/**
 * What the documentation tells hosts to send for a call that another model made: newer models demand a signature on the
 * first one.
 */
const NO_SIGNATURE = "skip_thought_signature_validator";

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
  const made = writeTools(conversation, isOwn, (tool, schema) => ({
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    parametersJsonSchema: schema,
  }));
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
  const lifted = Object.fromEntries(
    Object.entries({ systemInstruction, tools, toolConfig, safetySettings, cachedContent }).filter(
      ([, value]) => value !== undefined,
    ),
  );
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

function written({ turns, model }: Conversation): { system: unknown[]; contents: unknown[] } {
  const system: unknown[] = [];
  const contents: { role: "user" | "model"; parts: unknown[] }[] = [];
  const say = (role: "user" | "model", parts: unknown[]) => {
    if (parts.length === 0) return;
    const before = contents.at(-1);
    if (before?.role === role) append(before.parts, parts);
    else contents.push({ role, parts });
  };
  const signed = /gemini-([3-9]|\d\d)/.test(model);
  for (const turn of turns) {
    if (turn.role === "tool") {
      say(
        "user",
        turn.results.flatMap(({ name, content, isError }) => {
          const said = words(content);
          const media = content.filter((item): item is Media => item.type !== "text");
          return [
            { functionResponse: { name, response: isError ? { error: said } : { output: said } } },
            ...media.map(part),
          ];
        }),
      );
    } else if (turn.role === "system" && contents.length === 0) {
      append(system, turn.content.map(part));
    } else if (turn.role === "assistant") {
      let first = true;
      say(
        "model",
        turn.content.map((item) => {
          if (item.type !== "call") return part(item);
          const made = {
            functionCall: { name: item.name, args: objectArguments(item.arguments) },
            ...(signed && first && { thoughtSignature: NO_SIGNATURE }),
          };
          first = false;
          return made;
        }),
      );
    } else {
      say("user", turn.content.map(part));
    }
  }
  // Responses come before words, and pictures that belong to them behind all of them.
  const is = (item: unknown) => isFields(item) && "functionResponse" in item;
  return {
    system,
    contents: contents.map(({ role, parts }) => ({
      role,
      parts: [...parts.filter(is), ...parts.filter((item) => !is(item))],
    })),
  };
}

function part(item: Text | Media): Fields {
  if (item.type === "text") return { text: item.text };
  return item.url === undefined
    ? { inlineData: { mimeType: item.mediaType, data: item.base64 } }
    : { fileData: { mimeType: item.mediaType, fileUri: item.url } };
}
