/**
 * Espalier in an editor: a chat participant that remembers, a search of the workspace, completions with context. The
 * same file runs on the desktop and in VS Code for the web. Activation only registers; engines start on first use.
 */

import * as vscode from "vscode";
import { registerCommands } from "./commands.ts";
import { Completions } from "./completions.ts";
import { Conversations, limitsOf } from "./conversations.ts";
import { DemoModel } from "./demo.ts";
import { PARTICIPANT } from "./history.ts";
import { Participant } from "./participant.ts";
import { pickHit, WorkspaceSearch } from "./search.ts";
import { SentPanel } from "./sent.ts";
import { StatusMeter } from "./status.ts";
import type { Talk } from "./talk.ts";

export function activate(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel("Espalier", { log: true });
  const search = new WorkspaceSearch(context);
  const conversations = new Conversations(context, log);
  const participant = new Participant(conversations, search);
  const completions = new Completions(context);
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
  const chat = vscode.chat.createChatParticipant(PARTICIPANT, participant.handler);
  chat.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "icon.png");
  context.subscriptions.push(
    log,
    search,
    conversations,
    completions,
    meter,
    panel,
    chat,
    new DemoModel(),
    participant.onDidChange(changed),
    registerCommands({ conversations, panel, changed }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("espalier.compaction") || change.affectsConfiguration("github.copilot.chat"))
        conversations.settingsChanged();
      if (change.affectsConfiguration("espalier.statusBar") && newest) meter.show(newest);
    }),
    vscode.commands.registerCommand("espalier.searchWorkspace", (query?: string) => pickHit(search, query)),
  );
  return { handler: participant.handler, conversations, search, completions };
}
