/** A scripted language model, registered like any provider's. */

import { count } from "espalier/inline";
import * as vscode from "vscode";

export const VENDOR = "espalier-host";

/** One request as the provider receives it. */
export interface Asked {
  messages: readonly vscode.LanguageModelChatRequestMessage[];
  options: vscode.ProvideLanguageModelChatResponseOptions;
  token: vscode.CancellationToken;
  say(...parts: vscode.LanguageModelResponsePart[]): void;
}

export class ScriptedModel implements vscode.LanguageModelChatProvider {
  readonly asked: Asked[] = [];
  /** Answers the next requests. */
  answer: (asked: Asked) => Promise<void> | void = ({ say }) => say(new vscode.LanguageModelTextPart("yes"));

  provideLanguageModelChatInformation(): vscode.LanguageModelChatInformation[] {
    return [
      {
        id: "scripted",
        name: "Scripted",
        family: "gpt-4o",
        version: "1",
        maxInputTokens: 4_000,
        maxOutputTokens: 1_000,
        capabilities: { toolCalling: true, imageInput: true },
      },
    ];
  }

  async provideLanguageModelChatResponse(
    _model: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const asked: Asked = {
      messages,
      options,
      token,
      say: (...parts) => parts.forEach((part) => progress.report(part)),
    };
    this.asked.push(asked);
    await this.answer(asked);
  }

  async provideTokenCount(
    _model: vscode.LanguageModelChatInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    return count(typeof text === "string" ? text : textOf(text));
  }

  /** The last request, as text. */
  get heard(): string {
    return this.asked.at(-1)?.messages.map(textOf).join("\n") ?? "";
  }
}

export function textOf(message: { content: readonly unknown[] }): string {
  return message.content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (part instanceof vscode.LanguageModelToolResultPart) return textOf(part);
      return "";
    })
    .join("");
}

/** Registers a model and waits until VS Code lists it. */
export async function registered(
  context: vscode.ExtensionContext,
): Promise<{ scripted: ScriptedModel; model: vscode.LanguageModelChat }> {
  const scripted = new ScriptedModel();
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider(VENDOR, scripted));
  for (let tries = 0; tries < 100; tries += 1) {
    const [model] = await vscode.lm.selectChatModels({ vendor: VENDOR });
    if (model) return { scripted, model };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the registered model never became known");
}
