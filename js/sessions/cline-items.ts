/**
 * Messages of Cline, Roo and their relatives: Anthropic's, with additional fields of the log.
 *
 * Tool results are `tool_result` blocks, or texts of the user that begin `[read_file for 'a.ts'] Result:`. Such a text
 * answers an open call of the assistant before it, first one of the same name. If the model calls tools in XML there is
 * no open call, and the text stays text.
 */

import { fields, isFields, items, objects, word } from "./draft.ts";

/** Fields of blocks that exist only in the log. An empty `call_id` means that the text answers no call. */
const LOGGED: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["call_id", "reasoning_details", "signature"]],
  ["tool_use", ["call_id", "reasoning_details", "signature"]],
  ["thinking", ["call_id", "reasoning_details", "summary"]],
  ["tool_result", ["call_id"]],
  ["redacted_thinking", ["call_id"]],
  ["image", ["call_id"]],
]);

/** Blocks that show reasoning and are not sent. */
const SHOWN = new Set(["reasoning", "thoughtSignature"]);

interface Call {
  id: string;
  name: string;
}

export interface ClineMessage {
  role: "user" | "assistant";
  content: unknown;
}

/** Reads items one after the other. */
export class ClineItems {
  #open: Call[] = [];

  /** Returns a reader at the same position, for reading on a second time. */
  copy(): ClineItems {
    const copy = new ClineItems();
    copy.#open = [...this.#open];
    return copy;
  }

  /** Returns the message of an item; nothing if it has none. */
  read(item: unknown): ClineMessage | undefined {
    if (!isFields(item)) return undefined;
    const { role, content } = item;
    if ((role !== "user" && role !== "assistant") || (typeof content !== "string" && !Array.isArray(content)))
      return undefined;
    if (typeof content === "string") {
      if (role === "assistant") this.#open = [];
      return { role, content };
    }
    const blocks = objects(content).filter(({ type }) => typeof type === "string" && !SHOWN.has(type));
    if (blocks.length === 0 && content.length > 0) return undefined;
    if (role === "assistant") {
      this.#open = objects(blocks).flatMap(({ type, id, name }) =>
        type === "tool_use" && typeof id === "string" ? [{ id, name: word(name) }] : [],
      );
      return { role, content: blocks.map(clean) };
    }
    return { role, content: this.#results(blocks) };
  }

  /** Returns the blocks of a user's message; texts that are results become result blocks and come first. */
  #results(blocks: readonly unknown[]): unknown[] {
    for (const block of objects(blocks))
      if (block["type"] === "tool_result") this.#take(({ id }) => id === block["tool_use_id"]);
    const results: unknown[] = [];
    const others: unknown[] = [];
    let found = false;
    // A heading without text has its result in the following blocks.
    let open: unknown[] | undefined;
    for (const block of blocks) {
      const call = this.#answered(block);
      const words = textOf(block);
      if (call) {
        const content = [clean(block)];
        results.push({ type: "tool_result", tool_use_id: call.id, content });
        open = words !== undefined && /\] Result:\s*$/.test(words) ? content : undefined;
        found = true;
      } else if (fields(block)["type"] === "tool_result") {
        results.push(clean(block));
        open = undefined;
      } else if (open && (words === undefined ? fields(block)["type"] === "image" : !isToolWritten(words))) {
        open.push(clean(block));
      } else {
        others.push(clean(block));
        open = undefined;
      }
    }
    return found ? [...results, ...others] : blocks.map(clean);
  }

  /** Returns the call that a text answers. */
  #answered(block: unknown): Call | undefined {
    const words = textOf(block);
    const { call_id: named } = fields(block);
    if (words === undefined || named === "" || this.#open.length === 0) return undefined;
    const byId = typeof named === "string" ? this.#take(({ id }) => id === named) : undefined;
    const tool = headingOf(words);
    if (byId || tool === undefined) return byId;
    return this.#take(({ name }) => name === tool || name.endsWith(`_${tool}`)) ?? this.#open.shift();
  }

  #take(fits: (call: Call) => boolean): Call | undefined {
    const at = this.#open.findIndex(fits);
    return at < 0 ? undefined : this.#open.splice(at, 1)[0];
  }
}

/** Returns blocks for a file, such that {@link ClineItems} reads them back unchanged. */
export function written(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) =>
    headingOf(textOf(block) ?? "") === undefined ? block : { ...fields(block), call_id: "" },
  );
}

function clean(block: unknown): unknown {
  if (!isFields(block)) return block;
  const names = LOGGED.get(block["type"]) ?? [];
  const isPlain = !names.some((name) => name in block);
  const copy = isPlain ? block : Object.fromEntries(Object.entries(block).filter(([name]) => !names.includes(name)));
  if (copy["type"] !== "tool_result" || isSendable(copy["content"])) return copy;
  return { ...copy, content: JSON.stringify(copy["content"]) };
}

/** Returns true if a result can be sent; newer versions allow any value, which is sent as JSON. */
function isSendable(content: unknown): boolean {
  if (content === undefined || typeof content === "string") return true;
  return Array.isArray(content) && content.every((part) => typeof fields(part)["type"] === "string");
}

function textOf(block: unknown): string | undefined {
  const { type, text } = fields(block);
  return type === "text" && typeof text === "string" ? text : undefined;
}

/** Returns the tool whose result a text is, by its beginning. */
function headingOf(words: string): string | undefined {
  return /^\[([A-Za-z_][\w.-]*)(?: for [\s\S]*?)?\] Result:/.exec(words)?.[1];
}

export function isEnvironment(words: string): boolean {
  return /^\s*<environment_details>/.test(words);
}

export function isResult(words: string): boolean {
  return headingOf(words) !== undefined;
}

/** Returns true for texts that the tool adds by itself. */
function isToolWritten(words: string): boolean {
  if (words.includes("<user_message>") || words.includes("<feedback>")) return false;
  return (
    isEnvironment(words) ||
    isResult(words) ||
    /^\s*(\[TASK RESUMPTION\]|\[ERROR\]|\[NOTE\]|# task_progress)/i.test(words)
  );
}

/** Returns true for a message with the role user that contains nothing from the user. */
export function isInjected({ role, content }: ClineMessage): boolean {
  if (role !== "user") return false;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
  if (blocks.length === 0 || blocks.some(({ type }) => type === "tool_result")) return false;
  const texts = blocks.map((block) => textOf(block) ?? "");
  if (
    texts.some((words) => words.includes("<user_message>") || words.includes("<feedback>") || words.includes("<task>"))
  )
    return false;
  // After the heading of a result, all other text belongs to the result.
  return texts.some(isResult) || blocks.every((block, at) => block["type"] === "text" && isToolWritten(texts[at]!));
}

/** Returns the first non-empty value of `read` for the texts of a message. */
export function inTexts<T>({ content }: ClineMessage, read: (words: string) => T | undefined): T | undefined {
  for (const block of typeof content === "string" ? [{ type: "text", text: content }] : items(content)) {
    const found = read(textOf(block) ?? "");
    if (found !== undefined) return found;
  }
  return undefined;
}
