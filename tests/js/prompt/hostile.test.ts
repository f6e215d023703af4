/** What components, hosts and budgets may do wrong to the native `render`: a clear error, and the next render works. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { all, h } from "./pieces.ts";

const {
  render,
  renderRequest,
  SystemMessage,
  UserMessage,
  AssistantMessage,
  TextChunk,
  TokenLimit,
  PrioritizedList,
  IfEmpty,
  Image,
  Document,
  Tag,
} = espalier as any;

const named = (name: string, run: (...told: any[]) => unknown): any =>
  Object.defineProperty(run, "name", { value: name });
const user = (...children: any[]): any => h(UserMessage, {}, ...children);

/** The error of a prompt; whatever it is, the next one renders. */
async function refused(
  prompt: any,
  wanted: { code?: string; path?: string; message?: RegExp; is?: unknown },
  options: any = { budget: 100 },
): Promise<any> {
  let error: any;
  await render(prompt, options).then(
    () => assert.fail("it was accepted"),
    (thrown: unknown) => (error = thrown),
  );
  if ("is" in wanted) assert.equal(error, wanted.is);
  if (wanted.code)
    assert.deepEqual(
      [error.code, error.name, error instanceof espalier.EspalierError],
      [wanted.code, wanted.code === "budget_exceeded" ? "BudgetExceededError" : "EspalierError", true],
      String(error),
    );
  if (wanted.path !== undefined) assert.equal(error.path, wanted.path);
  if (wanted.message) assert.match(error.message, wanted.message);
  assert.equal((await render(user("fine"), { budget: 100 })).messages[0].content, "fine");
  return error;
}

async function shows(prompt: any, content: string): Promise<void> {
  if (content === "") return void (await refused(prompt, { code: "empty_prompt" }, { budget: 1000 }));
  const { messages } = await render(prompt, { budget: 1000 });
  assert.equal(messages[0].content, content);
}

test("a component that throws or rejects", async () => {
  const error = new Error("out of order");
  const fails = named("Fails", () => {
    throw error;
  });
  await refused(user(h(fails)), { is: error, message: /out of order \(at tsx element .*UserMessage > Fails\)/ });
  const rejection = new Error("later");
  await refused(user(h(named("Rejects", async () => Promise.reject(rejection)))), {
    is: rejection,
    message: /UserMessage > Rejects/,
  });
  await refused(user(h(named("Odd", () => Promise.reject(undefined)))), { is: undefined });
  const frozen = Object.freeze(new Error("stiff"));
  await refused(
    user(
      h(
        named("Stiff", () => {
          throw frozen;
        }),
      ),
    ),
    { is: frozen },
  );
});

test("a component among others that fail, and others that still wait", async () => {
  let finished = false;
  const slow = named("Slow", async () => {
    await new Promise((done) => setTimeout(done, 5));
    finished = true;
    return "slow";
  });
  const first = new Error("first");
  await refused(
    user(
      h(slow),
      h(
        named("Fails", async () => {
          throw first;
        }),
      ),
    ),
    { is: first },
  );
  await new Promise((done) => setTimeout(done, 10));
  assert.ok(finished);
});

test("whatever a component returns is shown, or nothing", async () => {
  for (const [value, shown] of [
    [null, ""],
    [undefined, ""],
    [false, ""],
    [true, ""],
    [0, ""],
    [[0], "0"],
    [7, "7"],
    ["", ""],
    [[], ""],
    [["a", ["b", null, 1]], "ab1"],
    [new Set(["x", "y"]), "xy"],
  ] as const) {
    await shows(user(h(named("Gives", () => value))), shown);
    await shows(user(h(named("Promises", async () => value))), shown);
  }
  await shows(
    user(
      h(
        named("Generates", function* () {
          yield "a";
          yield* ["b", 2];
        }),
      ),
    ),
    "ab2",
  );
});

test("what is no child", async () => {
  for (const child of [
    {},
    { a: 1 },
    Symbol("x"),
    () => 1,
    new Date(0),
    { ctor: 5 },
    { ctor: null },
    new Map([[1, 2]]).size ? { ctor: undefined, props: {}, children: [] } : 0,
  ]) {
    await refused(user(child), { message: /UserMessage/ });
  }
});

test("elements that there are not", async () => {
  await refused(user(h("div")), { message: /Unknown intrinsic element div! \(at tsx element .*UserMessage\)/ });
  await refused(h("br"), { code: "text_outside_message" });
  await refused(h("cacheBreakpoint", { type: "ephemeral" }), { message: /direct children of chat messages/ });
  await refused(user(h("br", {}, "x")), { message: /<br \/> must not have children/ });
});

