/** The commands about a conversation: of buttons in the chat, with its id; of the palette, for the newest one. */

import * as vscode from "vscode";
import type { Conversations } from "./conversations.ts";
import { messageOf } from "./errors.ts";
import { COMMANDS, undoneText } from "./notes.ts";
import { pickHit } from "./search.ts";
import type { WorkspaceSearch } from "./search.ts";
import type { SentPanel } from "./sent.ts";
import type { Talk } from "./talk.ts";
import { transcript, writeTranscript } from "./transcript.ts";

/** Max characters of a question that names its chat. */
const MAX_NAME = 60;

export interface CommandHosts {
  conversations: Conversations;
  panel: SentPanel;
  search: WorkspaceSearch;
  changed(talk: Talk): void;
}

/** Functions by the name of their command. */
export type Commands = Record<(typeof COMMANDS)[keyof typeof COMMANDS], (...args: any[]) => unknown>;

export function commandsOf(hosts: CommandHosts): Commands {
  const { conversations, panel, search, changed } = hosts;
  const about =
    (run: (talk: Talk, ...rest: never[]) => unknown) =>
    async (id = conversations.newest.id, ...rest: unknown[]) => {
      try {
        const talk = id === undefined ? undefined : await conversations.find(id);
        if (talk) return await run(talk, ...(rest as never[]));
        void vscode.window.showInformationMessage("There is no conversation yet. Ask @days something in the chat.");
      } catch (error) {
        void vscode.window.showErrorMessage(`Espalier: ${messageOf(error)}`);
      }
      return undefined;
    };
  return {
    [COMMANDS.search]: (query?: string) => pickHit(search, query),
    [COMMANDS.showSent]: about((talk) => panel.show(talk.id)),
    [COMMANDS.undo]: about(async (talk, plan?: string) => {
      if (talk.isBusy) throw new Error("The chat is answering; undo when it has finished.");
      if (talk.isTaken)
        throw new Error("Another window continues this conversation. Type /undo in this window's chat.");
      const which = plan === undefined ? nameOf(talk) : "";
      const text = `${undoneText(talk.undo(plan), plan)}${which}`;
      await talk.conversation.flush();
      changed(talk);
      void vscode.window.showInformationMessage(text.replaceAll("`", ""));
    }),
    [COMMANDS.unpin]: about(async (talk, pin: string) => {
      if (!talk.conversation.pins().some(({ id }) => id === pin)) return;
      if (talk.isTaken) throw new Error("Another window continues this conversation. Ask something in this one first.");
      talk.conversation.unpin(pin);
      await talk.conversation.flush();
      changed(talk);
      void vscode.window.showInformationMessage("Unpinned.");
    }),
    [COMMANDS.export]: about(exportConversation),
    [COMMANDS.transcript]: about(async (talk) => {
      const file = conversations.transcriptOf(talk.id);
      await writeTranscript(talk, file);
      await vscode.window.showTextDocument(file);
    }),
  };
}

/** Says which chat is meant, by its newest request: the palette may be opened while another chat is shown. */
function nameOf({ turns: { current } }: Talk): string {
  if (!current) return "";
  const { command, prompt } = current;
  const request = command === undefined ? prompt : `/${command} ${prompt}`.trim();
  const name = request.length > MAX_NAME ? `${request.slice(0, MAX_NAME)}…` : request;
  return ` This is about the chat that ends with “${name}”.`;
}

/** Saves a conversation as Markdown to read, or as the log (JSON lines) that the library opens again. */
async function exportConversation(talk: Talk, to?: vscode.Uri): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target =
    to ??
    (await vscode.window.showSaveDialog({
      title: "Export Conversation",
      filters: { Markdown: ["md"], "Espalier log": ["jsonl"] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, "conversation.md") }),
    }));
  if (!target) return undefined;
  const text = target.path.endsWith(".jsonl") ? talk.conversation.log.export() : transcript(talk);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  if (to === undefined) await vscode.window.showTextDocument(target);
  return target;
}
