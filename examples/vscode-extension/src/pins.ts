/** `/pin`: what every compaction keeps word for word. */

import type * as vscode from "vscode";
import { COMMANDS, tokens } from "./notes.ts";
import type { Talk } from "./talk.ts";

/** Max characters of a pin in the list. */
const SHOWN = 80;

/** Pins the words of the prompt; without words, the newest question and its answer. Then lists all pins. */
export function pin(talk: Talk, prompt: string, response: vscode.ChatResponseStream): void {
  const { conversation } = talk;
  const fact = prompt.trim();
  if (fact !== "") conversation.pin({ fact, reason: "pinned in the chat" });
  else if (!pinNewest(talk)) return response.markdown("There is nothing to pin yet. `/pin WORDS` pins a fact.");
  const pins = conversation.pins().filter(({ rewound }) => !rewound);
  const total = pins.reduce((sum, { tokens: count }) => sum + count, 0);
  response.markdown(
    [
      `${fact === "" ? "The newest question and answer are" : "That is"} pinned: every compaction keeps it word for word. Pins take ${tokens(total)} tokens:`,
      ...pins.map(
        (row, at) => `${at + 1}. ${describe(talk, row.fact ?? row.text, row.message)} (${tokens(row.tokens)} tokens)`,
      ),
    ].join("\n"),
  );
  for (const [at, { id }] of pins.entries())
    response.button({ command: COMMANDS.unpin, title: `Unpin ${at + 1}`, arguments: [talk.id, id] });
}

/** Pins the messages of the newest turn that has any. */
function pinNewest(talk: Talk): boolean {
  const { turns, conversation } = talk;
  let turn = turns.current;
  while (turn && turn.head === turns.get(turn.parent)?.head) turn = turns.get(turn.parent);
  if (!turn) return false;
  const pinned = new Set(conversation.pins().map(({ message }) => message));
  const view = conversation.view().plan.flatMap((item) => (item.type === "insert" ? [] : [item.id]));
  const before = turns.get(turn.parent)?.head;
  const messages = view.slice(before === undefined ? 0 : view.indexOf(before) + 1);
  for (const message of messages) if (!pinned.has(message)) conversation.pin({ message, reason: "pinned in the chat" });
  return messages.length > 0;
}

function describe(talk: Talk, text: string | undefined, message: string | undefined): string {
  const words = text ?? textOf(talk, message) ?? message ?? "";
  const line = words.replace(/\s+/g, " ").trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

function textOf(talk: Talk, id: string | undefined): string | undefined {
  const content = id === undefined ? undefined : talk.conversation.log.original(id)?.content;
  return content?.map((part) => ("value" in part && typeof part.value === "string" ? part.value : "")).join("");
}
