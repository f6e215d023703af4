/** LangChain's messages. A call of an AI message may be in up to three places, which change together. */

import { byPart, editedItems, parsedArguments, text, thoughtOf } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, roleOf, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { fieldForModel, NOTHING } from "../audience.ts";
import type { Part, PartEdit, Role } from "../../types/messages.ts";
import { contentPart, textOfThought } from "./content.ts";
import { openedMessage, withChanges } from "./form.ts";

/** A whole text, a block of the content, a call in one of the lists, the result, or OpenAI's thought. */
export type Piece = "string" | "result" | "thought" | { content: number } | { list: CallList; at: number };

/** Lists of calls. Arguments that are not JSON are in the second. */
const LISTS = ["tool_calls", "invalid_tool_calls"] as const;
type CallList = (typeof LISTS)[number];

const ROLES: Record<string, Role> = {
  human: "user",
  ai: "assistant",
  system: "system",
  developer: "developer",
  tool: "tool",
};
/** Roles of messages without a type of their own. */
const GENERIC: Record<string, Role> = {
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  system: "system",
  developer: "developer",
};

export const messages: Messages<Piece> = {
  read(message, at, path) {
    const { type, fields, place, content: field } = openedMessage(message);
    const role = type === "generic" ? (roleOf(GENERIC, fields["role"]) ?? "user") : roleOf(ROLES, type);
    if (!role)
      throw bad(`${path}.type`, "a LangChain message of the type human, ai, system, tool or generic", type || message);
    const within = [path, ...place].join(".");
    const parts: Part[] = [];
    const pieces: Piece[] = [];
    const add = (part: Part, piece: Piece) => {
      parts.push(part);
      pieces.push(piece);
    };
    const name = fields["name"];
    const named = typeof name === "string" ? { name } : {};
    const id = `m${at}`;
    const content = blocksOf(fields["content"], `${within}.${field}`);
    if (role === "tool") {
      const callId = fields["tool_call_id"];
      if (typeof callId !== "string") throw bad(`${within}.tool_call_id`, "the id of a call", callId);
      const isError = fields["status"] === "error";
      const held = typeof content === "string" ? [text(content)] : content.map(contentPart);
      add({ type: "toolResult", callId, ...named, content: held, ...(isError && { isError }) }, "result");
      return { message: { id, role, parts }, pieces };
    }
    const calls = LISTS.flatMap((list) =>
      callsOf(fields, list, `${within}.${list}`).map((call) => ({ list, ...call })),
    );
    const ids = new Set(calls.map(({ call }) => call["id"]));
    const thought = role === "assistant" ? encryptedThought(fields) : undefined;
    if (thought) add(thought, "thought");
    if (typeof content === "string") {
      if (content !== "" || calls.length === 0) add(text(content), "string");
    } else
      content.forEach((item, number) => {
        // Providers write calls as blocks, too. The lists have the same calls, and are what LangChain sends.
        if (!isCallBlock(item)) add(contentPart(item), { content: number });
        else if (!ids.has(item["id"])) add(callPart(item, `call:${at}:b${number}`), { content: number });
      });
    for (const { list, call, number } of calls)
      add(callPart(call, `call:${at}:${list === "tool_calls" ? "" : "i"}${number}`), { list, at: number });
    return { message: { id, role, ...named, parts }, pieces };
  },

  edit(original, { pieces }, edits) {
    const { fields } = openedMessage(original);
    const byNumber = byPart(edits);
    const { content } = fields;
    if (pieces[0] === "result") return withResult(original, content, byNumber.get(0));
    const blocks: unknown[] | undefined = Array.isArray(content) ? [...(content as unknown[])] : undefined;
    const lists = new Map(LISTS.flatMap((list) => (Array.isArray(fields[list]) ? [[list, [...fields[list]]]] : [])));
    const changes: Fields = {};
    /** What became of the calls of the lists, by their ids. */
    const became = new Map<unknown, PartEdit | undefined>();
    const kwargs = isFields(fields["additional_kwargs"]) ? fields["additional_kwargs"] : {};
    let more = kwargs;
    pieces.forEach((piece, part) => {
      const edit = byNumber.get(part);
      if (piece === "thought") more = edit ? more : copy(more, { reasoning: undefined });
      else if (piece === "string") changes["content"] = edit?.to?.type === "text" ? edit.to.text : edit ? content : "";
      else if (piece !== "result" && "content" in piece && blocks)
        blocks[piece.content] = editedBlock(blocks[piece.content] as Fields, edit);
      else if (piece !== "result" && "list" in piece) {
        const list: unknown[] = lists.get(piece.list)!;
        const call = list[piece.at] as Fields;
        became.set(call["id"], edit);
        list[piece.at] = editedCall(call, edit);
      }
    });
    const isChanged = [...became.values()].some((edit) => !edit || edit.to || edit.callId !== undefined);
    if (isChanged) {
      for (const [name, list] of lists) changes[name] = list.filter((call) => call !== undefined);
      const raw = more["tool_calls"];
      if (Array.isArray(raw)) more = copy(more, { tool_calls: twins(raw, became, editedRaw) });
    }
    if (more !== kwargs) changes["additional_kwargs"] = more;
    // LangChain sends an answer of the Responses API as it was, unless this is absent.
    const { response_metadata: about } = fields;
    if (isFields(about) && "output" in about) changes["response_metadata"] = copy(about, { output: undefined });
    if (blocks) {
      const kept = isChanged ? twins(blocks, became, editedBlock) : blocks;
      changes["content"] = kept.filter((block) => block !== undefined);
    }
    return withChanges(original, changes);
  },

  forModel(message) {
    const { type, fields } = openedMessage(message);
    const shown = type === "tool" ? fieldForModel(fields, "content", () => noted(NOTHING)) : fields;
    return shown === fields ? message : withChanges(message, { content: shown["content"] });
  },

  tools: neutralTools,
};

