/** The files, selections and texts that the user attached to a question, as messages. */

import { truncate } from "espalier";
import * as vscode from "vscode";
import { messageOf } from "./errors.ts";
import type { Message } from "./talk.ts";

/** Returns a message for each attachment, with at most `maxTokens` tokens of its text. */
export async function attached(
  references: readonly vscode.ChatPromptReference[],
  maxTokens: number,
): Promise<Message[]> {
  const messages: Message[] = [];
  for (const { value, modelDescription, id } of references) {
    const read = await textOf(value);
    if (!read) continue;
    const { text } = truncate(read.text, { maxTokens });
    const name = read.name ?? modelDescription ?? id;
    messages.push(
      vscode.LanguageModelChatMessage.User(`<attachment name=${JSON.stringify(name)}>\n${text}\n</attachment>`),
    );
  }
  return messages;
}

async function textOf(value: unknown): Promise<{ text: string; name?: string } | undefined> {
  if (typeof value === "string") return { text: value };
  const location = value instanceof vscode.Location ? value : undefined;
  const uri = location?.uri ?? (value instanceof vscode.Uri ? value : undefined);
  if (!uri) return undefined;
  const name = vscode.workspace.asRelativePath(uri);
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const { range } = location ?? {};
    const lines = range ? `:${range.start.line + 1}-${range.end.line + 1}` : "";
    return { text: document.getText(range), name: name + lines };
  } catch (error) {
    return { text: `(It could not be read: ${messageOf(error)})`, name };
  }
}
