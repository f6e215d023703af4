/** A host that interferes at any effect, in every format. */

import assert from "node:assert/strict";
import { espalier } from "../built.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import type { Format } from "../../../js/types/messages.ts";
import { HOSTS, SUMMARY, rest, turns } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, memoryStorage } = espalier;
export const LIMIT = 6_000;
export const FORMATS = Object.keys(HOSTS) as Format[];

/** Everything that a compaction waits for, in order. */
export const CALLS = ["the hook before", "the model", "the second look", "a file", "the hook after"] as const;
export const PLACES = ["read", "append", "write", "list", "delete"] as const;
export type Effect = (typeof CALLS)[number] | (typeof PLACES)[number];

/** Returns a host in which `strike` happens at one effect, once. */
export function host(effect: Effect, strike: (signal?: AbortSignal) => unknown) {
  const texts = new Map<string, string>();
  const seen: Effect[] = [];
  let isArmed = false;
  const at = async (name: Effect, signal?: AbortSignal) => {
    if (!isArmed) return;
    seen.push(name);
    if (name !== effect) return;
    isArmed = false;
    await strike(signal);
  };
  let looks = 0;
  const base = memoryStorage(texts);
  const struck = Object.fromEntries(
    PLACES.map((name) => [
      name,
      async (...given: [string, string]) => {
        await at(name);
        return base[name](...given);
      },
    ]),
  ) as unknown as ConversationStorage;
  const options: Partial<ConversationOptions<Fields>> = {
    storage: struck,
    checkpoints: 1,
    timeoutsMs: { model: 25, hook: 25, storage: 25, wait: 1_000 },
    llm: async (_, { signal }) => {
      looks += 1;
      await at(looks % 2 === 1 ? "the model" : "the second look", signal);
      return SUMMARY;
    },
    hooks: {
      preCompact: async (_, { signal }) => void (await at("the hook before", signal)),
      postCompact: (_, { signal }) => at("the hook after", signal),
    },
    compact: {
      ladder: ["summary", "offline", "fit"],
      verify: "always",
      maxLlmTokens: 100_000,
      readFile: async (_, { signal }) => (await at("a file", signal), "let it = 1;\n"),
    },
  };
  return {
    texts,
    base,
    options,
    seen,
    arm: () => {
      isArmed = true;
      looks = 0;
    },
  };
}
export const open = (options: Partial<ConversationOptions<Fields>> & { format: Format }) =>
  openConversation<Fields>({
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    clock: turns(),
    ...options,
  });
export type Opened = Awaited<ReturnType<typeof open>>;

/**
 * Returns a conversation with a file in use, filled to this share and compacted once, so that there are checkpoints to
 * list and to delete.
 */
export async function filled(
  options: Partial<ConversationOptions<Fields>> & { format: Format },
  ratio: number,
): Promise<Opened> {
  const { user, round } = HOSTS[options.format];
  const conversation = await open(options);
  conversation.append([user("Fix the parser, never touch the lexer.")]);
  let number = 0;
  const fill = (to: number) => {
    for (; conversation.usage().ratio < to; number += 1) {
      conversation.append([
        ...round({
          id: `e${number}`,
          name: "edit_file",
          args: { path: `src/part${number}.ts`, new_string: "it" },
          text: "done",
        }),
        ...round({
          id: `c${number}`,
          name: "bash",
          args: { command: `make part${number}` },
          text: `building part${number}\n`.repeat(5),
        }),
      ]);
    }
  };
  fill(0.7);
  assert.equal((await conversation.compact()).status, "applied");
  fill(ratio);
  await conversation.flush();
  return conversation;
}
export const text = (conversation: Opened) => JSON.stringify(conversation.view().messages);
/** Runs the event loop for a number of turns: the time of {@link turns}. */
export async function pause(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
}
/** Waits until the running job has ended, however slow the machine is. */
export async function settled(conversation: Opened): Promise<void> {
  for (let waited = 0; conversation.usage().job === "running" && waited < 2_000; waited += 1) await pause(5);
  await rest();
}
export const broken = (): never => {
  throw new Error("broken");
};
export const hang = () => new Promise<never>(() => {});
