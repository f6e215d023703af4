/** Requests of a conversation: what is sent, and what is an error. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { answered, begin, fill, heard, HOSTS, model, open, refused, rest, sound } from "./support.ts";
import type { Fields } from "./support.ts";
import type { Format } from "../../../js/types/messages.ts";

const { openConversation, EspalierError } = espalier;

test("a request that fits is the host's own objects, and nothing happens", async () => {
  const conversation = await open();
  const events = heard(conversation);
  const messages = begin(3);
  conversation.append(messages);
  const { messages: sent, report } = await conversation.prepare();
  assert.equal(sent.length, messages.length);
  sent.forEach((message, at) => assert.equal(message, messages[at]));
  assert.deepEqual([report.compactions, report.trimmed, report.job, report.request], [[], [], undefined, 1]);
  assert.equal(report.usage.used, espalier.countMessages(messages).total);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["context_usage"],
  );
  assert.equal((events[0] as { isInitial: boolean }).isInitial, true);
  await conversation.prepare();
  assert.equal((events[1] as { isInitial: boolean }).isInitial, false);
});

test("the provider's own checks look at new messages only", async () => {
  const conversation = await open();
  let looks = 0;
  const first = Object.defineProperty({ role: "user", content: "Go." }, "parsed", { get: () => void (looks += 1) });
  conversation.append([first]);
  await conversation.prepare();
  const once = looks;
  conversation.append([
    { role: "assistant", content: "Gone." },
    { role: "user", content: "Again." },
  ]);
  await conversation.prepare();
  assert.deepEqual([looks, once > 0], [once, true]);
  conversation.append({ role: "user", content: "Once more.", parsed: {} });
  const { messages } = await conversation.prepare();
  assert.deepEqual(messages.at(-1), { role: "user", content: "Once more." });
});

for (const format of Object.keys(HOSTS) as Format[]) {
  test(`${format}: a request with a call that waits for its result is refused first, if asked`, async () => {
    const conversation = await openConversation<Fields>({ format, model: "gpt-4o" });
    const events = heard(conversation);
    const { user, round } = HOSTS[format];
    const [called, result] = round({ id: "c1", name: "bash", args: { command: "make" }, text: "done" });
    conversation.append([user("Build it."), called!]);
    await assert.rejects(conversation.prepare({ pending: "refuse" }), (error: unknown) => {
      assert.ok(error instanceof EspalierError && error.code === "pending_calls", String(error));
      assert.match(String(error.path), /^\w+\[1\]/);
      const { calls } = error.details as { calls: readonly { path: string }[] };
      assert.deepEqual(
        calls.map(({ path }) => path),
        [error.path],
      );
      return true;
    });
    assert.deepEqual([events, conversation.usage().requests], [[], 0]);
    const { messages } = await conversation.prepare();
    assert.equal(messages.length, 2);
    conversation.append(result!);
    assert.equal((await conversation.prepare({ pending: "refuse" })).messages.length, 3);
    // A lost call is none that waits: the request says that its outcome is unknown.
    const [lost] = round({ id: "c2", name: "bash", args: { command: "make test" }, text: "" });
    conversation.append([lost!, user("Stop. Is it built?")]);
    await conversation.prepare({ pending: "refuse" });
    await conversation.dispose();
  });
}

test("tools of a request are counted, and may change", async () => {
  const conversation = await open();
  conversation.append(begin(1));
  const tools = [
    {
      type: "function",
      function: {
        name: "bash",
        description: "Runs a command.",
        parameters: { type: "object", properties: { command: { type: "string" } } },
      },
    },
  ];
  const { report } = await conversation.prepare({ tools });
  assert.equal(report.usage.tools, espalier.countTools(tools, { format: "openai-chat" }).total);
  assert.equal((await conversation.prepare({ tools: [] })).report.usage.tools, 0);
});

test("a system prompt apart is counted with every request", async () => {
  const plain = await open();
  const apart = await open({ system: "You are a careful engineer." });
  for (const conversation of [plain, apart]) conversation.append(begin());
  const [a, b] = [(await plain.prepare()).report.usage, (await apart.prepare()).report.usage];
  assert.ok(b.used > a.used && b.frame - a.frame === b.used - a.used);
});

test("with automatic compaction off the request is pruned, for itself only", async () => {
  const conversation = await open({ automatic: false });
  const events = heard(conversation);
  conversation.append(begin());
  fill(conversation, 1.3);
  const { messages, report } = await conversation.prepare();
  sound(messages, 4_000);
  assert.ok(report.trimmed.length > 0 && report.trimmed.every(({ ids }) => ids.every((id) => /^m\d+$/.test(id))));
  assert.equal(report.usage.used, espalier.countMessages(messages).total);
  const trimmed = events.find(({ type }) => type === "context_trimmed") as {
    tokensRemoved: number;
    before: { total: number };
    after: { total: number };
  };
  assert.equal(trimmed.before.total - trimmed.tokensRemoved, trimmed.after.total);
  assert.deepEqual(conversation.edits(), []);
  assert.equal(conversation.view().messages.length, conversation.log.originals);
  assert.equal((await conversation.compact()).status, "applied", "by hand it works all the same");
});

test("a pasted request larger than the window is shortened for the request, and whole in the log", async () => {
  const conversation = await open();
  const paste = { role: "user", content: "line of a log 12345\n".repeat(2_000) };
  conversation.append([...begin(2), paste]);
  const { messages, report } = await conversation.prepare();
  sound(messages, 4_000);
  assert.ok(report.trimmed.length > 0);
  assert.equal(conversation.log.original("m6"), paste);
  assert.equal(conversation.log.view().messages.at(-1), paste);
});

test("what cannot be made to fit is an error that names the numbers, and nothing is lost", async () => {
  const conversation = await open({ model: { maxPromptTokens: 40 } });
  conversation.append([
    { role: "system", content: "be exact. ".repeat(100) },
    { role: "user", content: "hi" },
  ]);
  await refused(() => conversation.prepare(), "budget_exceeded");
  assert.equal(conversation.view().messages.length, 2);
  const { messages } = await conversation.prepare({ model: { maxPromptTokens: 4_000 } });
  assert.equal(messages.length, 2);
});

test("a frame that takes most of the window is warned of, with the largest tools, once", async () => {
  const conversation = await open({ model: { maxPromptTokens: 500 } });
  const events = heard(conversation);
  conversation.append(begin());
  const tools = ["small", "large"].map((name, at) => ({
    type: "function",
    function: { name, description: "does ".repeat(100 + 200 * at), parameters: {} },
  }));
  await conversation.prepare({ tools });
  await conversation.prepare({ tools });
  const warnings = events.filter((event) => event.type === "warning");
  assert.equal(warnings.length, 1);
  assert.deepEqual(
    (warnings[0] as { details: { largest: { name: string }[] } }).details.largest.map(({ name }) => name),
    ["large", "small"],
  );
});

test("two requests at once are served one after the other", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm, background: false });
  conversation.append(begin());
  fill(conversation, 1.05);
  const both = Promise.all([conversation.prepare(), conversation.prepare()]);
  await rest();
  assert.equal(calls.length, 1);
  const [first, second] = await answered(calls, both);
  assert.deepEqual([first.report.request, second.report.request], [1, 2]);
  assert.deepEqual(first.messages, second.messages);
  assert.equal(conversation.edits().length, 1);
});

test("bad options are named", async () => {
  const cases: [Partial<ConversationOptions<Fields>>, string][] = [
    [{ llm: 3 as never }, "options.llm"],
    [{ storage: {} as never }, "options.storage.read"],
    [{ profile: "other" as never }, "options.profile"],
    [{ timeoutsMs: { wait: -1 } }, "options.timeoutsMs.wait"],
    [{ eventProfile: "x" as never }, "options.eventProfile"],
    [{ checkpoints: 0.5 }, "options.checkpoints"],
    [{ format: "x" as never }, "options.format"],
    [{ entropy: Number.NaN }, "options.entropy"],
    [{ model: { maxPromptTokens: -4 } }, "options.model.maxPromptTokens"],
    [{ messages: 3 as never }, "options.messages"],
    [{ automatic: 1 as never }, "options.automatic"],
  ];
  for (const [options, path] of cases) await refused(() => open(options), "bad_option", path);
  // @ts-expect-error Nothing says the format.
  await refused(() => openConversation({ model: "gpt-4o" }), "bad_option", "options.format");
  await refused(() => openConversation({ model: "gpt-4o", messages: [] }), "bad_option", "options.format");
});

test("copilot-cli's names of events, beside ours or alone", async () => {
  for (const eventProfile of ["copilot-cli", "both"] as const) {
    const conversation = await open({ eventProfile, automatic: false });
    const events = heard(conversation);
    conversation.append(begin(40));
    await conversation.prepare();
    await conversation.compact({ focus: "names" });
    const names = events.map(({ type }) => type);
    for (const name of [
      "session.usage_info",
      "session.truncation",
      "session.compaction_start",
      "session.compaction_complete",
    ])
      assert.ok(names.includes(name as never), name);
    assert.equal(names.includes("context_usage"), eventProfile === "both");
    const complete = events.find(({ type }) => type === "session.compaction_complete") as { data: Fields };
    assert.deepEqual(
      [complete.data["success"], complete.data["trigger"], complete.data["customInstructions"]],
      [true, "manual", "names"],
    );
  }
});

test("listeners that throw harm nobody", async () => {
  const conversation = await open({
    onEvent: () => {
      throw new Error("mine");
    },
  });
  conversation.on("*", async () => {
    throw new Error("mine, later");
  });
  const off = conversation.on("context_usage", () => assert.fail("was taken off"));
  off();
  conversation.append(begin(40));
  sound((await conversation.prepare()).messages, 4_000);
  await rest();
});

test("after dispose nothing works, and nothing is left running", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  conversation.append(begin());
  fill(conversation, 0.85);
  await conversation.prepare();
  await rest();
  await conversation.dispose();
  await conversation.dispose();
  assert.equal(calls[0]!.signal.aborted, true);
  await refused(() => conversation.prepare(), "disposed");
  assert.throws(
    () => conversation.append(begin()),
    (error) => error instanceof EspalierError && error.code === "disposed",
  );
});