test("numbers that are none", async () => {
  for (const [prop, value] of [
    ["priority", NaN],
    ["priority", "1"],
    ["flexGrow", {}],
    ["flexBasis", NaN],
    ["flexReserve", "/x"],
    ["flexReserve", "/0"],
    ["flexReserve", "3"],
    ["flexReserve", NaN],
    ["priority", 1n],
  ] as const) {
    await refused(user(h(TextChunk, { [prop]: value }, "x")), {
      code: "bad_element",
      message: new RegExp(`${prop} must be a number.*UserMessage > TextChunk`),
    });
  }
  await refused(user(h(TokenLimit, { max: "5" }, "x")), { code: "bad_element", message: /max must be a number/ });
  await refused(user(h(TokenLimit, {}, "x")), { code: "bad_element" });
  await refused(user(h("opaque", { value: 1, tokenUsage: "many" })), { code: "bad_element" });
});

test("a picture without an address, whether it is counted, pruned or sent", async () => {
  for (const src of [undefined, ""])
    for (const budget of [2_000, 100])
      await refused(
        user("a", h(Image, { src })),
        { code: "bad_element", path: "LogicalWrapper > UserMessage > Image", message: /src must be an address/ },
        { budget },
      );
});

test("no basis anywhere: nothing for anybody, but no error", async () => {
  const budgets: number[] = [];
  const asks = named("Asks", (_: unknown, sizing: any) => void budgets.push(sizing.tokenBudget));
  await shows(all(h(asks, { flexBasis: 0 }), h(asks, { flexBasis: 0 }), user("x")), "x");
  assert.deepEqual(budgets, [0, 0]);
});

test("infinite and extreme numbers are numbers", async () => {
  await shows(
    user(
      h(TextChunk, { priority: -Infinity }, "a"),
      h(TextChunk, { priority: Infinity }, "b"),
      h(TextChunk, { flexGrow: Infinity }, "c"),
    ),
    "a\nb\nc",
  );
  const unlimited = await render(user("a".repeat(10_000)), { budget: Infinity });
  assert.equal(unlimited.removed, 0);
});

test("text outside messages", async () => {
  const lost = named("Lost", () => h(TextChunk, {}, "where am I"));
  const error = await refused(h(lost), { code: "text_outside_message", message: /where am I/ });
  assert.match(error.path, /Lost > TextChunk$/);
  await refused("just text", { code: "text_outside_message" });
  await refused(h(Image, { src: "https://example.org/a.png" }), { code: "text_outside_message" });
});

test("options", async () => {
  for (const budget of [undefined, NaN, "100", null, 10n])
    await refused(user("x"), { code: "bad_option", path: "options.budget" }, { budget });
  await refused(user("x"), { code: "bad_option", path: "options.budget" }, null);
  await refused(user("x"), { code: "bad_option", path: "options.format" }, { budget: 10, format: "toString" });
  await refused(user("x"), { code: "bad_option", path: "options.format" }, { budget: 10, format: "grok" });
  await refused(user("x"), { code: "unknown_encoding" }, { budget: 10, encoding: "p99k" });
  await refused(user("x"), { code: "bad_option" }, { budget: 10, costModel: "cheap" });
  for (const option of ["model", "encoding", "signal"])
    await refused(user("x"), { code: "bad_option", path: `options.${option}` }, { budget: 10, [option]: 5 });
  await refused(user("x"), { code: "bad_option", path: "options.tools" }, { budget: 10, tools: 5 });
});

test("nothing at all", async () => {
  for (const prompt of [null, undefined, false, [], all()]) {
    await refused(prompt, { code: "empty_prompt", path: "prompt" }, { budget: 100 });
  }
});

test("a budget below everything tells what is needed and by whom", async () => {
  const error = await refused(
    all(
      h(SystemMessage, { priority: 5 }, h(TextChunk, {}, "rules"), h("cacheBreakpoint", { type: "ephemeral" })),
      user("question"),
    ),
    { code: "budget_exceeded" },
    { budget: 2 },
  ).catch((failure) => failure);
  assert.equal(error.name, "BudgetExceededError");
  assert.ok(error.details.needed > 2);
  assert.ok(error.trace.nodes.length > 3);
  assert.equal(JSON.parse(JSON.stringify(error.trace)).nodes.length, error.trace.nodes.length);
});

test("an abort at every moment", async () => {
  const stop = new Error("stop");
  const early = new AbortController();
  early.abort(stop);
  await refused(user("x"), { is: stop }, { budget: 10, signal: early.signal });

  const middle = new AbortController();
  const never = named("Never", () => new Promise(() => setTimeout(() => middle.abort(stop), 1)));
  await refused(user(h(never)), { is: stop }, { budget: 10, signal: middle.signal });

  const late = new AbortController();
  const aborts = named("Aborts", () => late.abort(stop));
  await refused(all(h(aborts, { flexGrow: 1 }), user("x")), { is: stop }, { budget: 10, signal: late.signal });
});

