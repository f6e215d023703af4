/**
 * Conversations as elements: real sessions in prompts, in every format, and what a render says of a history that it
 * cannot show.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Format } from "../../../js/types/messages.ts";
import type { RenderFormat } from "../../../js/prompt/output/request.ts";
import { begin, refused, round } from "../conversation/support.ts";
import type { Fields } from "../conversation/support.ts";
import { turns } from "../conversation/replay.ts";
import type { Shape } from "../conversation/replay.ts";

const {
  ConversationHistory,
  createPiece: h,
  Fragment,
  PromptElement,
  SystemMessage,
  UserMessage,
  render,
  openConversation,
} = espalier;
const recorded = (file: string) =>
  (
    JSON.parse(readFileSync(new URL(`../../fixtures/transcripts/${file}`, import.meta.url), "utf8")) as {
      messages: Fields[];
    }
  ).messages;
/** A recording as its host would hold it before a request. */
const session = (shape: Shape) =>
  turns(recorded("sweagent-marshmallow-1867.json"), shape).slice(0, -1).flat() as Fields[];
const agent = (props: object, after?: string) =>
  h(
    Fragment,
    null,
    h(SystemMessage, null, "You mend parsers."),
    h(ConversationHistory, { flexGrow: 1, priority: 700, ...props }),
    after && h(UserMessage, { priority: 950 }, after),
  );

/** A fresh count of the request in its own format, and what its provider would refuse. */
function sound(
  prompt: { request: object; messages: Fields[]; tokens: number; budget: number },
  format: RenderFormat,
): void {
  const request = format === "anthropic" || format === "gemini" ? prompt.request : prompt.messages;
  const provider = format === "raw" || format === "ai-sdk" ? "openai-chat" : format;
  assert.deepEqual(espalier.validate(request, provider, { format, pending: "keep" }), []);
  const { total } = espalier.countMessages(request, { format });
  assert.ok(total <= prompt.tokens && prompt.tokens <= prompt.budget, `${total}, ${prompt.tokens}, ${prompt.budget}`);
}

const FORMATS: RenderFormat[] = ["openai-chat", "anthropic", "gemini", "vscode", "raw", "ai-sdk"];
for (const format of FORMATS) {
  test(`a recording in a prompt for ${format}: valid, counted exactly, in its host's own objects where the format is the same`, async () => {
    for (const from of ["openai-chat", "anthropic", "gemini", "vscode"] as Shape[]) {
      const messages = session(from);
      const conversation = await openConversation<any>({ format: from, messages });
      for (const budget of [100_000, 3_000]) {
        const prompt = await render(agent({ conversation }, "Be brief."), { budget, format });
        sound(prompt, format);
        const own = prompt.messages.filter((message) => messages.includes(message)).length;
        assert.ok(
          from === format ? own >= prompt.messages.length - 3 : own === 0,
          `${own} of ${prompt.messages.length}`,
        );
        if (budget === 3_000) assert.ok(prompt.removed > 0);
      }
      await conversation.dispose();
    }
  });
}

test("older rounds go first, and a call goes with its results", async () => {
  const conversation = await openConversation<any>({ format: "openai-chat", messages: begin(20) });
  for (let budget = 200; budget < 6_000; budget += 173) {
    const { messages, tokens } = await render(agent({ conversation }), { budget });
    assert.ok(tokens <= budget);
    const ids = messages.flatMap(({ tool_calls: calls = [] }: any) => calls.map(({ id }: any) => id));
    assert.deepEqual(
      messages.flatMap(({ tool_call_id: id }: any) => id ?? []),
      ids,
    );
    assert.deepEqual(
      ids,
      Array.from({ length: ids.length }, (_, at) => `c${20 - ids.length + at}`),
    );
    assert.ok(messages.some(({ content }: any) => content === "Fix the parser, never touch the lexer."));
  }
  await conversation.dispose();
});

test("the parts of a history compete with its siblings by their own priorities", async () => {
  const conversation = await openConversation<any>({
    format: "openai-chat",
    messages: [...begin(5), { role: "user", content: "Now the tests." }, ...round(9)],
  });
  const prompt = (priority: number, passPriority: boolean) =>
    h(
      Fragment,
      null,
      h(ConversationHistory, { conversation, priority: 700, passPriority }),
      h(UserMessage, { priority }, "word ".repeat(1_000)),
    );
  const shown = async (priority: number, passPriority = true) => {
    const { messages } = await render(prompt(priority, passPriority), { budget: 1_300 });
    const has = (text: string) => messages.some(({ content }: any) => String(content).startsWith(text));
    return [has("word"), has("building part9"), has("Now the tests."), has("building part4")];
  };
  assert.deepEqual(await shown(800), [true, true, true, false]);
  assert.deepEqual(await shown(600), [false, true, true, true]);
  // Without it the history is one among its siblings.
  assert.deepEqual(await shown(800, false), [true, true, true, false]);
  await conversation.dispose();
});

test("a view is shown with its edits and summaries, which go last", async () => {
  const conversation = await openConversation<any>({ format: "openai-chat", messages: begin(12) });
  await conversation.compact();
  const { messages } = await render(agent({ conversation }), { budget: 100_000 });
  assert.deepEqual(messages.slice(1), conversation.view().messages);
  const summary = (list: any[]) => list.some(({ content }) => String(content).startsWith("<conversation-summary"));
  const tight = await render(agent({ conversation }), { budget: espalier.countMessages(messages).total - 100 });
  assert.ok(summary(messages) && summary(tight.messages));
  await conversation.dispose();
});

