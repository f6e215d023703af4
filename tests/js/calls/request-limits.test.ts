/** Limits of a request that are not tokens: pictures, bytes, messages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PruneOptions } from "../../../js/types/prune.ts";
import { espalier } from "../built.ts";
import { freeze } from "../formats/common.ts";
import { runs } from "../runs.ts";

type Limits = NonNullable<PruneOptions["limits"]>;
type Block = Record<string, unknown>;
type Message = { role: string; content: string | Block[] };

/** A PNG of 100 x 100 pixels with this many characters of base64; `side`: another width. */
function png(characters = 400, side = 100): Block {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452000000640000006408020000", "hex");
  head.writeUInt32BE(side, 16);
  const data = head.toString("base64").replace(/=+$/, "").padEnd(characters, "A");
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

const text = (said: string): Block => ({ type: "text", text: said });
const asks = (...content: Block[]): Message => ({ role: "user", content });
const looks = (id: string): Message => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "screenshot", input: {} }],
});
const shows = (id: string, ...content: Block[]): Message => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});

/** A session of an agent that takes `count` screenshots. */
function screenshots(count: number, make = () => png()): Message[] {
  const rounds = Array.from({ length: count }, (_, at) => [looks(`t${at}`), shows(`t${at}`, make())]);
  return [asks(text("Look at the page.")), ...rounds.flat()];
}

/** The pictures of a request, by a walk over its JSON. */
const pictures = (value: unknown): number => JSON.stringify(value).split('"type":"image"').length - 1;
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Prunes with a budget that fits everything, and checks that what was passed is unchanged and what came is valid. */
function pruned(messages: Message[], limits?: Limits, more: PruneOptions = {}) {
  freeze(messages);
  const { messages: sent, report } = espalier.prune(messages, {
    budget: 10_000_000,
    ...more,
    ...(limits && { limits }),
  });
  assert.deepEqual(espalier.validate(sent, "anthropic", { pending: "keep" }), []);
  assert.equal(report.after.total, espalier.countMessages(sent).total);
  assert.equal(report.budget, more.budget ?? 10_000_000);
  return { sent, report, limited: report.removed.filter(({ rule }) => rule === "media-limit") };
}

test("the oldest of 150 screenshots become notes, and the report lists them", () => {
  const messages = screenshots(150);
  const { sent, limited, report } = pruned(messages);
  assert.equal(pictures(sent), 100);
  assert.equal(limited.length, 50);
  assert.deepEqual(limited[0]?.ids, ["m2"]);
  assert.match(limited[0]!.why, /a picture became a note: the request has 150 pictures; the limit is 100/);
  assert.deepEqual((sent[2]!.content as Block[])[0]!["content"], [text("[picture removed; recall m2]")]);
  assert.equal(sent[102], messages[102]);
  assert.equal(report.exceeded, undefined);
});

test("a model with a large window may have more", () => {
  const model = { name: "claude-x", maxContextWindowTokens: 1_000_000 };
  assert.equal(pictures(pruned(screenshots(150), undefined, { model }).sent), 150);
  assert.equal(pictures(pruned(screenshots(150), { maxImages: Infinity }).sent), 150);
});

test("consecutive requests begin alike: the first picture that stays moves ten at a time", () => {
  const all = screenshots(130);
  let changes = 0;
  let before: Message[] = [];
  for (let end = 205; end <= all.length; end += 2) {
    const { sent } = pruned(all.slice(0, end));
    assert.ok(pictures(sent) <= 100 && pictures(sent) > 89);
    if (before.some((message, at) => JSON.stringify(message) !== JSON.stringify(sent[at]))) changes += 1;
    before = sent;
  }
  assert.ok(changes <= 3, `${changes} requests began differently`);
});

test("pictures of the newest request and of kept messages stay", () => {
  const messages = [
    ...screenshots(10),
    { role: "assistant", content: "I see." },
    asks(text("And these?"), png(), png()),
  ];
  const { sent, limited } = pruned(messages, { maxImages: 4 }, { keep: [2] });
  assert.deepEqual([pictures(sent), sent.at(-1), sent[2]], [4, messages.at(-1), messages[2]]);
  assert.ok(!limited.some(({ ids }) => ids.includes("m2")));
  assert.throws(() => pruned(messages, { maxImages: 1 }), {
    code: "budget_exceeded",
    path: "options.limits.maxImages",
    details: { budget: 1, needed: 2, limit: "maxImages" },
  });
});

