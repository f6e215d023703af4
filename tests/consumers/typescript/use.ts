import { compact, count, EspalierError, isEspalierError, openConversation, prune } from "espalier";
import { summarizeDocument } from "espalier/documents";
import { count as counted } from "espalier/count";
import { PromptElement } from "espalier/prompt-tsx";
import "espalier/inline/o200k_base";
import "espalier/grammars/typescript";

interface ChatMessage {
  role: "user" | "assistant";
  content: string;
}

const messages: ChatMessage[] = [{ role: "user", content: "Hello" }];
const tokens: number = count("a") + counted("b");
const { messages: kept, report } = prune(messages, { budget: tokens });
const same: ChatMessage[] = kept;
const removed: number = report.removed.length;
void compact(messages, { budget: 100, llm: async ({ messages: asked }) => `<summary>${asked.length}</summary>` });
void summarizeDocument("", { path: "a.ts", budget: 10 }).then(({ text }) => text.length);
void openConversation({ format: "openai-chat", model: "gpt-4o" });
export abstract class Mine extends PromptElement {}

export function needed(error: unknown): number | string {
  if (isEspalierError(error) && error.code === "budget_exceeded") return error.details.needed;
  return error instanceof EspalierError ? error.code : same.length + removed;
}

// @ts-expect-error: a misspelt option is an error of types, too.
prune(messages, { budgett: 1 });
