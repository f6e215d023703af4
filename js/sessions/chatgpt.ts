/**
 * ChatGPT: `conversations.json` of an export, or one conversation of it. `mapping` is a tree of messages; the path from
 * `current_node` up is the conversation, the rest are branches. A message to a recipient other than `all` is a call,
 * and the tool's message is its result.
 */

import { argumentsText } from "../formats/parts.ts";
import { Draft, fields, isFields, items, objects, text, timeOf, withMessages, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const chatgpt: Reader = {
  layout: "chatgpt",
  tool: "ChatGPT",
  shapes: ["value", "lines"],
  marks: ["title", "create_time", "mapping", "current_node"],
  recognise,
  read: () => new ChatGpt(),
};

function recognise({ records }: Sample): Match | undefined {
  const list = records.flatMap((record): readonly unknown[] => (Array.isArray(record) ? record : [record]));
  const found = list.filter(isConversation);
  if (found.length === 0 || found.length * 2 < list.length) return undefined;
  return {
    count: Math.max(found.length, ...found.slice(0, 1).map(({ mapping }) => Object.keys(fields(mapping)).length)),
    evidence: `${found.length} conversations with a mapping of messages`,
  };
}

function isConversation(value: unknown): value is Fields {
  if (!isFields(value) || !isFields(value["mapping"])) return false;
  const nodes = Object.values(value["mapping"]);
  return (
    nodes.length > 0 &&
    nodes.slice(0, 20).every((node) => isFields(node) && ("message" in node || "parent" in node || "children" in node))
  );
}

class ChatGpt implements Reading {
  readonly #drafts: Draft[] = [];

  add(record: unknown): void {
    for (const one of Array.isArray(record) ? (record as unknown[]) : [record])
      if (isConversation(one)) this.#drafts.push(draftOf(one));
  }

  end(): Draft | Draft[] {
    return withMessages(this.#drafts) ?? new Draft("openai-chat");
  }
}

function draftOf(conversation: Fields): Draft {
  const draft = new Draft("openai-chat");
  const { title, conversation_id: id, id: other, current_node: current, default_model_slug: model } = conversation;
  draft.label = text(title) ?? text(id) ?? text(other) ?? "";
  draft.tell({ id: text(id) ?? text(other), title: text(title), model: text(model) });
  const nodes = new Map(Object.entries(fields(conversation["mapping"])).map(([name, node]) => [name, fields(node)]));
  const places = new Map([...nodes.keys()].map((name, at) => [name, at]));
  const path = new Set<string>();
  for (
    let at = leafOf(nodes, current);
    at !== undefined && nodes.has(at) && !path.has(at);
    at = text(nodes.get(at)!["parent"])
  )
    path.add(at);
  const thread = new Thread(draft);
  for (const name of [...path].reverse()) thread.add(fields(nodes.get(name)!["message"]), places.get(name)!);
  const seen = new Set(path);
  for (const name of nodes.keys()) {
    const parent = text(nodes.get(name)!["parent"]);
    if (seen.has(name) || (parent !== undefined && nodes.has(parent) && !path.has(parent))) continue;
    const side = new Thread(new Draft("openai-chat"));
    const below = [name];
    for (let next = below.pop(); next !== undefined; next = below.pop()) {
      if (seen.has(next) || !nodes.has(next)) continue;
      seen.add(next);
      side.add(fields(nodes.get(next)!["message"]), places.get(next)!);
      below.push(
        ...items(nodes.get(next)!["children"])
          .filter((child) => typeof child === "string")
          .reverse(),
      );
    }
    if (side.draft.messages.length > 0) draft.chains.push({ id: `branch:${name}`, kind: "branch", draft: side.draft });
  }
  return draft;
}

/** Returns the node that the page showed last, or else the newest message. */
function leafOf(nodes: ReadonlyMap<string, Fields>, current: unknown): string | undefined {
  if (typeof current === "string" && nodes.has(current)) return current;
  let [leaf, newest]: [string | undefined, number] = [undefined, -1];
  for (const [name, node] of nodes) {
    const time = timeOf(fields(node["message"])["create_time"]) ?? 0;
    if (time >= newest && isFields(node["message"])) [leaf, newest] = [name, time];
  }
  return leaf;
}

class Thread {
  readonly draft: Draft;
  /** The call that waits for its result. */
  #call: string | undefined;
  /** Index of the newest result, which may consist of several messages of a tool. */
  #result: number | undefined;

  constructor(draft: Draft) {
    this.draft = draft;
  }

  add(message: Fields, place: number): void {
    const { draft } = this;
    const { id, author, content, recipient, create_time: created, metadata } = message;
    const role = fields(author)["role"];
    // The root of the tree has no message.
    if (role === undefined) return;
    const { content_type: kind } = fields(content);
    if (kind === "thoughts" || kind === "reasoning_recap" || kind === "model_editable_context")
      return draft.skip(kind, "the model's thoughts as the page shows them");
    const shown = shownOf(fields(content));
    if (shown === "") return draft.skip("empty message");
    const [time, own] = [timeOf(created), text(id)];
    const { model_slug: model, is_user_system_message: isSystem } = fields(metadata);
    const isInjected = role === "user" && (isSystem === true || kind === "user_editable_context");
    const more = {
      ...(time !== undefined && { time }),
      ...(own !== undefined && { id: own }),
      ...(isInjected && { injected: true as const }),
    };
    if (role === "tool") return this.#tool(fields(author), shown, place, more);
    this.#result = undefined;
    if (role === "system" || role === "user") return void draft.push({ role, content: shown }, place, more);
    if (role !== "assistant") return draft.skip(`message/${word(role).slice(0, 40)}`);
    draft.tell({ model: text(model) });
    if (typeof recipient !== "string" || recipient === "all")
      return void draft.push({ role, content: shown }, place, more);
    this.#call = own ?? `call-${place}`;
    draft.push(
      {
        role,
        content: null,
        tool_calls: [
          { id: this.#call, type: "function", function: { name: recipient, arguments: argumentsText(shown) } },
        ],
      },
      place,
      more,
    );
  }

  #tool({ name }: Fields, shown: string, place: number, more: { time?: number; id?: string }): void {
    const { draft } = this;
    if (this.#call !== undefined) {
      this.#result = draft.push(
        { role: "tool", tool_call_id: this.#call, ...(text(name) !== undefined && { name }), content: shown },
        place,
        more,
      );
      this.#call = undefined;
    } else if (this.#result !== undefined) {
      const before = fields(draft.messages[this.#result]);
      draft.extend(this.#result, { ...before, content: `${word(before["content"])}\n${shown}` }, place);
    } else draft.push({ role: "user", content: shown }, place, { ...more, injected: true });
  }
}

/** Returns the text of a message. Pictures and files are not part of the export: their kind replaces them. */
function shownOf(content: Fields): string {
  const { parts, text: words, result, user_profile: profile, user_instructions: instructions } = content;
  const list = items(parts).flatMap((part) => {
    if (typeof part === "string") return part === "" ? [] : [part];
    const { content_type: kind, text: spoken } = fields(part);
    return text(spoken) ?? (typeof kind === "string" ? `[${kind}]` : []);
  });
  if (list.length > 0) return list.join("\n");
  const quotes = objects(content["assets"]).length > 0 ? "[assets]" : "";
  return (
    text(words) ??
    text(result) ??
    [text(profile), text(instructions)].filter((one) => one !== undefined).join("\n") + quotes
  );
}
