/** Texts that are cut to their budget by the native `render`, and the costs of parts that components get. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { fragment, h } from "./pieces.ts";
import { rehearsal } from "./subject.ts";

const { UserMessage, SystemMessage, TextChunk, TokenLimit, count, render, Raw } = espalier;
const Kind = Raw.ChatCompletionContentPartKind;

const log = Array.from({ length: 20_000 }, (_, at) => `line${at % 97} failed`).join(" ");

/** The text that is left of `log` in a prompt, and the tokens of the prompt. */
async function cut(
  wrap: (chunk: any) => any,
  props: Record<string, unknown>,
  budget: number,
): Promise<{ text: string; tokens: number }> {
  const prompt = await render(wrap(h(TextChunk, props, log)), { budget, format: "raw" });
  return {
    text: prompt.messages.flatMap(({ content }: any) => content.map((part: any) => part.text)).join(""),
    tokens: prompt.tokens,
  };
}

test("a text with breaks fills its budget", { skip: rehearsal }, async () => {
  const wraps = {
    message: (chunk: any) => h(UserMessage, {}, chunk),
    component: (chunk: any) =>
      h(
        UserMessage,
        {},
        h(() => chunk),
      ),
    limit: (chunk: any) => h(UserMessage, {}, h(TokenLimit, { max: 1e6 }, chunk)),
  };
  for (const [name, wrap] of Object.entries(wraps)) {
    for (const props of [{ breakOnWhitespace: true }, { breakOn: " " }, { breakOn: /\s+/g }]) {
      for (const budget of [60, 1000, 8000]) {
        const { text, tokens } = await cut(wrap, props, budget);
        assert.ok(tokens <= budget && tokens >= budget - 12, `${name} ${Object.keys(props)}: ${tokens} of ${budget}`);
        assert.ok(log.startsWith(text) && text.length > 0);
      }
    }
  }
});

test("a text beside other elements is cut, and not removed for the line break between them", {
  skip: rehearsal,
}, async () => {
  const Log = (): any => h(TextChunk, { priority: 1, breakOnWhitespace: true }, log);
  const Rules = (): any => "Rules. ";
  const orders = [
    [h(Log, { flexGrow: 1 }), h(Rules)],
    [h(Rules), h(Log, { flexGrow: 1 })],
    [h(Rules), h(Log, { flexGrow: 1 }), h(Rules)],
  ];
  for (const children of orders) {
    for (let budget = 60; budget < 400; budget += 7) {
      const { tokens } = await render(h(UserMessage, {}, ...children), { budget });
      assert.ok(tokens <= budget && tokens > budget - 20, `${tokens} of ${budget}`);
    }
  }
});

test("a log of 20,000 words leaves the question and the rules where they are", { skip: rehearsal }, async () => {
  const Log = async (): Promise<any> => h(TextChunk, { breakOnWhitespace: true }, log);
  const prompt = await render(
    h(
      fragment,
      {},
      h(SystemMessage, { priority: 1000 }, "You find what broke the build."),
      h(
        UserMessage,
        { priority: 900, flexGrow: 1 },
        "Why does this fail?",
        h("br"),
        h(Log, { flexGrow: 1, priority: 1 }),
      ),
    ),
    { budget: 8000, model: "gpt-4o" },
  );
  const [rules, question] = prompt.messages as { content: string }[];
  assert.equal(rules!.content, "You find what broke the build.");
  assert.ok(question!.content.startsWith("Why does this fail?\nline0 failed line1 failed"));
  assert.ok(prompt.tokens <= 8000 && prompt.tokens > 7950, `${prompt.tokens}`);
});

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("sizing.countTokens counts parts of every kind as the messages do", { skip: rehearsal }, async () => {
  const parts = {
    text: { type: Kind.Text, text: "one two three" },
    image: { type: Kind.Image, imageUrl: { url: `data:image/png;base64,${PNG}` } },
    opaque: { type: Kind.Opaque, value: { a: "b" }, tokenUsage: 17 },
    unpriced: { type: Kind.Opaque, value: { a: "one two three" } },
    document: { type: Kind.Document, documentData: { data: "JVBERi0=".repeat(100), mediaType: "application/pdf" } },
    breakpoint: { type: Kind.CacheBreakpoint },
  };
  const told: Record<string, number> = {};
  const Asks = async (_: unknown, { countTokens }: any): Promise<any> => {
    for (const [name, part] of Object.entries(parts)) told[name] = await countTokens(part);
    return "x";
  };
  await render(h(UserMessage, {}, h(Asks)), { budget: 1000, format: "raw" });
  assert.equal(told.text, count("one two three"));
  assert.equal(told.opaque, 17);
  assert.equal(told.unpriced, count('{"a":"one two three"}'));
  assert.equal(told.breakpoint, 0);
  // What a message costs more with the part than without it.
  const message = async (child: any): Promise<number> =>
    (await render(h(UserMessage, {}, h(TextChunk, {}, "x"), child), { budget: 1e6, format: "raw" })).tokens;
  const empty = await message(undefined);
  assert.equal(told.image, (await message(h(espalier.Image, { src: PNG }))) - empty);
  assert.equal(told.document, (await message(h(espalier.Document, parts.document.documentData))) - empty);
});

test("a prompt without a message is an error", { skip: rehearsal }, async () => {
  const code = "empty_prompt";
  for (const nothing of [
    h(fragment),
    undefined,
    h(UserMessage),
    h(
      UserMessage,
      {},
      h(() => undefined),
    ),
  ]) {
    await assert.rejects(render(nothing as any, { budget: 100 }), {
      code,
      path: "prompt",
      details: { budget: 100, removed: 0 },
    });
  }
  const prompt = await render(h(UserMessage, {}, "question"), { budget: 100 });
  await assert.rejects(prompt.prune(5), { code, path: "options.budget" });
  await assert.rejects(render(h(UserMessage, {}, "question"), { budget: 5 }), { code, path: "options.budget" });
  assert.equal((await prompt.prune(100)).messages.length, 1);
});

test("a budget that is missing or no number is a bad option", { skip: rehearsal }, async () => {
  for (const options of [undefined, {}, { budget: NaN }, { budget: "8000" }, { budget: null }] as any[]) {
    await assert.rejects(render(h(UserMessage, {}, "x"), options), { code: "bad_option", path: "options.budget" });
  }
});
