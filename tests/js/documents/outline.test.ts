/** Outlines and repository maps with the grammars of the package. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import type { Definition } from "../../../js/documents/outline.ts";
import { SAMPLES } from "./samples.ts";
import { runs } from "../runs.ts";

const { count, outline, repositoryMap } = espalier;

/** All definitions, parents first, as `kind name`. */
function names(definitions: readonly Definition[]): string[] {
  const open = [...definitions].reverse();
  const found: string[] = [];
  for (let next = open.pop(); next; next = open.pop()) {
    found.push(`${next.kind} ${next.name}`);
    open.push(...[...next.children].reverse());
  }
  return found;
}

/** What has to be found in each language. */
const WANTED: Record<string, string> = {
  javascript: "class Queue, constructor constructor, method drain, function numbers",
  javascriptreact: "function View",
  typescript:
    "interface Ledger, property name, method total, type Point, enum Way, variant In, variant Out, module Inner, function over, class Shape, method area, constructor constructor",
  typescriptreact: "interface Props, property items, function App",
  python: "class Report, method name, variable LIMIT",
  ruby: "module Work, class Task, method all, method run",
  rust: "struct Queue, property items, enum Way, variant In, interface Drain, method drain, class Drain for Queue<T>, constant MOST, type Map, macro m, module tests",
  go: "struct Server, property port, interface Doer, method Do, method Run, function main, constant A",
  java: "class Planner, property steps, constructor Planner, method run, interface Step, enum Way, variant IN, struct Point",
  c: "constant MOST, macro TWICE, struct list, property value, enum way, variant IN, struct both, function sum",
  cpp: "module app, type Ints, enum Way, class List, method each, property items_, function main",
  csharp:
    "module Bank, class Account, property total, property Name, constructor Account, method All, enum Way, struct Point, interface IDo, type Done",
  php: "module Shop, class Cart, constant MOST, property $items, method add, interface Priced, enum Way, variant In, function total",
};

for (const [language, { path, text }] of Object.entries(SAMPLES)) {
  test(`${language}: definitions by name and kind`, async () => {
    const made = await outline(text, { path });
    assert.equal(made.basis.path, "syntax");
    const found = names(made.definitions);
    assert.deepEqual(
      WANTED[language]!.split(", ").filter((wanted) => !found.includes(wanted)),
      [],
      found.join(", "),
    );
    assert.equal(made.missing, 0);
    assert.equal(made.tokens, count(made.text));
    // Every line is that of its definition.
    for (const line of made.text.trimEnd().split("\n")) assert.match(line, /^\d+: /);
  });
}

test("one line for each definition, nested, without bodies", async () => {
  const text =
    "/** Says. */\nexport class A extends B {\n  #x = 1;\n  // Runs.\n  run(\n    a: number,\n    b: string,\n  ): void {\n    function local() {}\n  }\n}\nexport const f = async (x: number) => {\n  return x;\n};\n";
  const made = await outline(text, { path: "a.ts" });
  assert.equal(
    made.text,
    "2: export class A extends B\n3:   #x = 1\n5:   run( a: number, b: string, ): void\n12: export const f = async (x: number) =>\n",
  );
  assert.equal((await outline(text, { path: "a.ts", lineNumbers: false })).text, made.text.replace(/^\d+: /gm, ""));
  const [first] = made.definitions;
  assert.equal(text.slice(first!.start, first!.end).slice(0, 11), "/** Says. *");
  assert.deepEqual([first!.line, first!.endLine, first!.shown, first!.local], [2, 11, true, false]);
  assert.deepEqual(names(first!.children[1]!.children), ["function local"]);
  assert.ok(first!.children[1]!.children[0]!.local && !first!.children[1]!.children[0]!.shown);
});

test("without a grammar the folds take the place of definitions, and it is said", async () => {
  const made = await outline("server {\n  listen 80;\n  location / {\n    root x;\n  }\n}\n", { path: "nginx.conf" });
  assert.deepEqual(made.basis, { path: "indentation", why: "noGrammar" });
  assert.equal(made.text, "1: server\n3:   location /\n");
  assert.deepEqual(names(made.definitions), ["block server {", "block location / {"]);
});

