/** The conversation as Markdown: for a file to look things up in, and for export. */

import * as vscode from "vscode";
import type { Message, Talk } from "./talk.ts";

/** Returns the texts, calls and results of a message. */
export function textOf({ content }: { content: readonly unknown[] }): string {
  return content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (part instanceof vscode.LanguageModelToolCallPart) return `[calls ${part.name} ${JSON.stringify(part.input)}]`;
      if (part instanceof vscode.LanguageModelToolResultPart) return `[result]\n${textOf(part)}`;
      const { mimeType } = part as { mimeType?: unknown };
      return typeof mimeType === "string" ? `[${mimeType}]` : "";
    })
    .join("\n");
}

/** Returns who speaks. In VS Code, results of tools are messages of the user. */
export function roleOf({ role, content }: Message): string {
  if (content.some((part) => part instanceof vscode.LanguageModelToolResultPart)) return "Tool result";
  return role === vscode.LanguageModelChatMessageRole.Assistant ? "Assistant" : "User";
}

/** Returns all messages in order, also those that summaries replaced and those that a retry left behind. */
export function transcript({ conversation: { log } }: Talk): string {
  return log
    .originalsFrom(0)
    .map((message, at) => `## ${roleOf(message)} (m${at})\n\n${textOf(message)}\n`)
    .join("\n");
}

/** Writes the transcript once a summary refers to it. A failure is not worth an error: the log has everything. */
export async function writeTranscript(talk: Talk, file: vscode.Uri): Promise<void> {
  if (!talk.isCompacted) return;
  try {
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(transcript(talk)));
  } catch (error) {
    console.warn("espalier: the transcript cannot be written", error);
  }
}
