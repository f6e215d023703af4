/** The rules for files as data: sizes, encodings, binary and minified files, and what callers change. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryFiles } from "../../../js/search/sources/memory.ts";
import { fileRules } from "../../../js/search/sources/rules.ts";
import type { FileRules } from "../../../js/search/sources/rules.ts";
import { listed, text } from "./trees.ts";

/** The text of one file under some rules, or the reason why there is none. */
async function check(
  content: string | Uint8Array,
  expected: string,
  rules: Partial<FileRules> = {},
  path = "a.ts",
): Promise<void> {
  const source = memoryFiles({ [path]: content }, { rules });
  const { paths, notes } = await listed(source);
  const found = paths.length === 0 ? `(${notes[0]!.replace(/^.*: /s, "")})` : await text(source, path);
  assert.equal(found, expected, `${path}: ${JSON.stringify(content).slice(0, 80)}`);
  assert.equal(await text(source, path), expected, `${path}, read directly`);
}
const bytes = (text: string, encoding: BufferEncoding = "utf8") => new Uint8Array(Buffer.from(text, encoding));
const swapped = (text: string) => new Uint8Array(Buffer.from(text, "utf16le").swap16());
const mark = (first: readonly number[], rest: Uint8Array) => Uint8Array.from([...first, ...rest]);

test("texts: empty, UTF-8, with a byte order mark, UTF-16", async () => {
  await check("", "");
  await check("é 😀\r\n日本語\n", "é 😀\r\n日本語\n");
  await check("\ufeffa", "a");
  await check("a\ufeffb", "a\ufeffb");
  for (const words of ["", "a", "é 😀\n日本語\n"]) {
    await check(mark([0xff, 0xfe], bytes(words, "utf16le")), words);
    await check(mark([0xfe, 0xff], swapped(words)), words);
  }
});

test("other encodings are noted, not guessed", async () => {
  await check(Uint8Array.of(0x63, 0x61, 0x66, 0xe9), "(encoding)");
  await check(Uint8Array.of(0x82, 0xa0, 0x82, 0xa2), "(encoding)");
  await check(Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), "(encoding)");
  await check(Uint8Array.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x61), "(encoding)");
  await check(mark([0xff, 0xfe], Uint8Array.of(0x00, 0xd8, 0x61, 0)), "(encoding)");
  await check(mark([0xff, 0xfe], Uint8Array.of(0x61)), "(encoding)");
  await check(Uint8Array.of(0xed, 0xa0, 0x80), "(encoding)");
  await check(Uint8Array.of(0xc0, 0x80), "(encoding)");
});

test("binary files: by extension, by a NUL in their first bytes", async () => {
  for (const path of ["a.png", "A.PNG", "b/a.tar.gz", "lib.so", "x.wasm", "key.pem"])
    await check("text", "(binary)", {}, path);
  for (const path of ["png", ".png", "a.pngx", "so", "Makefile", "a.", "a.rs", ".gitignore", "a.d.ts"])
    await check("text", "text", {}, path);
  await check(Uint8Array.of(0x61, 0, 0x62), "(binary)");
  await check(`${"a".repeat(8_000)}\0`, `${"a".repeat(8_000)}\0`);
  await check("a\0b", "a\0b", { binaryBytes: 1 });
  await check("text", "text", { binary: [] }, "a.png");
  await check("text", "(binary)", { binary: ["tar.gz"] }, "a.tar.gz");
});

test("generated files and secrets are left out by name", async () => {
  for (const path of [
    "a.min.js",
    "x/a.min.css",
    "yarn.lock",
    "x/Cargo.lock",
    ".env",
    "a.js.map",
    ".git",
    "node_modules/a.js",
    "x/.venv/a.py",
  ])
    await check("text", "(ignored)", {}, path);
  for (const path of ["min.js", "cargo.lock.md", ".env.example", "x/node_modules.ts", "venv.py"])
    await check("text", "text", {}, path);
});

test("secrets are left out by name, in any case of letters, unless the host wants them", async () => {
  const secret = [
    ".env.local",
    "a/.env.production",
    ".ENV",
    "prod.env",
    ".npmrc",
    ".git-credentials",
    "x/credentials.json",
    "secrets.yaml",
    "id_ed25519_sk",
    "home/.ssh/config",
    "home/.aws/config",
    "main.tfstate",
  ];
  for (const path of secret) {
    await check("text", "(ignored)", {}, path);
    await check("text", "text", { secrets: true }, path);
  }
  for (const path of [".env.template", "env.ts", "credentials.ts", "secrets.rs", "ssh/config", "id_rsa.ts", "key.ts"])
    await check("text", "text", {}, path);
});

