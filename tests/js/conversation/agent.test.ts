/** An agent's whole run: one request, three hundred rounds, a window of 32,000 tokens, a model over the wire. */

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../../pkg/dist/providers.js";
import type * as Providers from "../../../js/providers/index.ts";
import { espalier } from "../built.ts";
import { KEY, scripted } from "../providers/support.ts";
import { isTried } from "../runs.ts";
import { heard, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const providers = bundle as typeof Providers;
const { openConversation, memoryStorage, countTools } = espalier;
const LIMIT = 32_000;
const ROUNDS = 300;
const server = await scripted({ strict: true, key: KEY });
const tools = ["bash", "read_file", "edit_file"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `The tool ${name}.`,
    parameters: { type: "object", properties: { path: { type: "string" }, command: { type: "string" } } },
  },
}));

/** Rounds of different kinds and sizes, the same every time. */
function round(number: number): Fields[] {
  const names = ["bash", "read_file", "edit_file"];
  const calls = Array.from({ length: 1 + (number % 3 === 0 ? 1 : 0) }, (_, at) => ({
    id: `c${number}-${at}`,
    type: "function",
    function: {
      name: names[(number + at) % 3]!,
      arguments: JSON.stringify({
        path: `src/module${number % 40}/file${at}.ts`,
        command: `npm test -- part${number}`,
      }),
    },
  }));
  const lines = 10 + ((number * 37) % 90);
  return [
    { role: "assistant", content: `Looking at part ${number}.`, tool_calls: calls },
    ...calls.map(({ id }, at) => ({
      role: "tool",
      tool_call_id: id,
      content: `${number}.${at} error: cannot find name part${number}\n${`at line ${number} of file\n`.repeat(lines)}`,
    })),
  ];
}

async function run(background: boolean, behaviour: string, rounds: number) {
  server.clear();
  server.script(behaviour);
  const { llm } = providers.openai({ model: "test", apiKey: KEY, baseUrl: `${server.url}/v1` });
  const storage = memoryStorage();
  const conversation = await openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: "agent",
    storage,
    llm,
    background,
    timeoutsMs: { model: 2_000 },
  });
  const events = heard(conversation);
  const prompt = { role: "user", content: "Make all parts compile. Never delete a test." };
  conversation.append([{ role: "system", content: "You are an agent." }, prompt]);
  for (let number = 0; number < rounds; number += 1) {
    conversation.append(round(number));
    const { messages, report } = await conversation.prepare({ tools });
    sound(messages, LIMIT, tools);
    assert.ok(messages.includes(prompt), `the request itself is there at round ${number}`);
    assert.equal(
      messages.at(-1),
      conversation.log.originalsFrom(conversation.log.originals - 1)[0],
      "and the newest round",
    );
    assert.ok(report.usage.used <= LIMIT);
    // The model takes a while: a job is ready some requests later.
    if (report.job !== undefined) await new Promise((done) => setTimeout(done, 2));
  }
  await conversation.flush();
  const completes = events.filter(({ type }) => type === "compaction_complete") as {
    success: boolean;
    tokensRemoved: number;
    trigger: string;
  }[];
  return { conversation, storage, completes, calls: server.seen.length, events };
}

for (const [row, background] of [true, false].entries()) {
  test(`three hundred rounds, summaries ${background ? "beside it" : "in between"}: valid, on budget, each compaction makes room`, async () => {
    const { conversation, storage, completes, calls } = await run(background, "good", ROUNDS);
    const applied = completes.filter(({ success }) => success);
    assert.ok(applied.length >= 3 && applied.length <= 40, `${applied.length} compactions`);
    assert.ok(
      applied.every(({ tokensRemoved }) => tokensRemoved > LIMIT / 10),
      "none of them for nothing",
    );
    assert.deepEqual([...new Set(applied.map(({ trigger }) => trigger))], [background ? "threshold" : "overflow"]);
    assert.ok(calls >= applied.length && calls <= applied.length * 2 + 2, `${calls} calls`);
    assert.equal(server.seen.filter(({ refused }) => refused).length, 0);
    // Everything that was hidden is still there, and the log replays.
    const again = await openConversation<Fields>({ storage, model: { name: "gpt-4o", maxPromptTokens: LIMIT } });
    assert.equal(JSON.stringify(again.view().messages), JSON.stringify(conversation.view().messages));
    assert.equal((again.recall("m3")[0]!.message as Fields)["content"], round(0)[1]!["content"]);
    assert.ok(JSON.stringify(conversation.view().messages).includes("Never delete a test"));
    while (conversation.undo());
    assert.equal(conversation.view().messages.length, conversation.log.originals);
    assert.ok(countTools(tools, { format: "openai-chat" }).total > 0);
    await conversation.dispose();
  });

  for (const [column, behaviour] of ["500", "empty", "no-tag", "429"].entries()) {
    if (!isTried(2, row, column)) continue;
    test(`a model that says ${behaviour}, ${background ? "beside" : "in between"}: the run goes on by rules`, async () => {
      const { conversation, completes, calls } = await run(background, behaviour, ROUNDS / 3);
      const episodes = completes.filter(({ success }) => success).length + 1;
      assert.ok(episodes > 2);
      // What a provider repeats by itself (three attempts) is one call of ours, and a try has two of those. Tries get
      // ever rarer.
      assert.ok(calls <= (Math.log2(episodes) + 3) * 2 * 3, `${calls} calls in ${episodes} episodes`);
      await conversation.dispose();
    });
  }
}
