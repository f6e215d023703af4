/** Loading, failing to load, and crashing, on the package as it is shipped. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type * as Internal from "../../../js/entries/chunks/core.ts";

const dist = new URL("../../../pkg/dist/", import.meta.url);
const bytes = (name: string) => readFileSync(new URL(name, dist));
const messages = [
  { role: "user", content: "one two three" },
  { role: "assistant", content: "four" },
  { role: "user", content: "five" },
];

let copies = 0;
/** The core with a state of its own: nothing is loaded yet. */
async function freshCore(): Promise<typeof Internal> {
  return (await import(`${new URL("core.js", dist).href}?copy=${++copies}`)) as typeof Internal;
}

async function loaded(): Promise<typeof Internal> {
  const core = await freshCore();
  core.initSync(bytes("espalier.wasm"));
  core.loadEncodingSync("o200k_base", bytes("vocab/o200k_base.vocab"));
  return core;
}

/** Silences what the panic hook prints while `run` crashes the engine. */
function quietly<T>(run: () => T): T {
  const error = console.error;
  console.error = () => undefined;
  try {
    return run();
  } finally {
    console.error = error;
  }
}

const crash = (core: typeof Internal) =>
  quietly(() => core.call(() => (core.wasm() as unknown as { __panicForTests(): void }).__panicForTests()));

function code(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "accepted";
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "accepted",
    (error: { code?: string }) => error.code ?? String(error),
  );
}

test("before it is loaded, every call says what to do", async () => {
  const core = await freshCore();
  assert.equal(core.isReady(), false);
  assert.equal(
    code(() => core.count("x")),
    "not_initialized",
  );
  assert.equal(
    code(() => core.prune(messages, { budget: 9 })),
    "not_initialized",
  );
  assert.equal(await codeOf(core.compact(messages, { budget: 9 })), "not_initialized");
  core.initSync(bytes("espalier.wasm"));
  assert.equal(
    code(() => core.count("x")),
    "encoding_not_loaded",
  );
  core.loadEncodingSync("o200k_base", bytes("vocab/o200k_base.vocab"));
  assert.equal(core.count("one two three"), 3);
});

test("an error for a missing vocabulary names the entry that contains it", async () => {
  const core = await freshCore();
  core.initSync(bytes("espalier.wasm"));
  const way = /mport "espalier\/inline\/o200k_base"/;
  assert.throws(() => core.count("x"), { code: "encoding_not_loaded", message: way });
  await assert.rejects(core.loadEncoding("o200k_base", undefined as never), { code: "bad_option", message: way });
  await assert.rejects(core.init(), { code: "vocab_not_found", message: way });
});

test("a crash costs one call; the next one finds the same vocabularies", async () => {
  const core = await loaded();
  const before = core.countMessages(messages);
  assert.equal(
    code(() => crash(core)),
    "engine_crashed",
  );
  assert.deepEqual(core.countMessages(messages), before);
  assert.equal(core.count("one two three"), 3);
  for (let i = 0; i < 3; i++)
    assert.equal(
      code(() => crash(core)),
      "engine_crashed",
    );
  assert.equal(core.prune(messages, { budget: 100 }).messages, messages);
});

test("an engine that cannot be replaced at once is replaced by the next call", async () => {
  const core = await loaded();
  let failures = 1;
  core.onFreshInstance(() => {
    if (failures-- > 0) throw new Error("no memory");
  });
  assert.throws(() => crash(core), { code: "engine_crashed", message: /could not be replaced \(Error: no memory\)/ });
  assert.equal(core.isReady(), false);
  assert.equal(core.count("one two three"), 3);
  assert.equal(core.isReady(), true);
});

