/** `espalier/anthropic` on the tool runner of Anthropic's SDK. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fitToolRunner } from "espalier/anthropic";
import { answer } from "../server/model.mjs";
import { anthropicRunner } from "./agents.mjs";
import { checkRequests, DONE, open, REQUEST, STEPS, taskServer } from "./task.mjs";

let server;
before(async () => (server = await taskServer()));
after(() => server.close());

/**
 * Returns a `fetch` that keeps message threads, as the provider's server does: the runner then sends only what is new,
 * and the model gets the whole history.
 */
function withThreads() {
  const threads = new Map();
  return async (url, init) => {
    const { thread, ...body } = JSON.parse(init.body);
    if (!thread) return fetch(url, init);
    const { messages, ...fields } = threads.get(thread.previous_message_id) ?? { messages: [] };
    const whole = { ...fields, ...body, messages: [...messages, ...body.messages] };
    const headers = new Headers(init.headers);
    headers.delete("content-length");
    const response = await fetch(url, { ...init, headers, body: JSON.stringify(whole) });
    const { id, content } = await response.clone().json();
    threads.set(id, {
      system: body.system,
      tools: body.tools,
      ...whole,
      messages: [...whole.messages, { role: "assistant", content }],
    });
    return response;
  };
}

/** Counts how often the tool ran. */
let runs = 0;
const runner = (more) => anthropicRunner(server, { onRun: () => (runs += 1), fetch: withThreads(), ...more });

for (const [how, more] of Object.entries({
  plain: {},
  streamed: { stream: true },
  "in a thread": { thread: undefined },
})) {
  const stream = more.stream === true;
  test(`a runner (${how}) sends what fits, and keeps compactions`, async () => {
    const conversation = await open("anthropic");
    server.clear();
    server.script();
    runs = 0;
    const own = runner(more);
    let last;
    for await (const reply of fitToolRunner(own, conversation)) last = stream ? await reply.finalMessage() : reply;
    assert.equal(last.content[0].text, DONE);
    assert.deepEqual((await own.done()).content, last.content);
    checkRequests(server.seen, "anthropic");
    assert.equal(runs, STEPS, "each tool ran once");
    assert.equal(conversation.log.originals, 1 + 2 * STEPS);
    assert.ok(conversation.usage().reported.promptTotal > 0);
    await conversation.dispose();
  });
}

for (const [how, next] of Object.entries({
  "the first one's list": (messages) => messages,
  "a copy of it": (messages) => structuredClone(messages),
})) {
  test(`a second run that begins with ${how} continues the conversation`, async () => {
    const conversation = await open("anthropic");
    server.clear();
    server.script();
    const first = runner();
    for await (const _ of fitToolRunner(first, conversation));
    const { originals } = conversation.log;
    const { messages } = first.params;
    assert.ok(messages.length < originals, "the runner's list is the shortened one");
    assert.equal(messages.at(-1).content[0].text, DONE);
    server.clear();
    server.script();
    const question = { role: "user", content: "And which of them has the word crane? Never write a file." };
    const second = runner({ messages: [...next(messages), question] });
    for await (const _ of fitToolRunner(second, conversation));
    checkRequests(server.seen, "anthropic");
    assert.ok(conversation.recall("m2").every(({ place }) => place !== "rewound"));
    const all = conversation.recall(`m0..m${conversation.log.originals - 1}`);
    assert.deepEqual(
      all.filter(({ place }) => place === "rewound"),
      [],
    );
    assert.deepEqual(all.filter(({ message }) => message.content === question.content).length, 1);
    assert.equal(all.filter(({ message }) => JSON.stringify(message).includes("Never write")).length, 2);
    await conversation.dispose();
  });
}

test("a stored conversation goes on with the list of its last request", async () => {
  const conversation = await open("anthropic");
  server.clear();
  server.script();
  const first = runner();
  for await (const _ of fitToolRunner(first, conversation));
  const log = conversation.log.export();
  const messages = conversation.log.originalsFrom(0);
  await conversation.dispose();
  const again = await open("anthropic", { log, messages });
  server.clear();
  server.script(2);
  const list = structuredClone(first.params.messages);
  const second = runner({ messages: [...list, { role: "user", content: "Again. Never write a file." }] });
  for await (const _ of fitToolRunner(second, again)) if (server.seen.length === 2) break;
  assert.ok(again.recall("m0..m2").every(({ place }) => place !== "rewound"));
  await again.dispose();
});

test("a runner of another version is refused", async () => {
  const conversation = await open("anthropic");
  const { params } = runner();
  await assert.rejects(fitToolRunner({ params }, conversation).next(), {
    code: "bad_option",
    path: "runner.setMessagesParams",
  });
  await conversation.dispose();
});

test("what the loop's body changes counts", async () => {
  const conversation = await open("anthropic");
  server.clear();
  server.script(2);
  server.queue(answer({ number: 9, text: "As you like." }));
  const own = runner();
  let steps = 0;
  for await (const reply of fitToolRunner(own, conversation)) {
    steps += 1;
    if (steps !== 3) continue;
    // The answer is not accepted: the body asks again.
    own.pushMessages({ role: "assistant", content: reply.content }, { role: "user", content: "Shorter, please." });
  }
  assert.equal(steps, 4);
  assert.match(server.seen[3].text, /Shorter, please/);
  assert.deepEqual(server.seen.map(({ refused }) => refused).filter(Boolean), []);
  assert.equal(conversation.log.originals, 7);
  await conversation.dispose();
});

test("a loop that is left early, and a history that was long from the beginning", async () => {
  const conversation = await open("anthropic");
  server.clear();
  server.script(3);
  const story = Array.from({ length: 8 }, (_, at) => [
    { role: "user", content: `${at}: ${"a long story ".repeat(400)}` },
    { role: "assistant", content: "Nice." },
  ]).flat();
  const messages = [...story, { role: "user", content: REQUEST }];
  const own = runner({ messages });
  for await (const reply of fitToolRunner(own, conversation)) {
    assert.equal(reply.role, "assistant");
    break;
  }
  assert.equal(server.seen.length, 1);
  assert.ok(server.seen[0].text.length < JSON.stringify(messages).length / 1.5, "the first request was too long");
  assert.equal(messages.length, 17, "the caller's list is as it was");
  await conversation.dispose();
});
