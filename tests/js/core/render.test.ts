/**
 * `render` of the core on trees as JSON: what the package's `render` gives, byte for byte; and components of the host
 * as it lays out its own.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { h } from "../prompt/pieces.ts";
import { Random } from "../prompt/random-tree.ts";
import { runs } from "../runs.ts";
import { core, outcome } from "./raw.ts";

const SYSTEM = 0,
  USER = 1,
  ASSISTANT = 2,
  TOOL = 3;
type Node = Record<string, any>;

const text = (words: string, more: Node = {}): Node => ({
  type: 2,
  text: words,
  priority: undefined,
  references: undefined,
  lineBreakBefore: true,
  ...more,
});
const piece = (children: Node[], more: Node = {}): Node => ({
  type: 1,
  ctor: 2,
  children,
  references: undefined,
  props: {},
  ...more,
});
const message = (role: number, children: Node[], props: Node = {}, more: Node = {}): Node =>
  piece(children, { ctor: 1, ctorName: "Message", props: { role, ...props }, ...more });

const pdf = (body: string) => Buffer.from(`%PDF-1.4\n${body}`, "latin1").toString("base64");
const DOCUMENTS = [
  "AAAA",
  pdf("1 0 obj << /Type /Catalog >> endobj 2 0 obj << /Type\n/Pages /Kids [] /Count 2 >> endobj"),
  pdf("2 0 obj << /Type/Pages /Count 1 >> endobj 3 0 obj << /Count 7 >> endobj").replace(/.{16}/g, "$&\n"),
  `data:application/pdf;base64,${pdf("<< /Type /Pages /Count 3 >>".padEnd(100_000))}`,
  pdf(`${" ".repeat(90_000)}<< /Type /Pages /Count 1234567 /Count 4 >> << /Type /PagesTree /Count 9 >>`),
  pdf("<< /Type /Page /Type /Pages /Count 2x /Count 1 >>"),
  "https://example.com/a.pdf",
  "data:text/plain,hello",
];

/** A random tree of messages: chunks, limits, kept groups, pictures, opaque parts, calls and results. */
function tree(random: Random): { node: Node } {
  const words = () =>
    random.many(1, 30, () => random.pick(["fix", "the", "build", "naïve", "\n", "🙂", "function", "\ud800"])).join(" ");
  const priority = () => (random.chance(0.7) ? { priority: random.below(6) } : {});
  const leaf = (): Node => {
    const kind = random.below(12);
    if (kind === 0)
      return {
        type: 3,
        value: random.pick([{ type: "text", text: "opaque" }, 0, { a: 1 }, "said"]),
        ...(random.chance(0.5) && { tokenUsage: random.below(20) }),
        ...priority(),
      };
    if (kind === 1) return { type: 4, cacheType: "ephemeral" };
    if (kind === 2)
      return piece([], {
        ctor: 3,
        props: {
          src: random.pick(["https://example.com/a.png", "iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="]),
          ...(random.chance(0.5) && { detail: "low" }),
          ...priority(),
        },
      });
    if (kind === 3) {
      const mediaType = random.pick(["application/pdf", "audio/wav", undefined]);
      return piece([], { ctor: 4, props: { data: random.pick(DOCUMENTS), mediaType, ...priority() } });
    }
    if (kind === 4) return { type: 99, of: "the future" };
    return text(words(), { ...priority(), lineBreakBefore: random.chance(0.5) });
  };
  const group = (depth: number): Node =>
    depth === 0 || random.chance(0.5)
      ? leaf()
      : piece(
          random.many(0, 4, () => group(depth - 1)),
          {
            ...(random.chance(0.5) && { ctorName: "Group" }),
            props: {
              ...priority(),
              ...(random.chance(0.3) && { flexGrow: 1 }),
              ...(random.chance(0.1) && { flexReserve: "/3" }),
            },
            ...(random.chance(0.6) && { flags: random.pick([0, 1, 2, 4, 4]) }),
            ...(random.chance(0.2) && { keepWithId: random.below(3) }),
            ...(random.chance(0.1) && { tokenLimit: 20 + random.below(60) }),
          },
        );
  const any = (): Node => {
    const role = random.below(4);
    const calls = [0, 1].map((at) => ({ id: `c${at}`, type: "function", function: { name: "bash", arguments: "{}" } }));
    return message(
      role,
      random.many(0, 5, () => group(2)),
      {
        ...priority(),
        ...(role === ASSISTANT && random.chance(0.5) && { toolCalls: calls }),
        ...(role === TOOL && { toolCallId: "c0" }),
        ...(random.chance(0.1) && { name: "ada" }),
      },
      {
        ...(random.chance(0.2) && { keepWithId: random.below(3) }),
        ...(role === ASSISTANT && random.chance(0.3) && { callsKeptWith: [0, null] }),
      },
    );
  };
  return { node: piece(random.many(1, 6, any), { ctorName: "Prompt" }) };
}

