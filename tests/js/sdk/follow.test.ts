/** A conversation in step with the list that an SDK keeps, without an SDK: `tests/sdk` has those. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type * as AiSdk from "../../../js/sdk/ai-sdk.ts";
import type * as Agents from "../../../js/sdk/openai-agents.ts";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

const dist = new URL("../../../pkg/dist/", import.meta.url);
const { createPrepareStep } = (await import(new URL("ai-sdk.js", dist).href)) as typeof AiSdk;
const { createSession } = (await import(new URL("openai-agents.js", dist).href)) as typeof Agents;

type Message = Record<string, unknown>;
const user = (content: unknown): Message => ({ role: "user", content });
const said = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const open = (options: object = {}) =>
  espalier.openConversation<Message>({
    format: "ai-sdk",
    model: { name: "gpt-4o", maxPromptTokens: 100_000 },
    entropy: 1,
    ...options,
  });
/** Copies as SDKs make them. */
const cloned = <T>(list: readonly T[]): T[] => structuredClone(list) as T[];

test("messages that stay are the objects of the SDK's own list", async () => {
  const conversation = await open();
  const step = createPrepareStep(conversation);
  const first = [user("One?"), said("1.")];
  assert.deepEqual((await step({ messages: [...first, user("Two?")], steps: [] })).messages, [...first, user("Two?")]);
  const copies = cloned([...first, user("Two?"), said("2."), user("Three?")]);
  const { messages } = await step({ messages: copies, steps: [] });
  assert.ok(messages.length === 5 && messages.every((message, at) => message === copies[at]));
  assert.equal(conversation.log.originals, 5);
  await conversation.dispose();
});

test("a list that continues the view, and one that continues the originals, append the same", async () => {
  const long = Array.from({ length: 20 }, (_, at) =>
    at % 2 ? said(`${at}: ${"word ".repeat(400)}`) : user(`Question ${at}?`),
  );
  const model = { name: "gpt-4o", maxPromptTokens: 3_000 };
  const views = [];
  for (const keepsView of [true, false]) {
    const conversation = await open({ model });
    const step = createPrepareStep(conversation);
    const { messages: view } = await step({ messages: [...long, user("And now?")], steps: [] });
    assert.ok(view.length < long.length && espalier.countMessages(view, { format: "ai-sdk" }).total <= 3_000);
    const list = keepsView ? cloned(view) : [...long, user("And now?")];
    const { messages } = await step({ messages: [...list, said("Now."), user("Then?")], steps: [] });
    assert.equal(conversation.log.originals, 23);
    views.push(messages);
    await conversation.dispose();
  }
  assert.deepEqual(views[0], views[1]);
});

test("a run that began with a view goes on with it, when its later steps have other summaries", async () => {
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 3_000 } });
  const step = createPrepareStep(conversation);
  const round = (at: number) => [said(`${at}: ${"word ".repeat(400)}`), user(`Question ${at}?`)];
  const first = [user("Never touch config0.json."), ...Array.from({ length: 20 }, (_, at) => round(at)).flat()];
  // What a session loads for the next run, and what that run's own list begins with to its end.
  const { messages: view } = await step({ messages: first, steps: [] });
  assert.ok(view.length < first.length);
  const list = cloned([...view, user("Next.")]);
  const kept = () =>
    conversation.recall(conversation.log.state.ends()!.join("..")).filter(({ place }) => place !== "rewound");
  let sent: Message[] = [];
  for (let at = 20; at < 40; at += 1) {
    ({ messages: sent } = await step({ messages: cloned(list), steps: [] }));
    list.push(...round(at));
  }
  assert.equal(conversation.log.originals, first.length + 1 + 2 * 19);
  assert.equal(kept().length, conversation.log.originals);
  assert.match(JSON.stringify(sent), /config0/);
  // An edited message removes those after it, and not those that the view replaces.
  const edited = [...list.slice(0, view.length + 5), user("Another question?")];
  await step({ messages: cloned(edited), steps: [] });
  assert.equal(kept().length, first.length + 6);
  await conversation.dispose();
});

