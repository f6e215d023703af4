/** `espalier outline` as it is shipped. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../folder.ts";
import { ignoring } from "../../../js/files/ignore.ts";
import { printable } from "../../../js/cli/printable.ts";
import { CLI } from "../command.ts";

const folder = temporaryFolder();

const FILES: Record<string, string> = {
  ".gitignore": "*.gen.ts\n/out/\n# nothing\n!keep.gen.ts\n",
  "src/a.ts": 'import { parse } from "./b";\nexport function start() { parse(""); }\n',
  "src/b.ts": "export function parse(text: string) { return text; }\n",
  "src/c.gen.ts": "export const generated = 1;\n",
  "src/keep.gen.ts": "export const kept = 1;\n",
  "src/sub/.gitignore": "x.py\n",
  "src/sub/x.py": "def hidden(): pass\n",
  "src/sub/y.py": "def visible(): pass\n",
  "out/d.ts": "export const built = 1;\n",
  "node_modules/e/index.js": "function dependency() {}\n",
  "binary.c": "\0\0\0",
  "huge.js": "x();\n".repeat(250_000),
  "readme.md": "# Words\n",
};
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
symlinkSync(join(folder, "src"), join(folder, "link"));

const run = (...args: string[]) => asked("", ...args);
const asked = (input: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, "outline", ...args], {
    encoding: "utf8",
    input,
  });
  assert.doesNotMatch(stdout + stderr, /\x1b/);
  return { status, stdout, stderr };
};

test("a folder: what matters most first, what is left out is said", () => {
  const { status, stdout, stderr } = run(folder, "--budget", "1k");
  assert.equal(status, 0, stderr);
  assert.ok(stdout.startsWith("src/b.ts:\n  export function parse(text: string)\n"), stdout);
  for (const name of ["start", "kept", "visible"]) assert.ok(stdout.includes(name), name);
  for (const name of ["generated", "hidden", "built", "dependency"]) assert.ok(!stdout.includes(name), name);
  assert.match(stderr, /^4 files, \d+ of 1,000 tokens; left out: /);
  for (const part of ["3 ignored", "1 links", "1 binary", "1 larger than 1 MB", "3 without a grammar"])
    assert.ok(stderr.includes(part), `${part}: ${stderr}`);
});

test("little room, focus, JSON", () => {
  const { stdout, stderr } = run(folder, "--budget", "25");
  assert.match(stdout, /… \d+ more\n$/);
  assert.match(stderr, /lines are missing/);
  const { definitions, tokens } = JSON.parse(
    run(folder, "--budget", "500", "--focus", "src/a.ts", "--mention", "kept", "--json").stdout,
  );
  assert.ok(tokens <= 500);
  assert.ok(definitions.every(({ path }: { path: string }) => path !== "src/a.ts"));
});

test("a file", () => {
  assert.equal(run(join(folder, "src/b.ts"), "--budget", "100").stdout, "1: export function parse(text: string)\n");
  assert.match(run(join(folder, "readme.md"), "--budget", "100").stderr, /by indentation \(noGrammar\)/);
});

test("a file without a budget: all of its definitions", () => {
  const path = join(folder, "src/b.ts");
  const { status, stdout, stderr } = run(path);
  assert.deepEqual([status, stdout], [0, run(path, "--budget", "10k").stdout], stderr);
  assert.match(stderr, /^\d+ tokens\n/);
});

test("standard input", () => {
  assert.equal(
    asked("def one():\n    pass\n", "-", "--budget", "100", "--language", "python").stdout,
    "1: def one():\n",
  );
  assert.match(asked("one:\n  two\n", "-", "--budget", "100").stderr, /by indentation/);
});

test("what folders above ignore is ignored, up to that of the repository", () => {
  const repository = mkdtempSync(join(tmpdir(), "espalier-repository-"));
  for (const [path, text] of Object.entries({
    ".gitignore": "*.gen.ts\n/src/old/\n",
    "src/a.ts": "export const a = 1;\n",
    "src/b.gen.ts": "export const b = 1;\n",
    "src/old/c.ts": "export const c = 1;\n",
  })) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  assert.match(run(join(repository, "src"), "--budget", "100").stderr, /^3 files/, "no repository");
  mkdirSync(join(repository, ".git"));
  assert.match(run(join(repository, "src"), "--budget", "100").stderr, /^1 file, .*2 ignored/);
  assert.match(
    run(join(repository, "src/old"), "--budget", "100").stderr,
    /^1 file/,
    "what is asked for by name is shown",
  );
  rmSync(repository, { recursive: true });
});

test("exit codes", () => {
  assert.equal(run(folder, "--budget", "9", "--bogus").status, 2);
  assert.equal(run(folder, folder, "--budget", "9").status, 2);
  assert.equal(run(folder, "--budget", "9", "--encoding", "p50k").status, 2);
  assert.deepEqual(
    [
      run(join(folder, "binary.c"), "--budget", "9").status,
      /binary_file/.test(run(join(folder, "binary.c"), "--budget", "9").stderr),
    ],
    [3, true],
  );
  const { status, stderr } = run(folder);
  assert.deepEqual([status, /outline DIR needs --budget N/.test(stderr)], [2, true]);
  assert.equal(run(join(folder, "nothing"), "--budget", "9").status, 3);
  assert.equal(run(folder, "--budget", "0").status, 0);
});

test("patterns", () => {
  const ignored = (file: string, path: string, isFolder = false) => ignoring().and("", file).match(path, isFolder);
  for (const [pattern, path] of [
    ["a", "x/a"],
    ["/a", "a"],
    ["*.js", "x/y.js"],
    ["a/**", "a/b/c"],
    ["**/b", "a/b"],
    ["a/**/c", "a/c"],
    ["a/**/c", "a/b/c"],
    ["a?c", "abc"],
    ["[ab].c", "b.c"],
    ["a.b", "a.b"],
    ["\\#a", "#a"],
  ] as const) {
    assert.ok(ignored(pattern, path), `${pattern} ${path}`);
  }
  for (const [pattern, path] of [
    ["/a", "x/a"],
    ["a/", "a"],
    ["*.js", "a.jsx"],
    ["a?c", "a/c"],
    ["a.b", "axb"],
    ["[!a].c", "a.c"],
    ["# a", "# a"],
    ["a\n!a", "a"],
    ["[", "a"],
    ["x/y", "z/x/y"],
  ] as const) {
    assert.ok(!ignored(pattern, path), `${pattern} ${path}`);
  }
  assert.ok(ignored("a/", "a", true));
});

