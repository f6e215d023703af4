/** Conversations of every provider, odd in every way, mended and cut: what comes out is what the provider takes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Finding, ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";
import { freeze } from "../formats/common.ts";
import { hosts } from "../validity/hosts.ts";
import { runs } from "../runs.ts";

const { countMessages, prune, repair, validate } = espalier;

const PROVIDERS: ProviderName[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];

/** The names of tools are the host's affair. */
const ours = ({ path, rule }: Finding) => !/^tools/.test(path) && rule !== "tools-missing";

for (const provider of PROVIDERS) {
  test(`${provider}: mended and cut, a conversation is valid and fits`, () => {
    const shares = fc.double({ min: 0.05, max: 1.1, noNaN: true });
    const order = fc.constantFrom("drop" as const, "shrink" as const);
    fc.assert(
      fc.property(hosts[provider], shares, order, (input, share, order) => {
        const { messages: valid } = repair(freeze(input), { provider, format: provider });
        const whole = countMessages(valid, { format: provider }).total;
        const budget = Math.floor(whole * share);
        let made: ReturnType<typeof prune<unknown>>;
        try {
          made = prune<unknown>(freeze(valid), { format: provider, budget, order });
        } catch (error) {
          const { code, details } = error as {
            code: string;
            details: { needed: number; budget: number; largest: unknown[] };
          };
          assert.equal(code, "budget_exceeded", String(error));
          assert.ok(details.needed > budget && details.largest.length <= 5);
          return;
        }
        const { messages, report } = made;
        assert.deepEqual(
          validate(messages, provider, { format: provider, pending: "keep" }).filter(ours),
          [],
          JSON.stringify([valid, messages], undefined, 1),
        );
        assert.ok(report.after.total <= budget);
        // What is written is what was counted, joined messages as one.
        const { total, messages: many } = countMessages(messages, { format: provider });
        assert.deepEqual(
          { total, many },
          { total: report.after.total, many: report.after.messages },
          JSON.stringify([valid, messages]),
        );
        const inserted = report.messages.reduce((sum, { fate, after }) => sum + (fate === "inserted" ? after : 0), 0);
        assert.equal(
          report.before.total + inserted - report.after.total,
          report.removed.reduce((sum, { tokens }) => sum + tokens, 0),
        );
        // A valid conversation that fits is the caller's own.
        if (whole <= budget) assert.equal(messages, valid);
        assert.deepEqual(prune(messages, { format: provider, budget, order }).messages, messages);
      }),
      { seed: 11, numRuns: runs(600) },
    );
  });
}
