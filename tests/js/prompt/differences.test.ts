/**
 * Where ours differs on purpose. Each test first shows what the reference does, so that the difference is proven and a
 * new version of it would be noticed, then what ours does.
 */

import assert from "node:assert/strict";
import Module from "node:module";
import { test } from "node:test";
import { all, component, fragment, h, probes, render, rendererOf, texts } from "./pieces.ts";
import type { RenderOptions } from "./pieces.ts";
import type { Subject } from "./subject.ts";
import { ours, reference, rehearsal } from "./subject.ts";
import { letters, tokenizerOf, words } from "./tokenizers.ts";

/** A difference: what the reference does, and what ours does. */
function differs(name: string, theirs: (s: Subject) => unknown, own: (s: Subject) => unknown): void {
  test(name, async () => {
    await theirs(reference);
    if (!rehearsal) await own(ours);
  });
}

const NOTHING_LEFT = /^No lowest priority node found/;

/** Expects a budget failure. */
async function fails(run: Promise<unknown>): Promise<any> {
  let failure: any;
  await assert.rejects(run, (error: any) => NOTHING_LEFT.test((failure = error).message));
  return failure;
}

/**
 * A literal for each letter, and spaces of low priority between them, so that removing a space costs or frees what no
 * bound says.
 */
const spaced = (s: Subject): any =>
  h(
    s.UserMessage,
    {},
    ...[..."abcdefghij"].flatMap((letter) => [
      h(s.LogicalWrapper, { passPriority: true, priority: 2 }, letter),
      h(s.Chunk, { priority: 1 }, " "),
    ]),
  );

differs(
  "stop rule: nothing goes that need not",
  async (s) =>
    assert.ok(
      (await render(s, spaced(s), { budget: 15, tokenizer: tokenizerOf(s, { count: spaces, base: 0 }) })).tokenCount <
        10,
    ),
  async (s) =>
    assert.equal(
      (await render(s, spaced(s), { budget: 15, tokenizer: tokenizerOf(s, { count: spaces, base: 0 }) })).tokenCount,
      15,
    ),
);

/** One token for each letter; a space is free alone, but two inside a text. */
function spaces(text: string): number {
  return [...text].reduce((sum, letter) => sum + (letter === " " ? (text.length > 1 ? 2 : 0) : 1), 0);
}

const trapped = (s: Subject): any =>
  all(
    h(s.UserMessage, { priority: 1 }, "instructions", h("cacheBreakpoint", {})),
    h(s.UserMessage, { priority: 2 }, "question"),
  );

differs(
  "breakpoint trap: what holds nothing that may go is passed over",
  async (s) => fails(render(s, trapped(s), { budget: 20 })),
  async (s) => {
    assert.deepEqual(await texts(s, trapped(s), { budget: 20 }), ["user: instructions[breakpoint]"]);
    await fails(render(s, trapped(s), { budget: 14 }));
  },
);

/** A picture whose tokens the tokenizer does not know alone, as models of VS Code do not. */
const pictured = (s: Subject): any =>
  h(
    s.UserMessage,
    {},
    h(s.TextChunk, { priority: 2 }, "x".repeat(300)),
    h(s.Image, { src: "x", priority: 1 }),
    h("cacheBreakpoint"),
    h(s.TextChunk, { priority: 3 }, "tail"),
  );
const unpictured = (s: Subject): any =>
  h(
    s.UserMessage,
    {},
    h(s.Image, { src: "x", priority: 1 }),
    h(s.TextChunk, { priority: 2 }, "x".repeat(300)),
    h(s.TextChunk, { priority: 3 }, "tail"),
  );
const blind = (s: Subject): RenderOptions => ({
  budget: 400,
  tokenizer: tokenizerOf(s, { count: letters, image: 1000, alone: 0 }),
});

