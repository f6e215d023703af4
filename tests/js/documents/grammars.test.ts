/** Grammars that are loaded, cannot be loaded, are not what they say, or are lost with a crashed engine. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { test } from "node:test";
import type * as Internal from "../../../js/entries/chunks/core.ts";
import { grammarFile } from "./oracle.ts";
import { SAMPLES } from "./samples.ts";

const dist = new URL("../../../pkg/dist/", import.meta.url);
const bytes = (name: string) => readFileSync(new URL(name, dist));
const grammar = (name: string) => bytes(`grammars/tree-sitter-${name}.wasm`);

let copies = 0;
/** The core with a state of its own: an engine, no grammar, and nowhere to find one. */
async function freshCore(): Promise<typeof Internal> {
  const core = (await import(`${new URL("core.js", dist).href}?documents=${++copies}`)) as typeof Internal;
  core.initSync(bytes("espalier.wasm"));
  return core;
}

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return "accepted";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

function crash(core: typeof Internal): void {
  const error = console.error;
  console.error = () => undefined;
  try {
    core.call(() => (core.wasm() as unknown as { __panicForTests(): void }).__panicForTests());
  } catch {
    // It did.
  } finally {
    console.error = error;
  }
}

const listening = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });

const text = SAMPLES.python!.text;
const kindOf = async (core: typeof Internal) => (await core.documentStructure(text, { language: "python" })).basis;

test("a grammar from bytes, a module, a response or a URL", async () => {
  const file = grammar("python");
  const server = createServer((_, response) => response.end(file));
  const port = await listening(server);
  try {
    for (const wasm of [
      file,
      new Uint8Array(file).buffer,
      await WebAssembly.compile(file),
      new Response(file),
      `http://127.0.0.1:${port}/x.wasm`,
      new URL(`http://127.0.0.1:${port}`),
    ]) {
      const core = await freshCore();
      assert.equal(core.hasGrammar("python"), false);
      await core.loadGrammar("python", { wasm });
      assert.equal(core.hasGrammar("python"), true);
      assert.equal((await kindOf(core)).path, "syntax");
    }
  } finally {
    server.close();
  }
  // Both calls take both forms.
  const ways: ((core: typeof Internal) => unknown)[] = [
    (core) => core.loadGrammarSync("py", file),
    (core) => core.loadGrammarSync("py", { wasm: file }),
    (core) => core.loadGrammar("py", file),
    (core) => core.loadGrammar("py", new Response(file)),
  ];
  for (const load of ways) {
    const core = await freshCore();
    await load(core);
    assert.equal(core.documentStructureSync(text, { language: "python" }).basis.path, "syntax");
  }
  const core = await freshCore();
  assert.throws(() => core.loadGrammarSync("python", { wsm: file } as never), {
    code: "bad_option",
    path: "options.wsm",
  });
});

test("all grammars at once, each loaded once, however often it is asked for", async () => {
  const core = await freshCore();
  const asked: string[] = [];
  core.setGrammarReader((name) => (asked.push(name), grammar(name)));
  const names = core.languages();
  assert.equal(names.length, 13);
  await Promise.all([...names, ...names].map((name) => core.loadGrammar(name)));
  // JSX is read with JavaScript's.
  assert.equal(asked.length, 12);
  for (const [language, { text }] of Object.entries(SAMPLES)) {
    assert.equal(core.documentStructureSync(text, { language }).basis.path, "syntax", language);
  }
  assert.equal(asked.length, 12);
});

