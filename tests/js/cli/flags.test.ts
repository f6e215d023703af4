/** The command line as it is typed: help, completion, inputs as tools write them, budgets, colours, quiet. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../folder.ts";
import { CLI } from "../command.ts";

const home = temporaryFolder();
mkdirSync(join(home, "src"));
writeFileSync(join(home, "src/a.ts"), 'import { b } from "./b";\nexport function a() { return b(); }\n');
writeFileSync(join(home, "src/b.ts"), "export function b() { return 1; }\n");

const MESSAGE = { role: "user", content: "hello" };
const HISTORY = [
  MESSAGE,
  ...Array.from({ length: 9 }, (_, at) => ({
    role: at % 2 ? "user" : "assistant",
    content: `words ${at} `.repeat(100),
  })),
];

function run(args: readonly string[], input = "", env: Record<string, string> = {}) {
  const { NO_COLOR: _, FORCE_COLOR: __, ...own } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, ...args], {
    input,
    encoding: "utf8",
    cwd: home,
    env: { ...own, ...env },
  });
  return { status, stdout, stderr };
}

function check(
  args: readonly string[],
  {
    input = JSON.stringify(HISTORY),
    status = 0,
    out,
    err,
    env = {},
  }: { input?: string; status?: number; out?: RegExp; err?: RegExp; env?: Record<string, string> },
) {
  const done = run(args, input, env);
  assert.equal(done.status, status, done.stderr);
  if (out) assert.match(done.stdout, out);
  if (err) assert.match(done.stderr, err);
  return done;
}

test("a wrong command line is refused before its file is read", () => {
  const refused = (args: readonly string[]) =>
    check(args, { status: 2, input: "no conversation" }).stderr.split("\n")[0];
  assert.equal(refused(["prune", "-"]), "espalier: espalier prune needs --budget N");
  assert.equal(refused(["compact", "-", "--plan"]), "espalier: espalier compact needs --budget N");
  assert.match(refused(["compact", "-", "--budget", "x"])!, /^espalier: --budget must be a whole number/);
  assert.equal(refused(["compact", "-", "--undo"]), "espalier: --undo needs --log FILE");
  assert.equal(refused(["convert", "-"]), "espalier: espalier convert needs --to NAME");
  assert.match(refused(["convert", "-", "--to", "x"])!, /^espalier: --to must be one of/);
});

for (const command of ["count", "prune", "compact", "doctor", "convert", "log", "summarize", "outline", "search"]) {
  test(`help ${command} prints that command only`, () => {
    const { stdout } = check(["help", command], { out: new RegExp(`^espalier ${command} `) });
    assert.equal(stdout, run([command, "--help"]).stdout);
    assert.equal(stdout.includes("--llm "), command === "compact");
    assert.equal(stdout.includes("--selection"), command === "summarize");
    assert.ok(stdout.split("\n").every((line) => line.length <= 140));
  });
}

test("help lists all commands, every exit code and the words of reports", () => {
  check(["--help"], { out: /espalier outline[\s\S]*--recall[\s\S]*prior \(a similar encoding[\s\S]*130 interrupted/ });
  check(["help", "prunne"], { status: 2, err: /unknown command "prunne"; did you mean prune\?/ });
});

test("help completion prints how to use it", () => {
  const { stdout } = check(["help", "completion"], { out: /^espalier completion bash\|zsh\|fish\n/ });
  assert.equal(stdout, run(["completion", "--help"]).stdout);
});

test("an unknown flag is answered with the one that was meant", () => {
  check(["count", "-", "--bugdet", "3"], {
    status: 2,
    err: /^espalier: --bugdet is unknown; did you mean --budget\?\n/,
  });
  check(["count", "-", "--max-tokens=3"], { status: 2, err: /did you mean --budget\?/ });
  check(["count", "-", "--zzz"], { status: 2, err: /^espalier: --zzz is unknown\n/ });
  check(["count", "-", "-z"], { status: 2, err: /^espalier: -z is unknown\n/ });
});

test("an unknown message is refused with the flag that names it", () =>
  void check(["compact", "-", "-b", "3000", "--pin", "m1,m999"], {
    status: 2,
    err: /espalier: --pin must be the id or index of a message, and is "m999"/,
  }));

test("a JSON value that is no conversation is called one", () => {
  check(["count", "-"], { input: "42\n", status: 3, err: /it contains a JSON value\./ });
  check(["count", "-"], { input: "forty-two\n", status: 3, err: /neither JSON nor JSON Lines/ });
  check(["log", "-"], { input: "42\n", status: 3, err: /line 1: .*expected an entry of a log/ });
});

for (const shell of ["bash", "zsh", "fish"]) {
  test(`completion ${shell} knows commands, flags and values`, () => {
    const { stdout } = check(["completion", shell], { out: /espalier/ });
    for (const word of ["outline", shell === "fish" ? "-l max-llm-tokens" : "--max-llm-tokens", "cl100k_base"])
      assert.ok(stdout.includes(word), word);
  });
}

test("bash takes its completion script, and completes", () => {
  const ask = (...words: string[]) => {
    const script = `${run(["completion", "bash"]).stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _espalier; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim();
  };
  assert.equal(ask("espalier", "pru"), "prune");
  assert.equal(ask("espalier", "prune", "--head"), "--headroom");
  assert.equal(ask("espalier", "prune", "--ll"), "");
  assert.equal(ask("espalier", "help", "comple"), "completion");
  assert.equal(ask("espalier", "count", "--encoding", "cl"), "cl100k_base");
});

test("completion of an unknown shell is a usage error", () =>
  void check(["completion", "tcsh"], { status: 2, err: /one of bash, zsh, fish/ }));

test("a byte order mark, JSON Lines of one line and of many are read", () => {
  check(["count", "-"], { input: `\uFEFF${JSON.stringify([MESSAGE])}`, out: /m0 user/ });
  check(["count", "-"], { input: `${JSON.stringify(MESSAGE)}\n`, out: /; 1 message$/m });
  check(["count", "-"], {
    input: `\uFEFF${JSON.stringify(MESSAGE)}\r\n${JSON.stringify(MESSAGE)}\r\n`,
    out: /; 2 messages/,
  });
});

test("a file in UTF-16, as Windows PowerShell writes it, is read", () => {
  for (const big of [false, true]) {
    const bytes = Buffer.from(`\uFEFF${JSON.stringify([MESSAGE])}`, "utf16le");
    writeFileSync(join(home, "wide.json"), big ? bytes.swap16() : bytes);
    check(["count", "wide.json"], { out: /m0 user/ });
  }
});

test("a conversation is no log, and the error says what makes one", () => {
  const err = /is a conversation, not a log\. .*compact - --budget N --log LOG/;
  check(["log", "-"], { status: 3, err });
  for (const input of [JSON.stringify({ messages: [MESSAGE] }), `${JSON.stringify(MESSAGE)}\n`.repeat(2)])
    check(["log", "-"], { input, status: 3, err });
  check(["log", "-"], { input: '{"seq":0}\n', status: 3, err: /-, line 1: / });
});

test("lines that hold requests are refused with what to do", () => {
  const line = JSON.stringify({ messages: [MESSAGE] });
  check(["count", "-"], { input: `${line}\n${line}\n`, status: 3, err: /contains 2 requests, one a line/ });
  check(["count", "-"], { input: `${line}\n`, out: /; 1 message$/m });
  check(["count", "-"], { input: "{nonsense", status: 3, err: /neither JSON nor JSON Lines/ });
});

test("a line of JSON Lines that is torn is named, with what to do", () => {
  const line = JSON.stringify(MESSAGE);
  const torn = (number: number) =>
    new RegExp(`line ${number} of .*is not JSON.*remove the line if it is incomplete`, "s");
  check(["count", "-"], { input: `${line}\n\n${line}\n${line.slice(0, -4)}`, status: 3, err: torn(4) });
  check(["count", "-"], { input: `${line}\n${line.slice(5)}\n${line}\n`, status: 3, err: torn(2) });
});

for (const [budget, tokens] of [
  ["1.5k", "1,500"],
  ["2k", "2,000"],
  ["1_200", "1,200"],
] as const) {
  test(`--budget ${budget}`, () =>
    void check(["prune", "-", "--budget", budget], { err: new RegExp(`of ${tokens} `) }));
}

test("a budget that cannot be met names its flag, and help explains the words of the error", () => {
  check(["prune", "-", "-b", "1"], { status: 4, err: /\(see --budget\) \[budget_exceeded\]/ });
  check(["help", "prune"], { out: /in errors "frame", counts system messages/ });
});

for (const budget of ["1.5", "k", "-3", "1.5.2k", "32kb"]) {
  test(`--budget ${budget} is refused`, () =>
    void check(["prune", "-", `--budget=${budget}`], { status: 2, err: /such as 32000, 32k or 1\.5k/ }));
}

test("the format is said, and --quiet says nothing", () => {
  check(["prune", "-", "-b", "1k"], { err: /format: openai-chat \(detected\)/ });
  check(["prune", "-", "-b", "1k", "--format", "openai-chat"], { err: /format: openai-chat\n/ });
  const { stdout, stderr } = check(["prune", "-", "-b", "1k", "--quiet"], {});
  assert.equal(stderr, "");
  assert.ok(JSON.parse(stdout).length > 0);
  check(["prune", "-", "-b", "1", "--quiet"], { status: 4, err: /budget_exceeded/ });
});

test("colour is for terminals, and for those who force it", () => {
  const escape = "\u001b[";
  assert.ok(!check(["prune", "-", "-b", "1k"], {}).stderr.includes(escape));
  assert.ok(check(["prune", "-", "-b", "1k"], { env: { FORCE_COLOR: "1" } }).stderr.includes(escape));
  assert.ok(!check(["prune", "-", "-b", "1k"], { env: { FORCE_COLOR: "0" } }).stderr.includes(escape));
});

for (const path of ["a.ts", "src/a.ts", "./src/a.ts", "./a.ts", "src\\a.ts"]) {
  test(`outline --focus ${path}`, () => {
    const { stdout } = check(["outline", "src", "-b", "500", "--focus", path], { out: /b\.ts/ });
    assert.ok(!stdout.includes("a.ts"), stdout);
  });
}

test("outline --focus with an unknown file is an error", () =>
  void check(["outline", "src", "-b", "500", "--focus", "nosuch.ts"], {
    status: 3,
    err: /nosuch\.ts is none of the 2 source files/,
  }));
