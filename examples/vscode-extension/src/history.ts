/** Reads the history of a chat request: which conversation it belongs to, and up to which turn. */

import type * as vscode from "vscode";

/** The participant's id, as in package.json. */
export const PARTICIPANT = "espalier.days";

/**
 * What VS Code keeps for us beside each answer (`ChatResult.metadata`) and returns with the history: the conversation,
 * and the turn in it. VS Code's API names no chat session, so the mark identifies the session.
 */
export interface Mark {
  conversation: string;
  turn: string;
}

/** A request and its answer. */
export interface Exchange {
  prompt: string;
  command?: string;
  participant: string;
  /** The text of the answer. */
  answer: string;
  /** Absent for other participants, and if VS Code dropped the result of a cancelled request. */
  mark?: Mark;
}

export const isOurs = ({ participant }: Exchange) => participant === PARTICIPANT;

/** Metadata may come from an imported chat, and the ids become names of folders. */
const ID = /^[\w-]{1,64}$/;

/** Returns the exchanges of a history, oldest first. */
export function exchangesOf(history: vscode.ChatContext["history"]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const turn of history) {
    if ("prompt" in turn) {
      const { prompt, command, participant } = turn;
      exchanges.push({ prompt, participant, answer: "", ...(command && { command }) });
      continue;
    }
    const exchange = exchanges.at(-1);
    if (!exchange) continue;
    const mark = isOurs(exchange) ? markOf(turn.result) : undefined;
    exchange.answer = textOf(turn.response);
    if (mark) exchange.mark = mark;
  }
  return exchanges;
}

export function resultOf(mark: Mark, more: vscode.ChatResult = {}): vscode.ChatResult {
  return { ...more, metadata: { espalier: mark } };
}

function markOf(result: vscode.ChatResult | undefined): Mark | undefined {
  const { conversation, turn } = (result?.metadata?.["espalier"] ?? {}) as Partial<Mark>;
  if (typeof conversation !== "string" || typeof turn !== "string") return undefined;
  return ID.test(conversation) && ID.test(turn) ? { conversation, turn } : undefined;
}

function textOf(parts: vscode.ChatResponseTurn["response"]): string {
  return parts
    .map((part) => {
      const value: unknown = part.value;
      return typeof value === "object" && value !== null && "value" in value ? String(value.value) : "";
    })
    .join("");
}
