/** Gemini contents. Calls may have no ids: they are paired with responses by name and order. */

import { documentPart, image, isImageType } from "../media.ts";
import { byPart, opaque, objectArguments, servedItem, text } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, json, string } from "../values.ts";
import { withSource } from "../sources.ts";
import { isResponse } from "./write.ts";
import { areOneSpeaker } from "../adapter.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { eachItem, fieldForModel, NOTHING } from "../audience.ts";
import type { Part } from "../../types/messages.ts";

/** Index of the part. */
export type Piece = number;

/** A call that waits for its response, and the number of its run of the model's messages. */
interface Call {
  id: string;
  run: number;
}

/** Waiting calls by name; kept in the state of one reading. */
type Waiting = Map<string, Call[]>;

/** The newest run of the model's messages; false for `isOpen` if another message followed it. */
interface Run {
  number: number;
  isOpen: boolean;
}

const runOf = (state: Map<string, unknown>) => (state.get("run") ?? { number: 0, isOpen: false }) as Run;
const nextRun = ({ number, isOpen }: Run, isModel: boolean): Run => ({
  number: isModel && !isOpen ? number + 1 : number,
  isOpen: isModel,
});

/** The REST interface accepts both spellings. */
const spelled = (camel: string) => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Calls of the tools that the server runs, and their results. */
const SERVED = ["toolCall", "toolResponse", "executableCode", "codeExecutionResult"];
/** Every part is asked for every field, so the few names are spelled once. */
const SNAKE = new Map(
  [
    "systemInstruction",
    "functionCall",
    "functionResponse",
    "inlineData",
    "mimeType",
    "fileData",
    "fileUri",
    "functionDeclarations",
    ...SERVED,
  ].map((name) => [name, spelled(name)]),
);
const snake = (camel: string) => SNAKE.get(camel) ?? spelled(camel);
const field = (item: Fields, camel: string) => item[camel] ?? item[snake(camel)];

export const messages: Messages<Piece> = {
  system(request) {
    const config = isFields(request["config"]) ? request["config"] : {};
    const system = field(request, "systemInstruction") ?? field(config, "systemInstruction");
    if (system === undefined || system === null) return undefined;
    if (typeof system === "string") return [text(system)];
    const parts = isFields(system) ? system["parts"] : system;
    return (Array.isArray(parts) ? parts : [parts]).map((part) => {
      if (!isFields(part)) return opaque(part);
      return typeof part["text"] === "string" ? text(part["text"]) : mediaPart(part);
    });
  },

  read(message, at, path, state) {
    const given = message["role"];
    const role =
      given === "model"
        ? "assistant"
        : given === undefined || given === "user" || given === "function"
          ? "user"
          : undefined;
    if (!role) throw bad(`${path}.role`, "user, model or function", given);
    // A turn of which nothing was answered (a blocked one, say) comes without parts.
    const list = message["parts"] === undefined && !("content" in message || "text" in message) ? [] : message["parts"];
    if (!Array.isArray(list)) throw bad(`${path}.parts`, "a list of parts", list);
    // Read again for an edit: the ids must come out as they did the first time. By its number: paths begin anew with
    // every list that is added.
    const key = `#${at}`;
    const known = state.get(key) as Part[] | undefined;
    if (!known) state.set("run", nextRun(runOf(state), role === "assistant"));
    const parts =
      known ??
      list.map((item: unknown, number) => {
        if (!isFields(item)) throw bad(`${path}.parts[${number}]`, "a part", item);
        return part(item, `${at}.${number}`, state);
      });
    state.set(key, parts);
    return { message: { id: `m${at}`, role, parts }, pieces: parts.map((_, number) => number) };
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    const kept = pieces.flatMap((piece) => {
      const edit = byNumber.get(piece);
      const item = (original["parts"] as Fields[])[piece]!;
      if (!edit) return [];
      const part = message.parts[piece]!;
      if (edit.to?.type === "note") return [{ text: edit.to.text }];
      if (part.type !== "toolResult" && part.type !== "toolCall")
        return [edit.to?.type === "text" ? copy(item, { text: edit.to.text }) : item];
      const camel = part.type === "toolResult" ? "functionResponse" : "functionCall";
      const name = isFields(item[camel]) ? camel : snake(camel);
      const inner = item[name] as Fields;
      if (edit.to?.type === "text") {
        const response =
          part.type === "toolResult" && part.isError ? { error: edit.to.text } : { output: edit.to.text };
        return [copy(item, { [name]: copy(inner, { response, parts: undefined }) })];
      }
      if (edit.to?.type === "content")
        return [
          copy(item, {
            [name]: editedResponse(inner, edit.to.items, part.type === "toolResult" && part.isError === true),
          }),
        ];
      if (edit.to?.type === "arguments")
        return [copy(item, { [name]: copy(inner, { args: objectArguments(edit.to.arguments) }) })];
      if (edit.callId !== undefined) return [copy(item, { [name]: copy(inner, { id: edit.callId }) })];
      return [item];
    });
    return copy(original, { parts: kept });
  },

  // What comes from MCP is a list in the response.
  forModel: (message) =>
    eachItem(message, "parts", (item) => {
      const name = isFields(item["functionResponse"]) ? "functionResponse" : "function_response";
      const inner = item[name];
      const response = isFields(inner) ? inner["response"] : undefined;
      if (!isFields(inner) || !isFields(response)) return item;
      const shown = ["content", "output"].reduce(
        (body, field) => fieldForModel(body, field, () => ({ type: "text", text: NOTHING })),
        response,
      );
      return shown === response ? item : copy(item, { [name]: copy(inner, { response: shown }) });
    }),

  tools: neutralTools,

  // Roles must alternate, and responses come before words.
  merge: {
    list: "parts",
    assistant: "model",
    takes: (first, second) => areOneSpeaker(first, second, { assistant: "model" }),
    isFirst: isResponse,
  },
};