test("a documented limit that the newest request exceeds is reported", () => {
  const { sent, report } = pruned([asks(text("Compare."), ...Array.from({ length: 101 }, () => png()))]);
  assert.equal(pictures(sent), 101);
  assert.deepEqual(report.exceeded, [
    { limit: "maxImages", allowed: 100, found: 101, message: "the request has 101 pictures; the limit is 100" },
  ]);
});

test("pictures that are too large by themselves", () => {
  const messages = [...screenshots(1, () => png(7_000_000)), ...screenshots(1, () => png(400, 9_000)).slice(1)];
  (messages[3]!.content as Block[])[0]!["id"] = "u0";
  (messages[4]!.content as Block[])[0]!["tool_use_id"] = "u0";
  const { limited } = pruned(messages);
  assert.deepEqual(
    limited.map(({ why }) => why.replace(/.*: /, "")),
    [
      "a picture has 5,250,000 bytes; the limit is 3,932,160",
      "a picture has a side of 9,000 pixels; the limit is 8,000",
    ],
  );
});

test("bytes: the oldest pictures go until the request fits", () => {
  const messages = screenshots(30, () => png(100_000));
  const { sent, limited } = pruned(messages, { maxBytes: 1_000_000 });
  assert.ok(bytes(sent) <= 1_000_000 && bytes(sent) > 800_000, `${bytes(sent)}`);
  assert.equal(limited.length + pictures(sent), 30);
});

test("bytes: without pictures the oldest turns go", () => {
  const talk = (at: number): Message[] => [
    asks(text(`Question ${at}?`)),
    { role: "assistant", content: "é".repeat(900) },
  ];
  const messages = Array.from({ length: 60 }, (_, at) => talk(at)).flat();
  const { sent, report } = pruned([...messages, asks(text("The last one?"))], { maxBytes: 30_000 });
  assert.ok(bytes(sent) <= 30_000 && bytes(sent) > 24_000, `${bytes(sent)}`);
  assert.equal(report.limitSource, "budget");
  assert.ok(report.removed.some(({ rule }) => rule === "old-turn"));
  assert.throws(() => pruned([asks(text("word ".repeat(500)))], { maxBytes: 1_000 }), {
    code: "budget_exceeded",
    path: "options.limits.maxBytes",
  });
});

test("messages: the oldest turns go until their number fits", () => {
  const { sent } = pruned([...screenshots(40, () => text("nothing")), asks(text("Thanks."))], { maxMessages: 21 });
  assert.ok(sent.length <= 21 && sent.length > 12, `${sent.length}`);
});

test("tools beyond their limit are reported, not changed", () => {
  const tools = Array.from({ length: 130 }, (_, at) => ({ type: "function", function: { name: `t${at}` } }));
  const { report } = espalier.prune([{ role: "user", content: "Hi" }], { format: "openai-chat", tools });
  assert.deepEqual(
    report.exceeded?.map(({ limit, found }) => [limit, found]),
    [["maxTools", 130]],
  );
});

test("a Pruner, a compaction, a request, a conversation keep the limits, too", async () => {
  const messages = [...screenshots(30), asks(text("Done?"))];
  const limits = { maxImages: 10 };
  const pruner = new espalier.Pruner();
  assert.equal(pictures(pruner.prune(messages, { budget: 1e6, limits }).messages), 10);
  pruner.free();
  const compacted = await espalier.compact(messages, { budget: 1_000_000, limits });
  assert.equal(pictures(compacted.messages), 10);
  await assert.rejects(espalier.compact([asks(png(), png())], { budget: 1e6, limits: { maxImages: 1 } }), {
    path: "options.limits.maxImages",
  });
  let sent: unknown;
  await espalier.request(messages, { budget: 1_000_000, limits }, (fitting) => void (sent = fitting));
  assert.equal(pictures(sent), 10);
});

test("a conversation sends what its provider takes, and keeps the rest", async () => {
  const messages = [...screenshots(120), asks(text("Done?"))];
  const conversation = await espalier.openConversation<Message>({
    format: "anthropic",
    model: { maxPromptTokens: 1_000_000 },
  });
  conversation.append(messages);
  const { messages: sent, report } = await conversation.prepare();
  assert.equal(pictures(sent), 100);
  assert.deepEqual(report.repaired.filter(({ rule }) => rule === "media-limit").length, 20);
  assert.equal(report.usage.used, espalier.countMessages(sent).total);
  assert.equal(pictures(conversation.view().messages), 120);
  const id = report.repaired.find(({ rule }) => rule === "media-limit")!.ids[0]!;
  assert.equal(pictures(conversation.recall(id)), 1);
  await conversation.dispose();
});

