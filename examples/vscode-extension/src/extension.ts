/**
 * Espalier in an editor: a chat participant that remembers, a search of the workspace, completions with context. The
 * same file runs on the desktop and in VS Code for the web. Activation only registers; engines start on first use.
 */

import * as vscode from "vscode";
import { Completions } from "./completions.ts";
import { Participant } from "./participant.ts";
import { pickHit, WorkspaceSearch } from "./search.ts";

export function activate(context: vscode.ExtensionContext) {
  const search = new WorkspaceSearch(context);
  const participant = new Participant(context, search);
  const completions = new Completions(context);
  context.subscriptions.push(
    search,
    participant,
    completions,
    vscode.chat.createChatParticipant("espalier.days", participant.handler),
    vscode.commands.registerCommand("espalier.searchWorkspace", (query?: string) => pickHit(search, query)),
  );
  return { handler: participant.handler, conversation: () => participant.conversation(), search, completions };
}