test("minified: a long line, or long lines on average, of JavaScript and CSS alone", async () => {
  const long = "a".repeat(10_001);
  await check(`${"a\n".repeat(100)}${long}`, "(minified)", {}, "a.js");
  await check(`${long}\n${"a\n".repeat(100)}`, "(minified)", {}, "a.css");
  await check("a".repeat(401), "(minified)", {}, "a.mjs");
  await check("a".repeat(400), "a".repeat(400), {}, "a.mjs");
  await check(`${"a".repeat(10_000)}\n${"a\n".repeat(30)}`, `${"a".repeat(10_000)}\n${"a\n".repeat(30)}`, {}, "a.js");
  await check(long, long, {}, "a.ts");
  await check(long, long, { minifiable: [] }, "a.js");
  await check(long, long, { maxLineLength: Infinity, maxAverageLineLength: Infinity }, "a.js");
  await check("aaaa\nbbbb", "(minified)", { maxLineLength: 3 }, "a.js");
});

test("large files are reported, and cut only on request: at a line end, never within a character", async () => {
  await check("a".repeat(1_572_864), "a".repeat(1_572_864));
  await check("a".repeat(1_572_865), "(tooLarge)");
  const cut = (maxBytes: number): Partial<FileRules> => ({ maxBytes, larger: "cut" });
  await check("one\ntwo\nthree", "one\ntwo\n", cut(9));
  await check("one\ntwo", "one\n", cut(4));
  await check("éé", "é", cut(3));
  await check("éé", "", cut(1));
  await check("😀😀", "😀", cut(7));
  await check("aé", "a", cut(2));
  await check("日本", "日", cut(5));
  await check(mark([0xff, 0xfe], bytes("a\nbc", "utf16le")), "a\n", cut(8));
  await check(mark([0xff, 0xfe], bytes("a😀", "utf16le")), "a", cut(6));
  await check(mark([0xfe, 0xff], swapped("a😀")), "a", cut(6));
  await check(mark([0xfe, 0xff], swapped("ab\ncd")), "ab\n", cut(11));
  await check("abc", "", cut(0));
  const source = memoryFiles({ "a.ts": "one\ntwo\n" }, { rules: cut(5) });
  assert.deepEqual(await listed(source).then(({ paths, notes }) => [paths, notes]), [["a.ts"], ["a.ts: tooLarge"]]);
});

test("the caller's own function", async () => {
  const seen: string[] = [];
  const ignore = (path: string, isFolder: boolean) => {
    seen.push(`${path} ${isFolder}`);
    return path === "a/b" || path.endsWith(".md");
  };
  const source = memoryFiles({ "a/b/c.ts": "", "a/d.ts": "", "e.md": "" }, { rules: { ignore } });
  assert.deepEqual(await listed(source).then(({ paths, notes }) => [paths, notes]), [
    ["a/d.ts"],
    ["a/b: ignored", "e.md: ignored"],
  ]);
  assert.deepEqual(seen.sort(), ["a true", "a/b true", "a/d.ts false", "e.md false"]);
  const failing = memoryFiles(
    { "a.ts": "" },
    {
      rules: {
        ignore: () => {
          throw new Error("of the host");
        },
      },
    },
  );
  await assert.rejects(listed(failing), /of the host/);
});

test("the rules are data that nobody changes by accident", () => {
  assert.throws(() => (fileRules.binary as string[]).push("ts"), TypeError);
  for (const list of [fileRules.binary, fileRules.generated, fileRules.folders, fileRules.names])
    assert.equal(new Set(list).size, list.length);
  for (const extension of [...fileRules.binary, ...fileRules.generated])
    assert.match(extension, /^[a-z0-9][a-z0-9.]*$/);
});

test("memory: paths that are none, contents that are none, what changes meanwhile", async () => {
  const wrong = (files: object, path: string) =>
    assert.throws(() => memoryFiles(files as Record<string, string>), { code: "bad_input", path });
  for (const path of ["", "/a", "a/", "a//b", "../a", "a/./b", "a\0b"])
    wrong({ [path]: "" }, `files[${JSON.stringify(path)}]`);
  wrong({ a: 5 }, 'files["a"]');
  wrong(new Map([[5, "a"]]), "files[5]");
  assert.throws(() => memoryFiles(5 as never), { code: "bad_option" });
  const files = new Map<string, string>([
    ["a", "1"],
    ["a/b", "2"],
    ["__proto__/c", "3"],
    ["constructor", "4"],
  ]);
  const source = memoryFiles(files);
  assert.deepEqual((await listed(source)).paths, ["__proto__/c", "a", "a/b", "constructor"]);
  files.set("d", "5");
  files.delete("a");
  assert.deepEqual([await text(source, "d"), await text(source, "a")], ["5", "(gone)"]);
  assert.deepEqual((await listed(source)).paths, ["__proto__/c", "a/b", "constructor", "d"]);
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`d${at % 100}/${at}.ts`, `${at}`]));
  const large = memoryFiles(many);
  const { paths } = await listed(large);
  assert.equal(paths.length, 20_000);
  for (const path of paths) await large.read(path);
});