test("renderRequest throws `aborted`, whatever notices the abort", async () => {
  const stop = new Error("stop");
  const messages = [{ role: "user", content: "word ".repeat(50) }];
  const conversation = await espalier.openConversation({ format: "openai-chat", model: "gpt-4o", messages });
  const history = h(espalier.ConversationHistory);
  for (const [options, shown] of [
    [{ budget: 100 }, []],
    [{ conversation, budget: 4_000 }, [history]],
  ] as const) {
    const early = renderRequest(all(...shown, user("x")), { ...options, signal: AbortSignal.abort(stop) });
    await assert.rejects(early, { code: "aborted", cause: stop });
    const later = new AbortController();
    const never = named("Never", () => new Promise(() => setTimeout(() => later.abort(stop), 1)));
    await assert.rejects(renderRequest(all(...shown, user(h(never))), { ...options, signal: later.signal }), {
      code: "aborted",
      cause: stop,
    });
  }
  await conversation.dispose();
});

test("a render within a render, and many at once", async () => {
  const inner = named("Inner", async () => (await render(user("deep"), { budget: 50 })).messages[0].content);
  await shows(user(h(inner)), "deep");
  const many = await Promise.all(
    Array.from({ length: 20 }, (_, at) => render(user(h(named("Part", async () => `n${at}`))), { budget: 100 })),
  );
  assert.deepEqual(
    many.map(({ messages }) => messages[0].content),
    Array.from({ length: 20 }, (_, at) => `n${at}`),
  );
});

test("a tokenizer of the host that throws, rejects or says nonsense", async () => {
  const { PromptRenderer, OutputMode } = await import("../../../pkg/dist/prompt-tsx-node.js" as string);
  const rendered = (tokenizer: unknown) =>
    new PromptRenderer(
      { modelMaxPromptTokens: 100 },
      named("Root", () => user("x")),
      {},
      tokenizer,
    ).render();
  const sound = { mode: OutputMode.Raw, tokenLength: () => 1, countMessageTokens: () => 4 };
  const fails = () => {
    throw new Error("broken");
  };
  for (const change of [
    { countMessageTokens: fails },
    { countMessageTokens: () => Promise.reject(new Error("broken")) },
  ]) {
    await assert.rejects(rendered({ ...sound, ...change }), /broken/);
  }
  for (const value of [NaN, "4", undefined, null, -Infinity]) {
    await assert.rejects(rendered({ ...sound, countMessageTokens: () => value }), {
      code: "bad_input",
      path: "tokenizer",
    });
  }
  for (const [tokenizer, lacks] of [
    [undefined, "tokenLength"],
    [null, "tokenLength"],
    [{ mode: OutputMode.Raw }, "tokenLength"],
    [{ ...sound, countMessageTokens: 1 }, "countMessageTokens"],
  ] as const) {
    assert.throws(() => void rendered(tokenizer), {
      code: "bad_option",
      path: `tokenizer.${lacks}`,
      message: /BuiltinTokenizer/,
    });
  }
  assert.equal((await rendered(sound)).tokenCount, 4);
});

test("elements with odd props", async () => {
  await refused(user(h(Tag, { name: "1 bad" })), { message: /name/ });
  await refused(user(h(IfEmpty, {}, "x")), {}).catch(() => undefined);
  await shows(user(h(PrioritizedList, { priority: 1, descending: true }, null, "a", undefined, "b")), "a\nb");
  const circular: any = { a: 1 };
  circular.self = circular;
  const opaque = await render(user("x", h("opaque", { value: circular })), { budget: 100, format: "raw" });
  assert.equal(opaque.messages[0].content[1].value, circular);
  await render(
    user(
      h(Image, { src: "data:image/png;base64,not a picture" }),
      h(Document, { data: "", mediaType: "application/pdf" }),
    ),
    { budget: 20_000, format: "anthropic" },
  );
});

test("lone surrogates and NUL stay as they are", async () => {
  for (const text of ["\ud83d", "a\udc00\ud83d\ude00b", "\0\u0001", "\ufeffx"]) {
    await shows(user(text), text);
    await shows(user(h(TextChunk, {}, text), h(TextChunk, {}, text)), `${text}\n${text}`);
  }
});

test("calls that are malformed", async () => {
  const prompt = (toolCalls: unknown) => all(h(UserMessage, {}, "q"), h(AssistantMessage, { toolCalls }, "a"));
  await render(prompt([{ id: "1", type: "function", function: { name: "f", arguments: "not JSON" } }]), {
    budget: 100,
    format: "anthropic",
  });
  for (const calls of [[{}], [{ id: 5 }]]) await render(prompt(calls), { budget: 100 });
});