test("a conversation with a stated limit of bytes", async () => {
  const conversation = await espalier.openConversation<Message>({
    format: "anthropic",
    model: { maxPromptTokens: 100_000 },
    limits: { maxBytes: 20_000 },
  });
  for (let at = 0; at < 40; at += 1)
    conversation.append([asks(text(`Question ${at}?`)), { role: "assistant", content: "word ".repeat(200) }]);
  conversation.append(asks(text("The last one?")));
  const { messages } = await conversation.prepare();
  assert.ok(bytes(messages) <= 20_000, `${bytes(messages)}`);
  assert.equal(conversation.view().messages.length, 81);
  await conversation.dispose();
});

test("a stated limit that the newest message exceeds is named by the error of a conversation", async () => {
  const conversation = await espalier.openConversation<Message>({
    format: "anthropic",
    model: { maxPromptTokens: 100_000 },
    limits: { maxBytes: 1_000 },
  });
  conversation.append(asks(text("word ".repeat(1_000))));
  await assert.rejects(conversation.prepare(), { code: "budget_exceeded", path: "options.limits.maxBytes" });
  await conversation.dispose();
});

test("a conversation that is opened again keeps the limits, too", async () => {
  const storage = espalier.memoryStorage();
  const options = { format: "anthropic" as const, model: { maxPromptTokens: 1_000_000 }, storage };
  const first = await espalier.openConversation<Message>(options);
  first.append([...screenshots(120), asks(text("Done?"))]);
  await first.flush();
  await first.dispose();
  const again = await espalier.openConversation<Message>(options);
  const { messages } = await again.prepare();
  assert.equal(pictures(messages), 100);
  await again.dispose();
});

test("a compaction within a limit of bytes loses no words if pictures suffice", async () => {
  const messages = [...screenshots(30, () => png(100_000)), asks(text("Done?"))];
  const limits = { maxBytes: 1_000_000 };
  const { messages: sent, status } = await espalier.compact(messages, { budget: 1_000_000, limits });
  assert.deepEqual([status, sent.length], ["unchanged", messages.length]);
  assert.ok(bytes(sent) <= 1_000_000);
});

test("wrong limits are refused by name", () => {
  const check = (limits: unknown, path: string) =>
    assert.throws(() => espalier.prune([asks(text("Hi"))], { limits: limits as Limits }), { code: "bad_option", path });
  check({ maxImage: 1 }, "options.limits.maxImage");
  check({ maxBytes: -1 }, "options.limits.maxBytes");
  check({ maxImages: "many" }, "options.limits.maxImages");
  check(3, "options.limits");
});

test("random sessions are within random limits, or the error names one", () => {
  const part = fc.oneof(
    fc.nat({ max: 3_000 }).map((length) => text("word ".repeat(length / 5 + 1))),
    fc.nat({ max: 20_000 }).map((length) => png(400 + length)),
  );
  const session = fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 25 });
  const limit = fc.record({
    maxImages: fc.nat({ max: 20 }),
    maxBytes: fc.integer({ min: 2_000, max: 200_000 }),
    maxMessages: fc.integer({ min: 3, max: 60 }),
  });
  let fitted = 0;
  const tries = runs(300);
  fc.assert(
    fc.property(session, limit, fc.boolean(), (rounds, limits, isAsked) => {
      const steps = rounds.flatMap((parts, at) =>
        at % 3 === 0
          ? [asks(text(`Question ${at}?`)), { role: "assistant", content: "Yes." }]
          : [looks(`t${at}`), shows(`t${at}`, ...parts)],
      );
      const messages = isAsked ? [...steps, asks(text("And now?"))] : steps;
      try {
        const { sent } = pruned(messages, limits, { budget: 400_000 });
        fitted += 1;
        assert.ok(pictures(sent) <= limits.maxImages && bytes(sent) <= limits.maxBytes);
        assert.ok(sent.length <= limits.maxMessages);
      } catch (error) {
        const { code, path } = error as { code?: string; path?: string };
        if (code !== "budget_exceeded") throw error;
        assert.match(String(path), /^options\.(limits\.max|budget)/);
      }
    }),
    { seed: 5, numRuns: tries },
  );
  assert.ok(fitted * 2 > tries, `${fitted}`);
});