differs(
  "pictures and documents: what they cost inside the message",
  async (s) => fails(render(s, unpictured(s), blind(s))),
  async (s) => {
    assert.deepEqual(await texts(s, unpictured(s), blind(s)), [`user: ${"x".repeat(300)}|tail`]);
    await fails(render(s, pictured(s), blind(s)));
  },
);

test("TokenLimit inside a message: the drop-in module counts by bounds too", async () => {
  for (const s of new Set([reference, ours])) {
    const lines = Array.from({ length: 10 }, (_, at) => h(s.TextChunk, { priority: at }, "abc"));
    // Exactly 39 tokens with the line breaks between them, 40 by their bounds.
    assert.equal(
      (await texts(s, h(s.UserMessage, {}, h(s.TokenLimit, { max: 39 }, ...lines)))).join("").match(/abc/g)?.length,
      9,
    );
  }
});

async function capped(s: Subject, first: number, second: number): Promise<Record<string, number>> {
  const { heard, probe } = probes(s);
  await render(
    s,
    all(
      h(s.TokenLimit, { max: first }, h(probe(`${first}`))),
      h(s.TokenLimit, { max: second }, h(probe(`${second}`))),
      h(probe("free")),
    ),
    { budget: 100 },
  );
  return heard;
}

differs(
  "TokenLimit caps in layout: the order of siblings does not matter",
  async (s) => {
    assert.deepEqual(await capped(s, 30, 40), { 30: 30, 40: 40, free: 30 });
    assert.deepEqual(await capped(s, 40, 30), { 40: 35, 30: 30, free: 35 });
  },
  async (s) => {
    assert.deepEqual(await capped(s, 30, 40), { 30: 30, 40: 35, free: 35 });
    assert.deepEqual(await capped(s, 40, 30), { 40: 35, 30: 30, free: 35 });
  },
);

async function baseless(s: Subject): Promise<Record<string, number>> {
  const { heard, probe } = probes(s);
  await render(s, all(h(probe("a"), { flexBasis: 0 }), h(probe("b"), { flexBasis: 0 })), { budget: 100 });
  return heard;
}

differs(
  "flexBasis of 0 for a whole group: no NaN",
  async (s) => assert.deepEqual(await baseless(s), { a: NaN, b: NaN }),
  async (s) => assert.deepEqual(await baseless(s), { a: 0, b: 0 }),
);

/** An expandable that first has 5 letters and then `grown`, beside a chunk of 10. */
function growing(s: Subject, priority: number, grown: number): any {
  let calls = 0;
  const value = () => "g".repeat(calls++ === 0 ? 5 : grown);
  return h(s.UserMessage, {}, h(s.Expandable, { priority, value }), h(s.TextChunk, { priority: 5 }, "0123456789"));
}

for (const priority of [1, 9]) {
  differs(
    `growth that does not fit is taken back, priority ${priority}`,
    async (s) =>
      assert.deepEqual(await texts(s, growing(s, priority, 20), { budget: 30 }), [`user: ${"g".repeat(20)}`]),
    async (s) => assert.deepEqual(await texts(s, growing(s, priority, 20), { budget: 30 }), ["user: ggggg|0123456789"]),
  );
}

/** The same within a limit that has room for the growth, in a prompt that has not. */
const ranked = (s: Subject): any =>
  all(h(s.TokenLimit, { max: 40, priority: 1 }, growing(s, 1, 20)), h(s.UserMessage, { priority: 5 }, "abcdefghij"));

differs(
  "a grown Expandable keeps its rank",
  async (s) =>
    assert.deepEqual(await texts(s, ranked(s), { budget: 40 }), [`user: ${"g".repeat(20)}`, "user: abcdefghij"]),
  async (s) => assert.deepEqual(await texts(s, ranked(s), { budget: 40 }), ["user: 0123456789", "user: abcdefghij"]),
);

