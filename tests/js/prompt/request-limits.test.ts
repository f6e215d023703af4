/** Limits of a rendered request that are not tokens: pictures, bytes, messages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { begin, round, SUMMARY } from "../conversation/support.ts";

const {
  createPiece: h,
  Fragment,
  Image,
  SystemMessage,
  UserMessage,
  AgentPrompt,
  renderRequest,
  openConversation,
} = espalier;

/** A PNG of 100 x 100 pixels with this many characters of base64. */
const png = (characters = 400) => {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452000000640000006408020000", "hex").toString("base64");
  return head.replace(/=+$/, "").padEnd(characters, "A");
};
const image = (characters?: number) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: png(characters) },
});

/** A session of an agent that takes screenshots. */
const screenshots = (count: number, characters?: number): object[] => [
  { role: "user", content: "Look at the page." },
  ...Array.from({ length: count }, (_, at) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${at}`, name: "screenshot", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${at}`, content: [image(characters)] }] },
  ]).flat(),
];

const pictures = (value: unknown): number => JSON.stringify(value).split('"type":"image"').length - 1;
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const agent = (...children: unknown[]) => h(AgentPrompt, { system: "You test pages." }, ...(children as never[]));
const note = (at: number, words = 20) =>
  h(UserMessage, { priority: at }, `Note ${at}. ${"word ".repeat(words)}`) as never;
const noted = (messages: unknown) =>
  [...JSON.stringify(messages).matchAll(/Note (\d+)\./g)].map(([, at]) => Number(at));

test("messages of the lowest priority go until their number is allowed", async () => {
  const order = [7, 3, 9, 1, 8, 2, 6, 4, 5, 0];
  const prompt = h(Fragment, {}, h(SystemMessage, { priority: 99 }, "Be brief."), ...order.map((at) => note(at)));
  const whole = await renderRequest(prompt, { budget: 10_000 });
  assert.equal(whole.messages.length, 11);
  const { messages, exceeded, budget, tokens } = await renderRequest(prompt, {
    budget: 10_000,
    limits: { maxMessages: 6 },
  });
  assert.ok(messages.length <= 6 && messages.length >= 5, `${messages.length} messages`);
  const left = noted(messages);
  assert.deepEqual(
    left,
    order.filter((at) => at > 9 - left.length),
    "the highest priorities, in the order of the prompt",
  );
  assert.deepEqual([exceeded, budget], [undefined, 10_000]);
  assert.ok(tokens < whole.tokens);
});

test("a stated limit of bytes holds in every format; without one the request is the same", async () => {
  const prompt = h(
    Fragment,
    {},
    h(SystemMessage, { priority: 99 }, "Be brief."),
    ...[3, 1, 2].map((at) => note(at, 300)),
  );
  for (const format of ["openai-chat", "anthropic", "gemini", "raw"] as const) {
    const body = ({ request, messages }: { request: object; messages: unknown[] }) =>
      format === "anthropic" || format === "gemini" ? request : messages;
    const whole = await renderRequest(prompt, { budget: 10_000, format });
    const size = bytes(body(whole));
    const small = await renderRequest(prompt, { budget: 10_000, format, limits: { maxBytes: size - 1_000 } });
    assert.ok(bytes(body(small)) <= size - 1_000, format);
    assert.deepEqual(noted(small.messages), [3, 2], format);
    const same = await renderRequest(prompt, { budget: 10_000, format, limits: { maxBytes: size + 10 } });
    assert.deepEqual(same.messages, whole.messages, format);
  }
});

test("pictures of elements are the prompt's own: more than are documented are reported, more than are stated refused", async () => {
  const prompt = h(UserMessage, {}, "Which are alike?", ...Array.from({ length: 105 }, () => h(Image, { src: png() })));
  const options = { budget: 1_000_000, format: "anthropic" } as const;
  const { request, exceeded } = await renderRequest(prompt, options);
  assert.equal(pictures(request), 105);
  assert.deepEqual(exceeded, [
    { limit: "maxImages", allowed: 100, found: 105, message: "the request has 105 pictures; the limit is 100" },
  ]);
  const large = await renderRequest(prompt, { ...options, model: "claude-sonnet-4-6" });
  assert.equal(large.exceeded, undefined, "models with a window of a million tokens take 600");
  await assert.rejects(renderRequest(prompt, { ...options, limits: { maxImages: 100 } }), {
    code: "budget_exceeded",
    path: "options.limits.maxImages",
  });
});

test("the oldest pictures of a history become notes, as many as those of the prompt need room for", async () => {
  const messages = screenshots(100);
  const conversation = await openConversation<object>({ format: "anthropic", model: "claude-sonnet-4-5", messages });
  const own = h(UserMessage, {}, "The design:", ...Array.from({ length: 5 }, () => h(Image, { src: png() })));
  const { request, exceeded, report, status } = await renderRequest(agent(own), { conversation, format: "anthropic" });
  assert.equal(espalier.validate(request, "anthropic", { pending: "keep" }).length, 0);
  assert.ok(pictures(request) <= 100 && pictures(request) > 80, `${pictures(request)} pictures`);
  assert.deepEqual([exceeded, status, report!.request], [undefined, "rendered", 1]);
  const gone = report!.repaired.filter(({ rule }) => rule === "media-limit");
  assert.equal(gone.length, 105 - pictures(request));
  assert.deepEqual(gone[0]!.ids, ["m2"], "oldest first");
  assert.ok(JSON.stringify(request).includes("[picture removed; recall m2]"));
  assert.equal(pictures(conversation.view().messages), 100, "the conversation has them all");
  await conversation.dispose();
});

