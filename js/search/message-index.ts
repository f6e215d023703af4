/** Finds messages of a conversation by words; `conversation.search` loads this. */

import { call, ready, wasm } from "../engine/engine.ts";
import { badOption as bad, EspalierError } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { INDEXED_MESSAGE, SEARCH_MESSAGE_INDEX } from "../options/schemas/prompt.ts";
import type { Role } from "../types/messages.ts";
import { workspace } from "../engine/workspace.ts";
import type { WorkspaceWasm } from "../engine/workspace.ts";

/** A message to put into an index. */
export interface IndexedMessage {
  id: string;
  /** Increases from message to message; unique. */
  number: number;
  /** Number of the first message of its round, a call with its results. Default: it is a round by itself. */
  round?: number | undefined;
  role: Role;
  /** The subject of a result: the name and the arguments of its call. Default: nothing. */
  about?: string | undefined;
  text: string;
}

/** A found round. */
export interface FoundRound {
  /** Id of the message of the round that matches best. */
  id: string;
  /** Comparable within one answer. */
  score: number;
  /** The matching lines, in UTF-16 code units of the message's text. */
  start: number;
  end: number;
  /** Ids of the other messages of the round, in order. */
  with: string[];
  /** Ids of messages with the same text, newest first. */
  repeats: string[];
}

const SPEAKERS: Record<Role, number> = { system: 0, developer: 0, user: 1, assistant: 2, tool: 3 };

/** See {@link openMessageIndex}. */
export class MessageIndex {
  /** Keeps the name when the file is minified. */
  static readonly name: string = "MessageIndex";
  private core: InstanceType<WorkspaceWasm["MessageIndex"]> | undefined;
  private readonly owner: unknown;

  /** @internal Use {@link openMessageIndex}. */
  constructor() {
    this.owner = wasm();
    this.core = call(() => new (workspace().MessageIndex)());
  }

  /** False after {@link free}, and after a crash of its engine. */
  get isUsable(): boolean {
    return this.core !== undefined && this.owner === wasm();
  }

  /** Adds messages, or replaces those with the same ids. @throws EspalierError `bad_input`, `disposed` */
  put(messages: readonly IndexedMessage[]): void {
    if (!Array.isArray(messages)) throw bad("", "a list", messages, "messages");
    for (const [at, message] of messages.entries())
      check(message as IndexedMessage, INDEXED_MESSAGE, `messages[${at}]`);
    const core = this.live();
    for (const { id, number, round = number, role, about = "", text } of messages as readonly IndexedMessage[]) {
      call(() => core.put(id, number, round, SPEAKERS[role], about, text));
    }
  }

  /** Removes messages; ignores unknown ids. @throws EspalierError `bad_option`, `disposed` */
  remove(ids: readonly string[]): void {
    if (!Array.isArray(ids)) throw bad("", "a list of ids", ids, "ids");
    for (const [at, id] of ids.entries()) if (typeof id !== "string") throw bad("", "an id", id, `ids[${at}]`);
    const core = this.live();
    for (const id of ids) call(() => core.remove(id));
  }

  /**
   * Returns the rounds that answer a question, best first; of two with the same score the newer first.
   *
   * @throws EspalierError `bad_option`, `disposed`
   */
  search(query: string, options: { maxResults?: number } = {}): FoundRound[] {
    const { maxResults = 10 } = check(options, SEARCH_MESSAGE_INDEX);
    if (typeof query !== "string") throw bad("", "a text", query, "query");
    const core = this.live();
    return call(() => core.search(query, maxResults) as FoundRound[]);
  }

  /** Frees the memory of the index. */
  free(): void {
    const { core } = this;
    if (core && this.isUsable) core.free();
    this.core = undefined;
  }

  private live(): InstanceType<WorkspaceWasm["MessageIndex"]> {
    if (this.core && this.isUsable) return this.core;
    throw new EspalierError({
      code: "disposed",
      message: "the index was freed, or its engine crashed; open another one",
    });
  }
}

/**
 * Opens an empty index over messages. It ranks by BM25 over their words and inflected forms; a call and its results are
 * one result, and repeated texts are found once.
 *
 * ```ts
 * import { openMessageIndex } from "espalier/search";
 *
 * const index = await openMessageIndex();
 * index.put([
 *   { id: "m0", number: 0, role: "user", text: "Please fix the parser." },
 *   { id: "m1", number: 1, role: "assistant", text: "The tokenizer dropped the last character." },
 * ]);
 * index.search("Which characters were dropped?")[0]?.id; // => "m1"
 * index.free();
 * ```
 */
export async function openMessageIndex(): Promise<MessageIndex> {
  await ready();
  return new MessageIndex();
}