test("never over its budget, outer definitions first, and it says how many are missing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(SAMPLES)),
      fc.integer({ min: 0, max: 120 }),
      fc.boolean(),
      async ({ path, text }, budget, lineNumbers) => {
        const made = await outline(text, { path, budget, lineNumbers });
        assert.ok(made.tokens <= budget);
        assert.equal(made.tokens, count(made.text));
        const [open, all] = [[...made.definitions], [] as Definition[]];
        for (let next = open.pop(); next; next = open.pop()) {
          all.push(next);
          // Nobody is shown without those around it.
          if (!next.shown) assert.ok(next.children.every(({ shown }) => !shown));
          open.push(...next.children);
        }
        assert.equal(all.filter(({ local }) => !local).length, all.filter(({ shown }) => shown).length + made.missing);
        if (made.missing > 0 && made.text) assert.match(made.text, new RegExp(`^… ${made.missing} more$`, "m"));
      },
    ),
    { numRuns: runs(200) },
  );
});

test("outlines of documents that nobody would write", async () => {
  for (const text of [
    "",
    "\n",
    "\0".repeat(9_999),
    "\ud800",
    "(".repeat(100_000),
    "class A {".repeat(20_000),
    "function f() {".repeat(20_000),
  ]) {
    for (const path of ["a.ts", "a.py", "a.txt"]) assert.ok((await outline(text, { path, budget: 100 })).tokens <= 100);
  }
  const huge = await outline("function f() {\n  return 1;\n}\n".repeat(70_000), { path: "a.ts", budget: 100 });
  assert.deepEqual([huge.basis.path, huge.tokens <= 100], ["indentation", true]);
  await assert.rejects(outline(7 as never), { code: "bad_input", path: "text" });
  await assert.rejects(outline("", { budget: -1 }), { code: "bad_option", path: "options.budget" });
  await assert.rejects(outline("", { path: 7 as never }), { path: "options.path" });
});

// ---------------------------------------------------------------- repositories

const REPOSITORY = [
  {
    path: "src/server.ts",
    text: 'import { parseRequest } from "./parse";\nimport { log } from "./log";\nexport function startServer() { log(parseRequest("")); }\n',
  },
  {
    path: "src/parse.ts",
    text: "/** Parses. */\nexport function parseRequest(text: string): Request { return helper(text); }\nfunction helper(text: string) { return text as never; }\nexport function unusedParser() {}\n",
  },
  { path: "src/log.ts", text: "export function log(what: unknown) { console.log(what); }\n" },
  {
    path: "src/client.ts",
    text: 'import { parseRequest } from "./parse";\nexport class Client { send() { return parseRequest("x"); } }\n',
  },
  { path: "tools/report.py", text: "def make_report(rows):\n    return rows\n\ndef main():\n    make_report([])\n" },
];

test("what is referred to most comes first", async () => {
  const made = await repositoryMap(REPOSITORY, { budget: 1_000 });
  assert.equal(made.files[0]!.path, "src/parse.ts");
  assert.equal(made.missing, 0);
  assert.ok(made.text.startsWith("src/parse.ts:\n  export function parseRequest(text: string): Request\n"), made.text);
  assert.ok(Math.abs(made.files.reduce((sum, { rank }) => sum + rank, 0) - 1) < 1e-6);
  assert.deepEqual(made.definitions[0], { path: "src/parse.ts", name: "parseRequest", kind: "function", line: 2 });
  const small = await repositoryMap(REPOSITORY, { budget: 24 });
  assert.match(small.text, /^src\/parse\.ts:\n {2}export function parseRequest.*\n… \d+ more\n$/);
});

test("a single letter refers to nothing", async () => {
  const dates = "class DateFormat:\n    def e(self):\n        return 1\n\n    def i(self):\n        return 2\n";
  const handler = "def handle(path):\n    try:\n        open(path)\n    except OSError as e:\n        return e\n";
  const handlers = Array.from({ length: 20 }, (_, at) => ({
    path: `handlers/h${at}.py`,
    text: at < 2 ? `${handler}\nmake_report([])\n` : handler,
  }));
  const files = [{ path: "dates.py", text: dates }, ...handlers, ...REPOSITORY];
  const made = await repositoryMap(files, { budget: 200 });
  assert.equal(made.files[0]!.path, "tools/report.py", made.text);
  const named = await repositoryMap(files, { budget: 200, mentioned: ["e"] });
  assert.deepEqual(named.definitions[0], { path: "dates.py", name: "DateFormat", kind: "class", line: 1 });
});

