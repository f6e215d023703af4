/**
 * Texts over which the parser would crash, or take the whole memory: they are folded by indentation, and everything
 * else goes on.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isTried } from "../runs.ts";
import type * as Internal from "../../../js/entries/chunks/core.ts";
import type { Basis } from "../../../js/documents/structure.ts";

const dist = new URL("../../../pkg/dist/", import.meta.url);
const grammar = (name: string) => readFileSync(new URL(`grammars/tree-sitter-${name}.wasm`, dist));

let copies = 0;
/** The core with a state of its own. */
async function freshCore(prepare: (core: typeof Internal) => void = () => {}): Promise<typeof Internal> {
  const core = (await import(`${new URL("core.js", dist).href}?crashes=${++copies}`)) as typeof Internal;
  prepare(core);
  core.initSync(readFileSync(new URL("espalier.wasm", dist)));
  core.loadEncodingSync("o200k_base", readFileSync(new URL("vocab/o200k_base.vocab", dist)));
  core.setGrammarReader(grammar);
  return core;
}

/** Bytes of the memory of the live engine. */
const memory = (core: typeof Internal) =>
  (core.wasm() as unknown as { initSync(): { memory: WebAssembly.Memory } }).initSync().memory.buffer.byteLength;

/** Known to overflow the stack, or to take gigabytes, before there were bounds; and the like of them in any order. */
const WORST: [language: string, unit: string, length: number][] = [
  ["java", "({", 20_000],
  ["java", "([{", 1_000_000],
  ["go", "[{", 30_000],
  ["cpp", "x=[{", 60_000],
  ["java", "f(*", 16_000],
  ["csharp", "<a<b", 16_000],
  ["typescript", "a<b,", 60_000],
  ["typescriptreact", "a<b,", 60_000],
];
const PARTS = [
  "(",
  "[",
  "{",
  "<",
  "a",
  "f(",
  "x=",
  "*",
  ",",
  "=>",
  "?",
  ":",
  "-",
  "&",
  "\n",
  ";",
  "if(a)",
  "<a>",
  '"',
  "#",
  "@a",
  "|",
];

function* units(count: number): Generator<string> {
  let seed = 7;
  const below = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
  for (let made = 0; made < count; made++)
    yield Array.from({ length: 2 + below(3) }, () => PARTS[below(PARTS.length)]!).join("");
}

test("units of brackets and operators, repeated: a result within bounds of memory, and the next call works", async () => {
  let instances = 0;
  const core = await freshCore((core) => core.onFreshInstance(() => (instances += 1)));
  const parse = (language: string, unit: string, length: number) => {
    const text = unit.repeat(length / unit.length);
    const { root, basis } = core.documentStructureSync(text, { language });
    assert.equal(root.end, text.length);
    assert.ok(basis.path === "syntax" || basis.why === "tooHard", `${language} ${unit}: ${JSON.stringify(basis)}`);
  };
  for (const worst of WORST) parse(...worst);
  for (const [row, unit] of ["({", "([{", "f(*", "<a<b", "a<b,", ...units(6)].entries()) {
    for (const [column, language] of core.languages().entries())
      if (isTried(10, row, column)) parse(language, unit, 12_000);
  }
  assert.equal(instances, 1, "the engine crashed");
  assert.ok(memory(core) < 600e6, `${memory(core)} bytes`);
  assert.equal(core.documentStructureSync("a();\nb();\n", { language: "typescript" }).root.children.length, 2);
});

const CODE = "export function f() {\n  return 1;\n}\n";
const BAD = `class CRASH {\n  f() {}\n}\n`;
/** Bytes that may be parsed: the setting of a document that comes before the work that it may take. */
const BYTES = 1_048_576;

