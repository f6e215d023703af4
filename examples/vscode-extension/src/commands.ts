/** The commands about a conversation: of buttons in the chat, with its id; of the palette, for the newest one. */

import * as vscode from "vscode";
import type { Conversations } from "./conversations.ts";
import { messageOf } from "./errors.ts";
import { COMMANDS, undoneText } from "./notes.ts";
import type { SentPanel } from "./sent.ts";
import type { Talk } from "./talk.ts";
import { transcript, writeTranscript } from "./transcript.ts";

export interface CommandHosts {
  conversations: Conversations;
  panel: SentPanel;
  /** Id of the conversation of the newest request. */
  newest(): string | undefined;
  changed(talk: Talk): void;
}

export function registerCommands(hosts: CommandHosts): vscode.Disposable {
  const { conversations, panel, newest, changed } = hosts;
  const register = (name: string, run: (talk: Talk, ...rest: never[]) => unknown) =>
    vscode.commands.registerCommand(name, async (id: string | undefined = newest(), ...rest: unknown[]) => {
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
      const text = undoneText(talk.undo(plan), plan);
      await talk.conversation.flush();
      changed(talk);
      void vscode.window.showInformationMessage(text.replaceAll("`", ""));
    }),
    register(COMMANDS.unpin, async (talk, pin: string) => {
      if (!talk.conversation.pins().some(({ id }) => id === pin)) return;
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