test("what the conversation is about leads the walk and is not in the map", async () => {
  const made = await repositoryMap(REPOSITORY, { budget: 1_000, focus: ["src/server.ts"] });
  assert.ok(!made.text.includes("src/server.ts"));
  const rank = (paths: readonly { path: string }[], path: string) => paths.findIndex((file) => file.path === path);
  assert.ok(rank(made.files, "src/log.ts") < rank(made.files, "src/client.ts"));
  const named = await repositoryMap(REPOSITORY, { budget: 1_000, mentioned: ["make_report"] });
  const plain = await repositoryMap(REPOSITORY, { budget: 1_000 });
  assert.ok(rank(named.files, "tools/report.py") < rank(plain.files, "tools/report.py"));
});

test("definitions of mentioned names come first, however little refers to them", async () => {
  const popular = Array.from({ length: 30 }, (_, at) => ({
    path: `src/m${at}.ts`,
    text: `import { a${(at + 1) % 30} } from "./m${(at + 1) % 30}";\nexport function a${at}() { return a${(at + 1) % 30}(); }\n`,
  }));
  const lonely = {
    path: "tools/wait.ts",
    text: "export class Tools {\n  debounce(wait: number) {}\n  other() {}\n}\n",
  };
  const second = { path: "tools/call.ts", text: "export function throttle() {}\nexport const unasked = 1;\n" };
  const files = [...popular, lonely, second];
  for (const budget of [40, 100, 200]) {
    const { text, definitions } = await repositoryMap(files, { budget, mentioned: ["debounce", "wait.ts"] });
    assert.match(text, /^tools\/wait\.ts:\n {2}export class Tools\n {4}debounce\(wait: number\)\n/);
    assert.equal(definitions[1]!.name, "debounce");
  }
  const both = await repositoryMap(files, { budget: 50, mentioned: ["throttle", "debounce"] });
  const names = both.definitions.map(({ name }) => name);
  assert.ok(names.includes("throttle") && names.includes("debounce") && !names.includes("unasked"), both.text);
  assert.deepEqual(
    both.files.map(({ rank }) => rank),
    both.files.map(({ rank }) => rank).sort((one, other) => other - one),
  );
});

test("one changed file costs that file, and nothing depends on what was kept", async () => {
  const files = REPOSITORY.map(({ path, text }) => ({
    path,
    text: `${text}\n${path.endsWith("py") ? "#" : "//"} once\n`,
  }));
  assert.equal((await repositoryMap(files, { budget: 500 })).parsed, 5);
  assert.equal((await repositoryMap(files, { budget: 500 })).parsed, 0);
  const edited = files.map((file, at) =>
    at === 2 ? { ...file, text: `${file.text}export function more() {}\n` } : file,
  );
  const again = await repositoryMap(edited, { budget: 500 });
  assert.equal(again.parsed, 1);
  assert.ok(again.text.includes("export function more()"));
});

test("never over, whatever the files are", async () => {
  const file = fc.record({
    path: fc.constantFrom("a.ts", "b.py", "c.txt", "d/e.rs", "f\n.go", ""),
    text: fc.oneof(fc.constantFrom(...Object.values(SAMPLES).map(({ text }) => text)), fc.string()),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 6 }), fc.integer({ min: 0, max: 400 }), async (files, budget) => {
      const made = await repositoryMap(files, { budget, focus: ["a.ts"], mentioned: ["name", "c.txt"] });
      assert.ok(made.tokens <= budget);
      assert.equal(made.tokens, count(made.text));
      assert.deepEqual(await repositoryMap(files, { budget, focus: ["a.ts"], mentioned: ["name", "c.txt"] }), {
        ...made,
        parsed: 0,
      });
    }),
    { numRuns: runs(100) },
  );
  assert.deepEqual(await repositoryMap([], { budget: 0 }), {
    text: "",
    tokens: 0,
    missing: 0,
    files: [],
    definitions: [],
    parsed: 0,
  });
});

test("maps of what makes no sense", async () => {
  const refused = (files: unknown, options: unknown, path: string) =>
    assert.rejects(repositoryMap(files as never, options as never), { path });
  await refused(7, { budget: 1 }, "files");
  await refused([{ path: "a" }], { budget: 1 }, "files[0].text");
  await refused([], {}, "options.budget");
  await refused([], { budget: 1, focus: "a" }, "options.focus");
  await assert.rejects(repositoryMap([], { budget: 1, signal: AbortSignal.abort(new Error("enough")) }), {
    message: "enough",
  });
});
