/** Opens the stored conversations of the workspace: one folder for each, below the extension's storage. */

import { openConversation } from "espalier";
import type { CompactHooks, Conversation, ConversationOptions, Llm } from "espalier";
import { vscode as languageModel } from "espalier/providers";
import { workspaceStorage } from "espalier/storage";
import * as vscode from "vscode";
import { startChat, startSearch } from "./engine.ts";
import { messageOf } from "./errors.ts";
import { Newest } from "./newest.ts";
import { MAX_AGE_DAYS, MAX_CONVERSATIONS, Retention } from "./retention.ts";
import { readSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { Talk } from "./talk.ts";
import type { Message } from "./talk.ts";
import type { Turn } from "./turns.ts";

/** Max conversations in memory; the others are stored only. */
const MAX_OPEN = 6;
/** Min input tokens that a model can sensibly report. */
const MIN_WINDOW = 256;

/** Returns the limits of a model. A window that cannot be true is left to what is known of the model's name. */
export function limitsOf({ family, maxInputTokens }: vscode.LanguageModelChat) {
  const isPlausible = Number.isFinite(maxInputTokens) && maxInputTokens >= MIN_WINDOW;
  return { name: family, ...(isPlausible && { maxInputTokens: Math.floor(maxInputTokens) }) };
}

export class Conversations implements vscode.Disposable {
  /** Writes the summaries if the settings name no other model: that of the newest request. */
  model: vscode.LanguageModelChat | undefined;
  readonly newest: Newest;
  readonly #context: vscode.ExtensionContext;
  readonly #log: vscode.LogOutputChannel;
  readonly #open = new Map<string, Promise<Talk>>();
  readonly #retention: Retention;
  #settings: Settings | undefined;
  /** Ends when no stored conversation is being deleted. */
  #deleting: Promise<unknown> = Promise.resolve();

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
    this.#context = context;
    this.#log = log;
    this.newest = new Newest(context.workspaceState);
    this.#retention = new Retention(this.#root());
  }

  /** Opens a stored conversation; returns nothing if there is none. */
  async find(id: string): Promise<Talk | undefined> {
    if (this.#open.has(id)) {
      void this.#retention.used(id);
      return this.#reopened(id);
    }
    try {
      await vscode.workspace.fs.stat(this.folderOf(id));
    } catch {
      return undefined;
    }
    const talk = await this.#opened(id);
    if (talk.conversation.log.originals > 0 || talk.turns.current) return talk;
    return undefined;
  }

  begin(): Promise<Talk> {
    return this.#opened(crypto.randomUUID());
  }

  /**
   * Stores a conversation after a turn, and returns it. If another window opened it meanwhile, a copy is returned: of
   * one conversation that two windows continue, each would store what the other does not know.
   */
  async stored(talk: Talk, turn: Turn): Promise<Talk> {
    await talk.store();
    if (!talk.isTaken) return talk;
    const { sent } = talk;
    return Object.assign(await this.branch(talk, turn), { sent });
  }

  /** Begins a conversation with a copy of the log up to the end of a turn. */
  async branch({ conversation: { log } }: Talk, turn: Turn): Promise<Talk> {
    const lines = log.export().split("\n");
    // The key occurs first in the note of the turn itself.
    const end = lines.findIndex((line) => line.includes(turn.key));
    return this.#opened(crypto.randomUUID(), {
      log: `${lines.slice(0, end + 1).join("\n")}\n`,
      messages: log.originalsFrom(0).slice(0, turn.originals),
    });
  }

  /** Returns the folder of a conversation's files. */
  folderOf(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#root(), id);
  }

  #root(): vscode.Uri {
    const { storageUri, globalStorageUri } = this.#context;
    return vscode.Uri.joinPath(storageUri ?? globalStorageUri, "days");
  }

  transcriptOf(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.folderOf(id), "transcript.md");
  }

  /** Deletes stored conversations that are too old or too many, never an open one; returns their ids. */
  deleteOld(now = Date.now()): Promise<string[]> {
    const settings = vscode.workspace.getConfiguration("espalier.storage");
    const limits = {
      maxAgeDays: settings.get("maxAgeDays", MAX_AGE_DAYS),
      maxConversations: settings.get("maxConversations", MAX_CONVERSATIONS),
    };
    const deleting = this.#retention.apply(this.#open, limits, now).then(
      (ids) => {
        if (ids.length > 0) this.#log.info(`Deleted ${ids.length} old conversations: ${ids.join(", ")}.`);
        return ids;
      },
      (error: unknown) => {
        this.#log.warn(`Old conversations could not be deleted: ${messageOf(error)}`);
        return [];
      },
    );
    this.#deleting = deleting;
    return deleting;
  }

  /** Applies changed settings: conversations are opened again with them. */
  settingsChanged(): void {
    this.#settings = undefined;
  }

  dispose(): void {
    for (const id of [...this.#open.keys()]) void this.#close(id);
  }

  /** Returns an open conversation; opens it again if the settings have changed since and no other window uses it. */
  async #reopened(id: string): Promise<Talk> {
    const talk = await this.#open.get(id)!;
    await talk.store();
    if (this.#settings !== undefined || talk.isBusy || talk.isTaken) return talk;
    const { sent } = talk;
    await this.#close(id);
    return Object.assign(await this.#opened(id), { sent });
  }

  async #close(id: string): Promise<void> {
    const talk = this.#open.get(id);
    this.#open.delete(id);
    await talk?.then(
      ({ conversation }) => conversation.dispose(),
      () => undefined,
    );
  }

  #opened(id: string, from: Pick<ConversationOptions<Message>, "log" | "messages"> = {}): Promise<Talk> {
    const talk = this.#load(id, from).catch((error: unknown) => {
      this.#open.delete(id);
      throw error;
    });
    this.#open.set(id, talk);
    void this.#forgetOldest(id);
    void talk
      .then(() => this.#retention.used(id))
      .then(() => this.deleteOld())
      .catch(() => undefined);
    return talk;
  }

  async #forgetOldest(newest: string): Promise<void> {
    for (const [id, opening] of this.#open) {
      if (this.#open.size <= MAX_OPEN) return;
      const talk = await opening.catch(() => undefined);
      if (id !== newest && talk && !talk.isBusy) await this.#close(id);
    }
  }

  async #load(id: string, from: Pick<ConversationOptions<Message>, "log" | "messages">): Promise<Talk> {
    const { extensionUri } = this.#context;
    await this.#deleting;
    await startChat(extensionUri);
    const { options, ignored, summaryModel } = (this.#settings ??= readSettings());
    for (const { key, why } of ignored) this.#log.warn(`${key} has no effect. ${why}`);
    const transcript = this.transcriptOf(id);
    const limits = this.model ? limitsOf(this.model) : this.newest.limits;
    let talk: Talk | undefined;
    const hooks: CompactHooks = { preCompact: () => (talk?.isHeld ? { skip: true } : undefined) };
    const llm: Llm = async (request, context) => (await this.#writer(summaryModel))(request, context);
    const conversation: Conversation<Message> = await openConversation<Message>({
      ...options,
      ...from,
      format: "vscode",
      ...(limits && { model: limits }),
      storage: workspaceStorage(vscode.workspace.fs, this.folderOf(id)),
      hooks,
      compact: {
        ...options.compact,
        transcript: { path: transcript.scheme === "file" ? transcript.fsPath : transcript.toString() },
      },
      search: async () => {
        await startSearch(extensionUri);
        return import("espalier/search");
      },
      ...(summaryModel !== "rules" && { llm }),
    });
    conversation.on("*", (event) => {
      if (event.type === "warning") this.#log.warn(event.message);
      if (event.type === "compaction_complete" && event.success && talk) talk.isHeld = false;
    });
    return (talk = new Talk(id, conversation));
  }

  /** Returns the function that writes summaries. */
  async #writer(name: string): Promise<Llm> {
    let model = this.model;
    if (name !== "") {
      const models = await vscode.lm.selectChatModels();
      const named = models.find(({ id, family }) => id === name || family === name);
      if (named) model = named;
      else this.#log.warn(`espalier.compaction.model: there is no model "${name}"; the chat's own writes the summary.`);
    }
    if (!model) throw new Error("no model has been picked yet");
    return languageModel({ model, api: vscode }).llm;
  }
}