/** A core whose parser crashes over every text with the word CRASH in it; says how often it did. */
async function crashing() {
  const crashes = { count: 0 };
  const core = await freshCore((core) =>
    core.onFreshInstance((live) => {
      const { documents } = live;
      live.documents = (what, texts, numbers) => {
        // Documents are the texts of several lines.
        const works = [...numbers].flatMap((number, at) => (number === BYTES ? [numbers[at + 1]] : []));
        if (texts.filter((text) => text.includes("\n")).some((text, at) => text.includes("CRASH") && works[at] !== 0)) {
          crashes.count += 1;
          throw new WebAssembly.RuntimeError("unreachable");
        }
        return documents(what, texts, numbers);
      };
    }),
  );
  return { core, crashes };
}

const HARD: Basis = { path: "indentation", why: "tooHard" };

test("a text that crashes the parser is folded by indentation, once it did and whenever it comes again", async () => {
  const { core, crashes } = await crashing();
  for (const at of [1, 2]) {
    assert.deepEqual(core.documentStructureSync(BAD, { language: "java" }).basis, HARD);
    assert.deepEqual((await core.documentStructure(BAD, { path: "a.java" })).basis, HARD);
    assert.deepEqual(core.summarizeDocumentSync(BAD, { language: "java", budget: 50 }).basis, HARD);
    assert.deepEqual((await core.outline(BAD, { language: "java" })).basis, HARD);
    assert.equal(crashes.count, 1, `round ${at}`);
  }
  // It is the text in that language.
  assert.deepEqual(core.documentStructureSync(`${BAD} `, { language: "java" }).basis, HARD);
  assert.deepEqual(core.documentStructureSync(BAD, { language: "typescript" }).basis, HARD);
  assert.equal(crashes.count, 3);
  assert.equal(core.documentStructureSync(CODE, { language: "typescript" }).basis.path, "syntax");
});

test("of several documents only the one to blame is not parsed", async () => {
  const documents = [CODE, BAD, `${CODE}// ${"more ".repeat(9)}\n`, `${BAD}// another`].map((text, at) => ({
    text,
    path: `${at}.ts`,
  }));
  const wanted = ["syntax", "indentation", "syntax", "indentation"];
  const paths = (made: readonly { basis: Basis }[]) => made.map(({ basis }) => basis.path);
  const ways: Record<string, (core: typeof Internal) => Promise<string[]>> = {
    summarizeDocuments: async (core) => paths((await core.summarizeDocuments(documents, { budget: 500 })).summaries),
    compatible: async (core) =>
      paths((await core.summarizeDocuments(documents, { budget: 500, profile: "copilot-chat" })).summaries),
    "costs of a function": async (core) =>
      paths(
        (
          await core.summarizeDocuments(
            documents.map((document) => ({ ...document, costs: (_, cost) => cost })),
            { budget: 500 },
          )
        ).summaries,
      ),
    reduceChanges: async (core) =>
      paths(
        (
          await core.reduceChanges({
            files: documents.map((document) => ({ ...document, selections: [[0, 0] as const] })),
            budget: 500,
          })
        ).files,
      ),
  };
  for (const [name, run] of Object.entries(ways)) {
    const { core, crashes } = await crashing();
    assert.deepEqual(await run(core), wanted, name);
    const before = crashes.count;
    assert.ok(before <= 4, `${name}: ${before} crashes`);
    assert.deepEqual(await run(core), wanted, name);
    assert.equal(crashes.count, before, name);
  }
  const { core, crashes } = await crashing();
  const map = await core.repositoryMap(documents, { budget: 500 });
  assert.equal(map.files.length, 4);
  assert.ok(map.definitions.some(({ name }) => name === "f"));
  assert.equal(crashes.count, 2);
});

test("a crash that has nothing to do with parsing is reported, and nothing is held against the text", async () => {
  const core = await freshCore((core) =>
    core.onFreshInstance((live) => {
      const { documents } = live;
      live.documents = (what, texts, numbers) => {
        if (what === "outline") throw new WebAssembly.RuntimeError("unreachable");
        return documents(what, texts, numbers);
      };
    }),
  );
  await assert.rejects(core.outline(CODE, { language: "typescript" }), { code: "engine_crashed" });
  assert.equal(core.documentStructureSync(CODE, { language: "typescript" }).basis.path, "syntax");
});

