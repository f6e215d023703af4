/** Summaries to an exact budget, with the grammars of the package. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import type { DocumentSummary, SummaryDocument } from "../../../js/documents/summarize.ts";
import { errorsOf } from "./oracle.ts";
import { SAMPLES } from "./samples.ts";
import { lineOf, sound } from "./sound.ts";
import { runs } from "../runs.ts";

const {
  count,
  createPiece,
  documentStructureSync,
  languageOf,
  languages,
  render,
  SourceDocument,
  summarizeDocument,
  summarizeDocuments,
  summarizeDocumentSync,
  UserMessage,
} = espalier;

/** Real files: ours, and those of other languages that tests elsewhere use. */
const root = new URL("../../../", import.meta.url);
const files = (folder: string, ending: RegExp) =>
  readdirSync(new URL(folder, root))
    .filter((name) => ending.test(name))
    .map((name) => `${folder}${name}`);
const REAL = [
  ...files("js/calls/", /\.ts$/),
  ...files("js/documents/", /\.ts$/),
  ...files("js/prompt/", /\.ts$/),
  ...files("js/prompt/flatten/", /\.ts$/),
  ...files("core/src/tokens/", /\.rs$/),
  ...files("core/src/document/", /\.rs$/),
  ...files("tests/fixtures/sources/", /\.(py|go|java|cpp|rs|ts)$/),
]
  .map((path) => ({ path, text: readFileSync(new URL(path, root), "utf8") }))
  .filter(({ text }) => text.length > 1_500);

const kept = (text: string, { edits }: DocumentSummary) =>
  edits.reduce(
    (left, { start, end }) => left - text.slice(start, end).replace(/\s/g, "").length,
    text.replace(/\s/g, "").length,
  );

const budgetFor = (text: string, share: number) => Math.max(12, Math.floor(count(text) * share));

for (const [language, { text }] of Object.entries(SAMPLES)) {
  test(`${language}: exact, marked, and as well-formed as before`, async () => {
    const before = await errorsOf(language, text);
    for (let share = 0.05; share < 1.1; share += 0.05) {
      for (const lineNumbers of [false, true]) {
        const options = { budget: budgetFor(text, share), lineNumbers };
        const summary = summarizeDocumentSync(text, { language, ...options });
        sound(text, summary, options);
        if (lineNumbers) continue;
        assert.ok((await errorsOf(language, summary.text)) <= before, `${options.budget}\n${summary.text}`);
      }
    }
    assert.equal(summarizeDocumentSync(text, { language, budget: count(text) }).text, text, "what fits is left alone");
  });
}

test("all languages have a sample", () => assert.deepEqual(Object.keys(SAMPLES).sort(), [...languages()].sort()));

test("real files keep more of their text than a compatible summary that was made to fit the tokens", async () => {
  for (const share of [0.25, 0.5, 0.75]) {
    let [ours, theirs] = [0, 0];
    for (const { path, text } of REAL) {
      const budget = budgetFor(text, share);
      const summary = await summarizeDocument(text, { path, budget });
      sound(text, summary, { budget });
      ours += kept(text, summary);
      // As its callers do: some tokens are put aside, four characters taken for a token, and less asked for as long as
      // it is too much.
      let asked = budget * 0.85 - 300;
      let compatible = await summarizeDocument(text, {
        path,
        budget: Math.max(0, Math.floor(asked)),
        profile: "copilot-chat",
      });
      const most = Math.max(0, asked);
      for (let i = 0; i < 5 && compatible.tokens > most; i++) {
        asked *= 0.85;
        compatible = await summarizeDocument(text, {
          path,
          budget: Math.max(0, Math.floor(asked)),
          profile: "copilot-chat",
        });
      }
      theirs += kept(text, compatible);
    }
    assert.ok(ours > theirs, `${share}: ${ours} against ${theirs}`);
  }
});

