/** Which format a conversation has, told from its structure: what messages hold comes before what they are called. */

import { isFields } from "./values.ts";
import type { Source } from "./adapter.ts";
import type { Fields } from "./values.ts";
import { isRaw } from "./raw/read.ts";
import type { Format } from "../types/messages.ts";

const NEUTRAL = new Set(["toolCall", "toolResult", "opaque", "cacheMark", "document"]);
const ANTHROPIC = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"]);
/** Types of items of the Responses API that have no role. */
const ITEM =
  /(_call|_call_output|tool_search_output|compaction|compaction_summary)$|^(reasoning|item_reference|message|program|mcp_.*)$/;
const RESPONSES = new Set(["input_text", "output_text", "input_image", "input_file"]);
const OPENAI = new Set(["image_url", "input_audio", "refusal", "file"]);
const AI_SDK = new Set(["tool-call", "tool-result", "step-start", "dynamic-tool", "reasoning", "file"]);

/** Finds the list of messages in what the host passed: an array, or a request object. */
export function findSource(input: unknown): Source | undefined {
  if (Array.isArray(input)) return { input, list: input, name: "messages" };
  if (!isFields(input)) return undefined;
  for (const name of ["messages", "contents", "input"]) {
    const list = input[name];
    // Gemini's SDK takes the parts of a single turn of the user, too: texts and parts without a turn around them.
    if (Array.isArray(list) && name === "contents" && list.length > 0 && list.every(isLoose))
      return { input, list: [turn(list)], name, request: input };
    if (Array.isArray(list)) return { input, list, name, request: input };
  }
  const { contents } = input;
  if (isFields(contents))
    return { input, list: [isLoose(contents) ? turn([contents]) : contents], name: "contents", request: input };
  // A single text is legal in two formats.
  if (typeof input["input"] === "string")
    return { input, list: [{ role: "user", content: input["input"] }], name: "input", request: input };
  if (typeof input["contents"] === "string")
    return { input, list: [{ role: "user", parts: [{ text: input["contents"] }] }], name: "contents", request: input };
  return undefined;
}

function isLoose(item: unknown): boolean {
  return typeof item === "string" || (isFields(item) && !("role" in item) && !("parts" in item));
}

function turn(parts: readonly unknown[]): Fields {
  return { role: "user", parts: parts.map((part) => (typeof part === "string" ? { text: part } : part)) };
}

/** The format, or nothing if these are no messages of any format. */
export function detect({ list, name, request }: Source): Format | undefined {
  if (name === "contents") return "gemini";
  if (name === "input") return "openai-responses";
  if (list.length === 0) return "openai-chat";
  let chat = false;
  // Cache marks on plain texts are Anthropic's, but gateways take them in OpenAI's messages too, which have more roles.
  let marked = false;
  let foreign = false;
  let neutral: Format | undefined;
  // What only says that it is a message may be an item of the Responses API, or an answer of the Messages API.
  let item = false;
  let numbered = false;
  for (const message of list) {
    if (!isFields(message)) continue;
    const { role, content, parts, type } = message;
    if (typeof role === "number") {
      if (isRaw(message)) return "raw";
      numbered = true;
      continue;
    }
    if (typeof type === "string" && role === undefined && ITEM.test(type) && type !== "message")
      return "openai-responses";
    if (Array.isArray(parts)) {
      const found = ofParts(parts);
      if (found === "gemini" || found === "espalier") return found;
      if (found === "ai-sdk") return role === "tool" ? "espalier" : "ai-sdk";
      neutral ??= role === "model" ? "gemini" : role === "tool" || role === "developer" ? "espalier" : "ai-sdk";
      continue;
    }
    if (Array.isArray(message["toolInvocations"])) return "ai-sdk";
    if ("tool_calls" in message || "tool_call_id" in message || "function_call" in message) return "openai-chat";
    if (Array.isArray(content)) {
      const found = ofContent(content);
      if (found === "marked") marked = true;
      else if (found) return found;
    }
    if (type === "message") {
      // The Responses API has no parts of the type "text".
      const hasText = Array.isArray(content) && content.some((part) => isFields(part) && part["type"] === "text");
      if (hasText || "stop_reason" in message) return "anthropic";
      item = true;
    }
    if (role === "tool") return "openai-chat";
    foreign ||= role !== "user" && role !== "assistant";
    chat ||= typeof role === "string" || "content" in message;
  }
  if (numbered) return "vscode";
  if (neutral) return neutral;
  if (item) return strangerIn(list) === undefined ? "openai-responses" : undefined;
  if (marked && !foreign) return "anthropic";
  if (request && "system" in request && !("model" in request && /^gpt|^o\d/.test(String(request["model"]))))
    return chat ? "anthropic" : undefined;
  return chat ? "openai-chat" : undefined;
}

