/** Requests of the AI SDK: the prompt of a language model object, and the messages of `generateText`. */

import { isBuffer } from "../../files/bytes.ts";
import { isFields, withFields } from "../values.ts";
import type { ProviderRequest } from "../../providers/types.ts";
import type { Fields } from "../values.ts";
import { writeTools, writeTurns } from "../request.ts";
import type { Conversation } from "../request.ts";
import { writeTool } from "./tools.ts";
import * as writer from "./write.ts";

/** Versions of the language model objects: those of the SDK's 5, 6 and 7. */
export type SdkVersion = "v2" | "v3" | "v4";

/** A language model object's call: prompt, function tools, settings. */
export function toPrompt(conversation: Conversation, version: SdkVersion): ProviderRequest {
  const { native, options } = conversation;
  const given: Fields = native && "request" in native ? native.request : {};
  const list = (ownList(conversation, given) ?? written(conversation)).map((message) => asPrompt(message, version));
  const { messages: _, system: before, tools: __, model: ___, ...rest } = given;
  const system = [options.system, before]
    .filter((text): text is string => typeof text === "string" && text !== "")
    .map((content) => ({ role: "system", content }));
  const tools = writeTools(
    conversation,
    (tool) => tool["type"] === "function" && "inputSchema" in tool && !isWrapped(tool["inputSchema"]),
    (tool, inputSchema) => ({
      type: "function",
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      inputSchema,
    }),
  );
  return { ...rest, prompt: [...system, ...list], ...(tools.length > 0 && { tools }), ...settings(conversation) };
}

/** The options of `generateText`, without the model. */
export function toGenerate(conversation: Conversation): ProviderRequest {
  const { native, options, rawTools } = conversation;
  const given: Fields = native && "request" in native ? native.request : {};
  const list = ownList(conversation, given) ?? written(conversation).map((message) => asPrompt(message, "v2"));
  const own = given["tools"];
  const made = writeTools(
    conversation,
    () => false,
    (tool, schema) => [tool.name, writeTool(tool, schema)],
  );
  // The host's own definitions can be run by the SDK; those made here can only be called.
  const tools =
    isFields(own) && options.tools === undefined
      ? own
      : withFields(Object.prototype, Object.fromEntries(made as [string, unknown][]));
  return {
    ...given,
    messages: options.system === undefined ? list : [{ role: "system", content: options.system }, ...list],
    ...((rawTools.length > 0 || isFields(own)) && { tools }),
    ...settings(conversation),
  };
}

function settings({ options }: Conversation): Fields {
  return {
    ...(options.maxTokens !== undefined && { maxOutputTokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...options.extra,
  };
}

/** The host's own messages. */
function ownList({ native }: Conversation, given: Fields): readonly unknown[] | undefined {
  return native && ("list" in native ? native.list : (given["messages"] as readonly unknown[]));
}

function written({ turns, tell }: Conversation): unknown[] {
  return writeTurns(writer, turns, tell);
}

function isWrapped(schema: unknown): boolean {
  return isFields(schema) && ("jsonSchema" in schema || "~standard" in schema);
}

/** UI messages are for the page: a model is sent what `convertToModelMessages` would make of them. */
export function isModelMessages(list: readonly unknown[]): boolean {
  return list.every(
    (message) => isFields(message) && !Array.isArray(message["parts"]) && !Array.isArray(message["toolInvocations"]),
  );
}

/**
 * A model message as prompts have it: content is a list, pictures are files. What is so already stays the caller's own
 * object.
 */
function asPrompt(message: unknown, version: SdkVersion): unknown {
  if (!isFields(message)) return message;
  const { role, content } = message;
  if (typeof content === "string")
    return role === "system" ? message : { ...message, content: [{ type: "text", text: content }] };
  if (!Array.isArray(content)) return message;
  const parts = (content as unknown[]).map((part) => asPart(part, version));
  return parts.every((part, at) => part === content[at]) ? message : { ...message, content: parts };
}

function asPart(part: unknown, version: SdkVersion): unknown {
  if (!isFields(part)) return part;
  if (part["type"] === "image") {
    const { image, type: _, mediaType, ...rest } = part;
    return { type: "file", ...rest, data: fileData(image, version), mediaType: mediaType ?? "image/*" };
  }
  if (part["type"] === "tool-result" && version !== "v3") return withFiles(part, version);
  if (part["type"] !== "file") return part;
  const data = fileData(part["data"], version);
  return data === part["data"] ? part : { ...part, data };
}

/** Version 4 says what kind of data a file has. */
function fileData(given: unknown, version: SdkVersion): unknown {
  if (version !== "v4") return dataOf(given);
  if (isFields(given) && typeof given["type"] === "string") return given;
  const data = dataOf(given);
  return data instanceof URL ? { type: "url", url: data } : { type: "data", data };
}

/** A result of a tool in which pictures and files have the form of a version. */
function withFiles(part: Fields, version: SdkVersion): Fields {
  const { output } = part;
  if (!isFields(output) || output["type"] !== "content" || !Array.isArray(output["value"])) return part;
  const value = output["value"].map((item: unknown) => (isFields(item) ? fileOf(item, version) : item));
  return value.every((item, at) => item === (output["value"] as unknown[])[at])
    ? part
    : { ...part, output: { ...output, value } };
}

function fileOf(item: Fields, version: SdkVersion): Fields {
  const found = /^(media|(image|file)-(data|url))$/.exec(String(item["type"]));
  if (!found || (version === "v2" && item["type"] === "media")) return item;
  const { type: _, data, url, mediaType, ...rest } = item;
  if (version === "v2")
    return data === undefined
      ? { type: "text", text: `(${found[2] === "file" ? "document" : "image"}: ${url})` }
      : { type: "media", ...rest, data, mediaType };
  return {
    type: "file",
    ...rest,
    data: fileData(url ?? data, version),
    mediaType: mediaType ?? (found[2] === "file" ? "application/octet-stream" : "image/*"),
  };
}

/** Addresses are objects in prompts, data URLs are their base64. */
function dataOf(data: unknown): unknown {
  if (isBuffer(data)) return new Uint8Array(data);
  if (typeof data !== "string") return data;
  if (data.startsWith("data:")) return data.slice(data.indexOf(",") + 1);
  return /^https?:/.test(data.slice(0, 6)) ? new URL(data) : data;
}
