/**
 * Espalier in an editor: a chat participant that remembers, a search of the workspace, completions with context. The
 * same file runs on the desktop and in VS Code for the web. Activation only registers; engines start on first use.
 */

import * as vscode from "vscode";
import { Completions } from "./completions.ts";
import { Conversations } from "./conversations.ts";
import { PARTICIPANT } from "./history.ts";
import { Participant } from "./participant.ts";
import { pickHit, WorkspaceSearch } from "./search.ts";

export function activate(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel("Espalier", { log: true });
  const search = new WorkspaceSearch(context);
  const conversations = new Conversations(context, log);
  const participant = new Participant(conversations, search);
  const completions = new Completions(context);
  const chat = vscode.chat.createChatParticipant(PARTICIPANT, participant.handler);
  chat.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "icon.png");
  context.subscriptions.push(
    log,
    search,
    conversations,
    completions,
    chat,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("espalier.compaction") || change.affectsConfiguration("github.copilot.chat"))
        conversations.settingsChanged();
    }),
    vscode.commands.registerCommand("espalier.searchWorkspace", (query?: string) => pickHit(search, query)),
  );
  return { handler: participant.handler, conversations, search, completions };
}
