/** `espalier/openai-agents` on the OpenAI Agents SDK 0.20. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MemorySession, run } from "@openai/agents";
import { convert, countMessages, prune } from "espalier";
import { createSession } from "espalier/openai-agents";
import { answer } from "../server/model.mjs";
import { openaiAgents } from "./agents.mjs";
import { checkRequests, DONE, LIMIT, open, REQUEST, STEPS, taskServer } from "./task.mjs";

let server;
before(async () => (server = await taskServer()));
after(() => server.close());

const agent = () => openaiAgents(server);

/** Runs the task in a memory of the SDK, and returns its items: what a host of the SDK has stored. */
async function recorded(steps) {
  server.clear();
  server.script(steps);
  const session = new MemorySession();
  await run(agent(), REQUEST, { session, maxTurns: 50 });
  return session.getItems();
}

test("a run with the session and its filter sends what fits, and keeps compactions", async () => {
  const conversation = await open("openai-agents");
  const session = createSession(conversation);
  server.clear();
  server.script();
  const { callModelInputFilter } = session;
  const result = await run(agent(), REQUEST, { session, callModelInputFilter, maxTurns: 50 });
  assert.equal(result.finalOutput, DONE);
  checkRequests(server.seen, "openai-responses");
  // A message and a call for each step, its result, the request and the answer: each once.
  assert.equal(conversation.log.originals, 2 + 3 * STEPS);
  await conversation.dispose();
});

test("a streamed run, and the run after it", async () => {
  const conversation = await open("openai-agents");
  const session = createSession(conversation);
  const { callModelInputFilter } = session;
  server.clear();
  server.script();
  const stream = await run(agent(), REQUEST, { session, callModelInputFilter, maxTurns: 50, stream: true });
  await stream.completed;
  checkRequests(server.seen, "openai-responses");
  assert.equal(conversation.log.originals, 2 + 3 * STEPS);
  server.queue(answer({ number: 99, text: "Part 8 has none." }));
  const next = await run(agent(), "And part 8?", { session, callModelInputFilter });
  assert.equal(next.finalOutput, "Part 8 has none.");
  assert.equal(conversation.log.originals, 4 + 3 * STEPS);
  assert.ok(countMessages(server.seen.at(-1).body, { format: "openai-responses" }).total <= LIMIT);
  await conversation.dispose();
});

test("a second long run of a session keeps what the summaries of both cover", async () => {
  const conversation = await open("openai-agents");
  const session = createSession(conversation);
  const { callModelInputFilter } = session;
  for (const request of [`${REQUEST} Never touch config.json.`, "Once more."]) {
    server.clear();
    server.script();
    await run(agent(), request, { session, callModelInputFilter, maxTurns: 50 });
    checkRequests(server.seen, "openai-responses");
  }
  assert.equal(conversation.log.originals, 2 * (2 + 3 * STEPS));
  assert.match(JSON.stringify(server.seen.at(-1).body.input), /Never touch config\.json/);
  await conversation.dispose();
});

test("the session alone compacts between runs", async () => {
  const conversation = await open("openai-agents");
  const session = createSession(conversation);
  for (let part = 1; part <= STEPS; part += 1) {
    server.clear();
    server.script(1);
    await run(agent(), `${REQUEST} Begin with part ${part}.`, { session });
  }
  const items = await session.getItems();
  assert.ok(countMessages(items, { format: "openai-agents" }).total <= LIMIT);
  assert.equal(conversation.log.originals, 5 * STEPS);
  assert.match(JSON.stringify(items), /Begin with part 12/);
  await conversation.dispose();
});

