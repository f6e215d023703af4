/**
 * The whole way: a conversation compacted by a scripted model behind every provider, as hosts would do it with the
 * shipped package.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../../pkg/dist/providers.js";
import type * as Providers from "../../../js/providers/index.ts";
import { espalier } from "../built.ts";
import { KEY, WANTED, noSecret, scripted } from "./support.ts";

const providers = bundle as typeof Providers;
const server = await scripted({ strict: true, key: KEY });
const { messages } = JSON.parse(
  readFileSync(new URL("../../fixtures/transcripts/sweagent-marshmallow-1867.json", import.meta.url), "utf8"),
) as { messages: { role: string; content: string }[] };

const MAKERS = [providers.openai, providers.openaiResponses, providers.anthropic, providers.gemini];

for (const make of MAKERS) {
  for (const [behaviour, status] of WANTED) {
    test(`${make.name}, ${behaviour}: ${status}`, async ({ mock }) => {
      server.clear();
      server.script(behaviour);
      const { llm } = make({
        model: "test",
        apiKey: KEY,
        baseUrl: `${server.url}/v1`,
        clock: {
          after: (ms, done) => {
            const timer = setTimeout(done, ms > 10_000 ? ms : ms / 50);
            return () => clearTimeout(timer);
          },
        },
      });
      // The limit is the test's to reach: once the server has the request that hangs.
      const isLate = status === "timeout";
      if (isLate) mock.timers.enable({ apis: ["setTimeout"] });
      const work = espalier.compact(messages, { budget: 4_000, llm, ...(isLate && { timeoutMs: 150 }) });
      if (isLate) {
        while (server.seen.length === 0) await new Promise((done) => setImmediate(done));
        mock.timers.tick(150);
      }
      const result = await work;
      assert.equal(result.report.model?.failure ?? result.status, status, result.report.model?.error);
      noSecret(result.report);
      assert.ok(
        result.status === "applied" && result.report.after.total <= 4_000,
        "it can be sent, whatever the model did",
      );
      if (status !== "applied") return;
      assert.match(result.report.summary ?? "", /The record of a scripted model/);
      assert.deepEqual(
        result.report.model?.usage.map((usage) => [usage["promptTotal"], usage["output"]]),
        [[100, 20]],
      );
      assert.equal(server.seen.length, 1);
    });
  }
}

test("errors of the providers are of the package's one class", async () => {
  const provider = providers.openai({ model: "test", apiKey: "sk-wrong-key-000000", baseUrl: `${server.url}/v1` });
  await assert.rejects(
    provider.send(provider.toRequest([{ role: "user", content: "a" }])),
    (error) => error instanceof espalier.EspalierError && error.code === "auth",
  );
});

test("a conversation pruned in one format, sent in every other", async () => {
  const { messages: fitting } = espalier.prune(messages, { budget: 6_000 });
  for (const make of MAKERS) {
    server.clear();
    const provider = make({ model: "test", apiKey: KEY, baseUrl: `${server.url}/v1` });
    const { text } = await provider.send(provider.toRequest(fitting));
    assert.match(text, /scripted model/, server.seen[0]!.refused);
  }
});