/** A chunk that may end where an expression matches nothing; gives up after a thousand counts. */
async function emptyBreaks(s: Subject): Promise<string[]> {
  const tokenizer = tokenizerOf(s, { count: letters });
  const { tokenLength } = tokenizer;
  tokenizer.tokenLength = (part: any) => {
    if (tokenizer.tally.tokenLength > 1000) throw new Error("It does not end.");
    return tokenLength(part);
  };
  return texts(s, h(s.UserMessage, {}, h(s.TextChunk, { breakOn: /(?=b)|/g }, "aabaab")), { budget: 7, tokenizer });
}

differs(
  "breakOn: an expression that matches nothing moves on",
  (s) => assert.rejects(emptyBreaks(s), /It does not end\./),
  async (s) => assert.deepEqual(await emptyBreaks(s), ["user: aaba"]),
);

async function charactersForBreak(s: Subject): Promise<number> {
  const text = "lorem ipsum dolor ".repeat(4000 / 3);
  const tokenizer = tokenizerOf(s, { count: letters });
  await render(s, h(s.UserMessage, {}, h(s.TextChunk, { breakOnWhitespace: true }, text)), {
    tokenizer,
    budget: text.length / 2,
  });
  return tokenizer.tally.characters / text.length;
}

differs(
  "breakOn: few probes",
  async (s) => assert.ok((await charactersForBreak(s)) > 100),
  async (s) => {
    const times = await charactersForBreak(s);
    assert.ok(times <= 3, `${times} times its characters`);
  },
);

differs(
  "null children are nothing",
  (s) => assert.rejects(texts(s, h(s.UserMessage, {}, "a", null, "b")), TypeError),
  async (s) =>
    assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a", null, h(fragment, {}, null), "b")), ["user: ab"]),
);

/** One piece that was in a list before it is used outside. */
async function reused(s: Subject): Promise<string[]> {
  const piece = h(s.TextChunk, { priority: 50 }, "used twice");
  await render(s, h(s.UserMessage, {}, h(s.PrioritizedList, { priority: 1, descending: true }, piece)));
  return texts(s, h(s.UserMessage, {}, piece, h(s.TextChunk, { priority: 10 }, "other text")), { budget: 15 });
}

differs(
  "PrioritizedList leaves the pieces that it is given alone",
  async (s) => assert.deepEqual(await reused(s), ["user: other text"]),
  async (s) => assert.deepEqual(await reused(s), ["user: used twice"]),
);

async function twice(s: Subject): Promise<number[]> {
  const renderer = rendererOf(s, () => h(s.UserMessage, {}, "once"), { budget: 100 });
  return [(await renderer.render()).messages.length, (await renderer.render()).messages.length];
}

differs(
  "a second render is a render of its own",
  async (s) => assert.deepEqual(await twice(s), [1, 2]),
  async (s) => assert.deepEqual(await twice(s), [1, 1]),
);

/**
 * Messages in VS Code's mode, told by role and text. Its module is only there inside VS Code; a small one stands for
 * it.
 */
async function inVSCode(s: Subject): Promise<string[]> {
  class TextPart {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  }
  const make = (role: string) => (content: string) => ({ role, content: [new TextPart(content)] });
  const vscode = {
    LanguageModelTextPart: TextPart,
    LanguageModelChatMessage: { User: make("user"), Assistant: make("assistant") },
    LanguageModelToolCallPart: TextPart,
    LanguageModelToolResultPart: TextPart,
  };
  const loader = Module as any;
  const load = loader._load;
  loader._load = (name: string, ...rest: unknown[]) => (name === "vscode" ? vscode : load(name, ...rest));
  try {
    s.setVSCode?.(vscode);
    const raw = (role: number, text: string): any => ({
      role,
      content: [{ type: s.Raw.ChatCompletionContentPartKind.Text, text }],
    });
    return s
      .toVSCode([raw(0, "be brief"), raw(1, "hi"), raw(2, "hello")])
      .map((message: any) => `${message.role}: ${message.content[0].value}`);
  } finally {
    loader._load = load;
    s.setVSCode?.();
  }
}

