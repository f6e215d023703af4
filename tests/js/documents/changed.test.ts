/** Changed code with the grammars of the package; the ladder itself is tested natively. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import type { ReducedFile, SplitDetails } from "../../../js/documents/changed.ts";
import { SAMPLES } from "./samples.ts";
import { runs } from "../runs.ts";

const { count, parseDiff, reduceChanges, reduceCompatible } = espalier;

/** A diff without context that says of some lines, from 1, that they are new. */
function diffOf(text: string, ...lines: number[]): string {
  const all = text.split("\n");
  let added = 0;
  return lines.map((line) => `@@ -${line - 1 - added++},0 +${line} @@\n+${all[line - 1]}\n`).join("");
}

async function one(path: string, text: string, budget: number, ...lines: number[]): Promise<ReducedFile> {
  const { files, tokens } = await reduceChanges({ files: [{ path, text, diff: diffOf(text, ...lines) }], budget });
  assert.ok(tokens <= budget, `${tokens} > ${budget}`);
  return files[0]!;
}

/** Returns the original file: the rest of it, with the elided text where its markers are. */
function rebuilt({ text, elisions }: ReducedFile, original: string): string {
  let [made, at] = ["", 0];
  for (const { start, end, marker } of elisions) {
    made += text.slice(at, marker[0]) + original.slice(start, end);
    at = marker[1];
  }
  return made + text.slice(at);
}

const lines = (count: number, line: string) => Array.from({ length: count }, () => line).join("\n");
const MY_SERVICE = `class MyService {
${lines(39, "  other() { return 'something or other'; }")}
  handleRequest() {
    const x = validate
    return process(x)
  }

${lines(45, "  another() { return 'something else'; }")}
}
`;

test("the drawing: head of the class, the definition that changed, markers around it", async () => {
  const { text, step, elisions, basis } = await one("service.ts", MY_SERVICE, 100, 42, 43);
  assert.equal(
    text,
    `class MyService {
  // … 2-40 omitted
  handleRequest() {
    const x = validate
    return process(x)
  }
  // … 45-90 omitted
}
`,
  );
  assert.equal(step, "definitions");
  assert.equal(basis.path, "syntax");
  assert.deepEqual(
    elisions.map(({ lines, definitions }) => [lines, definitions.length, definitions[0]]),
    [
      [[2, 40], 39, "other"],
      [[45, 90], 45, "another"],
    ],
  );
});

test("two changes in one definition give it once", async () => {
  const { text } = await one("service.ts", MY_SERVICE, 100, 42);
  assert.equal(text.split("handleRequest").length, 2);
  assert.equal((await one("service.ts", MY_SERVICE, 100, 42, 43)).text, text);
});

test("a change at the top of a file of 5,000 lines costs less than a twentieth of it", async () => {
  const text = `import { a } from "./a";\nimport { b } from "./b";\n\n${lines(5_000, "export function f() { return a(b); }")}\n`;
  const whole = count(text);
  // However much more there is room for, short of the file.
  for (const share of [0.05, 0.3, 0.5, 0.9]) {
    for (const line of [1, 2, 3, 2_500, 5_003]) {
      const { tokens, text: left } = await one("long.ts", text, Math.floor(whole * share), line);
      assert.ok(tokens < whole / 20, `${share}, line ${line}: ${tokens} of ${whole}`);
      assert.ok(left.includes(text.split("\n")[line - 1]!));
    }
  }
});

test("a change in a table of 4,000 lines keeps its lines, not the table", async () => {
  const text = `export const table = [\n${lines(4_000, "  { name: 'entry', value: 1 },")}\n];\n`;
  const { text: left, step } = await one("table.ts", text, 200, 2_000);
  assert.equal(step, "statements");
  assert.match(
    left,
    /^export const table = \[\n {2}\/\/ … 2-1996 omitted\n(.*\n){7} {2}\/\/ … 2004-4001 omitted\n\];\n$/,
  );
});

