/**
 * What tells VS Code's parts apart, whose classes bundlers rename; and its messages on their way through JSON. Its own
 * classes are no help there: content lies in a private field, texts say what they are in numbers, bytes become lists of
 * digits.
 */

import { isFields, withFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { base64Of, decodedBase64 } from "../media.ts";
import { hostClasses } from "./classes.ts";
import type { VSCodeClasses } from "./classes.ts";

type PartClass = Exclude<keyof VSCodeClasses, "LanguageModelChatMessage">;
/** Where bytes were. */
const BYTES = "$bytes";

/** Bytes, also those that came from another realm (a worker, a webview, a test's sandbox). */
export function isBytes(data: unknown): data is Uint8Array {
  return ArrayBuffer.isView(data) && Object.prototype.toString.call(data) === "[object Uint8Array]";
}

/** A thought: a list of texts, or a text with what its provider wants back. */
export function isThought(item: Fields): boolean {
  const { value } = item;
  if (typeof value !== "string")
    return Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === "string");
  if (typeof item["callId"] === "string" || "data" in item) return false;
  return "metadata" in item || /Thinking/.test(String((item.constructor as { name?: unknown } | undefined)?.name));
}

/** True for a text that is no thought. */
export function isTextPart(item: Fields): boolean {
  return typeof item["value"] === "string" && typeof item["callId"] !== "string" && !isThought(item);
}

/** The class that a part must be of. */
function classOf(item: Fields): PartClass | undefined {
  const { callId, value, data, mimeType } = item;
  if (typeof callId === "string")
    return Array.isArray(item["content"]) ? "LanguageModelToolResultPart" : "LanguageModelToolCallPart";
  if (isBytes(data) && typeof mimeType === "string") return "LanguageModelDataPart";
  if (isThought(item)) return "LanguageModelThinkingPart";
  if (typeof value === "string") return "LanguageModelTextPart";
  return isFields(value) && !Array.isArray(value) ? "LanguageModelPromptTsxPart" : undefined;
}

/** The prototype that new objects of a class have: VS Code's, where its classes can be found. */
export function prototypeOf(name: keyof VSCodeClasses, classes = hostClasses()): object {
  return (classes?.[name] as { prototype?: object } | undefined)?.prototype ?? Object.prototype;
}

/**
 * Messages as VS Code takes them: plain objects become instances of its classes, everything else is the host's own. The
 * very list, if there was nothing to do.
 */
export function genuine(
  list: readonly unknown[],
  classes: VSCodeClasses | undefined = hostClasses(),
): readonly unknown[] {
  if (!classes) return list;
  return each(list, (message) => {
    if (!isFields(message)) return message;
    const { content } = message;
    const parts = Array.isArray(content) ? each(content as unknown[], (part) => genuinePart(part, classes)) : content;
    const prototype = isPlain(message)
      ? prototypeOf("LanguageModelChatMessage", classes)
      : (Object.getPrototypeOf(message) as object | null);
    return parts === content && prototype === Object.getPrototypeOf(message)
      ? message
      : withFields(prototype, { ...message }, { content: parts });
  });
}

/** `within` a result, whose parts have none within them. */
function genuinePart(part: unknown, classes: VSCodeClasses, within = false): unknown {
  if (!isFields(part)) return part;
  const inner = part["content"];
  const content =
    !within && isResult(part) ? each(inner as unknown[], (item) => genuinePart(item, classes, true)) : inner;
  const name = isPlain(part) ? classOf(part) : undefined;
  const prototype = name ? prototypeOf(name, classes) : (Object.getPrototypeOf(part) as object | null);
  return content === inner && prototype === Object.getPrototypeOf(part)
    ? part
    : withFields(prototype, { ...part }, content === undefined ? {} : { content });
}

function isResult(part: Fields): boolean {
  return typeof part["callId"] === "string" && Array.isArray(part["content"]);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The list with every item changed; itself, if none was. */
function each(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let out: unknown[] | undefined;
  for (const [at, item] of list.entries()) {
    const changed = change(item);
    if (changed !== item) (out ??= [...list])[at] = changed;
  }
  return out ?? list;
}

/** A message as an object whose JSON has everything of it. */
export function toStored(message: unknown): unknown {
  if (!isFields(message)) return message;
  const { content } = message;
  const fields: Fields = { ...message };
  // The private field behind `content`.
  for (const [key, value] of Object.entries(fields)) if (value === content) delete fields[key];
  return { ...fields, content: Array.isArray(content) ? content.map((part) => storedPart(part)) : content };
}

function storedPart(part: unknown, within = false): unknown {
  if (!isFields(part)) return part;
  const fields: Fields = { ...part };
  if (isBytes(fields["data"])) fields["data"] = { [BYTES]: base64Of(fields["data"]) };
  // JSON has no undefined, and this is what a thought is known by.
  if (isThought(part) && typeof fields["value"] === "string") fields["metadata"] ??= null;
  if (!within && isResult(part))
    fields["content"] = (part["content"] as unknown[]).map((item) => storedPart(item, true));
  return fields;
}

/** Returns bytes from their stored form, and from what JSON makes of a `Uint8Array` and of Node's `Buffer`. */
function storedBytes(stored: Fields): Uint8Array | undefined {
  const { [BYTES]: text, type, data } = stored;
  if (typeof text === "string") return decodedBase64(text);
  const list = type === "Buffer" && Array.isArray(data) ? (data as unknown[]) : Object.values(stored);
  const isByte = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 256;
  const isList = type === "Buffer" || (list.length > 0 && Object.keys(stored).every((key, at) => key === String(at)));
  return isList && list.every(isByte) ? Uint8Array.from(list as number[]) : undefined;
}

/** The message again, of VS Code's classes where they can be found. */
export function fromStored(message: unknown): unknown {
  if (!isFields(message) || !Array.isArray(message["content"])) return genuine([message])[0];
  return genuine([{ ...message, content: message["content"].map((part) => readPart(part)) }])[0];
}

function readPart(part: unknown, within = false): unknown {
  if (!isFields(part)) return part;
  const { data, content } = part;
  const bytes = isFields(data) && typeof part["mimeType"] === "string" ? storedBytes(data) : undefined;
  if (bytes) return { ...part, data: bytes };
  return !within && isResult(part)
    ? { ...part, content: (content as unknown[]).map((item) => readPart(item, true)) }
    : part;
}
