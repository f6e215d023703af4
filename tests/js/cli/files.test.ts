/** What the command line reads and writes: it overwrites no input, and corrupts no text. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../folder.ts";
import { CLI } from "../command.ts";

const home = temporaryFolder();
const file = (name: string, content: string | Uint8Array) => writeFileSync(join(home, name), content);
const bytes = (name: string) => readFileSync(join(home, name), "latin1");

const MESSAGES = JSON.stringify([
  { role: "user", content: "hello" },
  { role: "assistant", content: "hi" },
]);
const SOURCE = `export function a() {\n${"  work();\n".repeat(40)}}\n`;
file("own.json", MESSAGES);
file("a.ts", SOURCE);
mkdirSync(join(home, "folder"));
symlinkSync(join(home, "own.json"), join(home, "soft.json"));
linkSync(join(home, "own.json"), join(home, "hard.json"));

function run(args: readonly string[], stdin: number | string = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], {
    encoding: "utf8",
    cwd: home,
    ...(typeof stdin === "string" ? { input: stdin } : { stdio: [stdin, "pipe", "pipe"] }),
  });
  return { status, stdout, stderr };
}

function refused(status: number, words: RegExp, args: readonly string[], stdin?: number | string) {
  const done = run(args, stdin);
  assert.equal(done.status, status, done.stderr);
  assert.match(done.stderr, words);
  assert.equal(done.stdout, "");
}

const INPUT = /is FILE, which would be overwritten; choose another file for --/;
for (const name of ["own.json", "./own.json", "folder/../own.json", join(home, "own.json"), "soft.json", "hard.json"]) {
  test(`an output that is the input by the name ${name.replace(home, "")} is refused`, () => {
    refused(2, INPUT, ["prune", "own.json", "-b", "100", "-o", name]);
    refused(2, INPUT, ["compact", "own.json", "-b", "100", "--log", name]);
    assert.equal(bytes("own.json"), MESSAGES);
  });
}

test("only its owner reads a new log", () => {
  assert.equal(run(["compact", "own.json", "-b", "1k", "--log", "new.jsonl"]).status, 0);
  assert.equal(statSync(join(home, "new.jsonl")).mode & 0o777, 0o600);
});

test("an output is no source file, no session, not the log and not standard input", () => {
  refused(2, INPUT, ["summarize", "a.ts", "-b", "60", "-o", "a.ts"]);
  refused(2, INPUT, ["summarize", "own.json", "a.ts", "-b", "60", "-o", "a.ts"]);
  refused(2, INPUT, ["outline", "a.ts", "-o", "a.ts"]);
  refused(2, INPUT, ["prune", "-", "-b", "100", "-o", "own.json"], openSync(join(home, "own.json"), "r"));
  const session = ["convert", "own.json", "--to", "pi", "--session", "a.ts", "-o", "a.ts"];
  refused(2, /is the file of --session, which/, session);
  refused(2, /is the file of --output, which/, ["compact", "own.json", "-b", "9", "-o", "new", "--log", "./new"]);
  assert.equal(bytes("a.ts") + bytes("own.json"), SOURCE + MESSAGES);
  const other = run(["prune", "own.json", "-b", "100", "-q", "-o", "other.json"]);
  assert.deepEqual([other.status, JSON.parse(bytes("other.json"))], [0, JSON.parse(MESSAGES)]);
});

test("a file in another encoding than UTF-8 is refused by its name", () => {
  const latin = (text: string) => Buffer.from(text, "latin1");
  file("latin.json", latin(MESSAGES.replace("hello", "caf\xe9")));
  file("latin.jsonl", latin(`{"type":"session","version":3,"id":"s","cwd":"/caf\xe9"}\n`));
  file("latin.ts", latin(`// caf\xe9\n${SOURCE}`));
  file("cut.ts", Buffer.from("// é").subarray(0, -1));
  for (const [args, name] of [
    [["count"], "latin.json"],
    [["prune", "-b", "100"], "latin.json"],
    [["prune", "-b", "100", "--format", "openai-chat"], "latin.json"],
    [["count"], "latin.jsonl"],
    [["log"], "latin.jsonl"],
    [["summarize", "-b", "100"], "latin.ts"],
    [["outline"], "latin.ts"],
    [["summarize", "-b", "100"], "cut.ts"],
  ] as const) {
    refused(3, new RegExp(`: ${name} is not UTF-8; convert it to UTF-8 first \\[binary_file\\]`), [...args, name]);
  }
  const input = openSync(join(home, "latin.json"), "r");
  refused(3, /standard input is not UTF-8/, ["count", "-"], input);
  refused(3, /: latin\.json is not UTF-8/, ["compact", "own.json", "-b", "9", "--log", "latin.json"]);
  mkdirSync(join(home, "sources"));
  writeFileSync(join(home, "sources/latin.ts"), latin(`// caf\xe9\n${SOURCE}`));
  assert.match(run(["outline", "sources", "-b", "100"]).stderr, /left out: 1 not UTF-8/);
});

test("UTF-16 without a byte order mark is refused by its name", () => {
  const little = Buffer.from('[{"role":"user","content":"Hi"}]', "utf16le");
  writeFileSync(join(home, "wide.json"), little);
  writeFileSync(join(home, "wide-big.json"), Buffer.from(little).swap16());
  for (const name of ["wide.json", "wide-big.json"])
    refused(3, new RegExp(`${name} looks like UTF-16 without a byte order mark; convert it to UTF-8 first`), [
      "count",
      name,
    ]);
});

test("UTF-16 with a byte order mark is read as text", () => {
  for (const isBig of [false, true]) {
    const wide = (text: string) => {
      const little = Buffer.from(`\uFEFF${text}`, "utf16le");
      return isBig ? little.swap16() : little;
    };
    file("wide.ts", wide(SOURCE));
    assert.equal(run(["summarize", "wide.ts", "-b", "10k"]).stdout, SOURCE);
    file("wide.jsonl", wide('{"type":"session","version":3,"id":"s","cwd":"/é"}\n'));
    assert.match(run(["log", "wide.jsonl"]).stdout + run(["count", "wide.jsonl"]).stderr, /pi/);
  }
});

test("a pipe is read once", { skip: process.platform === "win32" }, () => {
  const [log = "", ...command] = [join(home, "piped.jsonl"), process.execPath, ...CLI];
  assert.equal(run(["compact", "own.json", "-b", "1k", "--log", log]).status, 0);
  const piped = (name: string, ...args: string[]) => {
    const script = `"$@" <(cat ${name})`;
    return spawnSync("bash", ["-c", script, "bash", ...command, ...args], { encoding: "utf8", cwd: home });
  };
  for (const args of [["count"], ["count", "--format", "openai-chat"], ["prune", "-b", "100"], ["doctor"]])
    assert.equal(piped("own.json", ...args).stderr, run([...args, "own.json"]).stderr, args.join(" "));
  assert.equal(piped("piped.jsonl", "log").status, 0);
  assert.equal(piped("own.json", "log").stdout, run(["log", "own.json"]).stdout);
});

test("standard input is named in errors", () => {
  refused(3, /: standard input is neither JSON nor JSON Lines/, ["count", "-"], "[{");
});

test("a full disk is no bug", { skip: process.platform !== "linux" }, () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [...CLI, "count", "own.json"], {
    encoding: "utf8",
    cwd: home,
    stdio: ["ignore", full, "pipe"],
  });
  assert.equal(status, 3);
  assert.match(stderr, /\nespalier: standard output cannot be written: ENOSPC: [^\n]*\n$/);
});

test("a folder is named, with a code", () => {
  const words = /: folder cannot be read: it is a folder \[file_not_found\]/;
  refused(3, words, ["count", "folder"]);
  refused(3, /folder cannot be written: it is a folder; name a file$/m, [
    ...["compact", "own.json", "-b", "9", "--log", "folder"],
  ]);
});

/** Every command that has `-o`, with a FILE that it accepts. */
const WRITING: readonly string[][] = [
  ["count", "own.json"],
  ["prune", "own.json", "-b", "100"],
  ["compact", "own.json", "-b", "100"],
  ["doctor", "own.json", "--repair"],
  ["convert", "own.json", "--to", "anthropic"],
  ["summarize", "a.ts", "-b", "100"],
  ["outline", "a.ts"],
  ["search", "folder", "work", "-b", "100"],
];

