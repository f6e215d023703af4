/** Tags and ranked history, rendered and pruned by the package. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ITokenizer, PromptChildren, Raw as RawTypes } from "../../../js/prompt/index.ts";

const {
  AssistantMessage,
  ChatHistory,
  createPiece,
  Fragment,
  PromptElement,
  PromptRenderer,
  rankRounds,
  Tag,
  TextChunk,
  ToolCallRounds,
  UserMessage,
} = espalier;

/** Words, one for a message and one for each call. */
const words: ITokenizer<1> = {
  mode: 1,
  tokenLength: (part) => (part.type === 1 ? part.text.split(/\s+/).filter(Boolean).length : 0),
  countMessageTokens(message: RawTypes.ChatMessage) {
    const calls = message.role === 2 ? (message.toolCalls?.length ?? 0) : 0;
    return message.content.reduce((sum, part) => sum + (words.tokenLength(part) as number), 1 + calls);
  },
};

class Root extends PromptElement<{ priority?: number; content: PromptChildren }> {
  render() {
    return this.props.content;
  }
}

async function messages(content: PromptChildren, budget = 1e9): Promise<RawTypes.ChatMessage[]> {
  return (await new PromptRenderer({ modelMaxPromptTokens: budget }, Root, { content }, words).render()).messages;
}

const textOf = ({ content }: RawTypes.ChatMessage) =>
  content.map((part) => (part.type === 1 ? part.text : "")).join("");
const tagged = async (budget: number, ...children: PromptChildren[]) =>
  (await messages(createPiece(UserMessage, null, ...children), budget)).map(textOf).join("");
const tag = (props: object, ...children: PromptChildren[]) => createPiece(Tag, props, ...children);

test("tags", async () => {
  const rows: [object, PromptChildren[], string][] = [
    [{ name: "summary" }, ["body"], "<summary>\nbody\n</summary>\n"],
    [
      { name: "attachment", attrs: { id: "foo", n: 1, on: true, none: undefined } },
      ["x"],
      '<attachment id="foo" n=1 on=true>\nx\n</attachment>\n',
    ],
    [{ name: "a", attrs: { v: 'say "hi"\n' } }, ["x"], '<a v="say \\"hi\\"\\n">\nx\n</a>\n'],
    [{ name: "_a-b.c" }, ['<b> & "c"'], '<_a-b.c>\n<b> & "c"\n</_a-b.c>\n'],
    [{ name: "a" }, [""], "<a>\n\n</a>\n"],
    [{ name: "a" }, [], ""],
    [{ name: "a" }, [false, null, undefined], ""],
    [{ name: "a", attrs: { x: "1" } }, [], '<a x="1" />\n'],
  ];
  for (const [props, children, said] of rows) assert.equal(await tagged(1e9, tag(props, ...children)), said);
  assert.equal(await tagged(1e9, tag({ name: "a" }, "1"), tag({ name: "b" }, "2")), "<a>\n1\n</a>\n<b>\n2\n</b>\n");
  for (const props of [
    { name: "1a" },
    { name: "a b" },
    { name: "a>" },
    { name: "" },
    { name: undefined },
    { name: "a", attrs: { "b c": 1 } },
  ]) {
    await assert.rejects(messages(createPiece(UserMessage, null, tag(props, "x"))), { code: "bad_option" });
  }
});

test("tags go with the last of their content", async () => {
  const line = (priority: number, text: string) => createPiece(TextChunk, { priority }, text);
  const at = (budget: number) =>
    tagged(
      budget,
      line(50, "keep"),
      tag({ name: "a", priority: 5 }, line(1, "one one"), line(2, "two two")),
      line(60, "tail"),
    );
  assert.equal(await at(9), "keep\n<a>\none one\ntwo two\n</a>\ntail");
  assert.equal(await at(8), "keep\n<a>\ntwo two\n</a>\ntail");
  assert.equal(await at(7), "keep\n<a>\ntwo two\n</a>\ntail");
  for (const budget of [6, 4, 3]) assert.equal(await at(budget), "keep\ntail");
  // Transparent, its content competes with what is outside.
  const through = await tagged(
    8,
    line(2, "out out"),
    tag({ name: "a", passPriority: true }, line(1, "one one"), line(3, "two two")),
  );
  assert.equal(through, "out out\n<a>\ntwo two\n</a>\n");
});