async function check(tree: unknown, options: Record<string, unknown>): Promise<number | undefined> {
  const ours = await outcome(() => core.render(tree, options));
  const theirs = await outcome(async () => {
    const { request, tokens, budget, format, removed } = await espalier.render(tree as never, options as never);
    return { request, tokens, budget, format, removed };
  });
  assert.equal(JSON.stringify(ours), JSON.stringify(theirs), `${JSON.stringify(options)} ${JSON.stringify(tree)}`);
  return (ours as { tokens?: number }).tokens;
}

test("random trees, at every kind of budget and in both forms", async () => {
  for (let seed = 1; seed <= runs(300); seed++) {
    const random = new Random(seed);
    const given = tree(random);
    for (const format of ["openai-chat", "raw"]) {
      const full = (await check(given, { budget: 1e6, format })) ?? 100;
      for (const share of [0.9, 0.6, 0.3, 0.1])
        await check(given, {
          budget: Math.floor(full * share),
          format,
          backfill: random.chance(0.5),
          ...(random.chance(0.3) && { model: "claude-sonnet-4-5" }),
        });
    }
  }
});

const small = {
  node: piece([message(SYSTEM, [text("Be brief.")]), message(USER, [text("Why does this fail?", { priority: 1 })])]),
};

test("options", async () => {
  const tools = [
    { type: "function", function: { name: "bash", description: "Runs.", parameters: { type: "object" } } },
  ];
  for (const options of [
    { tools },
    { encoding: "cl100k_base" },
    { model: "gpt-4" },
    { costModel: "copilot-chat" },
    { format: "raw", tools },
  ])
    await check(small, { budget: 200, ...options });
});

test("errors have the package's codes and paths", async () => {
  for (const options of [
    {},
    { budget: "1" },
    { budget: Number.NaN },
    { budget: 9, encoding: "none" },
    { budget: 9, encoding: 7 },
    { budget: 9, bugdet: 1 },
    { budget: 9, backfill: 1 },
    { budget: 9, signal: {} },
    { budget: 0 },
    { budget: -1 },
  ])
    await check(small, options);
  for (const node of [
    piece([text("alone")], { ctorName: "Prompt" }),
    piece([{ type: 3, value: 1 }]),
    piece([]),
    message(USER, []),
    piece([piece([message("user" as never, [])], { ctorName: "Group" })]),
    piece([message(USER, [text("x")], { priority: "high" })]),
    message(USER, [text("x")], { flexReserve: "a third" }),
    message(USER, [text("must stay"), { type: 4 }]),
    message(7, [text("x")]),
  ]) {
    await check({ node }, { budget: 4 });
    await check({ node }, { budget: 100 });
  }
  for (const tree of [{}, { node: 7 }, { node: null }, undefined, 7])
    assert.deepEqual(await outcome(() => core.render(tree, { budget: 9 })), { code: "bad_element", path: "tree" });
});

test("what JSON does not carry is what the host's objects hold", async () => {
  const own = { of: "the host", run: () => 1 };
  const leaves = [
    text("rank", { priority: Infinity }),
    text("rank", { priority: -Infinity }),
    text("rank", { priority: NaN }),
    text("rank", { priority: -0 }),
    text("rank", { priority: 0.1 + 0.2 }),
    text("rank", { priority: 1e21 }),
    text("rank", { priority: null }),
    text("\ud800 and \udc00"),
    text('"\\ \n\r\t\b\f \u0001 \u2028 \u007f é 字 🙂'),
    text(""),
    text("", { text: 7 }),
    text("", { text: null }),
    text("", { text: undefined }),
    text("", { text: { toString: () => "made" } }),
    text("x", {
      get lineBreakBefore() {
        return true;
      },
    }),
    { type: 3, value: own },
    { type: 3, value: undefined },
    { type: 3, value: { type: "text", text: "opaque" } },
    undefined,
    null,
    7,
    [text("a list is no node")],
    piece([text("x")], { props: null }),
    piece([text("x")], { props: { priority: Infinity, flexGrow: Infinity } }),
    piece([text("x")], { ctorName: '"\n\ud800' }),
    piece([text("x")], { tokenLimit: 1e9, keepWithId: 1.5 }),
  ];
  for (const leaf of leaves) {
    for (const format of ["openai-chat", "raw"]) {
      const given = {
        node: piece([
          message(USER, [text("before"), leaf as Node, text("behind")], { priority: 1 }),
          message(USER, [text("stays")], { priority: 2 }),
        ]),
      };
      for (const budget of [1e6, 15, 12]) await check(given, { budget, format });
    }
  }
  const { request } = await core.render(
    { node: message(USER, [{ type: 3, value: own }]) },
    { budget: 99, format: "raw" },
  );
  assert.equal(request.messages[0].content[0].value, own);
  const { tokens } = await core.render(
    { node: message(USER, [text("counted"), { type: 3, value: 10n }]) },
    { budget: 99 },
  );
  assert.ok(tokens > 0, "a value without JSON text");
});