test("where a grammar cannot be found, documents are folded by indentation, and it can be mended", async () => {
  const core = await freshCore();
  assert.equal(await codeOf(() => core.loadGrammar("python")), "grammar_not_found");
  assert.equal(await codeOf(() => core.loadGrammarSync("python")), "grammar_not_found");
  assert.equal(await codeOf(() => core.loadGrammar("cobol")), "unknown_language");
  assert.deepEqual(await kindOf(core), { path: "indentation", why: "noGrammar" });
  core.setGrammarLocator(() => new URL("http://127.0.0.1:9/x.wasm"));
  const basis = await kindOf(core);
  assert.ok(basis.path === "indentation" && basis.why === "grammarFailed" && basis.error?.code === "grammar_not_found");
  assert.equal(
    await codeOf(() => core.loadGrammar("python", { wasm: new Response("no", { status: 404 }) })),
    "grammar_not_found",
  );
  assert.equal(await codeOf(() => core.loadGrammar("python", { wasm: 7 as never })), "bad_option");
  await core.loadGrammar("python", { wasm: grammar("python") });
  assert.equal((await kindOf(core)).path, "syntax");
});

test("a grammar that could not be had is not asked for again by every document, but by who wants it", async () => {
  let [asked, answer] = [0, 500];
  const server = createServer((_, response) => {
    asked += 1;
    response.statusCode = answer;
    response.end(answer === 200 ? grammar("python") : "no");
  });
  const url = `http://127.0.0.1:${await listening(server)}/x.wasm`;
  try {
    const core = await freshCore();
    core.setGrammarLocator(() => new URL(url));
    const failed = async () => {
      const basis = await kindOf(core);
      assert.ok(
        basis.path === "indentation" && basis.why === "grammarFailed" && basis.error?.code === "grammar_not_found",
        "said each time",
      );
    };
    await Promise.all([failed(), failed()]);
    await failed();
    const summary = await core.summarizeDocument(text, { language: "python", budget: 200, unit: "characters" });
    assert.ok(summary.basis.path === "indentation" && summary.basis.why === "grammarFailed");
    const compatible = await core.summarizeDocument(text, {
      language: "python",
      budget: 200,
      unit: "characters",
      profile: "copilot-chat",
    });
    assert.ok(compatible.basis.path === "indentation" && compatible.basis.why === "grammarFailed");
    assert.equal(asked, 1);
    assert.equal(await codeOf(() => core.loadGrammar("python")), "grammar_not_found");
    assert.equal(asked, 2, "asked for again");
    answer = 200;
    await failed();
    assert.equal(asked, 2);
    await core.loadGrammar("python");
    assert.equal((await kindOf(core)).path, "syntax");
    assert.equal(asked, 3);
    // The host's own: again once it is registered again.
    answer = 404;
    core.registerGrammar({ language: "python", wasm: url });
    await failed();
    await failed();
    assert.equal(asked, 4);
    answer = 200;
    core.registerGrammar({ language: "python", wasm: url });
    assert.equal((await kindOf(core)).path, "syntax");
    assert.equal(asked, 5);
    // At once as well.
    core.registerGrammar({ language: "odd", wasm: new Uint8Array(8) });
    for (let i = 0; i < 2; i++) {
      const { basis } = core.documentStructureSync(text, { language: "odd" });
      assert.ok(basis.path === "indentation" && basis.why === "grammarFailed" && basis.error?.code === "bad_grammar");
    }
    core.loadGrammarSync("odd", grammar("python"));
    assert.equal(core.hasGrammar("odd"), true);
  } finally {
    server.close();
  }
});

/** A grammar's file with some bytes exchanged. */
function edited(name: string, edit: (file: Uint8Array) => void): Uint8Array {
  const file = Uint8Array.from(grammar(name));
  edit(file);
  return file;
}

/** The same module, one section replaced. */
function withSection(
  file: Uint8Array,
  name: string,
  change: (content: Uint8Array) => Uint8Array | undefined,
): Uint8Array {
  const out = [...file.subarray(0, 8)];
  let at = 8;
  const number = () => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = file[at++]!;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
      shift += 7;
    }
  };
  const leb = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...leb(Math.floor(value / 128))];
  while (at < file.length) {
    const id = file[at++]!;
    const size = number();
    const content = file.subarray(at, (at += size));
    const title = id === 0 ? new TextDecoder().decode(content.subarray(1, 1 + content[0]!)) : "";
    const changed = title === name ? change(content) : content;
    if (!changed) continue;
    out.push(id, ...leb(changed.length));
    for (const byte of changed) out.push(byte);
  }
  return Uint8Array.from(out);
}