test("a compaction whose engine crashed meanwhile fails with a code, and nothing is lost", async () => {
  const core = await loaded();
  const long = Array.from({ length: 60 }, (_, i) => ({
    role: i === 0 ? "user" : "assistant",
    content: `${i} word `.repeat(60),
  }));
  const before = JSON.stringify(long);
  const result = await codeOf(
    core.compact(long, {
      budget: 3_000,
      llm: async () => {
        assert.equal(
          code(() => crash(core)),
          "engine_crashed",
        );
        return "<summary>Words.</summary>";
      },
    }),
  );
  // The operation lives on in its own instance, or says that it does not; either way the conversation is as it was.
  assert.ok(["accepted", "engine_crashed"].includes(result), result);
  assert.equal(JSON.stringify(long), before);
  assert.equal((await core.compact(long, { budget: 3_000 })).status, "applied");
});

test("an exhausted stack inside the engine is a crash, too", async () => {
  const core = await loaded();
  const errors = [
    new RangeError("Maximum call stack size exceeded"),
    Object.assign(new Error("too much recursion"), { name: "InternalError" }), // Firefox
  ];
  for (const error of errors) {
    assert.equal(
      code(() =>
        core.call(() => {
          throw error;
        }),
      ),
      "engine_crashed",
    );
    assert.equal(core.count("one two three"), 3);
  }
});

test("an instance that a crash on an exhausted stack has damaged is not used again", async () => {
  const core = await loaded();
  const exhausted = (depth: number): never => {
    if (depth > 0) return exhausted(depth - 1);
    throw new RangeError("Maximum call stack size exceeded");
  };
  const dive = (depth: number, act: () => unknown): unknown => (depth === 0 ? act() : dive(depth - 1, act));
  const reaches = (depth: number): boolean => {
    try {
      return dive(depth, () => true) === true;
    } catch {
      return false;
    }
  };
  let deepest = 1_000_000;
  while (!reaches(deepest)) deepest = Math.floor(deepest * 0.998);
  let crashes = 0;
  for (let depth = deepest + 30; depth > deepest - 100; depth--) {
    const before = core.wasm();
    let isCrashed = false;
    try {
      dive(depth, () =>
        core.call(() => {
          isCrashed = true;
          return exhausted(10);
        }),
      );
    } catch {
      // The stack ends in the dive, in the call, or in what follows it.
    }
    if (isCrashed) assert.notEqual(core.wasm(), before, `at ${depth} of ${deepest}`);
    crashes += Number(isCrashed);
  }
  assert.ok(crashes > 0);
});

test("a wasm that is cut or no wasm at all is refused, and the right one works then", async () => {
  const core = await freshCore();
  assert.equal(
    code(() => core.initSync(bytes("espalier.wasm").subarray(0, 5_000))),
    "bad_wasm",
  );
  assert.equal(
    code(() => core.initSync(new Uint8Array([1, 2, 3]))),
    "bad_wasm",
  );
  assert.equal(await codeOf(core.initFrom(new Uint8Array(9))), "bad_wasm");
  assert.equal(await codeOf(core.initFrom("http://127.0.0.1:9/espalier.wasm")), "wasm_not_found");
  assert.equal(await codeOf(core.initFrom(new Response("no", { status: 404 }))), "wasm_not_found");
  // Somebody's wasm, but not this package's.
  const foreign = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  assert.throws(() => core.initSync(foreign), { code: "bad_wasm", message: /one version of espalier/ });
  assert.equal(await codeOf(core.initFrom(foreign)), "bad_wasm");
  assert.equal(core.isReady(), false);
  await Promise.all([core.initFrom(bytes("espalier.wasm")), core.initFrom(bytes("espalier.wasm"))]);
  await core.initFrom(bytes("espalier.wasm"));
  assert.equal(core.isReady(), true);
});

test("a file that is no engine is named with its beginning", async () => {
  const core = await freshCore();
  const page = "data:text/html,<!doctype html><title>App</title>";
  await assert.rejects(core.initFrom(page), {
    code: "bad_wasm",
    message:
      /^data:text.* is not wasm: it begins with "<!doctype html><"\. Copy the package's file there, or import "esp/,
  });
  const cases: [unknown, string][] = [
    [new Uint8Array([0, 0x1f, 0x8b, 8]).subarray(1), 'is not wasm: it begins with "\\u001f\x8b\\b"'],
    [new ArrayBuffer(0), "is empty"],
    [bytes("espalier.wasm").subarray(0, 99), "is truncated or damaged"],
    [{ default: "/espalier.wasm" }, "is not bytes"],
  ];
  for (const [source, what] of cases)
    assert.throws(() => core.initSync(source as Uint8Array), { message: `The engine's wasm ${what}.` });
});