test("for the same tokens real files keep more than in the profile copilot-chat, which marks next to nothing", async () => {
  for (const share of [0.25, 0.5, 0.75]) {
    const sums = new Map<string, [ours: number, theirs: number]>();
    for (const { path, text } of REAL) {
      const budget = budgetFor(text, share);
      const ours = kept(text, await summarizeDocument(text, { path, budget }));
      // It takes four characters for a token. Where that is too much, it is given less until it is not.
      let limit = budget * 4;
      const made = () =>
        summarizeDocument(text, { path, budget: Math.floor(limit), unit: "characters", profile: "copilot-chat" });
      let compatible = await made();
      while (count(compatible.text) > budget) {
        limit *= 0.98;
        compatible = await made();
      }
      const theirs = kept(text, compatible);
      for (const of of ["all", path.slice(path.lastIndexOf(".") + 1)]) {
        const sum = sums.get(of) ?? [0, 0];
        sums.set(of, [sum[0] + ours, sum[1] + theirs]);
      }
    }
    const ratio = (of: string) => sums.get(of)![0] / sums.get(of)![1];
    assert.ok(ratio("all") > 1 && ratio("ts") > 1, `${share}: ${ratio("all")}, ${ratio("ts")}`);
    // Of Rust the profile copilot-chat knows the indentation only, and cuts it finer. (These files change from day to
    // day.)
    assert.ok(ratio("rs") > 0.96, `${share}: ${ratio("rs")}`);
  }
});

test("what a document counts is what its text counts, whatever its summary looks like", () => {
  for (const { path, text } of REAL.slice(0, 12)) {
    for (const lineNumbers of [false, true]) {
      assert.equal(
        summarizeDocumentSync(text, { path, budget: budgetFor(text, 0.4), lineNumbers }).before,
        count(text),
      );
      assert.equal(
        summarizeDocumentSync(text, { path, budget: 2_000, unit: "characters", lineNumbers }).before,
        text.length,
      );
    }
  }
});

test("what is left of a budget is used: a table that does not fit is cut, with its comments and its end", () => {
  const entries = Array.from(
    { length: 40 },
    (_, at) => `  key${at}: () => {\n    // What it makes.\n    const made = [${at}];\n    return made;\n  },\n`,
  ).join("");
  const table = `/**\n * What hosts pass.\n */\nexport const VALUES: Record<string, () => unknown> = {\n${entries}};\n`;
  const macro = `//! Flags.\n\nbitflags! {\n    /// How.\n    pub struct Flags: u32 {\n${Array.from({ length: 60 }, (_, at) => `        /// FLAG_${at}\n        const FLAG_${at} = c::FLAG_${at};\n`).join("")}    }\n}\n`;
  for (const [path, text] of [
    ["a.ts", `import a from "a";\n\n${table}`],
    ["a.rs", macro],
  ] as const) {
    for (const share of [0.15, 0.3, 0.5, 0.7, 0.9]) {
      const budget = budgetFor(text, share);
      const summary = summarizeDocumentSync(text, { path, budget });
      sound(text, summary, { budget });
      // A list in a list is not cut any further.
      if (path === "a.ts")
        assert.ok(summary.tokens > budget * 0.8, `${path} ${share}: ${summary.tokens} of ${budget}\n${summary.text}`);
      const { basis } = documentStructureSync(summary.text, { path });
      assert.ok(basis.path === "syntax" && !basis.hasErrors, summary.text);
    }
  }
});

test("real files are as well-formed as before", async () => {
  for (const { path, text } of REAL) {
    const language = languageOf(path)!;
    const before = await errorsOf(language, text);
    for (const share of [0.25, 0.5, 0.75]) {
      const summary = summarizeDocumentSync(text, { path, budget: budgetFor(text, share) });
      assert.ok((await errorsOf(language, summary.text)) <= before, `${path} ${share}`);
    }
  }
});