test("a history that is too large in bytes loses pictures first, then it is compacted", async () => {
  const messages = [...screenshots(10, 40_000), { role: "user", content: "And now?" }];
  const conversation = await openConversation<object>({ format: "anthropic", model: "claude-sonnet-4-5", messages });
  const options = { conversation, format: "anthropic" as const };
  const lighter = await renderRequest(agent(), { ...options, limits: { maxBytes: 300_000 } });
  assert.ok(bytes(lighter.request) <= 300_000);
  assert.deepEqual([lighter.status, lighter.exceeded], ["rendered", undefined]);
  assert.ok(pictures(lighter.request) >= 5, `${pictures(lighter.request)} pictures`);
  await conversation.dispose();

  const long = begin(0);
  for (let at = 0; at < 30; at += 1) long.push(...round(at));
  long.push({ role: "user", content: "And now?" });
  const asked = { format: "openai-chat", model: "gpt-4o", messages: long, llm: async () => SUMMARY } as const;
  const talk = await openConversation<object>(asked);
  const whole = bytes(long);
  const made = await renderRequest(agent(), { conversation: talk, limits: { maxBytes: whole / 2 } });
  assert.ok(bytes(made.messages) <= whole / 2, `${bytes(made.messages)} of ${whole / 2}`);
  assert.equal(made.status, "applied");
  assert.deepEqual(made.trimmed, []);
  assert.equal(made.report!.request, 1);
  await talk.dispose();

  // A first compaction for the tokens, and another for the bytes: the result lists both.
  const both = await openConversation<object>(asked);
  const twice = await renderRequest(agent(), { conversation: both, budget: 4_000, limits: { maxBytes: 2_000 } });
  assert.ok(bytes(twice.messages) <= 2_000 && twice.budget === 4_000);
  assert.equal(twice.status, "applied");
  const statuses = twice.compactions.map(({ status }) => status);
  assert.deepEqual(statuses, ["applied", "applied"]);
  await both.dispose();
});

test("messages of a history go without a summary only where drop allows it", async () => {
  const messages = begin(0);
  for (let at = 0; at < 30; at += 1) messages.push(...round(at));
  const options = { format: "openai-chat", model: "gpt-4o", messages, automatic: false } as const;
  const conversation = await openConversation<object>(options);
  const limits = { maxMessages: 30 };
  const made = await renderRequest(agent(), { conversation, limits, drop: "freely" });
  assert.ok(made.messages.length <= 30 && made.messages.length > 15, `${made.messages.length} messages`);
  assert.equal(made.status, "dropped");
  assert.ok(made.trimmed.length > 0);
  await assert.rejects(renderRequest(agent(), { conversation, limits }), {
    code: "budget_exceeded",
    path: "options.limits.maxMessages",
  });
  await conversation.dispose();
});

test("a stated limit that what must stay exceeds is an error with its path, and the conversation goes on", async () => {
  const messages = [{ role: "user", content: `Read this. ${"word ".repeat(2_000)}` }];
  const conversation = await openConversation<object>({ format: "openai-chat", model: "gpt-4o", messages });
  const refused = renderRequest(agent(), { conversation, limits: { maxBytes: 1_000 } });
  await assert.rejects(refused, { code: "budget_exceeded", path: "options.limits.maxBytes" });
  await assert.rejects(renderRequest(agent(), { conversation, limits: { maxBytes: -1 } }), {
    code: "bad_option",
    path: "options.limits.maxBytes",
  });
  const { status, messages: sent } = await renderRequest(agent(), { conversation });
  assert.equal(status, "rendered");
  assert.equal(sent.at(-1), messages[0]);
  await conversation.dispose();
});

test("the limits of the conversation hold for the whole request", async () => {
  const conversation = await openConversation<object>({
    format: "anthropic",
    model: "claude-sonnet-4-5",
    messages: [...screenshots(20), { role: "user", content: "And now?" }],
    limits: { maxImages: 10 },
  });
  const own = h(UserMessage, {}, "The design:", h(Image, { src: png() }));
  const { request } = await renderRequest(agent(own), { conversation, format: "anthropic" });
  assert.ok(pictures(request) <= 10 && pictures(request) > 5, `${pictures(request)} pictures`);
  const more = await renderRequest(agent(own), { conversation, format: "anthropic", limits: { maxImages: 15 } });
  assert.ok(pictures(more.request) <= 15 && pictures(more.request) > 10, `${pictures(more.request)} pictures`);
  await conversation.dispose();
});
