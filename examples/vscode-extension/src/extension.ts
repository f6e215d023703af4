/**
 * Espalier in an editor: a chat participant that remembers, a search of the workspace, completions with context. It
 * runs on the desktop and in VS Code for the web. Activation only registers: `days.ts` and the library are loaded on
 * first use, and the engines when they are first asked.
 */

import * as vscode from "vscode";
import { CompletionSwitch } from "./completion-switch.ts";
import type { Days } from "./days.ts";
import { DemoModel } from "./demo.ts";
import { PARTICIPANT } from "./history.ts";
import { COMMANDS } from "./notes.ts";

export function activate(context: vscode.ExtensionContext) {
  let loading: Promise<Days> | undefined;
  const load = () => {
    loading ??= import("./days.ts").then(({ Days }) => {
      const days = new Days(context);
      context.subscriptions.push(days);
      return days;
    });
    return loading;
  };
  const chat = vscode.chat.createChatParticipant(PARTICIPANT, async (...asked) => (await load()).handler(...asked));
  chat.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "icon.png");
  context.subscriptions.push(
    chat,
    new DemoModel(),
    new CompletionSwitch(load, () => loading),
    vscode.commands.registerCommand("espalier.openChat", () =>
      vscode.commands.executeCommand("workbench.action.chat.open", { query: "@days ", isPartialQuery: true }),
    ),
    ...Object.values(COMMANDS).map((name) =>
      vscode.commands.registerCommand(name, async (...args: unknown[]) => (await load()).commands[name](...args)),
    ),
  );
  return { load };
}