test("the session does what sessions of the SDK do", async () => {
  const items = await recorded(2);
  const conversation = await open("openai-agents");
  const [own, theirs] = [createSession(conversation, { sessionId: "s1" }), new MemorySession({ sessionId: "s1" })];
  for (const session of [own, theirs]) {
    assert.equal(await session.getSessionId(), "s1");
    assert.deepEqual(await session.getItems(), []);
    assert.equal(await session.popItem(), undefined);
    await session.addItems(items.slice(0, 4));
    await session.addItems(items.slice(4));
    assert.deepEqual(await session.getItems(), items);
    assert.deepEqual(await session.popItem(), items.at(-1));
    assert.deepEqual(await session.getItems(), items.slice(0, -1));
    assert.deepEqual(await session.getItems(0), []);
    // No result without its call.
    const limited = await session.getItems(2);
    if (session === own) assert.ok(!/result/.test(limited[0]?.type), JSON.stringify(limited));
    await session.clearSession();
    assert.deepEqual(await session.getItems(), []);
    await session.addItems(items.slice(0, 1));
    assert.deepEqual(await session.getItems(), items.slice(0, 1));
  }
  await conversation.dispose();
});

test("a run that fails leaves nothing behind that the SDK did not store", async () => {
  const conversation = await open("openai-agents");
  const session = createSession(conversation);
  const { callModelInputFilter } = session;
  server.clear();
  server.script(2);
  await run(agent(), REQUEST, { session, callModelInputFilter });
  const before = await session.getItems();
  await assert.rejects(run(agent(), "Go on.", { session, callModelInputFilter, maxTurns: 0 }));
  assert.deepEqual((await session.getItems()).slice(0, before.length), before);
  await conversation.dispose();
});

test("items of a real run are read, cut and converted; a conversation that fits is unchanged", async () => {
  const items = await recorded(4);
  const whole = countMessages(items);
  const { messages, report } = prune(items, { budget: 100_000 });
  assert.ok(messages.every((item, at) => item === items[at]) && messages.length === items.length);
  assert.deepEqual(report.removed, []);
  const { messages: cut } = prune(items, { budget: Math.floor(whole.total / 2) });
  const idsOf = (type) => cut.flatMap((item) => (item.type === type ? [item.callId] : []));
  assert.deepEqual(idsOf("function_call"), idsOf("function_call_result"));
  // The SDK takes them, and the provider does not refuse them.
  server.clear();
  server.queue(answer({ number: 50, text: DONE }));
  const { finalOutput } = await run(agent(), cut);
  assert.equal(finalOutput, DONE);
  assert.equal(server.seen[0].refused, undefined);
  const chat = convert(items, "openai-chat").messages;
  assert.deepEqual(
    chat.map(({ role }) => role),
    ["user", ...Array.from({ length: 4 }, () => ["assistant", "tool"]).flat(), "assistant"],
  );
});

test("unknown items are refused with their path, and known ones of providers are kept", async () => {
  const items = await recorded(1);
  const future = { type: "future_call", callId: "x", name: "f" };
  assert.throws(() => prune([...items, future], { budget: 1_000 }), {
    code: "bad_message",
    path: `messages[${items.length}].type`,
  });
  const lost = { type: "function_call_result", name: "f", output: "x" };
  assert.throws(() => prune([...items, lost], { budget: 1_000 }), { path: `messages[${items.length}].callId` });
  const hosted = [
    { type: "hosted_tool_call", id: "ws_1", name: "web_search_call", status: "completed", output: "found" },
    {
      type: "reasoning",
      id: "rs_9",
      content: [{ type: "input_text", text: "Hm." }],
      providerData: { encrypted_content: "x" },
    },
    { type: "shell_call", callId: "s1", action: { commands: ["ls"] } },
    {
      type: "shell_call_output",
      callId: "s1",
      output: [{ stdout: "a.txt", stderr: "", outcome: { type: "exit", exitCode: 0 } }],
    },
    { type: "unknown", id: "u", providerData: { type: "new" } },
  ];
  const { messages } = prune([...items, ...hosted], { budget: 100_000 });
  assert.deepEqual(messages.slice(items.length), hosted);
});
