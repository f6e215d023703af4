/**
 * Everything in which a model or the network can disappoint, over the wire of every provider: at the first call and at
 * the second look, beside the conversation and before a request. Each ends in a status that says what happened, nothing
 * is lost, and the request goes out.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../../pkg/dist/providers.js";
import type * as Providers from "../../../js/providers/index.ts";
import type { Compacted, CompactionComplete } from "../../../js/conversation/types.ts";
import { espalier } from "../built.ts";
import { KEY, NAMES, WANTED, firing, hurried, noSecret, scripted } from "../providers/support.ts";
import type { WireName } from "../providers/support.ts";
import { isTried } from "../runs.ts";
import { HOSTS, heard, rest, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openai, openaiResponses, anthropic, gemini } = bundle as typeof Providers;
const MAKERS = { "openai-chat": openai, "openai-responses": openaiResponses, anthropic, gemini };
const LIMIT = 6_000;
/** Of a request to the model; by a clock of the tests. */
const LIMIT_MS = 80;
const server = await scripted({ strict: true, key: KEY });

/** An agent's run in the provider's own format, this full, whose summaries are always looked at a second time. */
async function begun(name: WireName, background: boolean, clock: ReturnType<typeof firing>) {
  const provider = MAKERS[name]({ model: "test", apiKey: KEY, baseUrl: `${server.url}/v1`, clock: hurried()! });
  const { user, round } = HOSTS[name];
  const conversation = await espalier.openConversation<Fields>({
    format: name,
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    background,
    llm: provider.llm,
    timeoutsMs: { model: LIMIT_MS },
    clock: clock!,
    compact: { ladder: ["summary", "offline", "fit"], verify: "always", maxLlmTokens: 100_000 },
  });
  conversation.append([user("Fix the parser, never touch the lexer.")]);
  for (let number = 0; conversation.usage().ratio < (background ? 0.83 : 1.02); number += 1) {
    conversation.append(
      round({
        id: `c${number}`,
        name: "bash",
        args: { command: `make part${number}` },
        text: `building part${number}\n`.repeat(12),
      }),
    );
  }
  return { conversation, provider };
}

async function check(
  name: WireName,
  behaviour: string,
  wanted: Compacted["status"],
  background: boolean,
  isSecond: boolean,
) {
  server.clear();
  server.script(isSecond ? "good" : behaviour);
  if (isSecond) server.queue("good", ...Array<string>(4).fill(behaviour));
  // The limit fires once the request that hangs is there, and never where none does.
  const clock = firing(LIMIT_MS, () => wanted === "timeout" && server.seen.length > Number(isSecond));
  const { conversation, provider } = await begun(name, background, clock);
  const what = `${behaviour}, ${background ? "beside" : "before"}, ${isSecond ? "second" : "first"}`;
  const events = heard(conversation);
  const originals = conversation.log.originalsFrom(0);
  const before = JSON.stringify(conversation.view().messages);
  const prepared = async () => {
    const { messages, report } = await conversation.prepare();
    sound(messages, LIMIT, [], name);
    return { messages, report };
  };
  await prepared();
  while (conversation.usage().job === "running") await new Promise((done) => setTimeout(done, 2));
  await rest();
  // A summary that was not to be had is made by rules where the request waits for one; beside the conversation it is
  // tried again later.
  const isMade = isSecond || wanted === "applied";
  if (background) {
    assert.deepEqual(
      [conversation.usage().job, JSON.stringify(conversation.view().messages)],
      [isMade ? "ready" : "failed", before],
      what,
    );
  }
  const { messages } = await prepared();
  const ends = events.filter((event): event is CompactionComplete => event.type === "compaction_complete");
  assert.deepEqual(
    ends.map(({ status }) => status),
    isMade ? ["applied"] : background ? [wanted] : [wanted, "applied"],
    what,
  );
  for (const end of ends) {
    assert.equal(end.success, end.status === "applied", what);
    // Why it failed is said in words, and without the key.
    if (!end.success)
      assert.ok(
        end.error !== undefined && end.error.length > 5 && end.tokensRemoved === 0 && end.edits.length === 0,
        `${what}: ${end.error}`,
      );
  }
  noSecret(events);
  assert.deepEqual(
    conversation.edits().map(({ author }) => author),
    isMade ? ["model"] : background ? [] : ["rule"],
    what,
  );
  assert.equal(JSON.stringify(messages).includes("The record of a scripted model"), isMade, what);
  // The request goes out, and the provider takes it.
  server.clear();
  const answer = await provider.send(provider.toRequest(messages));
  assert.deepEqual(
    [answer.text.includes("scripted model"), server.seen.map(({ refused }) => refused)],
    [true, [undefined]],
    what,
  );
  // Nothing is lost.
  assert.deepEqual(conversation.log.originalsFrom(0), originals, what);
  while (conversation.undo());
  assert.deepEqual(conversation.view().messages, originals, what);
  await conversation.dispose();
}

for (const [row, name] of NAMES.entries()) {
  for (const [column, [behaviour, status]] of WANTED.entries()) {
    test(`${name}, ${behaviour}: at the first call ${status}, at the second look the first summary counts`, async () => {
      for (const background of [false, true])
        for (const isSecond of [false, true])
          if (isTried(2, row, column, Number(background), Number(isSecond)))
            await check(name, behaviour, status, background, isSecond);
    });
  }
}