test("messages that are equal by chance are not taken for others", async () => {
  // The view is the newest request alone, which equals the first one.
  const conversation = await open({ model: { name: "gpt-4o", maxPromptTokens: 60 }, automatic: false });
  const step = createPrepareStep(conversation);
  const round = () => [user("Go on."), said("word ".repeat(50))];
  const list = [...round(), ...round(), user("Go on.")];
  const { messages: view } = await step({ messages: list, steps: [] });
  assert.deepEqual(view, [user("Go on.")]);
  const longer = [...list, ...round().toReversed()];
  const { messages } = await step({ messages: cloned(longer), steps: [] });
  assert.equal(conversation.log.originals, 7);
  // An SDK that keeps the view passes its objects: these are new rounds, though they equal the first ones.
  assert.deepEqual(messages, [user("Go on.")]);
  await step({ messages: [...messages, ...cloned(longer.slice(1))], steps: [] });
  assert.equal(conversation.log.originals, 7 + 6);
  await conversation.dispose();
});

test("what is no list is refused with the versions that are known", async () => {
  const conversation = await open();
  const step = createPrepareStep(conversation);
  await assert.rejects(step({ messages: undefined as never, steps: [] }), {
    code: "bad_option",
    path: "messages",
    message: /as the AI SDK 5, 6 or 7 has it/,
  });
  await conversation.dispose();
});

test("a changed list rewinds to the last common message", async () => {
  const conversation = await open();
  const step = createPrepareStep(conversation);
  const send = async (...messages: Message[]) => (await step({ messages, steps: [] })).messages;
  await send(user("One?"), said("1."), user("Two?"), said("2."), user("Three?"));
  assert.deepEqual(await send(user("One?"), said("1."), user("Zwei?")), [user("One?"), said("1."), user("Zwei?")]);
  assert.deepEqual(await send(user("Another conversation?")), [user("Another conversation?")]);
  assert.equal(conversation.log.originals, 7);
  await conversation.dispose();
});

test("pictures, dates and addresses are compared by their values", async () => {
  const conversation = await open();
  const step = createPrepareStep(conversation);
  const picture = (last: number, url = "https://example.com/a.png") =>
    user([
      { type: "image", image: new Uint8Array([137, 80, 78, 71, last]), mediaType: "image/png" },
      { type: "file", data: new URL(url), mediaType: "application/pdf" },
    ]);
  await step({ messages: [picture(1)], steps: [] });
  await step({ messages: [picture(1), said("Nice."), user("Go on.")], steps: [] });
  assert.equal(conversation.log.originals, 3, "a copy is the same message");
  await step({ messages: [picture(2), said("Nice."), user("Go on.")], steps: [] });
  assert.equal(conversation.log.originals, 6, "other bytes are another picture");
  await step({ messages: [picture(2, "https://example.com/b.png")], steps: [] });
  assert.equal(conversation.log.originals, 7, "another address is another file");
  await conversation.dispose();
});

test("a stored conversation goes on, without what was rewound before", async () => {
  const messages = [user("One?"), said("1."), user("Two?")];
  const conversation = await open();
  const step = createPrepareStep(conversation);
  await step({ messages, steps: [] });
  await step({ messages: [messages[0]!, said("One.")], steps: [] });
  const log = conversation.log.export();
  const originals = conversation.log.originalsFrom(0);
  await conversation.dispose();
  const again = await open({ log, messages: originals });
  const { messages: view } = await createPrepareStep(again)({
    messages: cloned([user("One?"), said("One."), user("More?")]),
    steps: [],
  });
  assert.deepEqual(view, [user("One?"), said("One."), user("More?")]);
  assert.equal(again.log.originals, originals.length + 1);
  await again.dispose();
});