test("a platform without Response loads the engine from bytes", async () => {
  const core = await freshCore();
  const own = globalThis.Response;
  try {
    Reflect.deleteProperty(globalThis, "Response");
    const vocabulary = () => bytes("vocab/o200k_base.vocab");
    await core.init({ wasm: bytes("espalier.wasm"), vocabulary });
  } finally {
    globalThis.Response = own;
  }
  assert.equal(core.count("one two three"), 3);
});

test("a page's policy is the cause where Chromium gives a content script no reason", async () => {
  const core = await freshCore();
  const { compile } = WebAssembly;
  try {
    WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError("WebAssembly.compile(): "));
    await assert.rejects(core.initFrom(bytes("espalier.wasm")), { code: "wasm_blocked", message: /content scripts/ });
  } finally {
    WebAssembly.compile = compile;
  }
});

test("a vocabulary that is cut, corrupt or another one's is refused, and nothing half-loaded stays", async () => {
  const core = await freshCore();
  core.initSync(bytes("espalier.wasm"));
  const right = bytes("vocab/o200k_base.vocab");
  const corrupt = Uint8Array.from(right);
  corrupt[right.length >> 1]! ^= 1;
  for (const wrong of [
    right.subarray(0, right.length - 1),
    right.subarray(0, 10),
    new Uint8Array(),
    corrupt,
    bytes("vocab/cl100k_base.vocab"),
  ]) {
    assert.equal(
      code(() => core.loadEncodingSync("o200k_base", wrong)),
      "bad_vocabulary",
    );
    assert.equal(core.hasEncoding("o200k_base"), false);
    assert.equal(
      code(() => core.count("x")),
      "encoding_not_loaded",
    );
  }
  assert.equal(await codeOf(core.loadEncoding("o200k_base", "http://127.0.0.1:9/o200k_base.vocab")), "vocab_not_found");
  assert.equal(await codeOf(core.loadEncoding("o200k_base", new Response("", { status: 500 }))), "vocab_not_found");
  // A server of a single-page application.
  await assert.rejects(core.loadEncoding("o200k_base", new Response("<!doctype html><title>App</title>")), {
    code: "vocab_not_found",
    message: /the answer is a page\. Import "espalier\/inline\/o200k_base", which contains it, copy /,
  });
  assert.equal(await codeOf(core.loadEncoding("o200k_base", 7 as never)), "bad_option");
  assert.equal(
    code(() => core.loadEncodingSync("p50k_base" as never, right)),
    "unknown_encoding",
  );
  await core.loadEncoding("o200k_base", right);
  assert.equal(core.count("one two three"), 3);
  // A file that is refused does not push out what works.
  assert.equal(
    code(() => core.loadEncodingSync("o200k_base", corrupt)),
    "bad_vocabulary",
  );
  assert.equal(core.count("one two three"), 3);
});