test("a cursor stays, what is around it comes first", async () => {
  const { path, text } = REAL.find(({ path }) => path === "js/prompt/flatten/index.ts")!;
  for (let at = 0; at < text.length; at += 997) {
    const summary = await summarizeDocument(text, { path, budget: 300, selection: at });
    sound(text, summary, { budget: 300 });
    const line = text.slice(text.lastIndexOf("\n", at - 1) + 1).split("\n")[0]!;
    assert.ok(summary.text.includes(line), `${at}: ${line}\n${summary.text}`);
    assert.equal(summary.toDocument(summary.toSummary(at)), at);
  }
});

test("a table of 4,000 lines under the cursor is cut around it", async () => {
  const text = `const table = [\n${Array.from({ length: 4_000 }, (_, i) => `  { id: ${i}, name: "row ${i}" },`).join("\n")}\n];\nuse(table);\n`;
  const at = text.indexOf("id: 2000,");
  const summary = await summarizeDocument(text, { path: "a.ts", budget: 500, selection: at });
  sound(text, summary, { budget: 500 });
  assert.match(summary.text, /id: 1999,[^]*id: 2000,[^]*id: 2001,/);
  assert.ok(summary.tokens > 470, `${summary.tokens}`);
});

test("one line that is too long shows a window around the cursor", async () => {
  for (const unit of ["a=b+1;", "😀日本", "word ", "aaaa"]) {
    const text = unit.repeat(20_000);
    for (const selection of [0, 30_001, text.length, [3_000, 3_200] as const]) {
      const summary = await summarizeDocument(text, { path: "min.js", budget: 400, selection });
      sound(text, summary, { budget: 400 });
      assert.ok(summary.tokens > 300, `${unit} ${selection} ${summary.tokens}`);
      assert.ok(
        !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(summary.text),
        "no half pairs",
      );
      if (typeof selection === "object") assert.ok(summary.text.includes(text.slice(...selection)));
    }
    // Without one it begins at the beginning.
    const { text: head } = await summarizeDocument(text, { path: "min.js", budget: 400 });
    assert.ok(head.startsWith(text.slice(0, 50)));
  }
});

test("a long line beside short ones shows a window, wherever the cursor is", async () => {
  const [head, end] = ["/*! licence */\n", "\n// the end\n"];
  const long = Array.from({ length: 400 }, (_, at) => `function f${at}(a,b){return a+b*${at}}`).join(";");
  for (const text of [head + long + end, head + long, long + end, `import "a";\n${long}${end}`]) {
    for (const selection of [undefined, 0, 5, head.length, 5_000, text.length - 3, text.length]) {
      const about = selection === undefined ? {} : { selection };
      for (const budget of [100, 500]) {
        const summary = await summarizeDocument(text, { path: "a.min.js", budget, ...about });
        sound(text, summary, { budget });
        assert.ok(summary.tokens > budget * 0.9, `${selection} ${budget} ${summary.tokens} ${summary.text}`);
      }
    }
  }
  // The window is beside the cursor.
  const shown = async (text: string, selection: number) =>
    (await summarizeDocument(text, { path: "a.min.js", budget: 100, selection })).text;
  assert.ok((await shown(head + long, 0)).startsWith(head + long.slice(0, 80)));
  assert.ok((await shown(long + end, long.length + 4)).endsWith(long.slice(-80) + end));
});

test("what is selected stays, or it is said that it does not fit", async () => {
  const { path, text } = REAL[0]!;
  const selection = [100, text.length - 100] as const;
  await assert.rejects(summarizeDocument(text, { path, budget: 200, selection }), (error: any) => {
    assert.equal(error.code, "budget_exceeded");
    assert.equal(error.details.budget, 200);
    assert.ok(
      error.details.needed > 200 && error.details.largest[0].id === path && error.details.largest[0].why === "selected",
    );
    return true;
  });
  await assert.rejects(summarizeDocument(text, { path, budget: 0 }), {
    code: "budget_exceeded",
    path: "options.budget",
  });
  assert.equal((await summarizeDocument("", { path, budget: 0 })).text, "");
});

