/** What of a history other messages still hold. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { begin } from "../conversation/support.ts";

const { compact, quality } = espalier;

const round = (id: string, name: string, input: object, result: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
  },
  { role: "tool", tool_call_id: id, content: result },
];
const history = [
  { role: "system", content: "You fix code." },
  { role: "user", content: "Fix the lexer. Never touch main.rs." },
  ...round("c1", "write_file", { path: "src/lexer.rs", content: "fn tokenize_all() {}" }, "written"),
  ...round("c2", "bash", { command: "cargo test lexer" }, "error[E0308]: mismatched types\nexit code 101"),
  ...round("c3", "read_file", { path: "src/parser.rs" }, "fn parse() {}"),
  { role: "user", content: "Go on." },
];
const later = [
  ...round("c9", "bash", { command: "cargo test lexer" }, "ok"),
  { role: "assistant", content: "src/lexer.rs is fixed." },
];

/** `kind: own lines of all` for whatever the history has. */
function kept(view: unknown, options = {}) {
  const { retention } = quality(history, view, options);
  return Object.fromEntries(
    retention.filter(({ all }) => all > 0).map(({ kind, all, ownLine }) => [kind, `${ownLine}/${all}`]),
  );
}

test("a view that is the history keeps everything; one without its middle loses what was there", () => {
  const before = structuredClone(history);
  assert.deepEqual(
    Object.values(kept(history)).filter((share) => share.split("/")[0] !== share.split("/")[1]),
    [],
  );
  assert.deepEqual(quality(history, history).misses, []);
  const cut = [history[0], history[1], ...history.slice(-3)];
  const shares = kept(cut);
  assert.deepEqual(
    [shares["modifiedFiles"], shares["commands"], shares["constraints"], shares["requests"]],
    ["0/1", "0/1", "1/1", "2/2"],
  );
  assert.deepEqual(quality(history, cut).misses, ["modifiedFiles"]);
  assert.deepEqual(quality(history, cut.slice(2)).misses, ["constraints", "modifiedFiles"]);
  assert.deepEqual(history, before);
});

test("what came next says what was needed", () => {
  const view = [history[0], history[1], ...history.slice(-3)];
  const { needed } = quality(history, view, { continuation: later });
  assert.ok(needed && needed.used >= 2, "the file and its test were used again");
  assert.equal(needed.held, 0);
  assert.equal(
    quality(history, [...view, { role: "user", content: "src/lexer.rs, tested with `cargo test lexer`." }], {
      continuation: later,
    }).needed!.held >= 2,
    true,
  );
  assert.equal(quality(history, view).needed, undefined);
});

test("what a compaction reports of itself is what is measured of its result", async () => {
  const long = begin(20);
  const { messages, report } = await compact(long, { budget: 2_000 });
  assert.equal(report.status, "applied");
  const measured = quality(long, messages);
  assert.deepEqual(measured.retention, report.quality!.retention);
  assert.deepEqual(measured.users, report.quality!.users);
});

test("somebody else's summary is looked through for inventions, in any format", () => {
  const summary = "Changed src/lexer.rs and src/invented/thing.rs.";
  const anthropic = [
    { role: "user", content: "Fix src/lexer.rs." },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { role: "user", content: [{ type: "text", text: "Go on." }] },
  ];
  const { inventions, misses } = quality(
    anthropic,
    [{ role: "user", content: [{ type: "text", text: summary }] }, anthropic[2]],
    { summary },
  );
  assert.deepEqual(inventions, ["src/invented/thing.rs"]);
  assert.ok(misses.includes("inventions"));
});

test("errors name the list that is wrong", () => {
  const fails = (run: () => unknown, code: string, path: string) => assert.throws(run, { code, path });
  fails(() => quality([{ role: "user", content: 7 }], []), "bad_message", "history[0].content");
  fails(() => quality(history, [{ role: "user", content: 7 }]), "bad_message", "view[0].content");
  fails(
    () => quality(history, [], { continuation: [{ role: "user", content: 7 }] }),
    "bad_message",
    "options.continuation[0].content",
  );
  fails(() => quality(history, [], { ledger: { root: 1 as never } }), "bad_option", "options.ledger.root");
  assert.equal(quality([], []).users.messages, 0);
});
