/** `ledger.dialect`: the agent that made the calls. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { espalier } from "../built.ts";

const { quality } = espalier;

const tables = fileURLToPath(new URL("../../../core/src/message/dialects/", import.meta.url));
const files = readdirSync(tables).filter((file) => file.endsWith(".txt") && file !== "any.txt");
const names = files.flatMap((file) =>
  readFileSync(tables + file, "utf8")
    .split("\n")[0]!
    .split(" ")
    .slice(1),
);

const call = (name: string, input: object) => [
  { role: "user", content: "Go on." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name, arguments: JSON.stringify(input) } }],
  },
  { role: "tool", tool_call_id: "c1", content: "done" },
  { role: "user", content: "And on." },
];

function modified(messages: unknown[], options: Parameters<typeof quality>[2] = {}): number {
  return quality(messages, messages, options).retention.find(({ kind }) => kind === "modifiedFiles")?.all ?? 0;
}

test("every table has a name that the option takes, and nothing else is taken", () => {
  assert.ok(names.length > 14);
  for (const dialect of names)
    assert.equal(modified(call("nothing", {}), { ledger: { dialect: dialect as "pi" } }), 0, dialect);
  assert.throws(
    () => modified([], { ledger: { dialect: "morse" as "pi" } }),
    (error: Error & { code?: string; path?: string }) =>
      error.code === "bad_option" && /ledger\.dialect/.test(error.message) && /claude-code/.test(error.message),
  );
});

test("a patch that a shell applies changes files", () => {
  const patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-a\n+b\n*** End Patch";
  const shell = call("shell", { command: ["bash", "-lc", `apply_patch <<'EOF'\n${patch}\nEOF`] });
  assert.equal(modified(shell), 1);
  assert.equal(modified(shell, { ledger: { dialect: "codex" } }), 1);
});