test("bodies that may not be empty are filled", async () => {
  const body = Array.from({ length: 80 }, (_, i) => `    total = total + value_of_something(${i})`).join("\n");
  const text = `import os\n\n@decorated\ndef first(total):\n${body}\n\nclass Second:\n    def inner(self):\n    ${body.replaceAll("\n", "\n    ")}\n`;
  const summary = await summarizeDocument(text, { path: "a.py", budget: 60 });
  sound(text, summary, { budget: 60 });
  assert.match(summary.text, /def inner\(self\):\n {8}\.\.\. {2}# … 88-167 omitted\n/);
  const { basis } = documentStructureSync(summary.text, { path: "a.py" });
  assert.ok(basis.path === "syntax" && !basis.hasErrors, summary.text);
});

test("markers are comments of the language", async () => {
  const body = (indent: string) => `${indent}some text that goes on and on for a while, line\n`.repeat(60);
  for (const [path, mark, head = ""] of [
    ["a.sql", "-- … "],
    ["a.yaml", "# … "],
    ["a.html", "<!-- … "],
    ["a.css", "/* … "],
    ["a.txt", "… "],
    ["a.rb", "# … "],
    ["a.php", "// … ", "<?php\n"],
    // Without a tag, all of it is markup.
    ["a.php", "<!-- … "],
    ["a.vue", "<!-- … "],
    ["a.vue", "// … ", "<script>\n"],
    ["a.svelte", "/* … ", "<style>\n"],
  ] as const) {
    const end = head.startsWith("<s") ? head.replace("<", "</") : "";
    const { text } = await summarizeDocument(`${head}head\n${body("  ")}tail\n${end}`, { path, budget: 60 });
    assert.ok(
      text.split("\n").some((line) => line.trimStart().startsWith(mark)),
      `${path}\n${text}`,
    );
  }
  const own = { budget: 60, comments: { block: ["(*", "*)"] }, marker: "[{lines}]" } as const;
  assert.match((await summarizeDocument(`head\n${body("  ")}tail\n`, own)).text, /^\s*\(\* \[\d+-\d+\] \*\)$/m);
  for (const marker of ["none", "{lines} {lines}", "{lines}\n", "*/ {lines}"])
    await assert.rejects(summarizeDocument("a", { budget: 9, marker }), { code: "bad_option", path: "options.marker" });
});

test("documents share a budget, in their order", async () => {
  const documents = REAL.slice(0, 6);
  const whole = documents.reduce((sum, { text }) => sum + count(text), 0);
  for (const share of [0.05, 0.3, 0.8]) {
    const { summaries, tokens, lost } = await summarizeDocuments(documents, { budget: Math.floor(whole * share) });
    assert.ok(tokens <= whole * share && tokens > whole * share * 0.9, `${tokens} of ${whole * share}`);
    summaries.forEach((summary, at) => sound(documents[at]!.text, summary, { budget: whole }));
    assert.deepEqual(
      lost.map(({ document }) => document),
      summaries.flatMap(({ complete }, at) => (complete ? [] : [at])),
    );
  }
  assert.deepEqual(await summarizeDocuments([], { budget: 0 }), { summaries: [], tokens: 0, lost: [] });
});

test("imports come first or last where that is asked for", async () => {
  const statements = Array.from({ length: 80 }, (_, i) => `call${i}("something");`).join("\n");
  const text = `import a from "a";\n${statements}\nimport z from "z";\n`;
  const first = await summarizeDocument(text, { path: "a.ts", budget: 60, imports: "first" });
  assert.ok(first.text.includes('"a"') && first.text.includes('"z"'), first.text);
  const last = await summarizeDocument(text, { path: "a.ts", budget: 60, imports: "last" });
  assert.ok(!last.text.includes('"z"'), last.text);
});

test("what is missing can be named and fetched", async () => {
  const body = Array.from({ length: 30 }, (_, i) => `    call(${i}, "and more of it");`).join("\n");
  const text = `class A {\n  first() {\n${body}\n  }\n\n  second() {\n${body}\n  }\n}\n\nfunction third() {\n${body}\n}\n`;
  const { elisions } = await summarizeDocument(text, { path: "src/a.ts", budget: 40 });
  assert.ok(elisions.length > 0);
  const names = elisions.flatMap(({ names }) => names);
  assert.ok(names.length > 0 && names.every((name) => ["A", "first", "second", "third"].includes(name)), names.join());
  for (const { range, lines, handle, tokens } of elisions) {
    assert.equal(handle, `src/a.ts#L${lines[0]}-L${lines[1]}`);
    assert.equal(
      text.slice(...range).trimEnd(),
      text
        .split("\n")
        .slice(lines[0] - 1, lines[1])
        .join("\n")
        .trimEnd(),
    );
    assert.ok(Math.abs(tokens - count(text.slice(...range))) <= 2);
  }
});

test("nothing that was left out would still fit", () => {
  let [used, had] = [0, 0];
  for (const { path, text } of REAL) {
    for (const share of [0.2, 0.4, 0.6, 0.8]) {
      const budget = budgetFor(text, share);
      const { elisions, tokens } = summarizeDocumentSync(text, { path, budget });
      // A stretch that shows whole takes its marker's room, too.
      for (const elision of elisions)
        assert.ok(tokens + elision.tokens > budget, `${path} ${share} ${JSON.stringify(elision)}`);
      [used, had] = [used + tokens, had + budget];
    }
  }
  assert.ok(used > had * 0.985, `${used} of ${had}`);
});

test("odd texts at any budget", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "  ",
    "a;",
    "import x;",
    "é😀",
    "// c",
    "/",
    "//",
    "# d",
    "def f():",
    "'",
    '"',
    "`",
    "\ufeff",
    "\u2028",
    "\ud800",
    "日本語",
    "class A {",
    "<a>",
    "0",
    "\0",
  );
  const languagesOf = fc.constantFrom(...languages(), "sql", "plaintext");
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 120 }),
      languagesOf,
      fc.integer({ min: 0, max: 160 }),
      fc.option(fc.tuple(fc.nat(200), fc.nat(40))),
      fc.boolean(),
      fc.constantFrom("tokens", "characters"),
      (pieces, language, budget, range, lineNumbers, unit) => {
        const text = pieces.join("");
        const selection = range ? ([range[0], range[0] + range[1]] as const) : undefined;
        const options = { budget, lineNumbers, unit } as const;
        try {
          const summary = summarizeDocumentSync(text, { language, ...options, ...(selection && { selection }) });
          // A half pair is counted as what it is replaced by, as `count` does.
          sound(text, summary, options);
        } catch (error: any) {
          assert.equal(error.code, "budget_exceeded", error.stack);
          assert.ok(error.details.needed > budget);
        }
      },
    ),
    { numRuns: runs(1_500) },
  );
});

