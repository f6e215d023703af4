/**
 * Chats of newer versions of VS Code: `chatSessions/*.jsonl`, a log of changes to the state that `vscode-chat` reads.
 *
 * `{kind: 0, v}` is the whole state, and may be repeated; `{kind: 1, k, v}` sets the value at a path; `{kind: 2, k, v,
 * i}` cuts a list to the length `i` and appends to it; `{kind: 3, k}` deletes.
 */

import { append } from "../formats/append.ts";
import { type Draft, fields, isFields, items, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";
import { isChat, readChat, TOOL_NAME } from "./vscode-chat.ts";

export const vscodeChatLog: Reader = {
  layout: "vscode-chat-log",
  tool: TOOL_NAME,
  shapes: ["lines"],
  marks: ["kind", "k", "v"],
  recognise,
  read: (_, { keepsHistory }) => new VSCodeChatLog(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  const isState = (record: unknown) => isFields(record) && record["kind"] === 0 && isChat(record["v"]);
  if (!records.some(isState)) return undefined;
  const changes = records.filter(
    (record) =>
      isFields(record) && typeof record["kind"] === "number" && (Array.isArray(record["k"]) || isState(record)),
  );
  return {
    count: changes.length,
    evidence: `${changes.length} lines of the kinds 0 to 3: a chat's state and the changes to it`,
  };
}

class VSCodeChatLog implements Reading {
  readonly #keepsHistory: boolean;
  readonly #skipped: string[] = [];
  /** The state is a field of this object, so that its root can be set like any other value. */
  #root: { state?: unknown } = {};
  /** The lines of requests and results. */
  readonly #lines = new WeakMap<object, number>();

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  add(record: unknown, place: number): void {
    if (!isFields(record)) return void this.#skipped.push("a value that is not an object");
    const { kind, k, v, i } = record;
    if (kind === 0) {
      this.#root = { state: v };
      return this.#place(items(fields(v)["requests"]), place);
    }
    if (kind !== 1 && kind !== 2 && kind !== 3) return void this.#skipped.push(`kind ${word(kind).slice(0, 20)}`);
    if (!this.#change(kind, ["state", ...items(k)], v, i))
      return void this.#skipped.push("a change of what is not there");
    this.#place(items(v), place);
    if (isFields(v)) this.#place([v, fields(v["result"])], place);
  }

  #place(values: readonly unknown[], place: number): void {
    for (const value of values) {
      if (!isFields(value)) continue;
      this.#lines.set(value, place);
      if (isFields(value["result"])) this.#lines.set(value["result"], place);
    }
  }

  #change(kind: 1 | 2 | 3, path: readonly unknown[], value: unknown, length: unknown): boolean {
    let holder: unknown = this.#root;
    for (const key of path.slice(0, -1)) {
      if (!has(holder, key)) return false;
      holder = (holder as Fields)[key as string];
    }
    const key = path.at(-1);
    if (!fits(holder, key)) return false;
    const target = holder as Fields;
    const name = key as string;
    if (kind === 1) target[name] = value;
    else if (kind === 3) {
      if (Array.isArray(target)) target.splice(Number(key), 1);
      else delete target[name];
    } else {
      const list = Array.isArray(target[name]) ? (target[name] as unknown[]) : [];
      target[name] = list;
      if (typeof length === "number" && length >= 0 && length < list.length) list.length = Math.trunc(length);
      append(list, items(value));
    }
    return true;
  }

  end(): Draft {
    const lineOf = (value: unknown) => (isFields(value) ? this.#lines.get(value) : undefined);
    const ofRequest = (request: Fields) => lineOf(request) ?? 1;
    const draft = readChat(fields(this.#root.state), this.#keepsHistory, {
      ofRequest,
      ofResult: (request) => lineOf(request["result"]) ?? ofRequest(request),
    });
    for (const kind of this.#skipped) draft.skip(kind);
    return draft;
  }
}

/** Returns true if the holder has that key itself. */
function has(holder: unknown, key: unknown): boolean {
  return (
    typeof holder === "object" &&
    holder !== null &&
    (typeof key === "string" || typeof key === "number") &&
    Object.hasOwn(holder, key)
  );
}

/** Returns true if a value can be set there: lists grow by one item only, and prototypes cannot be set. */
function fits(holder: unknown, key: unknown): boolean {
  if (Array.isArray(holder))
    return typeof key === "number" && Number.isInteger(key) && key >= 0 && key <= holder.length;
  return isFields(holder) && (typeof key === "string" || typeof key === "number") && key !== "__proto__";
}
