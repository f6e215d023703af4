/** Summaries parse without more errors than their documents, wherever the cursor is: web-tree-sitter says so. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { isTried } from "../runs.ts";
import { errorsOf } from "./oracle.ts";
import { SAMPLES } from "./samples.ts";
import { sound } from "./sound.ts";

const { count, languageOf, languages, summarizeDocumentSync } = espalier;

/** Summarises; says how many errors there are more than before. */
async function more(
  text: string,
  language: string,
  budget: number,
  selection?: number,
): Promise<{ errors: number; text: string }> {
  const options = { language, budget, ...(selection !== undefined && { selection }) };
  const summary = summarizeDocumentSync(text, options);
  sound(text, summary, options);
  return { errors: (await errorsOf(language, summary.text)) - (await errorsOf(language, text)), text: summary.text };
}

async function formed(text: string, language: string, budget: number, selection?: number): Promise<string> {
  const { errors, text: made } = await more(text, language, budget, selection);
  assert.ok(errors <= 0, `${language}, ${budget} tokens, cursor at ${selection}: ${errors} errors more\n${made}`);
  return made;
}

const rows = (row: (at: number) => string, many = 4_000) => Array.from({ length: many }, (_, at) => row(at)).join("\n");

/** Leaves of 4,000 lines. */
const LEAVES: [language: string, text: string][] = [
  ["javascript", `function f() {\n${rows((at) => `  call(${at});`)}\n}\n`],
  ["javascriptreact", `const t = (\n  <ul>\n${rows((at) => `    text ${at} of it`)}\n  </ul>\n);\nuse(t);\n`],
  ["typescript", `const table = [\n${rows((at) => `  { id: ${at}, name: "row ${at}" },`)}\n];\nuse(table);\n`],
  ["typescript", `const t = \`\n${rows((at) => `row ${at} of text`)}\n\`;\nuse(t);\n`],
  [
    "typescript",
    `const t = {\n${rows((at) => `  key${at}: {\n    // Why.\n    made: [\n      ${at},\n    ],\n  },`, 800)}\n};\n`,
  ],
  ["typescriptreact", `const t = (\n  <ul>\n${rows((at) => `    <li>${at}</li>`)}\n  </ul>\n);\nuse(t);\n`],
  ["typescriptreact", `const t = (\n  <ul>\n    {[\n${rows((at) => `      ${at},`)}\n    ]}\n  </ul>\n);\nuse(t);\n`],
  ["python", `TABLE = [\n${rows((at) => `    {"id": ${at}, "name": "row ${at}"},`)}\n]\nuse(TABLE)\n`],
  ["python", `T = """\n${rows((at) => `row ${at} of text`)}\n"""\nuse(T)\n`],
  ["ruby", `T = [\n${rows((at) => `  ${at},`)}\n]\nputs T\n`],
  ["rust", `const T: &[(u32, &str)] = &[\n${rows((at) => `    (${at}, "row"),`)}\n];\nfn main() {}\n`],
  [
    "rust",
    `static T: &[Row] = &[\n${rows((at) => `    Row {\n        // Why.\n        id: ${at},\n        of: Some(Of {\n            a: 1,\n        }),\n    },`, 600)}\n];\n`,
  ],
  ["go", `package a\n\nvar t = []int{\n${rows((at) => `\t${at},`)}\n}\n`],
  ["java", `class A {\n  int[] t = {\n${rows((at) => `    ${at},`)}\n  };\n}\n`],
  ["c", `int t[] = {\n${rows((at) => `    ${at},`)}\n};\nint main(void) { return 0; }\n`],
  ["cpp", `int t[] = {\n${rows((at) => `    ${at},`)}\n};\nint main() { return 0; }\n`],
  ["csharp", `class A {\n  int[] t = {\n${rows((at) => `    ${at},`)}\n  };\n}\n`],
  ["php", `<?php\n$t = [\n${rows((at) => `    ${at} => 'row ${at}',`)}\n];\nuse_it($t);\n`],
];

test("a literal of 4,000 lines under the cursor keeps what opens and closes it, in all languages", async () => {
  assert.deepEqual([...new Set(LEAVES.map(([language]) => language))].sort(), [...languages()].sort());
  for (const [row, [language, text]] of LEAVES.entries()) {
    for (const [column, budget] of [100, 500].entries()) {
      for (const [number, share] of [undefined, 0.003, 0.3, 0.5, 0.998].entries()) {
        if (!isTried(2, row, column, number)) continue;
        const at = share === undefined ? undefined : Math.floor(text.length * share);
        const made = await formed(text, language, budget, at);
        if (at === undefined) continue;
        const line = text.slice(text.lastIndexOf("\n", at - 1) + 1).split("\n")[0]!;
        assert.ok(made.includes(line), `${language}: ${line}\n${made}`);
        assert.ok(count(made) > budget * 0.75, `${language}: ${count(made)} of ${budget}\n${made}`);
      }
    }
  }
});

test("samples with a cursor anywhere are as well-formed as before, where there is room for what is around it", async () => {
  for (const [row, [language, { text }]] of Object.entries(SAMPLES).entries()) {
    for (const [column, share] of [0.7, 0.8, 0.9].entries()) {
      for (let at = 0; at < text.length; at += 5)
        if (isTried(3, row, column, at / 5))
          await formed(text, language, Math.max(90, Math.floor(count(text) * share)), at);
    }
  }
});

test("between tags a marker is in braces, in code it is not", async () => {
  const item = (at: number) =>
    `      <li key="a > b" on={() => { go("{"); }}>\n        {/* one */}\n        text ${at} {at > 1 && (\n          <b>\n            it's bold\n          </b>\n        )}\n      </li>`;
  const view = (at: number) =>
    `function View${at}({ items }) {\n  const few = items < 3;\n  return (\n    <ul>\n${rows(item, 6)}\n      {items.map((item) => {\n        const a = \`\${item}}\`;\n        const b = a;\n        return <li>{b}</li>;\n      })}\n    </ul>\n  );\n}\n`;
  const text = rows(view, 3);
  const of = count(text);
  let braced = 0;
  for (const language of ["javascriptreact", "typescriptreact"]) {
    for (let at = 0; at < text.length; at += 23) {
      for (const budget of [150, 250, of >> 1, Math.floor(of * 0.8)]) {
        const made = await formed(text, language, budget, at);
        braced += made.match(/\{\/\* … [\d-]+ omitted \*\/\}/g)?.length ?? 0;
      }
    }
  }
  assert.ok(braced > 100, `${braced}`);
});

test("an element shows with the rows that end its tags", async () => {
  const attributes = (many: number) => rows((at) => `        attribute${at}={value.of[${at}]}`, many);
  const field = (at: number) => `      <Field\n${attributes(4 + (at % 5))}\n      />`;
  const card = (at: number) =>
    `      <Card\n${attributes(3)}\n        label={translate({\n          id: "${at}",\n        })}>\n        Text ${at}\n      </Card>`;
  const view = (at: number) =>
    `export function View${at}({ value }: Props) {\n  const count = value.of.length;\n  return (\n    <Surface\n${attributes(5)}\n    >\n${rows((at) => `${field(at)}\n${card(at)}`, 4)}\n    </Surface>\n  );\n}\n`;
  const text = rows(view, 2);
  for (const language of ["javascriptreact", "typescriptreact"])
    for (let at = 0; at < text.length; at += 131)
      for (const budget of [250, 400, 700]) await formed(text.replace(": Props", ""), language, budget, at);
});

test("a text of several lines goes with the row that ends it", async () => {
  const list = (name: string) =>
    `  ${name}: words(\`\n${rows((at) => `    ${name}${at} min.js${at} map${at}`, 12)}  \`),\n`;
  const text = `export const rules = freeze({\n${["one", "two", "three"].map(list).join('  few: words("a b"),\n')}});\n`;
  for (const share of [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
    for (const at of [0, text.indexOf("few"), text.lastIndexOf("few"), text.length]) {
      await formed(text, "typescript", Math.floor(count(text) * share), at);
    }
  }
});

test("a macro too long for the budget never opens a rule that it does not close", async () => {
  const rule = rows((at) => `            fn of_${at}() -> u32 { ${at} }`, 30);
  const head = "/// Why.\n#[macro_export]\nmacro_rules! table {\n";
  const pattern = "    (\n        // A pattern.\n        $name:ident { $($field:ident),* }\n    ) => {\n";
  const text = `${head}${pattern}        // What it is.\n        impl $name {\n${rule}\n        }\n    };\n}\n`;
  for (let budget = 25; budget < count(text); budget += 3) await formed(text, "rust", budget);
});

test("parentheses around an expression are not left empty", async () => {
  const parts = (many: number) => rows((at) => `    value.part${at} === "part ${at}" &&`, many);
  const is = (name: string) =>
    `function is${name}(value: Value) {\n  const { role } = value;\n  return (\n${parts(5)}\n    role\n  );\n}\n`;
  const text = `export function first() {\n${rows((at) => `  call(${at});`, 6)}\n}\n\n${["A", "B", "C", "D"].map(is).join("\n")}`;
  for (let budget = 60; budget < count(text); budget += 4)
    for (const cursor of [undefined, 30, text.indexOf("function isB")])
      await formed(text, "typescript", budget, cursor);
});

test("a long comment around the cursor is closed wherever it is cut", async () => {
  const comment = `/**\n${rows((at) => ` * Line ${at} of it.`, 40)}\n */\n`;
  const text = `${comment}export function f() {\n${rows((at) => `  call(${at});`, 40)}\n}\n`;
  for (let cursor = 0; cursor < comment.length; cursor += 60)
    for (const budget of [120, 200, 300]) await formed(text, "typescript", budget, cursor);
});

const root = new URL("../../../", import.meta.url);
const files = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map((name) => `${folder}${name}`);
const REAL = ["js/", "src/", "core/src/", "tests/fixtures/sources/"]
  .flatMap(files)
  .filter((path) => languageOf(path) && /\.(ts|tsx|rs|py|go|java|cpp)$/.test(path))
  .sort()
  .map((path) => ({ path, language: languageOf(path)!, text: readFileSync(new URL(path, root), "utf8") }))
  .filter(({ text }) => text.length > 2_500 && text.length < 60_000 && !/… [\d-]+ omitted/.test(text));

test("real files with a cursor anywhere are as well-formed as before", async () => {
  assert.ok(REAL.length > 200);
  for (const { path, language, text } of REAL) {
    // By the path, so that a new file moves no cursor in the others.
    const number = [...path].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9_973, 0);
    for (const [column, share] of [0.25, 0.5, 0.75].entries()) {
      if (!isTried(9, number, column)) continue;
      const at = Math.floor(text.length * ((number * 0.618 + share * 1.7) % 1));
      await formed(text, language, Math.max(300, Math.floor(count(text) * share)), at);
    }
  }
});

/** Ways to break a text, so that something is left to be read. */
const BREAKS: Record<string, (text: string) => string> = {
  "cut off": (text) => text.slice(0, text.length >> 1),
  "without its beginning": (text) => text.slice(text.length >> 1),
  conflicts: (text) => `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`,
  "a line too many": (text) =>
    text
      .split("\n")
      .toSpliced(text.split("\n").length >> 1, 0, "@@ ) oops(")
      .join("\n"),
  "a bracket too few": (text) => text.replace(")", ""),
};

/** Where there are more errors than before, and why. */
const WORSE: Record<string, string> = {
  // Not an error there, but text; indented less than the tags around it, it reads as if something else began.
  "javascriptreact, a line too many": "text between tags at the margin",
  // What the parser could not put together lies in pieces: what opens is in one, what closes in another, and nothing
  // says that they belong together.
  "java, without its beginning": "the head of the class is gone, its methods are in pieces",
  "python, without its beginning": "with 20 tokens, half of the first statement that can be cut shows",
};

test("what is broken is hardly ever read worse than before", async () => {
  const worse = new Set<string>();
  for (const [language, { text }] of Object.entries(SAMPLES)) {
    for (const [how, make] of Object.entries(BREAKS)) {
      const broken = make(text);
      for (const share of [0.25, 0.5, 0.75]) {
        const { errors } = await more(broken, language, Math.max(20, Math.floor(count(broken) * share)));
        if (errors > 0) worse.add(`${language}, ${how}`);
      }
    }
  }
  assert.deepEqual([...worse].sort(), Object.keys(WORSE).sort());
});