/**
 * A response holds an object and media parts; a text that replaces one of those joins the object's text, since only
 * media are allowed there.
 */
function editedResponse(inner: Fields, [first, ...others]: readonly (string | null)[], failed: boolean): Fields {
  const media = (Array.isArray(inner["parts"]) ? (inner["parts"] as unknown[]) : []).filter(
    (_, at) => typeof others[at] !== "string",
  );
  const notes = others.filter((item) => typeof item === "string");
  const body = typeof first === "string" ? { [failed ? "error" : "output"]: first } : inner["response"];
  return copy(inner, { response: withNotes(body, notes), parts: media.length > 0 ? media : undefined });
}

/** What is put in was counted as text behind the response's own: an object that is no text has no place for it. */
function withNotes(body: unknown, notes: readonly string[]): unknown {
  if (notes.length === 0) return body;
  if (!isFields(body) || Object.keys(body).length === 0) return { output: notes.join("") };
  const key = textKey(body);
  return key ? { [key]: [body[key], ...notes].join("") } : body;
}

function part(item: Fields, place: string, state: Map<string, unknown>): Part {
  // Most parts are words and nothing else.
  if (
    typeof item["text"] === "string" &&
    !(item["functionCall"] ?? item["function_call"] ?? item["functionResponse"] ?? item["function_response"])
  )
    return spoken(item);
  const waiting = (state.get("waiting") ?? new Map()) as Waiting;
  state.set("waiting", waiting);
  const call = field(item, "functionCall");
  if (isFields(call)) {
    const name = string(call["name"]);
    const callId = typeof call["id"] === "string" ? call["id"] : `call:${place}`;
    const queue = waiting.get(name) ?? [];
    queue.push({ id: callId, run: runOf(state).number });
    waiting.set(name, queue);
    return { type: "toolCall", callId, name, arguments: json(call["args"] ?? {}) };
  }
  const response = field(item, "functionResponse");
  if (isFields(response)) {
    const name = string(response["name"]);
    const given = response["id"];
    const named = waiting.get(name) ?? [];
    // A response with an id answers that call whatever name it gives: the call must not wait for another one.
    const has = (queue: readonly Call[]) => queue.some(({ id }) => id === given);
    const queue =
      typeof given === "string" && !has(named) ? ([...waiting.values()].find((calls) => has(calls)) ?? named) : named;
    // The calls of an earlier run got no answer.
    const newest = queue.at(-1)?.run;
    const callId =
      typeof given === "string" ? given : (queue.find(({ run }) => run === newest)?.id ?? `orphan:${place}`);
    const found = queue.findIndex(({ id }) => id === callId);
    if (found >= 0) queue.splice(found, 1);
    const body = response["response"];
    const failed = isFields(body) && body["error"] !== undefined && body["output"] === undefined;
    const media = response["parts"];
    const content = [
      said(body),
      ...(Array.isArray(media)
        ? media.map((inner: unknown) => (isFields(inner) ? mediaPart(inner) : opaque(inner)))
        : []),
    ];
    return { type: "toolResult", callId, name, content, ...(failed && { isError: true }) };
  }
  if (typeof item["text"] === "string") return spoken(item);
  return mediaPart(item);
}

/** Words, or a thought. */
function spoken(item: Fields): Part {
  const said = string(item["text"]);
  return item["thought"] === true ? { type: "reasoning", text: said } : { type: "text", text: said };
}

/** A response is an object; one that holds a single text is that text, as the documentation proposes. */
function said(body: unknown): Part {
  const key = isFields(body) ? textKey(body) : undefined;
  return text(isFields(body) && key ? string(body[key]) : json(body ?? {}));
}

/** The only key of a response that holds a single text. */
function textKey(body: Fields): string | undefined {
  const [[key, value] = ["", undefined], ...others] = Object.entries(body);
  return others.length === 0 && typeof value === "string" && /^(output|result|error)$/.test(key) ? key : undefined;
}

function mediaPart(item: Fields): Part {
  const inline = field(item, "inlineData");
  if (isFields(inline) && typeof inline["data"] === "string") {
    const kind = string(field(inline, "mimeType"));
    return isImageType(kind) ? image(inline["data"], kind) : documentPart(inline["data"], kind);
  }
  const file = field(item, "fileData");
  if (isFields(file)) {
    const kind = string(field(file, "mimeType"));
    const uri = string(field(file, "fileUri"));
    return isImageType(kind)
      ? { type: "image", mediaType: kind, ...(uri && { url: uri }) }
      : withSource(documentPart(undefined, kind), uri);
  }
  const served = SERVED.map((name) => field(item, name)).find(isFields);
  return served ? servedItem(item, served["id"]) : opaque(item);
}
