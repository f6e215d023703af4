/** What providers refuse, by the messages that hosts hold; and that repair leaves nothing of it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EspalierError } from "../../js/errors.ts";
import type { Finding, Format, Provider, RepairOptions } from "../../js/types.ts";
import { espalier } from "./built.ts";
import { freeze, messagesOf } from "./adapters/common.ts";
import { hosts } from "./validity-hosts.ts";

const PROVIDERS: Provider[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];

const options = fc.record({
  orphans: fc.constantFrom("drop", "text"), lostCalls: fc.constantFrom("synthesize", "drop"), pending: fc.constantFrom("keep", "synthesize", "drop"),
  purpose: fc.constantFrom("answer", "summary"), model: fc.constantFrom("gpt-4o", "gemini-3-pro", "o3-mini"), dropThoughts: fc.constantFrom(false, false, true),
}) as fc.Arbitrary<Omit<RepairOptions, "provider">>;

/** Whatever comes in, what goes out is valid, the same again, and as far as it was right the caller's own. */
function mends(format: Format, provider: Provider, runs: number): void {
  fc.assert(fc.property(hosts[format], options, (input, chosen) => {
    freeze(input);
    const all = { ...chosen, provider, format };
    const { messages, report } = espalier.repair(input, all);
    const judge = { ...chosen, format, pending: chosen.pending === "keep" ? "keep" as const : "report" as const };
    const { orphans: _, lostCalls: __, dropThoughts: ___, ...asked } = judge;
    const left = espalier.validate(messages, provider, asked);
    assert.deepEqual(left.filter(({ path, rule }) => !/^tools/.test(path) && rule !== "tools-missing"), [], JSON.stringify(messages, undefined, 1));
    const again = espalier.repair(messages, all);
    assert.equal(again.messages, messages, JSON.stringify([messages, again], undefined, 1));
    assert.deepEqual(again.report.changes, []);
    const found = espalier.validate(input, provider, asked);
    if (found.length === 0 && !chosen.dropThoughts && chosen.purpose !== "summary") assert.equal(messages, input);
    if (messages !== input) assert.ok(report.changes.length > 0);
    // What nobody found fault with, in the middle of what is right, is the caller's own.
    if (found.length === 0) return;
    for (const { index, path, message } of found) {
      assert.ok(message && path);
      if (index !== undefined) assert.ok(index < messagesOf(input).length);
    }
  }), { seed: 3, numRuns: runs });
}

for (const provider of PROVIDERS) {
  test(`${provider}: its own messages are mended`, () => mends(provider, provider, 1500));
  test(`${provider}: neutral messages are mended`, () => mends("espalier", provider, 500));
  test(`${provider}: messages of the AI SDK are mended`, () => mends("ai-sdk", provider, 300));
}
