/**
 * Pictures, documents and recordings, in every form that the formats have for them, cost the same wherever they are
 * counted: by `countMessages`, pruned, in a log, in a conversation, and in one that was stored and opened again.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { espalier } from "../built.ts";
import { PDF, PNG, shown } from "../formats/media-samples.ts";
import type { Shown } from "../formats/media-samples.ts";
import { runs } from "../runs.ts";
import type { CountOptions } from "../../../js/types/count.ts";

const { compact, ConversationLog, countMessages, memoryStorage, openConversation, prune, Pruner, resetEngine } =
  espalier;

const imageSize = ({ url }: { url?: string }) => (url === undefined ? undefined : { width: 700, height: 500 });

/** Options of counting that change what a picture, a text or a message costs. */
const HOWS: readonly Omit<CountOptions, "format">[] = [
  {},
  { model: "gpt-4.1-mini" },
  { model: "claude-sonnet-4-6" },
  { model: "gemini-2.5-pro" },
  { images: "gemini-cli" },
  { images: { kind: "openai-patches", factor: 2.46 }, imageSize },
  { imageSize },
  { costModel: "copilot-chat" },
  { tokenizer: (text) => text.length },
  { tools: [{ type: "function", name: "look", function: { name: "look", description: "Looks." } }] },
];

const cases = fc.constantFrom(...shown).chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    names: fc.array(fc.constantFrom(...Object.keys(shape.parts)), { minLength: 1, maxLength: 4 }),
    inResult: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    how: fc.constantFrom(...HOWS),
    share: fc.double({ min: 0.3, max: 1, noNaN: true }),
  }),
);

/** Returns a conversation that shows these parts. Its newest request is words alone, so everything else may go. */
function conversation(shape: Shown, names: readonly string[], inResult: readonly boolean[]): object[] {
  const { parts, user, assistant, tool } = shape;
  const seen = names.flatMap((name, at) => {
    const part = parts[name]!;
    const isTool = tool && inResult[at];
    return [...(isTool ? [user(), ...tool(`c${at}`, part)] : [user(part)]), assistant("Two cats.")];
  });
  return [...seen, user()];
}

test("property: media cost the same wherever they are counted, and results fit their budgets", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ shape, names, inResult, how, share }) => {
      const { format } = shape;
      const messages = conversation(shape, names, inResult);
      const { tools, ...plain } = { format, ...how };
      const options = { ...plain, ...(tools && { tools }) };
      const count = (list: readonly unknown[], counting = options) => countMessages(list, counting).total;
      const total = count(messages);
      const isUnchanged = (list: readonly unknown[], what: string) =>
        assert.ok(list.length === messages.length && list.every((each, at) => each === messages[at]), what);

      const ample = { ...options, budget: total };
      const pruned = prune(messages, ample);
      assert.deepEqual([pruned.report.before.total, pruned.report.after.total], [total, total], "prune");
      isUnchanged(pruned.messages, "prune");
      const pruner = new Pruner();
      assert.equal(pruner.prune(messages, ample).report.after.total, total, "Pruner");
      const log = ConversationLog.from(messages, options);
      assert.equal(log.totals().total, total, "log");
      isUnchanged(log.view().messages, "log");
      const { log: imported } = ConversationLog.import(log.export(), { messages, ...options });
      assert.equal(imported.totals().total, total, "imported log");

      const { model: name, ...counting } = plain;
      const storage = memoryStorage();
      const open = (maxPromptTokens: number, more: object) =>
        openConversation<object>({
          ...counting,
          ...more,
          model: { maxPromptTokens, ...(name !== undefined && { name }) },
        });
      const first = await open(1e6, { storage });
      for (const message of messages) first.append(message);
      assert.equal(first.log.totals().total, count(messages, plain), "conversation");
      isUnchanged(first.log.view().messages, "conversation");
      resetEngine();
      assert.equal(first.log.totals().total, count(messages, plain), "conversation after a reset");
      await first.dispose();
      const again = await open(1e6, { storage });
      assert.equal(again.log.totals().total, count(messages, plain), "stored conversation");
      await again.dispose();

      const least = count(messages.slice(-1)) + 60;
      for (const budget of [total - 1, Math.floor(total * share)].filter((budget) => budget >= least)) {
        const tight = { ...options, budget };
        const fits = (list: readonly unknown[], what: string, counting = options) => {
          assert.ok(count(list, counting) <= budget, `${what}: over ${budget} of ${total}`);
        };
        fits(prune(messages, tight).messages, "prune");
        fits(pruner.prune(messages, tight).messages, "Pruner");
        fits((await compact(messages, tight)).messages, "compact");
        const fitted = await open(budget, { messages });
        fits((await fitted.prepare()).messages, "prepare", plain);
        await fitted.dispose();
      }
    }),
    { numRuns: runs(300) },
  );
});