/**
 * Number of the first message that has neither a role nor the type of an item: an event of a stream or a line of a log.
 */
function strangerIn(list: readonly unknown[]): number | undefined {
  const at = list.findIndex(
    (message) =>
      isFields(message) &&
      message["role"] === undefined &&
      !(typeof message["type"] === "string" && ITEM.test(message["type"])),
  );
  return at < 0 ? undefined : at;
}

/** Why a list is no conversation, where one of its messages tells; with the index of that message. */
export function strangeness({ list, name }: Source): { at: number; why: string } | undefined {
  const langChain = list.findIndex(isLangChain);
  if (langChain >= 0) {
    return {
      at: langChain,
      why: `${name}[${langChain}] is a message of LangChain. Convert the list to OpenAI's format first, with convertMessagesToCompletionsMessageParams of @langchain/openai (Python: convert_to_openai_messages).`,
    };
  }
  const at = strangerIn(list);
  const message = at === undefined ? undefined : list[at];
  if (at === undefined || !isFields(message) || typeof message["type"] !== "string") return undefined;
  const type = JSON.stringify(message["type"].slice(0, 40));
  return {
    at,
    why: `${name}[${at}] has no role, and the type ${type} is none of an item. Events of a stream and lines of a log are not read: pass the messages.`,
  };
}

/** LangChain's messages: class instances, what they write as JSON, and stored ones. */
export function isLangChain(message: unknown): boolean {
  if (!isFields(message)) return false;
  const { type, role, lc, kwargs, data } = message;
  if (
    typeof message["_getType"] === "function" ||
    typeof message["getType"] === "function" ||
    Array.isArray(message["lc_namespace"])
  )
    return true;
  if (lc !== undefined && isFields(kwargs)) return true;
  const holder = isFields(data) ? data : message;
  return (
    role === undefined &&
    typeof type === "string" &&
    /^(human|ai|system|tool|function|generic|remove)$/.test(type) &&
    "content" in holder
  );
}

function ofParts(parts: readonly unknown[]): Format | undefined {
  for (const part of parts) {
    if (!isFields(part)) continue;
    const type = part["type"];
    if (type === undefined) return "gemini";
    if (typeof type !== "string") continue;
    if (NEUTRAL.has(type) || type === "image") return "espalier";
    // Thoughts look alike in both.
    if (
      (AI_SDK.has(type) && type !== "reasoning") ||
      type.startsWith("tool-") ||
      type.startsWith("data-") ||
      type.startsWith("source")
    )
      return "ai-sdk";
  }
  return undefined;
}

function ofContent(content: readonly unknown[]): Format | "marked" | undefined {
  let marked = false;
  for (const part of content) {
    if (!isFields(part)) continue;
    const { type } = part as Fields;
    if (typeof type !== "string") continue;
    if (RESPONSES.has(type)) return "openai-responses";
    if (AI_SDK.has(type) && !("file" in part)) return "ai-sdk";
    if (ANTHROPIC.has(type) || (type === "image" && "source" in part)) return "anthropic";
    if (type === "image" && "image" in part) return "ai-sdk";
    if (OPENAI.has(type)) return "openai-chat";
    marked ||= "cache_control" in part;
  }
  return marked ? "marked" : undefined;
}