test("only deletions, also of everything", async () => {
  const { text } = (
    await reduceChanges({
      files: [{ path: "service.ts", text: MY_SERVICE, diff: "@@ -43,1 +42,0 @@\n-gone\n" }],
      budget: 90,
    })
  ).files[0]!;
  assert.ok(text.includes("handleRequest() {\n    const x = validate\n    return process(x)\n"), text);
  const all = await reduceChanges({
    files: [{ path: "a.ts", text: "", diff: "--- a/a.ts\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n" }],
    budget: 0,
  });
  assert.equal(all.files[0]!.text, "");
});

test("a change at the end of a file without a line feed", async () => {
  const text = `${lines(60, "call(something, other);")}\nlast();`;
  const diff = "@@ -60,1 +60,2 @@\n call(something, other);\n+last();\n\\ No newline at end of file\n";
  const { files } = await reduceChanges({ files: [{ path: "a.js", text, diff }], budget: 60 });
  assert.ok(files[0]!.text.endsWith("\nlast();"), files[0]!.text);
});

test("nested classes: every head and every end", async () => {
  const pad = (depth: number) =>
    lines(12, `${"    ".repeat(depth)}def other_${depth}(self): return "something or other"`);
  const text = `class Outer:\n${pad(1)}\n    class Inner:\n${pad(2)}\n        def method(self):\n            return 1\n${pad(2)}\n${pad(1)}\n`;
  const { text: left } = await one("nested.py", text, 90, 28);
  assert.equal(
    left,
    `class Outer:
    # … 2-13 omitted
    class Inner:
        # … 15-26 omitted
        def method(self):
            return 1
        # … 29-52 omitted
`,
  );
});

test("numbered lines, selections, wording, languages without grammar or comments", async () => {
  const text = `.a {\n${lines(30, "  color: red;")}\n}\n`;
  const selection = [8, 9] as const;
  const {
    files: [css],
  } = await reduceChanges({
    files: [{ path: "a.css", language: "css", text, selections: [selection] }],
    budget: 60,
    lineNumbers: true,
  });
  assert.match(
    css!.text,
    /^\/\* Line 1 \*\/\.a \{\n\/\* Selected Line 2 \*\/ {2}color: red;\n[^]*\/\* … \d+-31 omitted \*\/\n\/\* Line 32 \*\/\}\n$/,
  );
  assert.deepEqual(css!.basis, { path: "indentation", why: "noGrammar" });
  const plain = { path: "a.txt", text: lines(50, "some words of a text"), selections: [[500, 500]] as const };
  const {
    files: [txt],
  } = await reduceChanges({ files: [plain], budget: 50, wording: "[{lines}]" });
  assert.match(txt!.text, /^\[1-\d+\]\nsome/);
});

test("batches that are proposed fit", async () => {
  const files = Array.from({ length: 6 }, (_, at) => ({
    path: `${at}.ts`,
    text: MY_SERVICE,
    selections: [[0, MY_SERVICE.length]] as const,
  }));
  const budget = Math.ceil(count(MY_SERVICE) * 2.2);
  const error = await reduceChanges({ files, budget }).then(
    () => assert.fail("it fits"),
    (error) => error,
  );
  assert.equal(error.code, "split_input");
  const { batches, needed } = error.details as SplitDetails;
  assert.equal(needed, 6 * count(MY_SERVICE));
  assert.deepEqual(batches, [
    [0, 1],
    [2, 3],
    [4, 5],
  ]);
  for (const batch of batches) await reduceChanges({ files: batch.map((at) => files[at]!), budget });
  await assert.rejects(reduceChanges({ files, budget, maxBatches: 2 }), { code: "too_many_changes" });
  await assert.rejects(reduceChanges({ files, budget: 100 }), {
    code: "budget_exceeded",
    path: "files[0]",
    details: {
      budget: 100,
      needed: count(MY_SERVICE),
      largest: Array.from({ length: 5 }, (_, at) => ({
        id: `${at}.ts`,
        tokens: count(MY_SERVICE),
        why: "changed lines",
      })),
    },
  });
});

