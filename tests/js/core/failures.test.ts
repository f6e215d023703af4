/**
 * `compact` of the core against a server that speaks the providers' formats and fails in every way: what the package's
 * `compact` makes of the same.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../../pkg/dist/providers.js";
import type * as Providers from "../../../js/providers/index.ts";
import type { CompactOptions } from "../../../js/types/compact.ts";
import type { Llm, LlmRequest } from "../../../js/types/llm.ts";
import { answer, failWithin, hang, refuse, reset, SUMMARY } from "../../server/model.mjs";
import type { Behaviour } from "../../server/model.mjs";
import { espalier } from "../built.ts";
import { isTried } from "../runs.ts";
import { scripted, until, WANTED } from "../providers/support.ts";
import { core, neutral, outcome } from "./raw.ts";

const providers = bundle as typeof Providers;
const MAKERS = [providers.openai, providers.openaiResponses, providers.anthropic, providers.gemini];
const server = await scripted();
const messages = neutral("tau-airline-0");
const { total } = espalier.countMessages(messages, { format: "espalier" });
const budget = total >> 1;

/** Waits before a retry are short. */
const clock = {
  after: (ms: number, done: () => void) => {
    const timer = setTimeout(done, ms > 10_000 ? ms : ms / 50);
    return () => clearTimeout(timer);
  },
};
const provider = (make: (typeof MAKERS)[number]) =>
  make({ model: "test", apiKey: "k", baseUrl: `${server.url}/v1`, clock });

/** Reads the answer as a stream, as an extension does that shows it growing. */
function streaming(make: (typeof MAKERS)[number]): Llm {
  const { toRequest, send } = provider(make);
  return async ({ system, prompt, signal }: LlmRequest) => {
    const request = toRequest([
      { role: "system", content: system },
      { role: "user", content: prompt },
    ]);
    return { text: (await send(request, { stream: true, signal })).text };
  };
}

interface Ran {
  status?: string;
  code?: string;
  report?: { summary?: string; model?: { failure?: string } };
}

/** Runs one side against a server that begins anew. */
async function ran(behaviour: Behaviour | string, run: () => unknown): Promise<Ran> {
  server.clear();
  server.script(behaviour);
  const made = (await outcome(run)) as Ran;
  await until(() => server.seen.every(({ closed }) => closed), "a connection was left open");
  return made;
}

/** Both sides end alike. Returns how. */
async function check(
  behaviour: Behaviour | string,
  llm: () => Llm,
  options: Partial<CompactOptions> = {},
): Promise<Ran> {
  const before = JSON.stringify(messages);
  const all = { budget, ...options };
  const ours = await ran(behaviour, () => core.compact(messages, all, llm()));
  const theirs = await ran(behaviour, () =>
    espalier.compact(messages, { format: "espalier", ...all, llm: llm() } as never),
  );
  assert.equal(JSON.stringify(ours), JSON.stringify(theirs), String(behaviour));
  assert.equal(JSON.stringify(messages), before);
  return ours;
}

for (const [row, make] of MAKERS.entries()) {
  for (const [column, [behaviour, status]] of WANTED.entries()) {
    test(`${make.name}, ${behaviour}: ${status}`, async () => {
      const limit = status === "timeout" ? { timeoutMs: 100 } : {};
      for (const [at, onFailure] of (["offline", "leave"] as const).entries()) {
        if (!isTried(2, row, column, at)) continue;
        const made = await check(behaviour, () => provider(make).llm, { ...limit, onFailure });
        if (made.report) assert.equal(made.report.model?.failure ?? made.status, status);
        else assert.equal(made.code, "compaction_failed");
      }
    });
  }

  test(`${make.name}: streams that are whole, cut, refused inside, or fall silent`, async () => {
    const whole = { text: SUMMARY };
    const streams = [
      [answer(whole), undefined],
      [answer(whole, { chunks: [1, 7, 3] }), undefined],
      [answer(whole, { cutAfter: 200 }), "model_failed"],
      [answer(whole, { cutAfter: 200, end: "quiet" }), "model_failed"],
      [failWithin({ message: "Overloaded.", type: "overloaded_error" }, whole), "model_failed"],
      [answer(whole, { hangAfter: 200 }), "timeout"],
    ] as const;
    for (const [column, [behaviour, wanted]] of streams.entries()) {
      if (!isTried(2, row, column)) continue;
      const made = await check(behaviour, () => streaming(make), wanted === "timeout" ? { timeoutMs: 100 } : {});
      assert.equal(made.report?.model?.failure, wanted);
    }
  });

  test(`${make.name}: refusals by status`, async () => {
    for (const [column, status] of [400, 401, 403, 404, 413, 429, 500, 503, 529].entries()) {
      if (!isTried(3, row, column)) continue;
      const made = await check(
        refuse({ status, message: `No (${status}).`, headers: { "retry-after-ms": "5" } }),
        () => provider(make).llm,
      );
      assert.equal(made.status, "applied");
      assert.notEqual(made.report?.model?.failure, undefined, String(status));
    }
  });

  test(`${make.name}: an abort in mid-request closes the connection and leaves the messages alone`, async () => {
    for (const behaviour of [hang(), answer({ text: SUMMARY }, { hangAfter: 10 })]) {
      const sides = [
        (signal: AbortSignal, llm: Llm) => core.compact(messages, { budget, signal }, llm),
        (signal: AbortSignal, llm: Llm) =>
          espalier.compact(messages, { format: "espalier", budget, signal, llm } as never),
      ];
      const made = [];
      for (const run of sides) {
        const controller = new AbortController();
        made.push(
          await ran(behaviour, () => {
            void until(() => server.seen.length > 0, "no request came").then(() => controller.abort(new Error("stop")));
            return run(controller.signal, provider(make).llm);
          }),
        );
      }
      const [ours, theirs] = made as [Ran, Ran];
      assert.equal(ours.status, "cancelled");
      assert.equal(JSON.stringify(ours), JSON.stringify(theirs));
    }
  });
}

test("an answer in another profile's form", async () => {
  const snapshot =
    "<scratchpad>Looked.</scratchpad>\n<state_snapshot>\n<overall_goal>Book the flight.</overall_goal>\n</state_snapshot>";
  const checkpoint = "<overview>The flight is booked.</overview>\n<checkpoint_title>Booking</checkpoint_title>";
  for (const text of [snapshot, checkpoint, SUMMARY, "<summary></summary>", "<state_snapshot>"]) {
    for (const profile of ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"] as const)
      await check(answer({ text }), () => provider(providers.openai).llm, { profile });
  }
});

test("a connection that breaks, then a model that answers: the engine goes on", async () => {
  await check(reset(), () => provider(providers.openai).llm);
  assert.equal((await check("good", () => provider(providers.openai).llm)).status, "applied");
});
