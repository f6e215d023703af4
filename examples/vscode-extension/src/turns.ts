/**
 * The turns of a conversation: a tree, because a retry or an edited request leaves a branch behind. They are notes in
 * the conversation's own log, so that a copy of the log's beginning has exactly the turns of that beginning.
 */

/** The used part of `ConversationLog`. */
export interface Notes {
  readonly originals: number;
  record(kind: "note", data: unknown): string;
  records(kind: "note"): { data: unknown }[];
}

export interface Turn {
  key: string;
  /** Key of the turn before it. */
  parent?: string;
  prompt: string;
  command?: string;
  /** Id of the newest message after the turn. Absent if there is none yet. */
  head?: string;
  /** Number of messages in the log after the turn. */
  originals: number;
  /** The request failed or was cancelled. */
  isStopped?: boolean;
  /** False if a stopped request left only its prompt. */
  isAnswered?: boolean;
}

export class Turns {
  readonly #notes: Notes;
  readonly #turns = new Map<string, Turn>();
  #current: string | undefined;

  constructor(notes: Notes) {
    this.#notes = notes;
    for (const { data } of notes.records("note")) {
      const { turn, at } = (typeof data === "object" && data !== null ? data : {}) as { turn?: Turn; at?: string };
      if (turn) this.#turns.set(turn.key, turn);
      if (turn || at !== undefined) this.#current = turn?.key ?? (at || undefined);
    }
  }

  /** The turn that the next one follows. */
  get current(): Turn | undefined {
    return this.get(this.#current);
  }

  get(key: string | undefined): Turn | undefined {
    return key === undefined ? undefined : this.#turns.get(key);
  }

  add(turn: Omit<Turn, "parent" | "originals">): Turn {
    const parent = this.#current;
    const added: Turn = { ...turn, originals: this.#notes.originals, ...(parent !== undefined && { parent }) };
    this.#notes.record("note", { turn: added });
    this.#turns.set(added.key, added);
    this.#current = added.key;
    return added;
  }

  /** Makes a turn the current one; without a turn, the beginning. */
  goTo(turn: Turn | undefined): void {
    if (this.#current === turn?.key) return;
    this.#notes.record("note", { at: turn?.key ?? "" });
    this.#current = turn?.key;
  }

  /** Returns true if the current turn is this one, or follows it. */
  leadsFrom(turn: Turn): boolean {
    for (let one = this.current; one; one = this.get(one.parent)) if (one.key === turn.key) return true;
    return false;
  }

  /** Returns the newest stopped turn after `parent` with this prompt: VS Code may return it without its mark. */
  stoppedAfter(parent: Turn | undefined, prompt: string): Turn | undefined {
    return [...this.#turns.values()].findLast(
      (turn) => turn.parent === parent?.key && turn.isStopped && turn.prompt === prompt,
    );
  }
}