test("what hosts may throw at it", async () => {
  const huge: Record<string, string> = {
    "a megabyte on one line": "f(a,b);".repeat(150_000),
    "2 MB": "function f() {\n  return 1;\n}\n".repeat(70_000),
    binary: Array.from({ length: 200_000 }, (_, i) => String.fromCharCode((i * 7_919) % 256)).join(""),
    blanks: " \n".repeat(100_000),
    "broken code": "} { ( class if \n ] `${ \n".repeat(5_000),
    slashes: "//\n".repeat(20_000),
  };
  for (const [name, text] of Object.entries(huge)) {
    for (const selection of name === "2 MB" ? [undefined] : [undefined, text.length >> 1]) {
      const summary = await summarizeDocument(text, {
        path: "a.ts",
        budget: 1_000,
        ...(selection !== undefined && { selection }),
      });
      sound(text, summary, { budget: 1_000 });
      assert.ok(summary.tokens > 0, name);
    }
  }
  // Behind the end, the wrong way round.
  assert.equal((await summarizeDocument("a;\n", { path: "a.ts", budget: 50, selection: [99, 1] })).text, "a;\n");
  const unknown = await summarizeDocument("a\nb\n", { language: "cobol", budget: 50 });
  assert.deepEqual(unknown.basis, { path: "indentation", why: "noGrammar" });
});

