/** All that the extension does once it is used: the parts, and who tells whom of a change. */

import * as vscode from "vscode";
import { commandsOf } from "./commands.ts";
import type { Commands } from "./commands.ts";
import { Completions } from "./completions.ts";
import { Conversations, limitsOf } from "./conversations.ts";
import { Participant } from "./participant.ts";
import { WorkspaceSearch } from "./search.ts";
import { SentPanel } from "./sent.ts";
import { StatusMeter } from "./status.ts";
import type { Talk } from "./talk.ts";

export class Days implements vscode.Disposable {
  readonly handler: vscode.ChatRequestHandler;
  readonly commands: Commands;
  readonly conversations: Conversations;
  readonly search: WorkspaceSearch;
  readonly completions: Completions;
  readonly #parts: vscode.Disposable;

  constructor(context: vscode.ExtensionContext) {
    const log = vscode.window.createOutputChannel("Espalier", { log: true });
    const search = (this.search = new WorkspaceSearch(context));
    const conversations = (this.conversations = new Conversations(context, log));
    this.completions = new Completions(context);
    const participant = new Participant(conversations, search);
    const meter = new StatusMeter();
    const panel = new SentPanel(conversations, context.extensionUri);
    let newest: Talk | undefined;
    const changed = (talk: Talk) => {
      newest = talk;
      const { model } = conversations;
      conversations.newest.note({ id: talk.id, ...(model && { limits: limitsOf(model) }) });
      meter.show(talk);
      panel.follow(talk);
    };
    this.handler = participant.handler;
    this.commands = commandsOf({ conversations, panel, search, changed });
    this.#parts = vscode.Disposable.from(
      log,
      search,
      conversations,
      this.completions,
      meter,
      panel,
      participant.onDidChange(changed),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("espalier.compaction") || change.affectsConfiguration("github.copilot.chat"))
          conversations.settingsChanged();
        if (change.affectsConfiguration("espalier.statusBar") && newest) meter.show(newest);
      }),
    );
  }

  dispose(): void {
    this.#parts.dispose();
  }
}