test("memory settles under repeated use", async () => {
  const core = await loaded();
  const long = Array.from({ length: 200 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i} some words `.repeat(50),
  }));
  const memory = () =>
    (core.wasm() as unknown as { initSync(): { memory: WebAssembly.Memory } }).initSync().memory.buffer.byteLength;
  for (let i = 0; i < 5; i++) await core.compact(long, { budget: 4_000 });
  const settled = memory();
  for (let i = 0; i < 60; i++) {
    core.prune(long, { budget: 4_000 });
    await core.compact(long, { budget: 4_000, llm: async () => "<summary>Words.</summary>" });
    code(() => core.prune(long, { budget: 1 }));
  }
  assert.equal(memory(), settled);
});

test("reports have exactly the fields that the declarations name", async () => {
  const core = await loaded();
  const long = Array.from({ length: 80 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i} some words `.repeat(50),
  }));
  const fields = (value: object) => Object.keys(value).sort().join(" ");
  const totals = "conversation frame messages tools total";
  const counted = core.countMessages(long, { tools: [{ name: "f", parameters: {} }] });
  assert.equal(fields(counted), "conversation costModel encoding frame messages origin perMessage perTool tools total");
  assert.equal(fields(counted.perMessage[0]!), "id role tokens");
  assert.equal(fields(counted.perTool[0]!), "name tokens");
  const { report } = core.prune(long, { budget: 3_000 });
  assert.equal(fields(report), "after before budget costModel cut encoding limitSource messages origin removed");
  assert.equal(fields(report.cut), "gone limit sent shortened");
  assert.equal(fields(report.cut.gone[0]!), "first last mark");
  const { report: next } = core.prune(long, { budget: 2_000, note: true, previous: report.cut });
  assert.deepEqual(
    [fields(next.notes![0]!), fields(next.shared!), fields(next.shared!.differs!)],
    ["id text tokens", "differs messages tokens", "at id rule"],
  );
  const call = {
    role: "assistant",
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
  };
  const { report: shortened } = core.prune(
    [...long, call, { role: "tool", tool_call_id: "c", content: "line\n".repeat(9_000) }],
    { budget: 20_000 },
  );
  assert.equal(fields(shortened.cut.shortened[0]!), "how id limit part");
  assert.deepEqual([fields(report.before), fields(report.after)], [totals, totals]);
  assert.equal(fields(report.removed[0]!), "ids recall rule tokens why");
  assert.equal(fields(report.messages[0]!), "after before fate id role rule");
  assert.equal(fields(report.messages.at(-1)!), "after before fate id role");
  const done = await core.compact(long, {
    budget: 3_000,
    llm: async () => ({ text: "<summary>Words.</summary>", usage: { n: 1 } }),
  });
  assert.equal(fields(done), "edits messages report status");
  assert.equal(
    fields(done.report),
    "after aim before budget costModel covered encoding ledger messages model origin quality removed status steps summary",
  );
  assert.equal(fields(done.report.aim!), "floor mustKeep reached target");
  assert.equal(fields(done.report.model!), "asked calls gaps promptTokens requestIds usage");
  assert.equal(fields(done.report.model!.asked[0]!), "promptTokens purpose shape");
  const block = { kind: "plan", text: "First this." };
  const call1 = {
    role: "assistant",
    content: "word ".repeat(300),
    tool_calls: [
      { id: "w", type: "function", function: { name: "write_file", arguments: '{"path":"a.rs","content":"x"}' } },
    ],
  };
  const busy = [long[0]!, call1, { role: "tool", tool_call_id: "w", content: "ok" }, ...long.slice(1)];
  const more = await core.compact(busy, {
    budget: 3_000,
    blocks: [block],
    readFile: () => "fn a() {}",
    hooks: { preCompact: () => undefined },
  });
  assert.equal(fields(more.report.hooks![0]!), "name outcome");
  assert.equal(fields(more.report.files![0]!), "outcome path tokens");
  assert.equal(fields(more.report.blocks![0]!), "kind shortened tokens");
  assert.equal(fields(done.report.steps[0]!), "outcome step tokensAfter tokensBefore why");
  assert.equal(fields(done.edits[0]!), "author before id kind message rule targets tokensAfter tokensBefore");
});

test("a platform without WebAssembly is named as the cause", async () => {
  const core = await freshCore();
  const own = globalThis.WebAssembly;
  try {
    Reflect.deleteProperty(globalThis, "WebAssembly");
    assert.throws(() => core.initSync(bytes("espalier.wasm")), { code: "wasm_blocked", message: /has no WebAssembly/ });
    await assert.rejects(core.initFrom(bytes("espalier.wasm")), { code: "wasm_blocked" });
  } finally {
    globalThis.WebAssembly = own;
  }
});

test("encodings of init are a list", async () => {
  const core = await freshCore();
  const encodings = "cl100k_base" as never;
  await assert.rejects(core.init({ encodings }), { code: "bad_option", path: "options.encodings" });
});