test("options that make no sense name the field", async () => {
  const refused = (options: object, path: string, code = "bad_option") =>
    assert.rejects(summarizeDocument("a", options as never), { code, path });
  await refused({}, "options.budget");
  for (const budget of [-1, -0.5, NaN, -Infinity, "9"]) await refused({ budget }, "options.budget");
  await refused({ budget: 9, selection: -1 }, "options.selection");
  await refused({ budget: 9, selection: [1] }, "options.selection");
  await refused({ budget: 9, language: 7 }, "options.language");
  await refused({ budget: 9, comments: {} }, "options.comments");
  for (const name of ["unit", "imports", "profile"]) await refused({ budget: 9, [name]: "x" }, `options.${name}`);
  await assert.rejects(summarizeDocument(7 as never, { budget: 9 }), { code: "bad_input", path: "text" });
  await assert.rejects(summarizeDocuments([{ text: "" }, { text: 7 as never }], { budget: 9 }), {
    code: "bad_input",
    path: "documents[1].text",
  });
  await assert.rejects(summarizeDocuments(7 as never, { budget: 9 }), { code: "bad_input", path: "documents" });
  await assert.rejects(summarizeDocument("a", { budget: 9, signal: AbortSignal.abort(new Error("enough")) }), /enough/);
});

test("a grammar that cannot be had is said, and the next call works", async () => {
  espalier.registerGrammar({ language: "broken-one", wasm: new Uint8Array([1, 2, 3]), extensions: ["broken1"] });
  const { text } = REAL[0]!;
  const summary = await summarizeDocument(text, { path: "a.broken1", budget: 300 });
  assert.ok(
    summary.basis.path === "indentation" &&
      summary.basis.why === "grammarFailed" &&
      summary.basis.error?.code === "bad_grammar",
  );
  sound(text, summary, { budget: 300 });
  assert.equal((await summarizeDocument(text, { path: "a.ts", budget: 300 })).basis.path, "syntax");
});

test("the profile copilot-chat says what is missing, too, however lines end", async () => {
  const { path, text: real } = REAL[0]!;
  for (const end of ["\n", "\r\n", "\r"]) {
    for (const text of [real, `function a() {\n${"  x();\n".repeat(40)}}\nlet z;\n`].map((text) =>
      text.replaceAll("\n", end),
    )) {
      const limit = text.length >> 2;
      const summary = await summarizeDocument(text, {
        path,
        budget: limit,
        unit: "characters",
        profile: "copilot-chat",
      });
      assert.ok(summary.text.length <= limit && summary.elisions.length > 0 && summary.basis.path === "syntax");
      for (const {
        range: [start, behind],
        lines,
        handle,
      } of summary.elisions) {
        assert.deepEqual(
          lines,
          [lineOf(text, start), lineOf(text, text.slice(behind - 2, behind) === "\r\n" ? behind - 2 : behind - 1)],
          JSON.stringify(end),
        );
        assert.equal(handle, lines[0] === lines[1] ? `${path}#L${lines[0]}` : `${path}#L${lines[0]}-L${lines[1]}`);
      }
    }
  }
});