test("a grammar of the package that was damaged on its way is refused by its sum, whatever it would do", async () => {
  const text = `${CODE}// ${"x".repeat(20)}\n`;
  for (const seed of [1, 2, 3]) {
    const core = await freshCore();
    const file = Uint8Array.from(grammar("python"));
    let next = seed;
    const below = (most: number) => (next = (next * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
    for (let i = 0; i < 2_000; i++)
      file[Math.floor(file.length * 0.2) + below(Math.floor(file.length * 0.7))]! ^= 1 + below(255);
    core.setGrammarReader(
      (name) => (name === "python" ? file : grammar(name)),
      seed === 1 ? undefined : await digest(),
    );
    const { basis } =
      seed === 3
        ? core.documentStructureSync(text, { language: "python" })
        : await core.documentStructure(text, { language: "python" });
    assert.ok(
      basis.path === "indentation" &&
        basis.why === "grammarFailed" &&
        basis.error?.code === "bad_grammar" &&
        /tree-sitter-python\.wasm/.test(basis.error.message),
      JSON.stringify(basis),
    );
    await assert.rejects(core.loadGrammar("python", { wasm: file }), { code: "bad_grammar" });
    core.setGrammarReader(grammar);
    assert.equal((await core.documentStructure("def f():\n  pass\n", { language: "python" })).basis.path, "syntax");
  }
});

async function digest(): Promise<(bytes: Uint8Array) => string> {
  const { createHash } = await import("node:crypto");
  return (bytes) => createHash("sha256").update(bytes).digest("hex");
}

test("a damaged grammar of the host's own costs its texts their syntax tree and nothing else", async () => {
  // Cut to another length, so that it is no copy of ours; every function of it traps.
  const core = await freshCore();
  const file = Uint8Array.from(grammar("python"));
  core.registerGrammar({
    language: "odd",
    wasm: file.fill(0, Math.floor(file.length * 0.5), Math.floor(file.length * 0.9)),
    query: "(function_definition) @function",
  });
  const { root, basis } = await core.documentStructure("def f(x):\n    return [x, 2]\n", { language: "odd" });
  assert.equal(root.start, 0);
  assert.ok(basis.path === "indentation" || basis.path === "syntax");
  assert.equal((await core.documentStructure(CODE, { language: "typescript" })).basis.path, "syntax");
});

test("documents of very many lines: several lines are one node", async () => {
  const core = await freshCore();
  for (const [text, language] of [
    ["\n".repeat(5_000_000), "typescript"],
    ["1\n".repeat(3_000_000), undefined],
    [" a\nb\n".repeat(1_000_000), "python"],
  ] as const) {
    const { root, basis } = core.documentStructureSync(text, language === undefined ? {} : { language });
    assert.equal(basis.path, "indentation");
    const open = [root];
    let [nodes, reached] = [0, 0];
    // The lines of the nodes, in order, do not overlap, and begin and end where lines do.
    for (let node = open.pop(); node; node = open.pop()) {
      nodes += 1;
      assert.ok(node.start === 0 || text[node.start - 1] === "\n");
      assert.ok(node.end === text.length || text[node.end - 1] === "\n");
      if (node.children.length === 0) {
        assert.ok(node.start >= reached);
        reached = node.end;
      }
      for (let at = node.children.length; at-- > 0; ) open.push(node.children[at]!);
    }
    assert.equal(root.end, text.length);
    assert.ok(nodes < 2_200_000, `${nodes}`);
    assert.ok(nodes > 400_000, `${nodes}`);
  }
  assert.ok(memory(core) < 600e6, `${memory(core)} bytes`);
});
