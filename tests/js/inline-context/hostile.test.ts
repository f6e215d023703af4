/** Input that is large, odd or wrong. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { count, inline } from "./built.ts";
import type { InlineRequest } from "./built.ts";

const file = (text: string) => ({ path: "a.ts", text });
const GOOD: InlineRequest = { file: file("const rate = total(stock);\n"), cursor: 12 };

test("large and odd documents", () => {
  const line = "x".repeat(1_000_000);
  const texts = [
    line,
    "x y".repeat(350_000),
    "\n".repeat(300_000),
    "🦀".repeat(200_000),
    "\uFEFF\r\n\0".repeat(10_000),
    "\ud800".repeat(5_000),
    "",
    "\n",
  ];
  for (const text of texts) {
    for (const cursor of [0, 1, 2, 77_777, Infinity, -1]) {
      const { tokens, context, prefix, restOfLine, suffix, isTooShort } = inline.inlineContext({
        file: file(text),
        cursor,
        neighbours: [{ path: "b.ts", text }],
        items: [{ id: "a", text }],
        edits: [{ path: "c.ts", before: "", after: text }],
      });
      if (isTooShort) continue;
      const spent = count(context + prefix) + count(restOfLine) + count(suffix);
      assert.ok(spent <= 7_692 && tokens.free === 7_692 - spent, JSON.stringify(tokens));
      assert.ok(text.includes(prefix) && text.includes(restOfLine) && text.includes(suffix));
    }
  }
});

test("line ends of Windows", () => {
  const text = "function f() {\r\n\t\r\n}\r\n\r\nf();\r\n";
  const { prefix, trailing, suffix } = inline.inlineContext({ file: file(text), cursor: text.indexOf("\t") + 1 });
  assert.deepEqual([prefix, trailing, suffix], ["function f() {\r\n", "\t", "}\r\n\r\nf();\r\n"]);
});

test("a cursor in a surrogate pair is before it", () => {
  const text = 'let crab = "🦀";\n';
  assert.equal(inline.inlineContext({ file: file(text), cursor: 13 }).prefix, 'let crab = "');
  assert.equal(inline.inlineContext({ file: file(text), cursor: 14 }).prefix, 'let crab = "🦀');
});

test("unpaired surrogates come back as they were", () => {
  const text = "let a = '\ud800';\nlet b = '\udc00';\nlet c;\n";
  const { prefix, suffix } = inline.inlineContext({ file: file(text), cursor: text.indexOf("\nlet b") });
  assert.deepEqual([prefix, suffix], ["let a = '\ud800';", "let b = '\udc00';\nlet c;\n"]);
});

test("many items and neighbours", () => {
  const items = Array.from({ length: 20_000 }, (_, at) => ({
    id: `${at % 15_000}`,
    text: `interface N${at} {}`,
    path: `${at % 300}.ts`,
  }));
  const neighbours = Array.from({ length: 2_000 }, (_, at) => ({
    path: `${at % 1_500}.ts`,
    text: `const stock${at} = total;\n`,
  }));
  const { items: report, tokens } = inline.inlineContext({ ...GOOD, items, neighbours, mode: "fill" });
  assert.equal(report.filter(({ dropped }) => dropped === "duplicate").length, 5_000 + 500);
  assert.ok(tokens.free >= 0 && report.length >= 22_000);
});

test("bad options and input name their path", () => {
  const cases: [object, string, string][] = [
    [{ budgett: 1 }, "bad_option", "request.budgett"],
    [{ budget: NaN }, "bad_option", "request.budget"],
    [{ budget: -1 }, "bad_option", "request.budget"],
    [{ budget: 3 }, "bad_option", "request.budget"],
    [{ budget: 100, window: 600 }, "bad_option", "request.budget"],
    [{ window: 100 }, "bad_option", "request.window"],
    [{ outputReserve: 1.5 }, "bad_option", "request.outputReserve"],
    [{ suffixShare: 1 }, "bad_option", "request.suffixShare"],
    [{ contextShare: "half" }, "bad_option", "request.contextShare"],
    [{ profile: "copilot" }, "bad_option", "request.profile"],
    [{ mode: "max" }, "bad_option", "request.mode"],
    [{ crossing: true }, "bad_option", "request.crossing"],
    [{ editForm: "xml" }, "bad_option", "request.editForm"],
    [{ cascade: { prefx: 1 } }, "bad_option", "request.cascade.prefx"],
    [{ cascade: { prefix: 0 } }, "bad_option", "request.cascade.prefix"],
    [{ cascade: { prefix: 0.9, stable: 0.9 } }, "bad_option", "request.cascade"],
    [{ similarLimits: { windows: 5 } }, "bad_option", "request.similarLimits.windows"],
    [{ similarLimits: { score: "cosine" } }, "bad_option", "request.similarLimits.score"],
    [{ neighbourLimits: { aliases: { c: 1 } } }, "bad_option", "request.neighbourLimits.aliases.c"],
    [{ editLimits: { maxEdits: -1 } }, "bad_option", "request.editLimits.maxEdits"],
    [{ encoding: "p50k_base" }, "unknown_encoding", "request.encoding"],
    [{ tokenizer: 5 }, "bad_option", "request.tokenizer"],
    [{ file: undefined }, "bad_input", "request.file"],
    [{ file: { path: "a" } }, "bad_input", "request.file.text"],
    [{ file: { path: "a", text: "", lang: "ts" } }, "bad_option", "request.file.lang"],
    [{ cursor: "12" }, "bad_input", "request.cursor"],
    [{ cursor: NaN }, "bad_input", "request.cursor"],
    [{ elapsedMs: NaN }, "bad_input", "request.elapsedMs"],
    [{ neighbours: {} }, "bad_input", "request.neighbours"],
    [{ neighbours: [null] }, "bad_input", "request.neighbours[0]"],
    [{ neighbours: [{ path: "a", text: "", focusedMs: "now" }] }, "bad_input", "request.neighbours[0].focusedMs"],
    [{ items: [{ id: "a", text: "", kind: "hint" }] }, "bad_input", "request.items[0].kind"],
    [{ items: [{ id: "a", text: "", priority: NaN }] }, "bad_input", "request.items[0].priority"],
    [{ items: [{ id: "a", text: "", arrivedMs: NaN }] }, "bad_input", "request.items[0].arrivedMs"],
    [{ edits: [{ path: "a", before: "" }] }, "bad_input", "request.edits[0].after"],
    [{ edits: [{ path: "a", before: "", after: "", atMs: -1 }] }, "bad_input", "request.edits[0].atMs"],
    [{ excluded: [1] }, "bad_input", "request.excluded[0]"],
  ];
  for (const [more, code, path] of cases) {
    assert.throws(
      () => inline.inlineContext({ ...GOOD, ...more } as never),
      { name: "EspalierError", code, path },
      JSON.stringify(more),
    );
  }
  assert.throws(() => inline.inlineContext(undefined as never), { code: "bad_option" });
  assert.equal(inline.inlineContext(GOOD).prefix, "const rate =");
});

test("every limit is an option", () => {
  const text = "const stock = total;\n".repeat(3);
  const neighbours = ["b.ts", "c.ts"].map((path) => ({ path, text: "const stock = total;\nlet b;\nlet c;\n" }));
  const edits = [{ path: "b.ts", before: "a\n".repeat(9), after: `b\n${"a\n".repeat(8)}` }];
  const of = (more: Partial<InlineRequest>) =>
    JSON.stringify(inline.inlineContext({ file: file(text), cursor: 30, neighbours, edits, ...more }));
  const usual = of({});
  const limits: Partial<InlineRequest>[] = [
    { budget: 50 },
    { window: 4_000 },
    { outputReserve: 100 },
    { suffixShare: 0 },
    { suffixReserve: 900, budget: 1_000 },
    { minChars: 1_000 },
    { charsPerToken: 0.001 },
    { exact: false, budget: 500 },
    { editForm: "plain" },
    { cascade: { prefix: 0.001, suffix: 0, stable: 0, volatile: 0 }, exact: false },
    { similarLimits: { window: 1 } },
    { similarLimits: { threshold: 0.99 } },
    { similarLimits: { maxSnippets: 0 } },
    { similarLimits: { maxSnippets: 1 } },
    { similarLimits: { window: 1, maxPerFile: 2 } },
    { similarLimits: { maxFiles: 1 } },
    { similarLimits: { maxChars: 5 } },
    { similarLimits: { score: "shared" } },
    { neighbourLimits: { maxFiles: 1 } },
    { neighbourLimits: { maxChars: 50 } },
    { editLimits: { contextLines: 1 } },
    { editLimits: { maxLines: 0 } },
    { editLimits: { maxEdits: 0 } },
    { editLimits: { maxFiles: 0 } },
    { editLimits: { maxEditChars: 1 } },
    { editLimits: { maxFileChars: 1 } },
    { buildingMs: 0 },
    { excluded: ["b.ts"] },
  ];
  for (const limit of limits) assert.notEqual(of(limit), usual, JSON.stringify(limit));
});
