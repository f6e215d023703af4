/**
 * Deletes stored conversations that nobody has used for long, or that are more than the settings allow. When each was
 * used last is kept in VS Code's own state: the files of VS Code for the web have no dates that survive a reload.
 */

import * as vscode from "vscode";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Conversations used since are never deleted, however many there are: they may be open in another window. */
const MIN_AGE = DAY;
/** VS Code keeps this number of chats for a workspace; without its chat, a conversation cannot be continued. */
export const MAX_CONVERSATIONS = 400;
export const MAX_AGE_DAYS = 90;

const KEY = "conversations.used";

/** Time of the last use, in ms, by the id of the conversation. */
export type Uses = Readonly<Record<string, number>>;

/** Knows the ids of open conversations. */
export type Open = Pick<ReadonlySet<string>, "has">;

export interface RetentionLimits {
  /** Max days without use; 0 for no limit. */
  maxAgeDays: number;
  /** Max number of conversations; 0 for no limit. */
  maxConversations: number;
}

/** Returns the ids of the conversations to delete. Those of `open` count, and always stay. */
export function expired(uses: Uses, open: Open, limits: RetentionLimits, now: number): string[] {
  const { maxAgeDays, maxConversations } = limits;
  const maxAge = maxAgeDays > 0 ? Math.max(MIN_AGE, maxAgeDays * DAY) : Number.POSITIVE_INFINITY;
  const newestFirst = Object.entries(uses).toSorted(([, a], [, b]) => b - a);
  // The open ones take their places first.
  const max = maxConversations > 0 ? maxConversations : Number.POSITIVE_INFINITY;
  let places = max - newestFirst.filter(([id]) => open.has(id)).length;
  return newestFirst.flatMap(([id, used]) => {
    if (open.has(id)) return [];
    places -= 1;
    const age = now - used;
    return age >= MIN_AGE && (age >= maxAge || places < 0) ? [id] : [];
  });
}

export class Retention {
  readonly #folder: vscode.Uri;
  readonly #state: vscode.Memento;

  /** `folder`: that of all conversations; `state`: lives as long as the folder. */
  constructor(folder: vscode.Uri, state: vscode.Memento) {
    this.#folder = folder;
    this.#state = state;
  }

  /** Notes that a conversation is used now. An hour more or less does not matter, so not each request writes. */
  async used(id: string, now = Date.now()): Promise<void> {
    const uses = this.#uses();
    if (!((uses[id] ?? 0) > now - HOUR)) await this.#state.update(KEY, { ...uses, [id]: now });
  }

  /** Deletes what is expired, and returns the ids. Conversations without a known use count as used now. */
  async apply(open: Open, limits: RetentionLimits, now: number): Promise<string[]> {
    const stored = await this.#stored();
    const usesOf = (ids: readonly string[]) => {
      const known = this.#uses();
      return Object.fromEntries(ids.map((id) => [id, known[id] ?? now]));
    };
    const deleted = new Set<string>();
    for (const id of expired(usesOf(stored), open, limits, now)) {
      // It may have been opened meanwhile.
      if (open.has(id)) continue;
      await vscode.workspace.fs.delete(vscode.Uri.joinPath(this.#folder, id), { recursive: true, useTrash: false });
      deleted.add(id);
    }
    // Read again: other conversations were used meanwhile.
    const left = new Set([...stored, ...Object.keys(this.#uses()).filter((id) => open.has(id))]);
    await this.#state.update(KEY, usesOf([...left].filter((id) => !deleted.has(id))));
    return [...deleted];
  }

  #uses(): Uses {
    return this.#state.get<Uses>(KEY) ?? {};
  }

  async #stored(): Promise<string[]> {
    try {
      const entries = await vscode.workspace.fs.readDirectory(this.#folder);
      return entries.flatMap(([name, type]) => ((type & vscode.FileType.Directory) !== 0 ? [name] : []));
    } catch {
      // Nothing has been stored yet.
      return [];
    }
  }
}
