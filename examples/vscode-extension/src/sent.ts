/** Shows what the model gets: a page beside the chat that follows its conversation. */

import { countMessages } from "espalier";
import type { LogEditRow } from "espalier/log";
import * as vscode from "vscode";
import type { Conversations } from "./conversations.ts";
import { pageOf } from "./sent-page.ts";
import type { SentPage, ShownMessage } from "./sent-page.ts";
import type { Message, Talk } from "./talk.ts";
import { roleOf, textOf } from "./transcript.ts";

/** Max originals of one change that the page shows. */
const MAX_ORIGINALS = 300;

/** Rules in words; others keep their name. */
const RULES: Record<string, string> = {
  summary: "Summary",
  clear: "Old result",
  "clear-arguments": "Old arguments",
  "same-result": "Same result",
  "repeated-read": "Read again",
  "edited-read": "Outdated read",
  "failed-attempt": "Failed attempt",
  "capped-result": "Long result",
  reasoning: "Reasoning",
  media: "Picture",
};
const TRIGGERS: Record<string, string> = {
  manual: "You asked for it.",
  range: "You asked for it.",
  threshold: "The window was filling up.",
  overflow: "The request did not fit.",
  provider_error: "The model refused the request as too large.",
  model_switch: "The new model has a smaller window.",
};

export class SentPanel implements vscode.Disposable {
  readonly #conversations: Conversations;
  readonly #media: vscode.Uri;
  #panel: vscode.WebviewPanel | undefined;
  #shown: string | undefined;

  constructor(conversations: Conversations, extension: vscode.Uri) {
    this.#conversations = conversations;
    this.#media = vscode.Uri.joinPath(extension, "media");
  }

  /** Shows the conversation with this id. */
  async show(id: string): Promise<void> {
    const talk = await this.#conversations.find(id);
    if (!talk) {
      void vscode.window.showWarningMessage("This conversation is not stored any more.");
      return;
    }
    this.#shown = id;
    if (!this.#panel) {
      const column = { viewColumn: vscode.ViewColumn.Active, preserveFocus: false };
      const options = { enableScripts: false, enableFindWidget: true, localResourceRoots: [this.#media] };
      this.#panel = vscode.window.createWebviewPanel("espalier.sent", "What Is Sent", column, options);
      this.#panel.onDidDispose(() => (this.#panel = undefined));
    }
    this.#draw(talk);
    this.#panel.reveal();
  }

  /** Draws the page again if it shows this conversation. */
  follow(talk: Talk): void {
    if (this.#shown === talk.id) this.#draw(talk);
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #draw(talk: Talk): void {
    const webview = this.#panel?.webview;
    if (!webview) return;
    const style = webview.asWebviewUri(vscode.Uri.joinPath(this.#media, "sent.css"));
    webview.html = pageOf(
      describe(talk, this.#conversations.model?.name ?? "the model"),
      style.toString(),
      webview.cspSource,
    );
  }
}

/** Describes the newest request of a conversation; before the first one, the next. */
export function describe(talk: Talk, model: string): SentPage {
  const { conversation, sent } = talk;
  const view = conversation.view();
  const messages = sent?.messages ?? view.messages;
  const usage = sent?.report.usage ?? conversation.usage();
  const originals = new Set<unknown>(conversation.log.originalsFrom(0));
  const { split } = sent ?? view;
  const kinds: [string, string, number][] = [
    ["inserted", "Summaries", split.inserted],
    ["user", "Your messages", split.user],
    ["assistant", "Answers", split.assistant],
    ["tool", "Tool results", split.tool],
    ["frame", "Overhead", split.frame],
    ["tools", "Tools", split.tools],
  ];
  return {
    model: sent?.model ?? model,
    used: usage.used,
    limit: usage.limit,
    isSent: sent !== undefined,
    split: kinds.filter(([, , tokens]) => tokens > 0).map(([kind, name, tokens]) => ({ kind, name, tokens })),
    messages: shown(messages, (message, text) => {
      if (originals.has(message)) return undefined;
      return text.includes("<conversation-summary") ? "summary" : "changed";
    }),
    changes: talk
      .edits()
      .toReversed()
      .map((edit) => changeOf(talk, edit)),
    left: (sent?.report.trimmed ?? []).map(({ why, tokens, ids }) => ({ why, tokens, messages: ids.length })),
    tools: sent?.tools ?? [],
    pins: conversation.pins().map(({ fact, text, message }) => fact ?? text ?? `Message ${message}`),
  };
}

function shown(messages: readonly Message[], fateOf?: (message: Message, text: string) => string | undefined) {
  const { perMessage } = countMessages(messages, { format: "vscode", encoding: "o200k_base" });
  return messages.map((message, at): ShownMessage => {
    const text = textOf(message);
    const fate = fateOf?.(message, text);
    return { role: roleOf(message), tokens: perMessage[at]?.tokens ?? 0, text, ...(fate !== undefined && { fate }) };
  });
}

function changeOf({ conversation }: Talk, edit: LogEditRow) {
  const { id, rule, kind, trigger, author, tokensBefore: before, tokensAfter: after } = edit;
  const originals = shown(
    conversation
      .recall(id)
      .slice(0, MAX_ORIGINALS)
      .map(({ message }) => message),
  );
  const writer =
    kind !== "replace_range" ? "" : author === "model" ? "The model wrote the summary." : "Rules wrote the summary.";
  const cause = trigger === undefined ? "" : (TRIGGERS[trigger] ?? `Trigger: ${trigger}.`);
  return { title: RULES[rule] ?? rule, why: `${cause} ${writer}`.trim(), before, after, originals };
}