differs(
  "VS Code mode: system messages are sent as the user's",
  async (s) => assert.deepEqual(await inVSCode(s), ["user: hi", "assistant: hello"]),
  async (s) => assert.deepEqual(await inVSCode(s), ["user: be brief", "user: hi", "assistant: hello"]),
);

/** A conversation sent as JSON and rendered again. */
async function throughJSON(s: Subject, content: any, options: RenderOptions = {}): Promise<any> {
  const data = JSON.parse(JSON.stringify(await rendererOf(s, content).renderElementJSON()));
  return render(s, h("elementJSON", { data }), options);
}

const call = (id: string, more = {}): any => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...more,
});

differs(
  "JSON: calls and results keep their ids",
  async (s) => {
    const { messages } = await throughJSON(
      s,
      all(h(s.AssistantMessage, { toolCalls: [call("c1")] }, "a"), h(s.ToolMessage, { toolCallId: "c1" }, "b")),
    );
    assert.deepEqual(
      messages.map(({ toolCalls, toolCallId }: any) => [toolCalls, toolCallId]),
      [
        [undefined, undefined],
        [undefined, undefined],
      ],
    );
  },
  async (s) => {
    const { messages } = await throughJSON(
      s,
      all(h(s.AssistantMessage, { toolCalls: [call("c1")] }, "a"), h(s.ToolMessage, { toolCallId: "c1" }, "b")),
    );
    assert.deepEqual(
      messages.map(({ toolCalls, toolCallId }: any) => [toolCalls?.[0].id, toolCallId]),
      [
        ["c1", undefined],
        [undefined, "c1"],
      ],
    );
  },
);

/** A call bound to its result, in a budget that the result does not fit. */
async function boundThroughJSON(s: Subject): Promise<string[]> {
  const K = s.useKeepWith();
  const content = all(
    h(s.AssistantMessage, { priority: 9, toolCalls: [call("c1", { keepWith: K })] }, "x"),
    h(K, { priority: 1 }, h(s.ToolMessage, { toolCallId: "c1" }, "y".repeat(50))),
  );
  const { messages } = await throughJSON(s, content, { budget: 30 });
  return messages.map((message: any) => `${message.content[0].text} ${message.toolCalls?.length ?? 0}`);
}

test("JSON: a call goes with its result after the journey, too", async () => {
  assert.deepEqual(await boundThroughJSON(reference), ["x 0"]);
  if (!rehearsal) {
    assert.deepEqual(await boundThroughJSON(ours), ["x 0"]);
    const kept = await throughJSON(
      ours,
      h(ours.AssistantMessage, { toolCalls: [call("c1", { keepWith: ours.useKeepWith() })] }, "x"),
    );
    assert.equal(kept.messages[0].toolCalls.length, 1);
  }
});

const limited = (s: Subject): any =>
  h(
    s.UserMessage,
    {},
    h(s.TokenLimit, { max: 5 }, h(s.TextChunk, { priority: 1 }, "aaa"), h(s.TextChunk, { priority: 2 }, "bbb")),
    h("cacheBreakpoint", { type: "x" }),
  );
const contents = ({ messages: [message] }: any): string =>
  message.content
    .map((part: any) => part.text ?? part.cacheType)
    .join("+")
    .replaceAll("\n", "|");

differs(
  "JSON: limits and cache breakpoints survive",
  async (s) => assert.equal(contents(await throughJSON(s, limited(s))), "aaa|bbb"),
  async (s) => assert.equal(contents(await throughJSON(s, limited(s))), "bbb+x"),
);

differs(
  "JSON: metadata of plain data survives",
  async (s) => {
    const { metadata } = await throughJSON(
      s,
      h(s.UserMessage, {}, h("meta", { value: { answer: 42 } as any, local: true }), "x"),
    );
    assert.deepEqual(metadata.getAll(Object), []);
  },
  async (s) => {
    const { metadata } = await throughJSON(
      s,
      h(s.UserMessage, {}, h("meta", { value: { answer: 42 } as any, local: true }), "x"),
    );
    assert.equal(metadata.getAll(Object)[0]?.answer, 42);
  },
);