test("bytes of another realm are stored as bytes", async () => {
  const image: unknown = runInNewContext("Uint8Array.from(bytes)", { bytes: [...PNG, ...Buffer.alloc(100_000)] });
  const storage = memoryStorage();
  const first = await openConversation<object>({ format: "ai-sdk", storage });
  first.append({ role: "user", content: [{ type: "image", image }] });
  await first.dispose();
  const again = await openConversation<object>({ format: "ai-sdk", storage });
  const base64 = Buffer.from([...PNG, ...Buffer.alloc(100_000)]).toString("base64");
  assert.deepEqual(again.log.view().messages, [{ role: "user", content: [{ type: "image", image: base64 }] }]);
  await again.dispose();
});

test("LangChain's instances are stored with base64 instead of bytes", async () => {
  /** LangChain's `toJSON` copies objects field by field: bytes become an object of numbered fields. */
  class HumanMessage {
    lc_namespace = ["langchain_core", "messages"];
    content: object[];
    constructor(content: object[]) {
      this.content = content;
    }
    getType() {
      return "human";
    }
    toJSON() {
      const content: unknown = JSON.parse(JSON.stringify(this.content));
      return { lc: 1, type: "constructor", id: [...this.lc_namespace, "HumanMessage"], kwargs: { content } };
    }
  }
  const file = { type: "file", mimeType: "application/pdf" };
  const storage = memoryStorage();
  const first = await openConversation<object>({ format: "langchain", storage });
  first.append(new HumanMessage([{ ...file, data: new Uint8Array(PDF) }]));
  const { total } = first.log.totals();
  await first.dispose();
  const again = await openConversation<object>({ format: "langchain", storage });
  const stored = new HumanMessage([{ ...file, data: PDF.toString("base64") }]);
  assert.deepEqual(again.log.view().messages, [stored.toJSON()]);
  assert.equal(again.log.totals().total, total);
  await again.dispose();
});

test("bytes count towards maxBytes as the base64 that is sent", () => {
  const bytes = Buffer.alloc(3_000, 1);
  for (const data of [bytes.toString("base64"), new Uint8Array(bytes), bytes, new Uint8Array(bytes).buffer]) {
    const messages = [
      { role: "user", content: [{ type: "file", data, mediaType: "application/pdf" }] },
      { role: "assistant", content: "Ok." },
      { role: "user", content: "Go on." },
    ];
    const isKept = (maxBytes: number) =>
      prune(messages, { format: "ai-sdk", budget: 1e6, limits: { maxBytes } }).messages[0] === messages[0];
    assert.deepEqual([isKept(4_000), isKept(4_300)], [false, true], Object.prototype.toString.call(data));
  }
});

test("the note for a recording says so", async () => {
  const { user, assistant } = shown.find(({ format }) => format === "gemini")!;
  const recorded = (mimeType: string) => user({ inlineData: { mimeType, data: "A".repeat(1e5) } });
  const messages = [recorded("audio/mp3"), assistant("Ok."), recorded("video/mp4"), assistant("Ok."), user()];
  const { messages: fitted } = await compact(messages, { budget: 500 });
  assert.match(JSON.stringify(fitted), /\[audio left out: audio\/mp3, 600 tokens;/);
  assert.match(JSON.stringify(fitted), /\[video left out: video\/mp4, 600 tokens;/);
});

test("a picture, a PDF and a recording cost what they hold in every form", () => {
  for (const { format, parts, user } of shown) {
    const cost = (name: string) =>
      countMessages([user(parts[name])], { format, images: "openai-tiles" }).total -
      countMessages([user()], { format }).total;
    for (const name of Object.keys(parts).filter((name) => name !== "text")) {
      const tokens = cost(name);
      const what = `${format}, ${name}: ${tokens}`;
      if (/^(png|bytes|buffer|top|snake|upper|media)$/.test(name)) assert.equal(tokens, 765, what);
      else if (/^(remote|url|image id)$/.test(name)) assert.equal(tokens, 1_105, what);
      else if (/^(pdf|pdf bytes|native)$/.test(name)) assert.equal(tokens, 3 * 1_500, what);
      else if (name === "audio") assert.equal(tokens, 32, what);
      else assert.equal(tokens, name === "low" ? 85 : 1_500, what);
    }
  }
});

test("a picture in Gemini's system instruction costs what it costs in the contents", () => {
  const picture = { inlineData: { mimeType: "image/png", data: Buffer.from(PNG).toString("base64") } };
  const words = { role: "user", parts: [{ text: "Go." }] };
  const of = (request: object) => espalier.countMessages(request as never, { model: "gemini-2.5-pro" }).total;
  const cost = (system: unknown[]) =>
    of({ systemInstruction: { parts: [{ text: "Hi" }, ...system] }, contents: [words] });
  const there = { role: "user", parts: [...words.parts, picture] };
  const inContents = of({ contents: [there] }) - of({ contents: [words] });
  assert.equal(cost([picture]) - cost([]), inContents);
  assert.ok(inContents > 250, `${inContents}`);
});
