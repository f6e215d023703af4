/**
 * The budget benchmark of compaction-conformance-kit (PyPI, MIT) on one contender: survival, updates and stale values
 * after 5 rounds.
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { textOf } from "./transcripts.mjs";

/** Characters of a token that the first try assumes. */
const CHARACTERS = 4.5;
const TRIES = 6;

/**
 * @param view makes a view of messages within tokens; undefined for the kit's own compactors. @returns the kit's
 *   entries
 */
export async function conformance({ name, view, folder, seeds = 4 }) {
  const child = spawn("python3", [new URL("./kit.py", import.meta.url).pathname, name, String(seeds)], {
    env: { ...process.env, PYTHONPATH: folder },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let kept = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line);
    if (message.result) return message.result;
    // The kit returns the text of the previous round; a host would return its messages.
    const messages = message.fresh ? message.turns.map(([role, content]) => ({ role, content })) : kept;
    kept = await within(messages, message.budget, view);
    child.stdin.write(`${JSON.stringify({ text: shown(kept) })}\n`);
  }
  throw new Error(`the kit ended without a result for ${name}`);
}

const shown = (messages) => messages.map((message) => `[${message.role}] ${textOf(message).trim()}`).join("\n");

/** Returns the view with the largest budget of tokens whose text has at most `characters`. */
async function within(messages, characters, view) {
  let [low, high, best] = [0, Math.ceil(characters / 2), []];
  for (
    let tries = 0, tokens = Math.floor(characters / CHARACTERS);
    tries < TRIES;
    tries++, tokens = Math.floor((low + high) / 2)
  ) {
    const made = await attempt(view, messages, tokens);
    // A refused budget is too small, a text beyond the kit's limit too large.
    if (made === undefined) low = tokens;
    else if (shown(made).length <= characters) [low, best] = [tokens, made];
    else high = tokens;
  }
  return best;
}

/** A contender may refuse a budget. */
async function attempt(view, messages, tokens) {
  try {
    return await view(messages, tokens);
  } catch (error) {
    if (error.code === "budget_exceeded") return undefined;
    throw error;
  }
}
