/**
 * Raw messages in the form of VS Code's language model API: texts, calls and results; pictures, documents and marks have no place there.
 * That API knows no system messages, so they are sent as the user's: instructions that silently vanish would be worse.
 */

import { vscodeClasses } from "../../adapters/vscode-classes.ts";
import { ChatRole } from "./raw.ts";
import { textOf } from "./text.ts";
import type { ChatMessage, ChatMessageToolCall } from "./raw.ts";
import type { LanguageModelChatMessage } from "../host-types.ts";

/** One message; undefined for a role that nobody knows. */
export function vscodeMessage(message: ChatMessage): LanguageModelChatMessage | undefined {
  const vscode = vscodeClasses();
  const text = textOf(message.content);
  switch (message.role) {
    case ChatRole.System:
    case ChatRole.User:
      return vscode.LanguageModelChatMessage.User(text, message.name) as LanguageModelChatMessage;
    case ChatRole.Assistant: {
      const made = vscode.LanguageModelChatMessage.Assistant(text, message.name) as LanguageModelChatMessage;
      if (message.toolCalls) {
        const calls = message.toolCalls.map((call) => new vscode.LanguageModelToolCallPart(call.id, call.function.name, input(call)));
        made.content = [new vscode.LanguageModelTextPart(text), ...calls] as LanguageModelChatMessage["content"];
      }
      return made;
    }
    case ChatRole.Tool: {
      const made = vscode.LanguageModelChatMessage.User("") as LanguageModelChatMessage;
      made.content = [new vscode.LanguageModelToolResultPart(message.toolCallId, [new vscode.LanguageModelTextPart(text)])] as LanguageModelChatMessage["content"];
      return made;
    }
    default:
      return undefined;
  }
}

/** The arguments as the object that VS Code wants. */
function input(call: ChatMessageToolCall): object {
  try {
    return JSON.parse(call.function.arguments) as object;
  } catch (cause) {
    throw new Error(`Invalid JSON in tool call arguments for tool call: ${call.id}`, { cause });
  }
}