test("what is no grammar is refused with the reason, and the right one works then", async () => {
  const core = await freshCore();
  const python = grammar("python");
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const cases: [Uint8Array, RegExp][] = [
    [new Uint8Array(), /no WebAssembly/],
    [bytesOf("<!doctype html>"), /no WebAssembly/],
    [python.subarray(0, 5_000), /cut off/],
    [edited("python", (file) => file.fill(0xff, 40, 80)), /damaged|no grammar/],
    [empty, /no dylink\.0 section/],
    [bytes("espalier.wasm"), /no dylink\.0 section/],
    [withSection(python, "dylink.0", () => undefined), /no dylink\.0 section/],
    [withSection(python, "dylink.0", (content) => Uint8Array.from([...content.subarray(0, 9), 1, 9])), /cut off/],
    [
      withSection(python, "dylink.0", (content) =>
        Uint8Array.from([...content.subarray(0, 9), 1, 8, 0xff, 0xff, 0xff, 0xff, 0xf, 0, 0, 0]),
      ),
      /more memory/,
    ],
    [
      withSection(python, "dylink.0", (content) => Uint8Array.from([6, ...bytesOf("dylink"), ...content.subarray(11)])),
      /old version/,
    ],
    // Another language's.
    [grammar("ruby"), /exports tree_sitter_ruby/],
  ];
  for (const [wasm, reason] of cases) {
    await assert.rejects(core.loadGrammar("python", { wasm }), (error: Error & { code?: string }) => {
      assert.equal(error.code, "bad_grammar", `${reason}: ${error.message}`);
      assert.match(error.message, reason);
      return true;
    });
    assert.equal(await codeOf(() => core.loadGrammarSync("python", wasm)), "bad_grammar");
    assert.equal(core.hasGrammar("python"), false);
  }
  await core.loadGrammar("python", { wasm: python });
  assert.equal((await kindOf(core)).path, "syntax");
});

/**
 * A side module, written by hand, whose language begins with the number `version`; or that imports what nobody
 * provides.
 */
function handmade({ version = 15, needs = "" }: { version?: number; needs?: string }): Uint8Array {
  const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
  const section = (id: number, content: number[]) => [id, content.length, ...content];
  const importOf = (field: string, kind: number[]) => [...name("env"), ...name(field), ...kind];
  const imports = [
    importOf("memory", [2, 0, 0]),
    importOf("__memory_base", [3, 0x7f, 0]),
    ...(needs ? [importOf(needs, [0, 0])] : []),
  ];
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(0, [...name("dylink.0"), 1, 4, 16, 2, 0, 0]),
    ...section(1, [1, 0x60, 0, 1, 0x7f]),
    ...section(2, [imports.length, ...imports.flat()]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("tree_sitter_made"), 0, needs ? 1 : 0]),
    ...section(10, [1, 4, 0, 0x23, 0, 0x0b]),
    ...section(11, [1, 0, 0x23, 0, 0x0b, 4, version, 0, 0, 0]),
  ]);
}

test("grammars of another ABI, or in need of what is not there, are refused by name", async () => {
  const core = await freshCore();
  const load = (wasm: Uint8Array) => {
    core.registerGrammar({ language: "made", wasm });
    return core.loadGrammar("made");
  };
  await assert.rejects(load(handmade({ version: 16 })), {
    code: "bad_grammar",
    message: /ABI 16, newer than 13 to 15/,
  });
  await assert.rejects(load(handmade({ version: 12 })), { code: "bad_grammar", message: /ABI 12, older than/ });
  await assert.rejects(load(handmade({ needs: "fopen" })), { code: "bad_grammar", message: /env\.fopen \(function\)/ });
  // Refused before, all the same usable after.
  await core.loadGrammar("python", { wasm: grammar("python") });
  assert.equal((await kindOf(core)).path, "syntax");
});

