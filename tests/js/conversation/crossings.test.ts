/** How often a conversation crosses into the engine: the exports of every instance are counted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { SUMMARY, begin, round } from "./support.ts";
import type { Fields } from "./support.ts";

/** Names of the exports that were called, in order; those of the bindings' own memory management begin with `__`. */
const crossings: string[] = [];
const { Instance } = WebAssembly;
const counting = (name: string, run: (...args: unknown[]) => unknown) => {
  if (name.startsWith("__")) return run;
  return (...args: unknown[]) => {
    crossings.push(name);
    return run(...args);
  };
};
// The engine starts when it is first used, which is after this.
WebAssembly.Instance = new Proxy(Instance, {
  construct: (target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) => {
    const { exports } = new target(module, imports);
    const counted = Object.entries(exports).map(([name, value]) => [
      name,
      typeof value === "function" ? counting(name, value as (...args: unknown[]) => unknown) : value,
    ]);
    return { exports: Object.fromEntries(counted) as WebAssembly.Exports };
  },
});

const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  espalier.openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: 4_000 },
    entropy: 7,
    ...options,
  });

/** The exports that `run` calls. */
async function crossed(run: () => unknown): Promise<string[]> {
  crossings.length = 0;
  await run();
  return [...crossings];
}

/** Fails with the names of the exports if there are more than `max`. */
function atMost(max: number, names: readonly string[]): void {
  assert.ok(names.length > 0 && names.length <= max, `${names.length} crossings, at most ${max}: ${names.join(" ")}`);
}

for (const name of ["gpt-4o", "claude-sonnet-4-5"])
  test(`a request that fits crosses few times (${name})`, async () => {
    const conversation = await open({ model: { name, maxPromptTokens: 100_000 } });
    conversation.append(begin(5));
    await conversation.prepare();
    conversation.reportUsage(2_000);
    for (let number = 5; number < 9; number += 1) {
      conversation.append(round(number));
      atMost(3, await crossed(() => conversation.prepare()));
      atMost(2, await crossed(() => conversation.reportUsage(2_000 + number * 200)));
    }
  });

// A call of the model takes three more: the messages to show it, its answer, and what is asked next.
for (const [llm, max] of [
  [undefined, 7],
  [async () => SUMMARY, 10],
] as const)
  test(`a request that compacts crosses few times (${llm ? "by a model" : "by rules"})`, async () => {
    const conversation = await open({ background: false, ...(llm && { llm }) });
    conversation.append(begin(5));
    await conversation.prepare();
    conversation.append(Array.from({ length: 40 }, (_, number) => round(number + 5)).flat());
    const names = await crossed(async () => {
      const { report } = await conversation.prepare();
      assert.deepEqual(
        report.compactions.map(({ status }) => status),
        ["applied"],
      );
    });
    atMost(max, names);
  });