test("patterns are read as git reads them", () => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-ignore-"));
  try {
    execFileSync("git", ["init", "-q", folder]);
    const patterns = [
      "a",
      "/a",
      "a/",
      "a/b",
      "a/**",
      "**/a",
      "a/**/b",
      "**",
      "*",
      "*.ts",
      "a*b",
      "a**b",
      "?",
      "a?c",
      "[ab]",
      "[!ab]",
      "[^ab]c",
      "[a-c]x",
      "[[:digit:]]",
      "[[:digit:]a]b",
      "[\\]]",
      "[]a]",
      "[]-]",
      "[a",
      "[[:nothing:]]",
      "\\*",
      "\\#a",
      "a\\",
      "!a",
      "#a",
      "a ",
      "a\\ ",
      "*/b",
      "a/*/c",
      "**/b/**",
      "[a-]",
      "[--0]",
      "foo/**bar",
      "***",
      "[/]",
      "a[/]b",
      "é?",
      "*/",
      "[*]",
    ];
    const paths = [
      "a",
      "b",
      "c",
      "ab",
      "ac",
      "abc",
      "axb",
      "a.ts",
      "x/a",
      "x/a.ts",
      "a/b",
      "a/c",
      "a/x/b",
      "a/x/c",
      "a/x/y/b",
      "x/y/b/z",
      "1",
      "1b",
      "]",
      "-",
      "*",
      "#a",
      "a ",
      "ax",
      "bx",
      "cc",
      "foo/bar",
      "foo/xbar",
      "foo/x/bar",
      "/",
      "éx",
      "a\\",
      "[a",
      "0",
    ].filter((path) => path !== "/");
    for (const pattern of patterns) {
      writeFileSync(join(folder, ".gitignore"), `${pattern}\n`);
      const input = paths.join("\0");
      const { stdout } = spawnSync(
        "git",
        ["-C", folder, "-c", "core.ignoreCase=false", "check-ignore", "--no-index", "-z", "--stdin"],
        { input, encoding: "utf8" },
      );
      const wanted = new Set(stdout.split("\0"));
      const ignores = ignoring().and("", `${pattern}\n`);
      // What is in an ignored folder is ignored: the walk never gets there.
      const isIgnored = (path: string) =>
        path.split("/").some((_, at, parts) => ignores.match(parts.slice(0, at + 1).join("/"), at + 1 < parts.length));
      for (const path of paths)
        assert.equal(isIgnored(path), wanted.has(path), `${JSON.stringify(pattern)} and ${JSON.stringify(path)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("no pattern takes more than its length times that of the path", () => {
  const path = "a".repeat(200);
  for (const pattern of [
    `${"*a".repeat(90)}*b`,
    `${"**/".repeat(5_000)}b`,
    `${"*?".repeat(99)}b`,
    `${"[a-z]*".repeat(60)}b`,
    `x${" ".repeat(500_000)}y`,
    "*a".repeat(400_000),
  ]) {
    assert.equal(ignoring().and("", pattern).match(path, false), false);
    assert.equal(ignoring().and("", pattern).match("a/".repeat(2_000), false), false);
  }
});

test("names and texts of a repository reach no terminal as commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-escapes-"));
  try {
    const odd = "a\x1b]0;pwned\x07\x1b[2J\x9b1m.ts";
    writeFileSync(join(folder, odd), "export function one\x1b[31m() {}\nexport function two() {}\n");
    writeFileSync(join(folder, "b\x1b[2J.ts"), Buffer.of(0, 1, 2));
    for (const args of [
      [folder, "--budget", "500"],
      [join(folder, odd), "--budget", "500"],
      [join(folder, "b\x1b[2J.ts"), "--budget", "500"],
      [join(folder, "\x1b[2Jmissing"), "--budget", "9"],
    ]) {
      const { stdout, stderr } = run(...args);
      assert.doesNotMatch(stdout + stderr, /[\0-\x08\x0b-\x1f\x7f-\x9f]/, args[0]!);
    }
    assert.match(run(folder, "--budget", "500").stdout, /a\\x1b\]0;pwned\\x07/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("printable writes control characters as escapes, and nothing else", () => {
  const check = (text: string, shown: string) => assert.equal(printable(text), shown);
  check("a\tb\nc\r\nd é 😀", "a\tb\nc\r\nd é 😀");
  check("\x1b[2J\x07\x00\x7f\x9b", "\\x1b[2J\\x07\\x00\\x7f\\x9b");
  check("a\rb\u202eb\u2066", "a\\x0db\\u202eb\\u2066");
});