test("never over, changed lines always there, one marker for each stretch, in every language", async () => {
  const asked = fc.tuple(
    fc.constantFrom(...Object.values(SAMPLES)),
    fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 0, max: 300 }),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(asked, async ([{ path, text: sample }, picks, budget, windows]) => {
      const text = (windows ? sample.replaceAll("\n", "\r\n") : sample).repeat(2);
      const all = text.split("\n");
      const changed = [...new Set(picks.map((pick) => (pick % (all.length - 1)) + 1))].sort((a, b) => a - b);
      let file: ReducedFile;
      try {
        file = await one(path, text, budget, ...changed);
      } catch (error) {
        assert.equal((error as { code: string }).code, "budget_exceeded");
        assert.ok((error as { details: { needed: number } }).details.needed > budget);
        return;
      }
      assert.equal(file.tokens, count(file.text));
      assert.equal(rebuilt(file, text), text);
      assert.equal(file.text.split(" omitted").length - 1, file.elisions.length);
      for (const {
        lines: [first, last],
        marker,
      } of file.elisions) {
        assert.ok(!changed.some((line) => first <= line && line <= last));
        assert.ok(
          file.text.slice(...marker).includes(first === last ? `… ${first} omitted` : `… ${first}-${last} omitted`),
        );
      }
    }),
    { numRuns: runs(300) },
  );
});

test("what makes no sense names the field", async () => {
  const refused = (options: object, path: string, code: string) =>
    assert.rejects(reduceChanges({ files: [], budget: 1, ...options } as never), { path, code });
  await refused({ files: 7 }, "files", "bad_input");
  await refused({ files: [{ path: "a" }] }, "files[0].text", "bad_input");
  await refused({ files: [{ path: "a", text: "", selections: [[1, NaN]] }] }, "files[0].selections[0]", "bad_input");
  for (const budget of [-1, 1.5, NaN, "7"]) await refused({ budget }, "options.budget", "bad_option");
  await refused({ wording: "a\nb" }, "options.wording", "bad_option");
  await refused({ maxBatches: 0 }, "options.maxBatches", "bad_option");
  const wrong = (diff: string) =>
    refused({ files: [{ path: "a.ts", text: "a\nb\n", diff }] }, "files[0].diff", "bad_diff");
  await wrong("@@ -1 +1 @@\n-x\n+y\n");
  await wrong("@@ -90 +90 @@\n-x\n+y\n");
  await wrong("diff --cc a.ts\n@@@ -1,1 -1,1 +1,1 @@@\n");
  await wrong("--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-x\n+a\n--- a/c.ts\n+++ b/c.ts\n@@ -1 +1 @@\n-x\n+a\n");
  // Behind the end, the wrong way round; nothing at all; an engine that goes on.
  assert.equal(
    (await reduceChanges({ files: [{ path: "a.ts", text: "a;\n", selections: [[99, 1]] }], budget: 9 })).files[0]!.text,
    "a;\n",
  );
  assert.deepEqual(await reduceChanges({ files: [], budget: 0 }), { files: [], tokens: 0 });
  await assert.rejects(reduceChanges({ files: [], budget: 0, signal: AbortSignal.abort(new Error("enough")) }), {
    message: "enough",
  });
});

test("2 MB, binary, a megabyte in one line, lone surrogates", async () => {
  const long = "function f() {\n  return 1;\n}\n".repeat(70_000);
  const {
    files: [file],
  } = await reduceChanges({
    files: [{ path: "a.ts", text: long, selections: [[long.length / 2, long.length / 2]] }],
    budget: 500,
  });
  assert.ok(file!.tokens <= 500 && file!.basis.path === "indentation");
  const binary = Array.from({ length: 50_000 }, (_, i) => String.fromCharCode((i * 7_919) % 256)).join("");
  assert.ok(
    (await reduceChanges({ files: [{ path: "a.png", text: binary, selections: [[900, 900]] }], budget: 2_000 }))
      .tokens <= 2_000,
  );
  const line = "a=b+1;".repeat(160_000);
  await assert.rejects(reduceChanges({ files: [{ path: "a.js", text: line, selections: [[5, 9]] }], budget: 500 }), {
    code: "budget_exceeded",
  });
  const odd = `${"\ud800;\n".repeat(200)}x();\n`;
  assert.ok(
    (
      await reduceChanges({
        files: [{ path: "a.js", text: odd, selections: [[odd.length - 3, odd.length]] }],
        budget: 60,
      })
    ).files[0]!.text.includes("x();"),
  );
});