test("loading is aborted for those who gave up, and ended when all did", async () => {
  const core = await freshCore();
  let [ended, answer] = [0, () => {}];
  const server = createServer((request, response) => {
    request.on("close", () => undefined);
    response.on("close", () => (ended += response.writableFinished ? 0 : 1));
    answer = () => response.end(grammar("python"));
  });
  const port = await listening(server);
  core.setGrammarLocator(() => new URL(`http://127.0.0.1:${port}/`));
  const arrived = () => new Promise<void>((resolve) => server.once("request", () => resolve()));
  const until = async (done: () => boolean) => {
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  try {
    const [one, two] = [new AbortController(), new AbortController()];
    let request = arrived();
    const first = core.loadGrammar("python", { signal: one.signal });
    const second = core.documentStructure(text, { language: "python", signal: two.signal });
    await request;
    one.abort(new Error("enough"));
    await assert.rejects(first, /enough/);
    assert.equal(ended, 0);
    two.abort(new Error("me too"));
    await assert.rejects(second, /me too/);
    await until(() => ended === 1);
    await assert.rejects(core.loadGrammar("python", { signal: two.signal }), /me too/);
    request = arrived();
    const again = core.documentStructure(text, { language: "python", signal: new AbortController().signal });
    await request;
    answer();
    assert.equal((await again).basis.path, "syntax");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("an engine that crashed finds its grammars again", async () => {
  const core = await freshCore();
  core.setGrammarReader(grammar);
  const own = {
    language: "mine",
    wasm: readFileSync(grammarFile("css")),
    query: "(rule_set) @rule",
    extensions: ["mine"],
  };
  core.registerGrammar(own);
  const css = "a { b: c }\n.d { e: f }\n";
  const structures = async () => [
    await core.documentStructure(text, { language: "python" }),
    await core.documentStructure(css, { path: "x.mine" }),
  ];
  const before = await structures();
  assert.deepEqual(
    before.map(({ basis }) => basis.path),
    ["syntax", "syntax"],
  );
  for (let i = 0; i < 3; i++) {
    crash(core);
    assert.equal(core.hasGrammar("python"), true);
    assert.deepEqual(await structures(), before);
    crash(core);
    assert.deepEqual(core.documentStructureSync(text, { language: "python" }), before[0]);
  }
});

test("languages by the names of files", async () => {
  const { languageOf } = await freshCore();
  for (const [path, language] of [
    ["a.ts", "typescript"],
    ["/x/y.d.ts", "typescript"],
    ["C:\\x\\Y.TSX", "typescriptreact"],
    ["a.jsx", "javascriptreact"],
    ["a.mjs", "javascript"],
    ["a.py", "python"],
    ["a.rb", "ruby"],
    ["a.rs", "rust"],
    ["a.go", "go"],
    ["A.java", "java"],
    ["a.c", "c"],
    ["a.h", "c"],
    ["a.C", "cpp"],
    ["a.H", "cpp"],
    ["a.hpp", "cpp"],
    ["a.cs", "csharp"],
    ["a.php", "php"],
    ["", undefined],
    ["Makefile", undefined],
    ["a.", undefined],
    ["a.txt", undefined],
    ["ts", undefined],
    ["x.ts/y", undefined],
    ["x.ts\\y", undefined],
  ]) {
    assert.equal(languageOf(path!), language, path);
  }
});

test("a grammar of the host's own, with its query, is as good as ours", async () => {
  const core = await freshCore();
  const css = readFileSync(grammarFile("css"));
  const document = "/* x */\na { b: c }\n@media print {\n  .d { e: f }\n}\n";
  const query = "(rule_set) @rule (media_statement) @media (comment) @comment (declaration) @declaration";
  core.registerGrammar({ language: "css", wasm: () => Promise.resolve(css), query, extensions: [".css", "pcss"] });
  assert.deepEqual(
    ["a.css", "b/c.PCSS", "d.js", "e"].map((path) => core.languageOf(path)),
    ["css", "css", "javascript", undefined],
  );
  const { root, basis } = await core.documentStructure(document, { path: "a.css" });
  assert.equal(basis.path, "syntax");
  assert.deepEqual(
    root.children.map(({ kind }) => kind),
    ["comment", "rule_set", "media_statement"],
  );
  assert.deepEqual(
    root.children[2]!.children.map(({ kind }) => kind),
    ["rule_set"],
  );
  // Without a query there is nothing to go by.
  core.registerGrammar({ language: "plain", wasm: css });
  assert.deepEqual((await core.documentStructure(document, { language: "plain" })).basis, {
    path: "indentation",
    why: "noQuery",
  });
  for (const [query, message] of [
    ["(nobody) @x", /nobody/],
    ["(rule_set", /line 1, column 10/],
    ["(rule_set)* @x", /quantifiers/],
  ] as const) {
    core.registerGrammar({ language: "wrong", wasm: css, query });
    await assert.rejects(core.loadGrammar("wrong"), { code: "bad_query", message });
    const { basis } = await core.documentStructure(document, { language: "wrong" });
    assert.ok(basis.path === "indentation" && basis.why === "grammarFailed" && basis.error?.code === "bad_query");
    assert.match(basis.error.message, message);
    assert.equal((await core.documentStructure(document, { path: "a.css" })).basis.path, "syntax");
  }
  // Another build of a language that we know.
  core.registerGrammar({ language: "python", wasm: grammar("python"), query: "(class_definition) @class" });
  assert.deepEqual(
    (await core.documentStructure(text, { language: "python" })).root.children.map(({ kind }) => kind),
    ["class_definition"],
  );
});

test("registrations that make no sense name the field", async () => {
  const core = await freshCore();
  const wasm = new Uint8Array();
  for (const [registration, path] of [
    [undefined, "registration"],
    [{ language: "", wasm }, "registration.language"],
    [{ language: 7, wasm }, "registration.language"],
    [{ language: "x" }, "registration.wasm"],
    [{ language: "x", wasm: 7 }, "registration.wasm"],
    [{ language: "x", wasm, query: 7 }, "registration.query"],
    [{ language: "x", wasm, extensions: "x" }, "registration.extensions"],
  ] as const) {
    assert.throws(() => core.registerGrammar(registration as never), { code: "bad_option", path });
  }
});

test("every grammar that is shipped has its licence beside it", () => {
  const shipped = readdirSync(new URL("grammars/", dist)).filter((name) => name.endsWith(".wasm"));
  const licences = readFileSync(new URL("grammars/LICENSES.md", dist), "utf8");
  assert.equal(shipped.length, 12);
  for (const name of shipped)
    assert.match(
      licences.split("\n").find((line) => line.startsWith("|") && line.includes(name)) ?? name,
      /https:.*\(c\) \d{4}/,
    );
  assert.match(licences, /MIT License[^]*WITHOUT WARRANTY OF ANY KIND/);
  for (const name of ["LICENSE-vscode", "LICENSE-repomix"])
    assert.ok(readFileSync(new URL(`grammars/${name}`, dist), "utf8").length > 500);
});

test("memory settles under repeated parsing", async () => {
  const core = await freshCore();
  core.loadGrammarSync("typescript", grammar("typescript"));
  const memory = () =>
    (core.wasm() as unknown as { initSync(): { memory: WebAssembly.Memory } }).initSync().memory.buffer.byteLength;
  const parse = (round: number) => {
    core.documentStructureSync(`${SAMPLES.typescript!.text.repeat(40)}// ${round}`, { language: "typescript" });
    // Those that are kept take up to 4 MB by and by.
    if (round % 10 === 0) core.wasm().documents("forget", [], new Float64Array());
  };
  for (let round = 0; round < 40; round++) parse(round);
  const settled = memory();
  for (let round = 40; round < 200; round++) parse(round);
  assert.equal(memory(), settled);
});
