/**
 * Deletes stored conversations that nobody has used for long, or that are more than the settings allow. When each was
 * used last is a file of its own in the conversation's folder: the files of VS Code for the web have no dates that
 * survive a reload, and of VS Code's own state each window has a copy, so that one would overwrite what another noted.
 */

import * as vscode from "vscode";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Conversations used since are never deleted, however many there are. */
const MIN_AGE = DAY;
/** VS Code keeps this number of chats for a workspace; without its chat, a conversation cannot be continued. */
export const MAX_CONVERSATIONS = 400;
export const MAX_AGE_DAYS = 90;

/** The file with the time of the last use, in ms. */
const USED = "used";

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
  /** Times that this window has stored. */
  readonly #noted = new Map<string, number>();

  /** `folder`: that of all conversations. */
  constructor(folder: vscode.Uri) {
    this.#folder = folder;
  }

  /** Notes that a conversation is used now. An hour more or less does not matter, so not each request writes. */
  async used(id: string, now = Date.now()): Promise<void> {
    if ((this.#noted.get(id) ?? 0) > now - HOUR) return;
    this.#noted.set(id, now);
    await vscode.workspace.fs.writeFile(this.#fileOf(id), new TextEncoder().encode(String(now)));
  }

  /** Deletes what is expired, and returns the ids. Conversations without a known use count as used now. */
  async apply(open: Open, limits: RetentionLimits, now: number): Promise<string[]> {
    const stored = await this.#stored();
    const uses = Object.fromEntries(await Promise.all(stored.map(async (id) => [id, await this.#useOf(id, now)])));
    const deleted: string[] = [];
    for (const id of expired(uses, open, limits, now)) {
      // It may have been used meanwhile: here, or in another window.
      if (open.has(id) || (await this.#useOf(id, now)) !== uses[id]) continue;
      await vscode.workspace.fs.delete(vscode.Uri.joinPath(this.#folder, id), { recursive: true, useTrash: false });
      deleted.push(id);
    }
    return deleted;
  }

  #fileOf(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, id, USED);
  }

  async #useOf(id: string, now: number): Promise<number> {
    let time: number;
    try {
      time = Number(new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#fileOf(id))));
    } catch {
      time = Number.NaN;
    }
    if (time > 0) return time;
    await this.used(id, now);
    return now;
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
