/** The commands about a conversation: of buttons in the chat, with its id; of the palette, for the newest one. */

import * as vscode from "vscode";
import type { Conversations } from "./conversations.ts";
import { messageOf } from "./errors.ts";
import { COMMANDS, undoneText } from "./notes.ts";
import type { SentPanel } from "./sent.ts";
import type { Talk } from "./talk.ts";
import { transcript, writeTranscript } from "./transcript.ts";

/** Max characters of a question that names its chat. */
const MAX_NAME = 60;

export interface CommandHosts {
  conversations: Conversations;
  panel: SentPanel;
  changed(talk: Talk): void;
}

export function registerCommands(hosts: CommandHosts): vscode.Disposable {
  const { conversations, panel, changed } = hosts;
  const register = (name: string, run: (talk: Talk, ...rest: never[]) => unknown) =>
    vscode.commands.registerCommand(name, async (id = conversations.newest.id, ...rest: unknown[]) => {
      try {
        const talk = id === undefined ? undefined : await conversations.find(id);
        if (talk) return await run(talk, ...(rest as never[]));
        void vscode.window.showInformationMessage("There is no conversation yet. Ask @days something in the chat.");
      } catch (error) {
        void vscode.window.showErrorMessage(`Espalier: ${messageOf(error)}`);
      }
      return undefined;
    });
  return vscode.Disposable.from(
    register(COMMANDS.showSent, (talk) => panel.show(talk.id)),
    register(COMMANDS.undo, async (talk, plan?: string) => {
      if (talk.isBusy) throw new Error("The chat is answering; undo when it has finished.");
      if (talk.isTaken)
        throw new Error("Another window continues this conversation. Type /undo in this window's chat.");
      const which = plan === undefined ? nameOf(talk) : "";
      const text = `${undoneText(talk.undo(plan), plan)}${which}`;
      await talk.conversation.flush();
      changed(talk);
      void vscode.window.showInformationMessage(text.replaceAll("`", ""));
    }),
    register(COMMANDS.unpin, async (talk, pin: string) => {
      if (!talk.conversation.pins().some(({ id }) => id === pin)) return;
      if (talk.isTaken) throw new Error("Another window continues this conversation. Ask something in this one first.");
      talk.conversation.unpin(pin);
      await talk.conversation.flush();
      changed(talk);
      void vscode.window.showInformationMessage("Unpinned.");
    }),
    register(COMMANDS.export, exportConversation),
    register("espalier.openTranscript", async (talk) => {
      const file = conversations.transcriptOf(talk.id);
      await writeTranscript(talk, file);
      await vscode.window.showTextDocument(file);
    }),
    vscode.commands.registerCommand("espalier.openChat", () =>
      vscode.commands.executeCommand("workbench.action.chat.open", { query: "@days ", isPartialQuery: true }),
    ),
  );
}

/** Says which chat is meant, by its newest request: the palette may be opened while another chat is shown. */
function nameOf({ turns: { current } }: Talk): string {
  if (!current) return "";
  const { command, prompt } = current;
  const request = command === undefined ? prompt : `/${command} ${prompt}`.trim();
  return ` This is about the chat that ends with “${request.length > MAX_NAME ? `${request.slice(0, MAX_NAME)}…` : request}”.`;
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