/** Returns the encrypted thought that `@langchain/openai` keeps beside the content, and sends with it. */
function encryptedThought({ additional_kwargs: more }: Fields): Part | undefined {
  const reasoning = isFields(more) ? more["reasoning"] : undefined;
  if (!isFields(reasoning) || typeof reasoning["encrypted_content"] !== "string") return undefined;
  return thoughtOf(textOfThought(reasoning), reasoning["encrypted_content"]);
}

function blocksOf(content: unknown, path: string): string | Fields[] {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw bad(path, "a text or a list of blocks", content);
  return content.map((item: unknown, at) => {
    if (typeof item === "string") return { type: "text", text: item };
    if (!isFields(item)) throw bad(`${path}[${at}]`, "a block", item);
    return item;
  });
}

function callsOf(fields: Fields, list: CallList, path: string): { call: Fields; number: number }[] {
  const calls = fields[list] ?? [];
  if (!Array.isArray(calls)) throw bad(path, "a list of calls", calls);
  return calls.map((call: unknown, number) => {
    if (!isFields(call)) throw bad(`${path}[${number}]`, "a call", call);
    return { call, number };
  });
}

const isCallBlock = ({ type }: Fields) => type === "tool_use" || type === "tool_call";

function callPart(call: Fields, madeUp: string): Part {
  const args = call["args"] ?? call["input"] ?? {};
  return {
    type: "toolCall",
    callId: string(call["id"], madeUp),
    name: string(call["name"]),
    arguments: typeof args === "string" ? args : json(args),
  };
}

function withResult(original: Fields, content: unknown, edit: PartEdit | undefined): Fields {
  if (edit?.callId !== undefined) return withChanges(original, { tool_call_id: edit.callId });
  if (edit?.to?.type === "text") return withChanges(original, { content: edit.to.text });
  if (edit?.to?.type !== "content") return original;
  const [only] = edit.to.items;
  const one = typeof only === "string" ? only : content;
  return withChanges(original, { content: editedItems(content, edit.to.items, noted) ?? one });
}

const noted = (said: string): Fields => ({ type: "text", text: said });

function editedBlock(block: Fields, edit: PartEdit | undefined): unknown {
  if (!edit) return undefined;
  if (isFields(block) && isCallBlock(block)) return editedCall(block, edit);
  if (edit.to?.type === "note") return noted(edit.to.text);
  if (edit.to?.type !== "text") return block;
  if (!isFields(block)) return edit.to.text;
  const field = ["text", "reasoning", "thinking"].find((name) => typeof block[name] === "string") ?? "text";
  return copy(block, { [field]: edit.to.text });
}

function editedCall(call: Fields, edit: PartEdit | undefined): Fields | undefined {
  if (!edit) return undefined;
  if (edit.callId !== undefined) return copy(call, { id: edit.callId });
  if (edit.to?.type !== "arguments") return call;
  const field = "input" in call && !("args" in call) ? "input" : "args";
  const isText = typeof call[field] === "string";
  return copy(call, { [field]: isText ? edit.to.arguments : parsedArguments(edit.to.arguments) });
}

/** The same for a call in OpenAI's form. */
function editedRaw(call: Fields, edit: PartEdit | undefined): Fields | undefined {
  if (edit?.to?.type !== "arguments" || !isFields(call["function"])) return editedCall(call, edit);
  return copy(call, { function: copy(call["function"], { arguments: edit.to.arguments }) });
}

/** Changes the other places of calls as their lists were changed. */
function twins(
  list: readonly unknown[],
  became: ReadonlyMap<unknown, PartEdit | undefined>,
  edited: (call: Fields, edit: PartEdit | undefined) => unknown,
): unknown[] {
  const changed = list.map((item) =>
    isFields(item) && became.has(item["id"]) && (isCallBlock(item) || "function" in item)
      ? edited(item, became.get(item["id"]))
      : item,
  );
  return changed.filter((item) => item !== undefined);
}
