// Texts of the kinds on which headroom records what it does (its golden files are not in its package): logs with an
// error in them, diffs, lists of JSON. `facts` are what a reader needs: lines about errors, changed lines.

const numbers = (count) => Array.from({ length: count }, (_, at) => at);
const list = (count, item) => JSON.stringify(numbers(count).map(item));

const logs = {
  short: ["INFO starting", "ERROR no connection to the database", "INFO shutting down"],
  pytest: [
    "============================= test session starts ==============================",
    "collected 42 items",
    ...numbers(25).map((at) => `tests/test_part_${at}.py::test_case PASSED [${at * 2}%]`),
    "tests/test_part_25.py::test_sum FAILED",
    "=================================== FAILURES ===================================",
    ">       assert total(1, 2) == 4",
    "E       assert 3 == 4",
    "tests/test_part_25.py:17: AssertionError",
    "1 failed, 25 passed in 0.42s",
  ],
  npm: [
    "npm WARN deprecated left@1.0.0: use right",
    ...numbers(5).map((at) => `added ${at} packages in 3s`),
    "npm ERR! code ERESOLVE",
    "npm ERR! Could not resolve dependency: react@17.0.2",
  ],
  cargo: [
    ...numbers(10).map((at) => `   Compiling part_${at} v0.1.${at}`),
    "error[E0308]: mismatched types",
    "  --> src/lib.rs:42:9",
    "42 |         return x;",
    "   |         ^^^^^^^^^ expected `i32`, found `u64`",
    "error: aborting due to previous error",
  ],
  make: ["gcc -c a.c -o a.o", "a.c:5:3: error: 'n' undeclared", "make: *** [Makefile:12: all] Error 2"],
  long: [...numbers(300).map((at) => `request ${at}: INFO answered`), "ERROR request 300 has no answer"],
  levels: numbers(20).flatMap((at) => [`INFO round ${at}`, `ERROR part ${at} failed`, `WARN part ${at} is slow`]),
};

const file = (at) => [
  `diff --git a/part_${at}.py b/part_${at}.py`,
  `--- a/part_${at}.py`,
  `+++ b/part_${at}.py`,
  "@@ -1,13 +1,15 @@",
  ...numbers(5).map((line) => ` before_${line} = ${at}`),
  ...numbers(3).map((line) => `-old_${line} = ${at}`),
  ...numbers(5).map((line) => `+new_${line} = ${at}`),
  ...numbers(5).map((line) => ` after_${line} = ${at}`),
];
const diffs = { small: file(0), large: numbers(8).flatMap(file) };

const lists = {
  objects: list(30, (at) => ({ id: at, status: at % 5 === 0 ? "error" : "ok", text: `line ${at}` })),
  many: list(100, (at) => ({ id: at, level: at % 7 === 0 ? "warn" : "info", message: `part ${at}` })),
  equal: list(40, () => ({ event: "beat", ok: true })),
  measured: list(50, (at) => ({ time: 1_000 + at, value: 1.5 * at, host: `host-${at % 3}` })),
  letters: list(20, (at) => ({ id: at, text: `привет 中文 ${at}`, tag: "тест" })),
  strings: list(25, (at) => `event ${at}: something is at index ${at}`),
  numbers: list(40, (at) => (at < 20 ? 10 + (at % 3) : 30 + at)),
  mixed: JSON.stringify(["start", ...numbers(20), "middle", ...numbers(5).map(() => "end")]),
};

const ERROR = /error|err!|failed/i;
export const kinds = [
  ...Object.values(logs).map((lines) => ({
    kind: "log",
    text: lines.join("\n"),
    facts: lines.filter((line) => ERROR.test(line)),
  })),
  ...Object.values(diffs).map((lines) => ({
    kind: "diff",
    text: lines.join("\n"),
    facts: lines.filter((line) => /^[-+]/.test(line)),
  })),
  ...Object.values(lists).map((text) => ({ kind: "json", text, facts: [] })),
].map((entry) => ({ ...entry, command: { log: "./run.sh", diff: "git diff", json: "" }[entry.kind] }));