test("JSON of ours can be read by the reference, which skips what it does not know", async () => {
  const content = (s: Subject): any =>
    all(
      h(s.TextChunk, { priority: 1 }, "low"),
      h(s.TokenLimit, { max: 30 }, h(s.Chunk, { priority: 2 }, "high")),
      h(s.Image, { src: "x" }),
    );
  const data = JSON.parse(JSON.stringify(await rendererOf(ours, content(ours)).renderElementJSON()));
  const native = JSON.parse(JSON.stringify(await rendererOf(reference, content(reference)).renderElementJSON()));
  const spliced = (data: any): Promise<string[]> =>
    texts(reference, h(reference.UserMessage, {}, h("elementJSON", { data })), { budget: 30 });
  assert.deepEqual(await spliced(data), await spliced(native));
  assert.deepEqual(
    await texts(ours, h(ours.UserMessage, {}, h("elementJSON", { data: native })), { budget: 30 }),
    await spliced(native),
  );
});

/** So many wrappers inside one another. */
function deep(s: Subject, depth: number): any {
  let piece: any = "core";
  for (let at = 0; at < depth; at++) piece = h(s.LogicalWrapper, {}, piece);
  return h(s.UserMessage, {}, piece);
}

function broad(s: Subject, breadth: number): any {
  const text = { type: 2, text: "x", priority: 1, references: [], lineBreakBefore: false };
  const node = {
    type: 1,
    ctor: 2,
    ctorName: "Wide",
    children: Array.from({ length: breadth }, () => text),
    props: { passPriority: true },
    flags: 4,
    references: [],
  };
  return h(s.UserMessage, {}, h("elementJSON", { data: { node } }));
}

differs(
  "depth and breadth: no limit but memory",
  async (s) => {
    await assert.rejects(render(s, deep(s, 10_000)), RangeError);
    await assert.rejects(render(s, broad(s, 200_000), { budget: 150_000 }), RangeError);
  },
  async (s) => {
    assert.deepEqual(await texts(s, deep(s, 10_000)), ["user: core"]);
    assert.deepEqual(await texts(s, deep(s, 10_000), { budget: 1 }), []);
    assert.equal((await render(s, broad(s, 200_000), { budget: 150_000 })).tokenCount, 150_000);
  },
);

async function failure(s: Subject): Promise<any> {
  const Rules = component(s, "Rules");
  return fails(
    render(
      s,
      all(
        h(s.SystemMessage, {}, h(Rules, {}, "x".repeat(90)), h("cacheBreakpoint")),
        h(s.UserMessage, { priority: 1 }, "y"),
      ),
      { budget: 50 },
    ),
  );
}

differs(
  "a budget failure says what does not fit",
  async (s) => {
    const error = await failure(s);
    assert.match(error.message, /\(path: Root -> 0\)/);
    assert.deepEqual([error.code, error.details], [undefined, undefined]);
  },
  async (s) => {
    const error = await failure(s);
    assert.match(error.message, /system|SystemMessage/i);
    assert.equal(error.code, "budget_exceeded");
    assert.deepEqual([error.details.budget, error.details.needed], [50, 93]);
    assert.ok(error.details.largest.length > 0);
    assert.equal(error.messages.length, 2);
    assert.deepEqual(error.metadata.getAll(s.PromptMetadata), []);
  },
);

// The reference's counts and texts that go stale. The specification's table does not list them.

async function silentMessage(s: Subject): Promise<number> {
  return (await render(s, all(h(s.UserMessage, {}, " \n "), h(s.UserMessage, {}, "x")), { budget: 100 })).tokenCount;
}

differs(
  "a message that is not sent, being empty, costs nothing",
  async (s) => assert.equal(await silentMessage(s), 3 + 3 + 3 + 1),
  async (s) => assert.equal(await silentMessage(s), 3 + 1),
);