const show = (list: RawTypes.ChatMessage[]) =>
  list.map((message) => {
    const calls = message.role === 2 && message.toolCalls ? `(${message.toolCalls.map(({ id }) => id).join()})` : "";
    return `${"suat"[message.role]}${message.role === 3 ? message.toolCallId : ""}: ${textOf(message)}${calls}`;
  });
const rounds = [1, 2].map((round) => ({
  text: `round ${round}`,
  calls: [1, 2].map((call) => ({
    id: `${round}${call}`,
    name: "run",
    arguments: "{}",
    result: round + call === 3 && round === 1 ? "" : `result ${round} ${call}`,
  })),
}));

test("rounds go from the oldest, calls with their results", async () => {
  const at = async (budget: number) => show(await messages(createPiece(ToolCallRounds, { rounds }), budget));
  const all = [
    "a: round 1(11,12)",
    "t11: result 1 1",
    "t12: (empty)",
    "a: round 2(21,22)",
    "t21: result 2 1",
    "t22: result 2 2",
  ];
  assert.deepEqual(await at(1000), all);
  const total = 5 + 4 + 2 + 5 + 4 + 4;
  assert.deepEqual(await at(total), all);
  assert.deepEqual(await at(total - 1), ["a: round 1(12)", "t12: (empty)", ...all.slice(3)]);
  assert.deepEqual(await at(13), all.slice(3));
  assert.deepEqual(await at(12), ["a: round 2(22)", "t22: result 2 2"]);
  assert.deepEqual(await at(3), ["a: round 2"]);
  assert.deepEqual(show(await messages(createPiece(ToolCallRounds, { rounds: [{ text: "done", calls: [] }] }))), [
    "a: done",
  ]);
});

test("results have their limit: texts are cut, elements are limited", async () => {
  const lines = Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join("");
  const chunks = Array.from({ length: 9 }, (_, at) => createPiece(TextChunk, { priority: at }, `chunk ${at}`));
  const of = (result: unknown) => [
    { text: "look", calls: [{ id: "1", name: "run", arguments: "{}", result: result as string }] },
  ];
  const said = async (result: unknown, truncateAt?: number) =>
    show(
      await messages(
        createPiece(ToolCallRounds, { rounds: of(result), ...(truncateAt !== undefined && { truncateAt }) }),
        10_000,
      ),
    )[1] ?? "";
  assert.match(await said(lines), /line 100\n/);
  const cut = await said(lines, 60);
  assert.ok(/line 0\n/.test(cut) && /line 199/.test(cut) && /\[cut: /.test(cut) && cut.split(/\s+/).length <= 62, cut);
  assert.equal(await said("short", 60), "t1: short");
  const limited = await said(chunks, 6);
  assert.ok(limited.includes("chunk 8") && !limited.includes("chunk 0"), limited);
  await assert.rejects(said("x", -1), { code: "bad_option" });
});

test("turns go from the oldest, requests last", async () => {
  const turns = [
    { request: "old request", rounds: rounds.slice(0, 1), response: "old answer" },
    { request: "new request", response: "new answer" },
  ];
  const at = async (budget: number) => show(await messages(createPiece(ChatHistory, { turns }), budget));
  assert.deepEqual(await at(1000), [
    "u: old request",
    "a: round 1(11,12)",
    "t11: result 1 1",
    "t12: (empty)",
    "a: old answer",
    "u: new request",
    "a: new answer",
  ]);
  assert.deepEqual(await at(12), ["u: old request", "a: old answer", "u: new request", "a: new answer"]);
  assert.deepEqual(await at(9), ["u: old request", "u: new request", "a: new answer"]);
  assert.deepEqual(await at(6), ["u: new request", "a: new answer"]);
  assert.deepEqual(await at(3), ["u: new request"]);
});

test("the newest gets its budget first", async () => {
  const told: [string, number][] = [];
  const Told = ({ name }: { name: string }, { tokenBudget }: { tokenBudget: number }) => {
    told.push([name, tokenBudget]);
    return createPiece(AssistantMessage, null, `${name} `.repeat(9));
  };
  await messages(
    createPiece(Fragment, null, rankRounds(["old", "new"].map((name) => createPiece(Told, { name })))),
    100,
  );
  assert.deepEqual(told, [
    ["new", 100],
    ["old", 90],
  ]);
});
