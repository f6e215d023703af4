/**
 * A conversation as texts that are counted each alone, in the order of the messages: what the engine counts of a
 * message beside them is its frame, and the frames of its calls and results. Pure, for tests.
 */

import type { Part } from "../../js/types/messages.ts";
import { fateWord } from "../conversation/fate-words.ts";
import { count, number } from "../conversation/words.ts";
import { FATES } from "../worker/questions.ts";
import type { HandedRow } from "../worker/questions.ts";

/** A heading, and what is below it. */
export interface Block {
  label: string;
  /** What it is called where it is not above its tokens, for the heading of a message. */
  name?: string;
  texts: string[];
}

const isText = (part: Part) => part.type === "text";
const isOther = ({ type }: Part) => type === "image" || type === "document" || type === "opaque";

/** Returns the blocks of a message; the first has its texts. */
export function blocksOf({ index, role, parts = [] }: HandedRow): Block[] {
  const which = number(index + 1);
  const first: Block =
    index < 0
      ? { label: `${role}, added`, name: "the added message", texts: [] }
      : { label: `${which}. ${role}`, name: `message ${which}, ${role}`, texts: [] };
  return [first, ...addParts(first, parts)];
}

/** Adds texts to a block; returns the blocks of what is not text. */
function addParts(block: Block, parts: readonly Part[]): Block[] {
  // Neighbouring texts are sent, and so counted, as one, unless a picture or the like separates them.
  const isJoined = !parts.some(isOther);
  const texts = parts.filter(isText).map(({ text }) => text);
  if (isJoined && texts.length > 0) block.texts.push(texts.join(""));
  return parts.flatMap((part) => (isText(part) && isJoined ? [] : ofPart(part)));
}

function ofPart(part: Part): Block[] {
  switch (part.type) {
    case "text":
      return [{ label: "text", texts: [part.text] }];
    case "reasoning":
      return [{ label: "thinking", texts: [part.text] }];
    case "toolCall":
      return [{ label: "call: its name, then its arguments", texts: [part.name, part.arguments] }];
    case "toolResult": {
      const block: Block = { label: part.isError ? "result, an error" : "result", texts: [] };
      return [block, ...addParts(block, part.content)];
    }
    case "opaque":
      return [{ label: "other content", texts: part.tokens === undefined ? [part.json] : [] }];
    case "image":
      return [{ label: "a picture, counted by its size", texts: [] }];
    case "document":
      return [{ label: "a document, counted by its pages", texts: [] }];
    case "cacheMark":
    case "boundary":
      return [];
  }
}

/** Says what the engine counts for a message, and how much of that is drawn. */
export function noteOf({ fate, before, after, parts }: HandedRow, drawn: number): string {
  const word = fateWord(FATES.indexOf(fate), before, after);
  const all = after === 0 ? before : after;
  const tokens =
    before > 0 && after > 0 && before !== after ? `${number(before)} → ${count(after, "token")}` : count(all, "token");
  const frame = parts ? `, ${number(all - drawn)} of them around its texts` : "; its words are not in the link";
  return `${fate === "kept" ? "" : `${word}, `}${tokens}${frame}`;
}
