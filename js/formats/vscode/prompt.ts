/**
 * Raw messages in the form of VS Code's language model API. Text, calls and results have a class of VS Code; so have
 * pictures given as data, since VS Code 1.106 (`LanguageModelDataPart`). Pictures by address, documents and cache marks
 * are left out. The API has no system role, so system messages are sent as the user's: the reference drops them without
 * notice.
 */

import { EspalierError } from "../../errors/errors.ts";
import { vscodeClasses } from "./classes.ts";
import type { VSCodeClasses } from "./classes.ts";
import { ChatCompletionContentPartKind, ChatRole } from "../raw/prompt.ts";
import { messagesAlone, textOf } from "../prompt.ts";
import type { PromptFormat } from "../prompt.ts";
import type { ChatCompletionContentPart, ChatMessage, ChatMessageToolCall } from "../raw/prompt.ts";
import type { LanguageModelChatMessage } from "../../prompt/host-types.ts";

type Content = LanguageModelChatMessage["content"];

/**
 * Converts one message; undefined for a role that does not exist.
 *
 * @param index its place in a list, for errors
 * @throws EspalierError `bad_input` for arguments of a call that are no JSON
 */
export function vscodeMessage(message: ChatMessage, index?: number): LanguageModelChatMessage | undefined {
  const vscode = vscodeClasses();
  const text = textOf(message.content);
  switch (message.role) {
    case ChatRole.System:
      return vscode.LanguageModelChatMessage.User(text, message.name) as LanguageModelChatMessage;
    case ChatRole.User: {
      const made = vscode.LanguageModelChatMessage.User(text, message.name) as LanguageModelChatMessage;
      const mixed = withPictures(message.content, vscode);
      if (mixed) made.content = mixed as Content;
      return made;
    }
    case ChatRole.Assistant: {
      const made = vscode.LanguageModelChatMessage.Assistant(text, message.name) as LanguageModelChatMessage;
      if (message.toolCalls) {
        const place = index === undefined ? "" : `messages[${index}].`;
        const calls = message.toolCalls.map((call, at) => {
          const given = input(call, `${place}toolCalls[${at}].function.arguments`);
          return new vscode.LanguageModelToolCallPart(call.id, call.function.name, given);
        });
        made.content = [new vscode.LanguageModelTextPart(text), ...calls] as Content;
      }
      return made;
    }
    case ChatRole.Tool: {
      const made = vscode.LanguageModelChatMessage.User("") as LanguageModelChatMessage;
      const content = withPictures(message.content, vscode) ?? [new vscode.LanguageModelTextPart(text)];
      made.content = [new vscode.LanguageModelToolResultPart(message.toolCallId, content)] as Content;
      return made;
    }
    default:
      return undefined;
  }
}

/** The mode that the core counts for: whether this VS Code takes pictures. */
export function vscodeMode(): "vscode" | "vscodeData" {
  return vscodeClasses().LanguageModelDataPart ? "vscodeData" : "vscode";
}

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** Text and pictures in order, adjacent texts joined; undefined if there is no picture that can be sent. */
function withPictures(content: readonly ChatCompletionContentPart[], vscode: VSCodeClasses): unknown[] | undefined {
  const { LanguageModelDataPart: DataPart, LanguageModelTextPart: TextPart } = vscode;
  if (!DataPart) return undefined;
  const parts: unknown[] = [];
  let text = "";
  let pictures = 0;
  const flush = () => {
    if (text) parts.push(new TextPart(text));
    text = "";
  };
  for (const part of content) {
    if (part.type === ChatCompletionContentPartKind.Text) text += part.text;
    if (part.type !== ChatCompletionContentPartKind.Image) continue;
    const [, type = "", data] = DATA_URL.exec(part.imageUrl.url) ?? [];
    const bytes = data === undefined ? undefined : bytesOf(data);
    if (!bytes) continue;
    flush();
    parts.push(new DataPart(bytes, part.imageUrl.mediaType ?? type));
    pictures += 1;
  }
  flush();
  return pictures > 0 ? parts : undefined;
}

/** Undefined for what is no base64. */
function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** The arguments as the object that VS Code wants. */
function input(call: ChatMessageToolCall, path: string): object {
  try {
    return JSON.parse(call.function.arguments) as object;
  } catch (cause) {
    const message = `Invalid JSON in tool call arguments for tool call: ${call.id}`;
    throw new EspalierError({ code: "bad_input", message, path, cause });
  }
}

export const vscodePrompt: PromptFormat<{ messages: any[] }> = {
  mode: vscodeMode,
  write: (messages) => ({
    system: [],
    messages: messages.flatMap((message, index) => vscodeMessage(message, index) ?? []),
  }),
  request: messagesAlone,
};