test("diffs as data", () => {
  const [file] = parseDiff("diff --git a/a.ts b/b.ts\nrename from a.ts\nrename to b.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
  assert.deepEqual(file, {
    path: "b.ts",
    oldPath: "a.ts",
    newPath: "b.ts",
    status: "renamed",
    binary: false,
    changes: [[2, 2]],
    hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" a", "-b", "+B"] }],
  });
  assert.throws(() => parseDiff("@@@ -1 -1 +1 @@@\n"), { code: "bad_diff", path: "diff" });
  assert.throws(() => parseDiff(7 as never), { code: "bad_input", path: "diff" });
});

// ---------------------------------------------------------------- what Copilot Chat does

interface Scenario {
  id: string;
  inputs: {
    path: string;
    language: string;
    text: string;
    diff?: string;
    selection?: [number, number, number, number];
  }[];
  cases: {
    tokenBudget: number;
    expected: { startLine: number; endLine: number; text: string }[][] | { error: string };
  }[];
}
const { scenarios } = JSON.parse(
  readFileSync(new URL("../../fixtures/vectors/diffs.json", import.meta.url), "utf8"),
) as { scenarios: Scenario[] };

for (const { id, inputs, cases } of scenarios) {
  test(`as Copilot Chat: ${id}`, async () => {
    const files = inputs.map(({ path, language, text, diff, selection }) => {
      const offset = (line: number, column: number) =>
        text
          .split("\n")
          .slice(0, line)
          .reduce((sum, { length }) => sum + length + 1, 0) + column;
      const selections = selection && [
        [offset(selection[0], selection[1]), offset(selection[2], selection[3])] as const,
      ];
      return { path, language, text, ...(diff !== undefined && { diff }), ...(selections && { selections }) };
    });
    for (const { tokenBudget, expected } of cases) {
      // The recorder's tokens were four characters each.
      const made = reduceCompatible({ files, budget: tokenBudget * 4, unit: "characters" });
      if (Array.isArray(expected)) assert.deepEqual((await made).files, expected, `${tokenBudget}`);
      else await assert.rejects(made, { code: expected.error });
    }
  });
}

test("as Copilot Chat: a part ends where its text does, also behind its definition", async () => {
  const text = `${"// one\n".repeat(40)}function f() {\n  return 2\n}\n\nconst a = 1\nconst b = 2\n${"// two\n".repeat(40)}`;
  const diff =
    "@@ -40,7 +40,7 @@\n // one\n function f() {\n-  return 1\n+  return 2\n }\n \n const a = 1\n const b = 2\n";
  const {
    files: [[part] = []],
  } = await reduceCompatible({ files: [{ path: "a.ts", text, diff }], budget: 800, unit: "characters" });
  assert.equal(part!.endLine, Math.max(...[...part!.text.matchAll(/Line (\d+)/g)].map(([, line]) => Number(line))));
});

test("as Copilot Chat: batches are halves", async () => {
  const files = Array.from({ length: 5 }, (_, at) => ({
    path: `${at}.txt`,
    text: `${"x".repeat(400)}\n`,
    selections: [[0, 1]] as const,
  }));
  await assert.rejects(
    reduceCompatible({ files, budget: 900, unit: "characters" }),
    (error: { details: SplitDetails }) => {
      assert.deepEqual(error.details.batches, [[0, 1], [2], [3, 4]]);
      return true;
    },
  );
});