test("random lists: the request is always that of the newest list", async () => {
  const text = fc.constantFrom("a", "b");
  const edit = fc.record({ keep: fc.nat({ max: 8 }), add: fc.array(text, { minLength: 1, maxLength: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => {
      const conversation = await open();
      const step = createPrepareStep(conversation);
      let list: Message[] = [];
      for (const { keep, add } of edits) {
        list = [...list.slice(0, keep), ...add.flatMap((content) => [said(content), user(content)])];
        if (list[0]?.["role"] !== "user") list = [user("begin"), ...list];
        assert.deepEqual((await step({ messages: cloned(list), steps: [] })).messages, list);
      }
      await conversation.dispose();
    }),
    { numRuns: runs(200) },
  );
});

test("a session keeps what the SDK stores, whatever its filter saw before", async () => {
  const conversation = await espalier.openConversation({ format: "openai-agents", model: "gpt-4o", entropy: 1 });
  const session = createSession(conversation);
  const ask = (content: string) => ({ type: "message", role: "user", content });
  const call = { type: "function_call", callId: "c1", name: "f", arguments: "{}", id: "fc_1", status: "completed" };
  const result = { type: "function_call_result", callId: "c1", name: "f", output: "ok" };
  const filter = (input: object[]) => session.callModelInputFilter({ modelData: { input } });
  await filter([ask("Go.")]);
  const { input } = await filter([ask("Go."), call, result]);
  assert.deepEqual(input, [ask("Go."), call, result]);
  // The SDK stores them without the provider's data.
  const { id, status, ...plain } = call;
  await session.addItems([ask("Go."), plain, result]);
  assert.equal(conversation.log.originals, 3);
  // What a failed run was about to send is not of the session.
  await filter([...(await session.getItems()), ask("Lost.")]);
  assert.equal((await session.getItems()).length, 3);
  // Nor is what the SDK stored otherwise.
  await filter([...(await session.getItems()), ask("Secret.")]);
  await session.addItems([ask("(redacted)")]);
  assert.deepEqual((await session.getItems()).at(-1), ask("(redacted)"));
  assert.deepEqual([id, status], ["fc_1", "completed"]);
  await conversation.dispose();
});

test("two runs that follow one conversation send each message once", async () => {
  const conversation = await open();
  const [one, two] = [createPrepareStep(conversation), createPrepareStep(conversation)];
  const list = [user("One?")];
  await one({ messages: list, steps: [] });
  const longer = [...list, said("1."), user("Two?")];
  assert.deepEqual((await two({ messages: longer, steps: [] })).messages, longer);
  assert.deepEqual((await one({ messages: [...longer, said("2.")], steps: [] })).messages, [...longer, said("2.")]);
  const others = [[user("Of run one.")], [user("Of run two.")]];
  const steps = await Promise.all(others.map((messages, at) => [one, two][at]!({ messages, steps: [] })));
  assert.deepEqual(
    steps.map(({ messages }) => messages),
    others,
  );
});

test("messages that the host appends itself are not sent twice", async () => {
  const conversation = await open();
  const step = createPrepareStep(conversation);
  conversation.append(user("One?"));
  assert.equal((await step({ messages: [user("One?")], steps: [] })).messages.length, 1);
  conversation.append([said("1."), user("Two?")]);
  const { messages } = await step({ messages: [user("One?"), said("1."), user("Two?")], steps: [] });
  assert.equal(messages.length, 3);
  assert.equal(conversation.log.originals, 3);
});

test("two sessions over one conversation share its items", async () => {
  const conversation = await open({ format: "openai-agents" });
  const [one, two] = [createSession(conversation), createSession(conversation)];
  const item = (content: string) => ({ type: "message", role: "user", content });
  await one.addItems([item("1")] as never);
  assert.equal((await two.getItems()).length, 1);
  await two.addItems([item("2")] as never);
  assert.equal((await one.getItems()).length, 2);
});

test("bytes, addresses and dates of a conversation that is opened again are those of the SDK's list", async () => {
  const files = new Map<string, string>();
  const storage = {
    read: (name: string) => files.get(name),
    write: (name: string, text: string) => void files.set(name, text),
    append: (name: string, text: string) => void files.set(name, (files.get(name) ?? "") + text),
    list: (prefix: string) => [...files.keys()].filter((name) => name.startsWith(prefix)),
    delete: (name: string) => void files.delete(name),
  };
  const pictures = [new Uint8Array(300).fill(7), Buffer.alloc(300, 7).buffer, new URL("https://example.com/a.png")];
  const asked = user(pictures.map((image) => ({ type: "image", image, mediaType: "image/png", at: new Date(0) })));
  const list = [asked, said("A picture."), user("And now?")];
  for (let run = 1; run <= 2; run++) {
    const conversation = await open({ storage });
    const { messages } = await createPrepareStep(conversation)({ messages: list, steps: [] });
    assert.ok(messages.every((message, at) => message === list[at]));
    assert.equal(conversation.log.originals, 3);
    await conversation.dispose();
  }
  const conversation = await open({ storage });
  const other = user([{ type: "image", image: new Uint8Array(300).fill(8), mediaType: "image/png" }]);
  await createPrepareStep(conversation)({ messages: [other, ...list.slice(1)], steps: [] });
  assert.equal(conversation.log.originals, 6, "another picture is another message");
  await conversation.dispose();
});
