/** One conversation, and the turns of the chat session in it. */

import type { Conversation, PrepareReport } from "espalier";
import type { LogEditRow, LogSplit } from "espalier/log";
import type * as vscode from "vscode";
import { Turns } from "./turns.ts";
import type { Turn } from "./turns.ts";

export type Message = vscode.LanguageModelChatMessage;

/** The newest request, as it was sent. */
export interface Sent {
  messages: Message[];
  report: PrepareReport;
  /** Its tokens by kind of content. */
  split: LogSplit;
  /** Name of the model. */
  model: string;
  /** Names of the tools. */
  tools: string[];
}

/** The result of taking a compaction back. */
export interface Undone {
  /** Number of messages that are back. */
  messages: number;
  used: number;
  limit: number;
  /** True if the next request still fits, as far as it is known. */
  fits: boolean;
}

export class Talk {
  readonly id: string;
  readonly conversation: Conversation<Message>;
  readonly turns: Turns;
  /** True while a request is answered. */
  isBusy = false;
  /** True if another window has opened the conversation since: what this window adds belongs into a copy. */
  isTaken = false;
  /** Absent if the next request will differ by more than the new messages. */
  sent: Sent | undefined;
  /** Id of the newest message that is not rewound; null if it is not known. */
  #last: string | undefined | null;
  #isHeld: boolean;

  constructor(id: string, conversation: Conversation<Message>) {
    this.id = id;
    this.conversation = conversation;
    this.turns = new Turns(conversation.log);
    const holds = conversation.log.records("note").map(({ data }) => (data as { isHeld?: unknown } | null)?.isHeld);
    this.#isHeld = holds.findLast((isHeld) => typeof isHeld === "boolean") ?? false;
    const { current } = this.turns;
    // A window that was closed in the middle of an answer left messages without a turn.
    this.#last = conversation.log.originals === (current?.originals ?? 0) ? current?.head : null;
  }

  /** While true, nothing is compacted that fits: the user took the newest compaction back. A note of the log. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  set isHeld(isHeld: boolean) {
    if (isHeld !== this.#isHeld) this.conversation.log.record("note", { isHeld });
    this.#isHeld = isHeld;
  }

  append(messages: Message | readonly Message[]): void {
    this.#last = this.conversation.append(messages).at(-1) ?? this.#last;
  }

  /** Stores everything, and notices whether another window has opened the conversation. */
  async store(): Promise<void> {
    this.isTaken = (await this.conversation.flush()).isTaken;
  }

  /** Ends a turn: everything appended since the previous one belongs to it. */
  finish(turn: Pick<Turn, "prompt" | "command" | "isStopped" | "isAnswered">): Turn {
    const { prompt, command, isStopped, isAnswered } = turn;
    const head = this.#last ?? undefined;
    return this.turns.add({
      key: crypto.randomUUID(),
      prompt,
      ...(command !== undefined && { command }),
      ...(head !== undefined && { head }),
      ...(isStopped && { isStopped, isAnswered: isAnswered ?? false }),
    });
  }

  /** Goes back to the end of a turn; without one to the beginning. Messages after it leave the view. */
  rewind(turn: Turn | undefined): void {
    if (this.#last !== turn?.head && this.conversation.log.originals > 0) {
      this.conversation.rewind(turn?.head);
      this.sent = undefined;
    }
    this.#last = turn?.head;
    this.turns.goTo(turn);
  }

  /** Returns the edits in force, oldest first. */
  edits(): LogEditRow[] {
    return this.conversation.edits().filter(({ revokedBy }) => revokedBy === undefined);
  }

  get isCompacted(): boolean {
    return this.edits().length > 0;
  }

  /** Takes a compaction back: the newest, or the one with this plan id. Returns nothing if there is none. */
  undo(plan?: string): Undone | undefined {
    const edits = this.edits();
    const edit = plan === undefined ? edits.at(-1) : edits.findLast(({ planId }) => planId === plan);
    if (!edit) return undefined;
    const before = this.conversation.view().messages.length;
    // By its id: without one, the newest rewind (of a retry) would be undone if it is newer.
    const undone = this.conversation.undo(edit.planId ?? edit.id);
    if (!undone) return undefined;
    const { used, limit } = undone.usage;
    this.sent = undefined;
    this.isHeld = undone.fits;
    return { messages: this.conversation.view().messages.length - before, used, limit, fits: undone.fits };
  }
}
