/** Which format a conversation has, told from its structure. */

import { isFields } from "./adapter.ts";
import type { Fields, Source } from "./adapter.ts";
import type { Format } from "../types.ts";

const NEUTRAL = new Set(["toolCall", "toolResult", "opaque", "cacheMark", "document"]);
const ANTHROPIC = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"]);
const ITEMS = new Set(["message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning", "item_reference"]);
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
    if (Array.isArray(list) && name === "contents" && list.length > 0 && list.every(isLoose)) return { input, list: [turn(list)], name, request: input };
    if (Array.isArray(list)) return { input, list, name, request: input };
  }
  const { contents } = input;
  if (isFields(contents)) return { input, list: [isLoose(contents) ? turn([contents]) : contents], name: "contents", request: input };
  // A single text is legal in two formats.
  if (typeof input["input"] === "string") return { input, list: [{ role: "user", content: input["input"] }], name: "input", request: input };
  if (typeof input["contents"] === "string") return { input, list: [{ role: "user", parts: [{ text: input["contents"] }] }], name: "contents", request: input };
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
  for (const message of list) {
    if (!isFields(message)) continue;
    const { role, content, parts, type } = message;
    if (typeof role === "number") return "vscode";
    if (typeof type === "string" && role === undefined && /_call(_output)?$/.test(type)) return "openai-responses";
    if (typeof type === "string" && ITEMS.has(type) && (type !== "message" || !("parts" in message))) return "openai-responses";
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
    if (role === "tool") return "openai-chat";
    foreign ||= role !== "user" && role !== "assistant";
    chat ||= typeof role === "string" || "content" in message;
  }
  if (neutral) return neutral;
  if (marked && !foreign) return "anthropic";
  if (request && "system" in request && !("model" in request && /^gpt|^o\d/.test(String(request["model"])))) return chat ? "anthropic" : undefined;
  return chat ? "openai-chat" : undefined;
}

function ofParts(parts: readonly unknown[]): Format | undefined {
  for (const part of parts) {
    if (!isFields(part)) continue;
    const type = part["type"];
    if (type === undefined) return "gemini";
    if (typeof type !== "string") continue;
    if (NEUTRAL.has(type) || type === "image") return "espalier";
    // Thoughts look alike in both.
    if ((AI_SDK.has(type) && type !== "reasoning") || type.startsWith("tool-") || type.startsWith("data-") || type.startsWith("source")) return "ai-sdk";
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
