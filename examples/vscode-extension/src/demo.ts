/**
 * A demonstration model, so that the extension can be tried without a language model: its window is small, its answers
 * describe the request that it got, and its summaries are made of first sentences.
 */

import * as vscode from "vscode";
import { tokens } from "./notes.ts";
import { textOf } from "./transcript.ts";

export const DEMO_VENDOR = "espalier-demo";
const WINDOW = 4_000;
const ANSWER = 1_000;
/** Characters of a token, about; and of a line in a summary. */
const CHARACTERS = 4;
const LINE = 160;
/** Milliseconds between two pieces of some words. */
const PAUSE = 12;

const LESSONS = [
  "Every message, yours and mine, is stored in the workspace. What is sent is a view of it that fits the window.",
  "When the window fills up, a summary replaces the oldest messages. The chat says so, and shows what is sent.",
  "`/undo` takes the newest summary back. It says how many tokens the next request then needs.",
  "`/pin` keeps words, or the newest answer, through every summary. `/context` draws what takes the window.",
  "A retry, an edited question or a restored checkpoint rewinds the conversation; nothing is sent twice.",
  "Pick another language model at any time: the conversation continues with it, within its window.",
];

export class DemoModel implements vscode.LanguageModelChatProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;
  readonly #subscriptions: vscode.Disposable[] = [];
  #isOffered: boolean;

  constructor() {
    this.#isOffered = setting() === "on";
    this.#subscriptions.push(
      this.#changed,
      vscode.lm.registerLanguageModelChatProvider(DEMO_VENDOR, this),
      vscode.lm.onDidChangeChatModels(() => void this.#decide()),
      vscode.workspace.onDidChangeConfiguration(
        (change) => change.affectsConfiguration("espalier.demoModel") && void this.#decide(),
      ),
    );
    void this.#decide();
  }

  provideLanguageModelChatInformation(): vscode.LanguageModelChatInformation[] {
    if (!this.#isOffered) return [];
    return [
      {
        id: "espalier-demo",
        name: "Espalier Demo",
        family: "espalier-demo",
        version: "1",
        detail: "no language model",
        tooltip: "Answers by rules, to try the extension. Its window is 4,000 tokens.",
        maxInputTokens: WINDOW,
        maxOutputTokens: ANSWER,
        capabilities: {},
        // Shown in the picker although it is no model of Copilot; not in the types of the stable API.
        ...{ isUserSelectable: true },
      },
    ];
  }

  async provideLanguageModelChatResponse(
    _model: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    _options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const texts = messages.map(textOf);
    const last = texts.at(-1) ?? "";
    const isSummary = last.includes("<summary>") || /write the record of this history/i.test(last);
    const answer = isSummary ? summaryOf(texts) : answerOf(texts, last);
    for (const [words] of answer.matchAll(/(?:\S+\s*){1,6}/g)) {
      if (token.isCancellationRequested) return;
      progress.report(new vscode.LanguageModelTextPart(words));
      if (!isSummary) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  async provideTokenCount(
    _model: vscode.LanguageModelChatInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    return Math.ceil((typeof text === "string" ? text : textOf(text)).length / CHARACTERS);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Offers the model by the setting, and by default if there is no other one. */
  async #decide(): Promise<void> {
    const wanted = setting();
    const others =
      wanted === "auto" ? (await vscode.lm.selectChatModels()).filter(({ vendor }) => vendor !== DEMO_VENDOR) : [];
    const isOffered = wanted === "on" || (wanted === "auto" && others.length === 0);
    if (isOffered === this.#isOffered) return;
    this.#isOffered = isOffered;
    this.#changed.fire();
  }
}

const setting = () => vscode.workspace.getConfiguration("espalier").get<string>("demoModel", "auto");

function answerOf(texts: readonly string[], last: string): string {
  const size = texts.reduce((sum, text) => sum + text.length, 0) / CHARACTERS;
  const summaries = texts.filter((text) => text.includes("<conversation-summary")).length;
  const lesson = LESSONS[texts.length % LESSONS.length]!;
  const question = last.trim().slice(0, LINE);
  return [
    `I am the demonstration model: no language model is installed, so I only describe what I get. You asked: “${question}”.`,
    `This request has ${texts.length} ${texts.length === 1 ? "message" : "messages"}, about ${tokens(Math.round(size))} of ${tokens(WINDOW)} tokens${summaries > 0 ? `, ${summaries} of them a summary of what came before` : ""}.`,
    lesson,
    ...LESSONS.filter((other) => other !== lesson).slice(0, 3),
    "Keep asking, and watch the meter in the status bar.",
  ].join("\n\n");
}

/** Writes a summary in the form that compactions ask for: a section for each name, with the first sentences. */
function summaryOf(texts: readonly string[]): string {
  const lines = texts
    .slice(0, -1)
    .concat(quoted(texts.at(-1) ?? ""))
    .map((text) => text.replace(/\s+/g, " ").trim());
  const told = lines.filter((line) => line !== "").map((line) => `- ${line.slice(0, LINE)}`);
  const sections: [string, string][] = [
    ["Conversation Overview", told.slice(0, 12).join("\n")],
    ["Technical Foundation", "The demonstration model of Espalier, without a language model."],
    ["Codebase Status", "Nothing was changed."],
    ["Problem Resolution", "No problems were reported."],
    ["Progress Tracking", told.slice(-6).join("\n")],
    ["Active Work State", "The user tries the extension."],
    ["Recent Operations", "Questions were answered."],
    ["Continuation Plan", "Answer the next question."],
  ];
  return `<summary>\n${sections.map(([name, text]) => `## ${name}\n${text || "Nothing yet."}`).join("\n")}\n</summary>`;
}

/** Returns the messages that a request for a summary quotes. */
function quoted(text: string): string[] {
  return [...text.matchAll(/<message [^>]*>([^]*?)<\/message>/g)].map(([, content]) => content ?? "");
}