test("names, ids and calls of messages, whatever they are", async () => {
  const call = { id: "c0", type: "function", function: { name: "bash", arguments: "{}" } };
  for (const props of [
    { name: "ada" },
    { name: "" },
    { name: "\ud800" },
    { name: null },
    { toolCallId: "é\n" },
    { toolCallId: undefined },
    { toolCalls: [call] },
    { toolCalls: [] },
    { toolCalls: null },
    { toolCalls: "x" },
  ]) {
    for (const role of [USER, ASSISTANT, TOOL])
      for (const format of ["openai-chat", "raw"])
        await check(
          { node: piece([message(role, [text("said")], props), message(USER, [])]) },
          { budget: 1e6, format },
        );
  }
});

test("a tree of 400 levels, a frozen one, and one whose getter throws", async () => {
  let deep = text("deep", { priority: Infinity });
  for (let level = 0; level < 400; level++) deep = piece([deep, text(`level ${level}`, { priority: level })]);
  for (const budget of [1e6, 300, 60]) await check({ node: message(USER, [deep]) }, { budget });
  await check(
    Object.freeze({ node: Object.freeze(message(USER, Object.freeze([Object.freeze(text("frozen"))]) as Node[])) }),
    { budget: 99 },
  );
  const own = new Error("mine");
  await assert.rejects(
    core.render(
      {
        node: message(USER, [
          {
            type: 2,
            get text() {
              throw own;
            },
          },
        ]),
      },
      { budget: 99 },
    ),
    own,
  );
});

test("a budget that cannot be met names what is largest", async () => {
  const given = {
    node: piece([
      message(USER, [text("must stay ".repeat(20)), { type: 4, cacheType: "ephemeral" }], {}, { ctorName: "Question" }),
    ]),
  };
  const failed = async (render: () => Promise<unknown>) => {
    const { name, message, code, path, details, messages } = await render().then(
      () => assert.fail("it fits"),
      (error: any) => error,
    );
    return { name, message, code, path, details, messages };
  };
  assert.deepEqual(
    await failed(() => core.render(given, { budget: 10 })),
    await failed(() => espalier.render(given as never, { budget: 10 })),
  );
});

test("a tree that holds itself is refused, and so is one of 300,000 levels", async () => {
  const self = piece([message(USER, [text("x")])]);
  self.children.push(self);
  assert.equal(
    ((await outcome(() => core.render({ node: self }, { budget: 9 }))) as { code: string }).code,
    "bad_element",
  );
  let deep = message(USER, [text("deep")]);
  for (let level = 0; level < 300_000; level++) deep = piece([deep]);
  assert.equal(
    ((await outcome(() => core.render({ node: deep }, { budget: 99 }))) as { code: string }).code,
    "bad_element",
  );
  await check(small, { budget: 99 });
});