test("an element grows with its budget", async () => {
  const { path, text } = REAL.find(({ path }) => path === "js/documents/structure.ts")!;
  const prompt = createPiece(
    UserMessage,
    {},
    createPiece(SourceDocument, { path, text, priority: 1 }),
    "\nWhat is wrong here?",
  );
  let last = 0;
  for (const budget of [200, 800, 2_000, 20_000]) {
    const { tokens, messages } = await render(prompt, { budget });
    const content: string = messages[0].content;
    assert.ok(tokens <= budget && tokens > Math.min(budget, count(text)) * 0.85, `${tokens} of ${budget}`);
    assert.ok(content.length > last && content.endsWith("What is wrong here?"));
    assert.equal(content.includes("omitted"), budget < 20_000);
    last = content.length;
  }
});

// Types of what hosts write.
const _documents: SummaryDocument[] = [
  { path: "a.ts", selection: 3 },
  { language: "lua", comments: { line: "--" } },
];
void _documents;

const steps = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `function f${from + at}() {\n  return g(${from + at});\n}\n`).join("");
const one = (at: number) => `function a${at}(b) {return b;}`;

test("what is in a function with a line that is too long shows, between its ends", async () => {
  const minified = Array.from({ length: 200 }, (_, at) => one(at)).join("");
  const text = `(() => {\n${minified}\n${steps(0, 100)}})();\n`;
  for (const budget of [200, 400, 800]) {
    const summary = summarizeDocumentSync(text, { path: "a.js", budget });
    assert.ok(summary.tokens > budget - 40 && summary.text.includes("return g("), `${budget}: ${summary.text}`);
    assert.match(summary.text, /^\(\(\) => \{\n[^]*\n\}\)\(\);\n$/);
    assert.equal(await errorsOf("javascript", summary.text), 0);
  }
});

test("a long line behind a comment of several lines fills the budget", () => {
  const text = `/*!\n * One\n * Two\n */${"a{b:c}".repeat(500)}\n/*# end */\n`;
  for (const budget of [120, 500, 1_000]) {
    const summary = summarizeDocumentSync(text, { path: "a.min.css", budget });
    assert.ok(summary.tokens > budget - 5 && summary.text.includes("a{b:c}a{b:c}"), `${budget}: ${summary.text}`);
  }
});

test("a byte order mark changes nothing but its token", () => {
  const members = Array.from({ length: 40 }, (_, at) => `    name${at}: "text ${at}",\n`).join("");
  const table = `const names = {\n  one: {\n${members}  },\n  two: {\n${members}  },\n};\n`;
  const text = `// Names.\n\n${table}\nexport { names };\n`;
  const mark = "\ufeff";
  for (const budget of [100, 200, 400]) {
    const plain = summarizeDocumentSync(text, { path: "a.ts", budget });
    const marked = summarizeDocumentSync(mark + text, { path: "a.ts", budget: budget + count(mark) });
    assert.deepEqual(
      marked.elisions.map(({ lines }) => lines),
      plain.elisions.map(({ lines }) => lines),
    );
    assert.equal(marked.text, mark + plain.text);
  }
});

test("an elision says what its text counts", () => {
  for (const { path, text } of REAL)
    for (const share of [0.1, 0.3, 0.6])
      for (const { range, tokens } of summarizeDocumentSync(text, { path, budget: budgetFor(text, share) }).elisions)
        assert.equal(tokens, count(text.slice(...range)), `${path} ${range}`);
});

test("the tokens that a range needs are enough", () => {
  const refused = (text: string, selection: [number, number], budget: number) => {
    try {
      return void summarizeDocumentSync(text, { path: "a.ts", budget, selection });
    } catch (error) {
      const { code, details } = error as { code: string; details: { budget: number; needed: number } };
      assert.deepEqual([code, details.budget], ["budget_exceeded", budget]);
      return details.needed;
    }
  };
  for (const { text } of REAL.slice(0, 40))
    for (const [start, length] of [
      [500, 300],
      [1_000, 77],
      [text.length - 400, 350],
    ] as const) {
      const needed = refused(text, [start, start + length], 20);
      assert.ok(needed !== undefined && refused(text, [start, start + length], needed) === undefined, `${needed}`);
    }
});