async function droppedCall(s: Subject): Promise<any> {
  const K = s.useKeepWith();
  const content = all(
    h(s.AssistantMessage, { priority: 9, toolCalls: [call("c1", { keepWith: K })] }, "said"),
    h(K, { priority: 1 }, h(s.ToolMessage, { toolCallId: "c1" }, "z".repeat(40))),
  );
  const tokenizer = tokenizerOf(s, { count: letters });
  const { messages, tokenCount } = await render(s, content, { budget: 30, tokenizer });
  return {
    messages,
    tokenCount,
    fresh: messages.reduce((sum: number, message: any) => sum + tokenizer.countMessageTokens(message), 0),
  };
}

differs(
  "a tool call that was dropped costs nothing any more",
  async (s) => {
    const { tokenCount, fresh } = await droppedCall(s);
    assert.ok(tokenCount > fresh);
  },
  async (s) => {
    const { tokenCount, fresh } = await droppedCall(s);
    assert.equal(tokenCount, fresh);
  },
);

/** An expandable that grows from 7 to 9 within its limit, in a message that takes the whole budget before that. */
async function grownInLimit(s: Subject): Promise<string[]> {
  const grows = h(s.Expandable, { value: (sizing: any) => "g".repeat(Math.min(9, sizing.tokenBudget - 3)) });
  const content = h(
    s.UserMessage,
    {},
    h(s.TokenLimit, { max: 20 }, h(s.TextChunk, {}, "abc"), grows),
    h(s.TextChunk, { priority: 1 }, "r".repeat(35)),
  );
  return texts(s, content, { budget: 50 });
}

differs(
  "what grew inside a limit counts, and is sent",
  async (s) => assert.deepEqual(await grownInLimit(s), [`user: abc|${"g".repeat(7)}|${"r".repeat(35)}`]),
  async (s) => assert.deepEqual(await grownInLimit(s), [`user: abc|${"g".repeat(9)}`]),
);

async function cutTogether(s: Subject): Promise<string[]> {
  const cut = (text: string): any => h(s.TextChunk, { breakOnWhitespace: true }, text);
  return texts(s, h(s.UserMessage, {}, cut("one two three four"), cut("five six seven eight")), {
    tokenizer: tokenizerOf(s, { count: words, later: true }),
  });
}

differs(
  "texts that are cut at the same time do not disturb each other",
  async (s) => assert.notDeepEqual(await cutTogether(s), ["user: one two three four|five six seven eight"]),
  async (s) => assert.deepEqual(await cutTogether(s), ["user: one two three four|five six seven eight"]),
);

async function reservedWithoutLimit(s: Subject): Promise<Record<string, number>> {
  const { heard, probe } = probes(s);
  await render(s, all(h(probe("first")), h(probe("later"), { flexGrow: 1, flexReserve: "/3" })), { budget: Infinity });
  return heard;
}

differs(
  "flexReserve of an unlimited budget holds nothing back",
  async (s) => assert.deepEqual(await reservedWithoutLimit(s), { first: NaN, later: NaN }),
  async (s) => assert.deepEqual(await reservedWithoutLimit(s), { first: Infinity, later: Infinity }),
);

const withBoolean = (s: Subject): any =>
  h(s.UserMessage, {}, h(s.TextChunk, { breakOnWhitespace: true }, "a ", true, "b"));

differs(
  "booleans in a TextChunk with breaks are dropped",
  async (s) => assert.deepEqual(await texts(s, withBoolean(s)), ["user: a trueb"]),
  async (s) => assert.deepEqual(await texts(s, withBoolean(s)), ["user: a b"]),
);

differs(
  "bigint children are text",
  (s) => assert.rejects(texts(s, h(s.UserMessage, {}, 7n))),
  async (s) => assert.deepEqual(await texts(s, h(s.UserMessage, {}, 7n)), ["user: 7"]),
);