test("one result has its share of the prompt, 50 % if nothing is said", async () => {
  const [call, result] = round(5);
  const messages = [
    ...begin(1),
    call!,
    { ...result, content: Array.from({ length: 2_000 }, (_, at) => `building part ${at}`).join("\n") },
  ];
  for (const props of [
    { messages },
    { messages, format: "openai-chat" as Format },
    { conversation: await openConversation<any>({ format: "openai-chat", messages }) },
  ]) {
    const cut = (share?: number) =>
      render(agent({ ...props, ...(share !== undefined && { resultShare: share }) }), { budget: 4_000 });
    const resultOf = (prompt: any) => prompt.messages.find(({ tool_call_id: id }: any) => id === "c5");
    const [half, fifth] = [await cut(), await cut(0.2)];
    for (const [prompt, share] of [
      [half, 0.5],
      [fifth, 0.2],
    ] as const) {
      const tokens = espalier.count(resultOf(prompt).content);
      assert.ok(tokens <= share * 4_000 && tokens > share * 3_000, String(tokens));
    }
    assert.equal(resultOf(await cut(1)), undefined);
    // A cut that was made before is the same object, so that a provider's prefix stays.
    assert.equal(resultOf(await cut()), resultOf(half));
    await refused(() => cut(0), "bad_option", "<ConversationHistory>.resultShare");
  }
});

test("what comes before the history is marked where the format has marks", async () => {
  const conversation = await openConversation<any>({ format: "anthropic", messages: session("anthropic") });
  const { request } = await render(agent({ conversation }), { budget: 50_000, format: "anthropic" });
  assert.deepEqual(request.system, [{ type: "text", text: "You mend parsers.", cache_control: { type: "ephemeral" } }]);
  const bare = await render(agent({ conversation, cacheBreakpoint: false }), { budget: 50_000, format: "anthropic" });
  assert.deepEqual(bare.request.system, [{ type: "text", text: "You mend parsers." }]);
  await conversation.dispose();
});

test("other budgets and other renderers show the same history", async () => {
  const messages = begin(20);
  const prompt = await render(agent({ messages }), { budget: 100_000 });
  const smaller = await prompt.prune(2_000);
  assert.deepEqual(smaller.messages, (await render(agent({ messages }), { budget: 2_000 })).messages);
  const tokenizer = new espalier.BuiltinTokenizer({ mode: espalier.OutputMode.OpenAI });
  const renderer = new espalier.PromptRenderer(
    { modelMaxPromptTokens: 100_000 },
    ConversationHistory as any,
    { messages } as any,
    tokenizer as any,
  );
  const { messages: own } = await renderer.render();
  assert.deepEqual(
    own.map(({ role }: any) => role),
    messages.map(({ role }) => role),
  );
});

test("elements after the history know what it took", async () => {
  let told = 0;
  const After = (_: object, { tokenBudget }: { tokenBudget: number }) => (
    (told = tokenBudget), h(UserMessage, null, "Go on.")
  );
  const messages = begin(10);
  const { total } = espalier.countMessages(messages);
  await render(h(Fragment, null, h(ConversationHistory, { messages, flexGrow: 2 }), h(After, { flexGrow: 1 })), {
    budget: 5_000,
  });
  // Layout charges no result for being a message, here as for results of a tree's own.
  assert.ok(Math.abs(told - (5_000 - total)) <= 100, `${told} of ${5_000 - total}`);
});

test("a history that cannot be shown is refused by name", async () => {
  const conversation = await openConversation<any>({ format: "openai-chat", messages: begin(2) });
  const tree = (...children: any[]) => render(h(Fragment, null, ...children), { budget: 5_000 });
  await refused(() => tree(h(ConversationHistory, {})), "bad_option", "conversation");
  await refused(
    () => tree(h(ConversationHistory, { conversation }), h(ConversationHistory, { conversation })),
    "bad_option",
    "conversation",
  );
  await refused(
    () => tree(h(ConversationHistory, { conversation, messages: [] })),
    "bad_option",
    "<ConversationHistory>.messages",
  );
  await refused(
    () => tree(h(ConversationHistory, { messages: "x" as any })),
    "bad_option",
    "<ConversationHistory>.messages",
  );
  await conversation.dispose();
});

test("an element keeps a tally of what it has written", async () => {
  const seen: number[] = [];
  const Tally = (_: object, sizing: any) => {
    const { consume, tokenBudget } = sizing;
    for (const tokens of [10, -5, tokenBudget]) {
      consume(tokens);
      seen.push(sizing.remainingTokenBudget - sizing.tokenBudget);
    }
    assert.throws(() => consume(NaN), { code: "bad_input", path: "tokens" });
    return h(UserMessage, null, "Hello");
  };
  await render(h(Tally, {}), { budget: 100 });
  assert.deepEqual(seen, [-10, -5, -97]);
});

test("what `prepare` consumed counts in `render`", async () => {
  let rest = 0;
  class Careful extends PromptElement {
    override async prepare(sizing: any): Promise<void> {
      sizing.consume(30);
    }
    override render(_state: void, sizing: any): any {
      rest = sizing.tokenBudget - sizing.remainingTokenBudget;
      return h(UserMessage, null, "Hello");
    }
  }
  await render(h(Careful, {}), { budget: 100 });
  assert.equal(rest, 30);
});
