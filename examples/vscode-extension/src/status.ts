/** The status bar's meter: how full the next request of the newest conversation is. */

import * as vscode from "vscode";
import { bar, COMMANDS, tokens } from "./notes.ts";
import type { Talk } from "./talk.ts";

/** Shares of the window from which the meter warns. */
const WARNING = 0.9;
const TOOLTIP_BAR = 20;

export class StatusMeter implements vscode.Disposable {
  #item: vscode.StatusBarItem | undefined;

  /** Shows a conversation. The item is made when there is something to show. */
  show(talk: Talk): void {
    if (!vscode.workspace.getConfiguration("espalier").get("statusBar", true)) return this.dispose();
    const { used, limit, ratio, job } = talk.conversation.usage();
    const percent = `${Math.round(100 * ratio)} %`;
    this.#item ??= vscode.window.createStatusBarItem("espalier.meter", vscode.StatusBarAlignment.Right, 100);
    this.#item.name = "Espalier: Context";
    this.#item.text = `$(${job === "running" ? "sync~spin" : "layers"}) ${percent}`;
    this.#item.tooltip = new vscode.MarkdownString(
      [
        `**Next request: ${tokens(used)} of ${tokens(limit)} tokens**`,
        `\`${bar(ratio, TOOLTIP_BAR).padEnd(TOOLTIP_BAR, "░")}\` ${percent}`,
        job === "running" ? "A summary is being written beside the chat." : "",
        talk.isHeld ? "The newest compaction was undone; nothing is compacted while everything fits." : "",
        "Click to see what is sent.",
      ]
        .filter((line) => line !== "")
        .join("\n\n"),
    );
    this.#item.accessibilityInformation = { label: `Next chat request: ${percent} of the window`, role: "button" };
    this.#item.backgroundColor =
      ratio >= WARNING ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.#item.command = { command: COMMANDS.showSent, title: "Show what is sent", arguments: [talk.id] };
    this.#item.show();
  }

  dispose(): void {
    this.#item?.dispose();
    this.#item = undefined;
  }
}
