/** An editor's session: what is kept from one request to the next. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inline, source, TestClock } from "./built.ts";
import type { InlineSessionOptions } from "./built.ts";

const LIB = "export function total(stock: number[]) {\n  return stock.length;\n}\n";
const MAIN = 'import { total } from "./stock";\nconsole.log(total(\n\nexport const rate = 3;\n';
const AT = MAIN.indexOf("total(\n") + 6;

function session(options: InlineSessionOptions = {}) {
  const clock = new TestClock();
  const made = new inline.InlineContext({ clock, ...options });
  made.open({ path: "stock.ts", language: "typescript", text: LIB });
  made.open({ path: "main.ts", language: "typescript", text: MAIN });
  return { made, clock };
}

const kinds = (items: { kind: string; dropped?: string | undefined }[]) =>
  items.filter(({ dropped }) => !dropped).map(({ kind }) => kind);

test("typing with a neighbour and an edit of another file", () => {
  const { made, clock } = session();
  const first = made.context({ file: "main.ts", cursor: AT });
  assert.deepEqual(kinds(first.items), ["marker", "similarSnippet"]);
  assert.ok(!first.items.some(({ id, kind }) => id === "main.ts" && kind === "neighbour"));
  made.change("stock.ts", LIB.replace("length", "length + 1"));
  clock.time += 499;
  assert.deepEqual(kinds(made.context({ file: "main.ts", cursor: AT }).items), ["marker", "similarSnippet"]);
  clock.time += 1;
  const later = made.context({ file: "main.ts", cursor: AT });
  assert.deepEqual(kinds(later.items), ["marker", "similarSnippet", "recentEdits"]);
  assert.match(later.context, /\+ {2}return stock\.length \+ 1;\n- {2}return stock\.length; --- IGNORE ---/);
  made.close("stock.ts");
  assert.deepEqual(kinds(made.context({ file: "main.ts", cursor: AT }).items), ["marker"]);
  made.free();
});

test("consecutive prompts share their beginning", () => {
  const text = Array.from({ length: 3_000 }, (_, at) => `let filler${at} = value;\n`).join("");
  const made = new inline.InlineContext();
  made.open({ path: "a.ts", text });
  let typed = "";
  for (const key of "let next = total(stock);") {
    typed += key;
    made.change("a.ts", text + typed);
    const { tokens, prefix } = made.context({ file: "a.ts", cursor: Infinity });
    assert.ok(prefix.endsWith(typed));
    if (typed.length > 1) assert.ok(tokens.shared >= tokens.context + tokens.prefix - 2, JSON.stringify(tokens));
  }
  made.free();
});

test("a suffix is sent again", () => {
  const made = new inline.InlineContext();
  const behind = "call(argument);\n".repeat(30);
  const of = (text: string) => made.context({ file: { path: "a.ts", text }, cursor: 8 });
  const first = of(`let first = 1;\nlet a = 1;\n${behind}`);
  const again = of(`let first = 1;\nlet b = 1;\n${behind}`);
  assert.deepEqual([first.isSuffixReused, again.isSuffixReused, again.suffix], [false, true, first.suffix]);
  const other = of(`let first = 1;\nconst a = 1;\n${behind}`);
  assert.equal(other.isSuffixReused, false);
  assert.ok(other.suffix.startsWith("const a"));
  made.free();
});

test("files focused last are compared first", () => {
  const made = new inline.InlineContext({ neighbourLimits: { maxFiles: 1 }, clock: new TestClock() });
  for (const path of ["one.ts", "two.ts"]) made.open({ path, text: LIB });
  const sent = () =>
    made
      .context({ file: { path: "main.ts", text: MAIN }, cursor: AT })
      .items.find(({ kind }) => kind === "similarSnippet")?.id;
  made.focus("one.ts", { now: 5 });
  assert.equal(sent(), "one.ts");
  made.focus("two.ts", { now: 6 });
  assert.equal(sent(), "two.ts");
  made.moveCursor({ path: "one.ts", cursor: 0 }, { now: 9 });
  assert.equal(sent(), "one.ts");
  assert.deepEqual(made.recentFiles(), ["two.ts", "one.ts"]);
  made.hide("two.ts");
  assert.deepEqual([made.recentFiles(), made.recentFiles("one.ts")], [["one.ts", "two.ts"], ["two.ts"]]);
  made.close("two.ts");
  assert.deepEqual(made.recentFiles(), ["one.ts"]);
  made.free();
});

test("typing what a completion says", () => {
  const { made } = session();
  made.remember("main.ts", AT, "[1, 2]))");
  assert.equal(made.completion("main.ts", AT), "[1, 2]))");
  const type = (text: string) => {
    made.change("main.ts", MAIN.slice(0, AT) + text + MAIN.slice(AT));
    return made.completion("main.ts", AT + text.length);
  };
  assert.deepEqual(["[", "[1, ", "[2", "[1, 2]))"].map(type), ["1, 2]))", "2]))", undefined, undefined]);
  made.free();
});

test("neighbours are read within a limit", () => {
  const made = new inline.InlineContext();
  const files = ["js/errors/errors.ts", "js/options/kinds.ts", "js/calls/pruner.ts"].map(source);
  files.forEach((file) => made.addNeighbour(file));
  const ask = (maxFreshChars: number) =>
    made.context({ file: source("js/engine/cancellation.ts"), cursor: 800, maxFreshChars });
  const part = ask(files[0]!.text.length + 10);
  assert.equal(part.isPartial, true);
  assert.equal(part.items.filter(({ dropped }) => dropped === "notReached").length, 2);
  ask(20_000);
  assert.equal(ask(0).isPartial, false);
  made.free();
});

test("a crash of the engine costs recent edits and caches, not the session", async () => {
  const { made, clock } = session();
  made.focus("stock.ts", { now: 3 });
  const before = made.context({ file: "main.ts", cursor: AT });
  const { workspaceForTests } = await import("./crash.ts");
  assert.throws(() => workspaceForTests().crash(), { code: "engine_crashed" });
  const after = made.context({ file: "main.ts", cursor: AT });
  assert.deepEqual(
    { ...after, tokens: { ...after.tokens, shared: 0 } },
    { ...before, tokens: { ...before.tokens, shared: 0 } },
  );
  made.change("stock.ts", LIB.replace("length", "length + 1"));
  clock.time += 1_000;
  assert.deepEqual(kinds(made.context({ file: "main.ts", cursor: AT }).items), [
    "marker",
    "similarSnippet",
    "recentEdits",
  ]);
  made.free();
});

test("caches stay within their limits", () => {
  const clock = new TestClock();
  const made = new inline.InlineContext({ clock, maxCacheBytes: 50_000, maxCompletions: 10, window: 900 });
  const text = (at: number) =>
    Array.from({ length: 20 }, (_, line) => `const name${(at * 7 + line) % 997} = value${at % 89};\n`).join("");
  for (let at = 0; at < 10_000; at += 1) {
    const path = `${at % 30}.ts`;
    made.addNeighbour({ path, text: text(at) });
    clock.time += 100;
    made.context({ file: { path: "main.ts", text: `const name = value${at};\n` }, cursor: 8 });
    made.remember({ path: "main.ts", text: `${at}` }, 1, "x");
  }
  const { cacheBytes, completions, files } = made.state();
  assert.ok(cacheBytes < 50_000 + 20_000 * 16 + 20_000, `${cacheBytes}`);
  assert.deepEqual([completions, files], [10, 30]);
  made.free();
});

test("bad input names its path, and the session goes on", () => {
  const { made } = session();
  const cases: [() => unknown, string, string][] = [
    [() => made.context({ file: "none.ts", cursor: 0 }), "bad_input", "request.file"],
    [() => made.context({ file: "main.ts", cursor: NaN }), "bad_input", "request.cursor"],
    [() => made.context({ file: "main.ts", cursor: 1.5 }), "bad_input", "request.cursor"],
    [() => made.context({ file: "main.ts", cursor: 0, elapsedMs: -1 }), "bad_input", "request.elapsedMs"],
    [() => made.context({ file: "main.ts", cursor: 0, curser: 1 } as never), "bad_option", "request.curser"],
    [
      () => made.context({ file: "main.ts", cursor: 0, items: [{ id: "a" }] } as never),
      "bad_input",
      "request.items[0].text",
    ],
    [() => made.change("none.ts", ""), "bad_input", "path"],
    [() => made.change("main.ts", 5 as never), "bad_input", "text"],
    [() => made.change("main.ts", "", { now: NaN }), "bad_input", "options.now"],
    [() => made.open({ path: "a" } as never), "bad_input", "file.text"],
    [() => made.moveCursor({ path: "main.ts", cursor: 0, by: "telepathy" as never }), "bad_input", "move.by"],
    [() => made.remember("main.ts", 0, undefined as never), "bad_input", "completion"],
  ];
  for (const [run, code, path] of cases) assert.throws(run, { name: "EspalierError", code, path });
  assert.deepEqual(kinds(made.context({ file: "main.ts", cursor: AT }).items), ["marker", "similarSnippet"]);
  made.free();
});