test("an output without a folder is refused before the work, with the folder and what to do", () => {
  for (const args of WRITING) {
    const name = join("none", "x.json");
    const words =
      /^espalier: none.x\.json cannot be written: there is no folder none; create it, or correct the path$/m;
    refused(3, words, [...args, "-o", name]);
    refused(3, /^espalier: folder cannot be written: it is a folder; name a file$/m, [...args, "-o", "folder"]);
    refused(3, /cannot be written: own\.json is not a folder; correct the path$/m, [...args, "-o", "own.json/x"]);
  }
  refused(3, /^espalier: none\/log cannot be written: there is no folder none/, [
    ...["compact", "own.json", "-b", "9", "--log", "none/log"],
  ]);
  refused(3, /^espalier: new\/ cannot be written: it is a folder; name a file$/m, ["count", "own.json", "-o", "new/"]);
});

test("a file that cannot be read is named with the reason in words", () => {
  refused(3, /: none\.json cannot be read: it does not exist \[file_not_found\]/, ["count", "none.json"]);
  refused(3, /: none\/a cannot be read: there is no folder none; create it, or correct the path \[/, [
    "count",
    "none/a",
  ]);
  refused(3, /: own\.json\/a cannot be read: own\.json is not a folder/, ["count", "own.json/a"]);
  refused(3, /: none cannot be read: it does not exist/, ["outline", "none"]);
  refused(3, /: none cannot be read: it does not exist/, ["convert", "own.json", "--to", "pi", "--session", "none"]);
});

test("a full disk is named by the output that it cut", { skip: process.platform !== "linux" }, () => {
  const { status, stderr } = run(["count", "own.json", "-o", "/dev/full"]);
  assert.equal(status, 3);
  assert.match(stderr, /^espalier: \/dev\/full cannot be written: the disk is full; free/m);
});

test("a write that fails leaves the earlier file as it was", { skip: process.platform === "win32" }, () => {
  const long = JSON.stringify(
    Array.from({ length: 400 }, (_, at) => ({ role: "user", content: `${at} ${"word ".repeat(60)}` })),
  );
  file("long.json", long);
  // Half a megabyte is too much for this limit; the shell counts in blocks of 512 or 1,024 bytes.
  const limited = (...args: string[]) =>
    spawnSync("sh", ["-c", 'ulimit -f 64; exec "$@"', "sh", process.execPath, ...CLI, ...args], {
      encoding: "utf8",
      cwd: home,
    });
  file("earlier.json", MESSAGES);
  const replaced = limited("convert", "long.json", "--to", "gemini", "-o", "earlier.json");
  assert.equal(replaced.status, 3, replaced.stderr);
  assert.equal(bytes("earlier.json"), MESSAGES);

  file("short.json", JSON.stringify((JSON.parse(long) as unknown[]).slice(0, 40)));
  const kept = ["--budget", "8k", "--force", "-q", "--log", "earlier.jsonl"];
  assert.equal(run(["compact", "short.json", ...kept]).status, 0);
  const before = bytes("earlier.jsonl");
  const grown = limited("compact", "long.json", ...kept);
  assert.equal(grown.status, 3, grown.stderr);
  assert.equal(bytes("earlier.jsonl"), before);
  assert.deepEqual(
    readdirSync(home).filter((name) => name.includes("earlier.json")),
    ["earlier.json", "earlier.jsonl"],
  );
});

const isRoot = process.getuid?.() === 0;
test("a missing permission is named", { skip: isRoot || process.platform === "win32" }, () => {
  writeFileSync(join(home, "locked.json"), MESSAGES, { mode: 0 });
  refused(3, /locked\.json cannot be read: permission denied; change/, ["count", "locked.json"]);
  refused(3, /locked\.json cannot be written: permission denied; change/, ["count", "own.json", "-o", "locked.json"]);
});

test("a request is counted as its model counts, unless another one is named", () => {
  const request = (model: string) =>
    JSON.stringify({ model, messages: [{ role: "user", content: "hello world, 你好" }] });
  const counted = (model: string, ...args: string[]) => run(["count", "-", ...args], request(model)).stdout;
  assert.match(counted("gpt-4"), /^13 tokens \(cl100k_base, exact\)/m);
  assert.match(counted("gpt-5"), /^12 tokens \(o200k_base, exact\)/m);
  assert.match(counted("deepseek-chat"), /^12 tokens \(o200k_base, prior\)/m);
  assert.match(counted("gpt-4", "--model", "gpt-5"), /^12 tokens \(o200k_base, exact\)/m);
});