test("components of the host get the budgets that components of the package get", async () => {
  const asked: [string, number][][] = [[], []];
  const write = (name: string, tokens: number) => `${name} ${"word ".repeat(Math.max(0, Math.min(tokens, 60) - 5))}`;
  const component = (name: string, props: Node = {}, more: Node = {}): Node => ({
    type: 1,
    ctor: 2,
    component: name,
    props,
    ...more,
  });
  const given = {
    node: piece([
      message(SYSTEM, [text("Be brief.")], { priority: 9 }),
      message(
        USER,
        [component("History", { priority: 1, flexGrow: 1 }), component("Files", { priority: 2, flexReserve: "/4" })],
        { priority: 5 },
      ),
      message(USER, [text("Why does this fail?")], { priority: 8 }),
    ]),
  };
  const component_ = (name: string, record: [string, number][]) => {
    const made = (_: unknown, { tokenBudget }: { tokenBudget: number }) => {
      record.push([name, tokenBudget]);
      return h(espalier.TextChunk, { priority: 1 }, write(name, tokenBudget));
    };
    return made;
  };
  for (const budget of [400, 120, 60]) {
    asked.forEach((list) => list.splice(0));
    const [History, Files] = [component_("History", asked[0]!), component_("Files", asked[0]!)];
    const jsx = [
      h(espalier.SystemMessage, { priority: 9 }, h(espalier.TextChunk, {}, "Be brief.")),
      h(
        espalier.UserMessage,
        { priority: 5 },
        h(History, { priority: 1, flexGrow: 1 }),
        h(Files, { priority: 2, flexReserve: "/4" }),
      ),
      h(espalier.UserMessage, { priority: 8 }, h(espalier.TextChunk, {}, "Why does this fail?")),
    ];
    const theirs = await espalier.render(jsx as never, { budget });
    const ours = await core.render(
      given,
      { budget },
      {
        render: async (name: string, _: Node, { tokenBudget }: { tokenBudget: number }) => {
          asked[1]!.push([name, tokenBudget]);
          return piece([text(write(name, tokenBudget))], { props: { priority: 1 } });
        },
      },
    );
    assert.deepEqual(asked[1], asked[0]);
    assert.deepEqual(ours.request, theirs.request);
    assert.deepEqual([ours.tokens, ours.removed], [theirs.tokens, theirs.removed]);
  }
});

test("what a component may return", async () => {
  const given = { node: message(USER, [{ type: 1, ctor: 2, component: "Said", props: {} }]) };
  const said = (value: unknown) =>
    core.render(given, { budget: 99 }, { render: () => value }).then(({ request }) => request.messages[0].content);
  assert.equal(await said("a text"), "a text");
  assert.equal(await said(text("a node")), "a node");
  assert.equal(await said([text("two"), text("nodes")]), "two\nnodes");
  assert.equal(await said(Promise.resolve({ node: piece([text("a tree")]) })), "a tree");
  for (const nothing of [undefined, null])
    assert.equal(((await outcome(() => said(nothing))) as { code: string }).code, "empty_prompt");
});

test("an expandable component is asked again with the tokens that are left", async () => {
  const budgets: number[] = [];
  const given = {
    node: message(USER, [{ type: 1, ctor: 2, component: "All", props: { flexGrow: 1 }, expandable: true }]),
  };
  const { tokens } = await core.render(
    given,
    { budget: 60 },
    {
      render: (_: string, __: Node, { tokenBudget }: { tokenBudget: number }) => {
        budgets.push(tokenBudget);
        return "word ".repeat(Math.max(1, Math.floor(tokenBudget / 2)));
      },
    },
  );
  assert.ok(budgets.length > 1 && tokens <= 60, `${budgets} ${tokens}`);
});

test("a component that throws, rejects or hangs ends the render and nothing else", async () => {
  const given = { node: message(USER, [{ type: 1, ctor: 2, component: "Broken", props: {} }]) };
  const own = new Error("mine");
  await assert.rejects(
    core.render(
      given,
      { budget: 99 },
      {
        render: () => {
          throw own;
        },
      },
    ),
    own,
  );
  await assert.rejects(core.render(given, { budget: 99 }, { render: () => Promise.reject(own) }), own);
  const controller = new AbortController();
  setTimeout(() => controller.abort(own), 5);
  await assert.rejects(
    core.render(given, { budget: 99, signal: controller.signal }, { render: () => new Promise(() => {}) }),
    own,
  );
  await assert.rejects(core.render(given, { budget: 99, signal: AbortSignal.abort(own) }), own);
  assert.deepEqual(await outcome(() => core.render(given, { budget: 99 })), {
    code: "bad_element",
    path: "LogicalWrapper > Message > Broken",
  });
  assert.deepEqual(await outcome(() => core.render(given, { budget: 99 }, { render: 7 })), {
    code: "bad_option",
    path: "host.render",
  });
  assert.deepEqual(await outcome(() => core.render(given, { budget: 99 }, { redner: () => "" })), {
    code: "bad_option",
    path: "host.redner",
  });
  await check(small, { budget: 99 });
});
