/** What is sent again, and when. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpOptions, ProviderEvent } from "../../../js/providers/index.ts";
import { refuse, reset } from "../../server/model.mjs";
import { beginOn, failure, hurried, NAMES, scripted } from "./support.ts";

const server = await scripted();
const begin = beginOn(server);
const RETRIES = { retries: 2, clock: hurried() };

for (const name of NAMES) {
  test(`${name}: a connection that breaks before the answer is made again`, async () => {
    const { code, details } = await failure(begin(name, reset(), RETRIES).send());
    assert.deepEqual([code, details.attempts], ["network", 3]);
    const events: ProviderEvent[] = [];
    const { send } = begin(name, "good", { ...RETRIES, onEvent: (event) => events.push(event) });
    server.queue(reset(), reset());
    assert.match((await send()).text, /scripted model/);
    assert.deepEqual(
      events.map((event) => event.type === "retry" && [event.attempt, event.delayMs, event.code]),
      [
        [1, 500, "network"],
        [2, 1000, "network"],
      ],
    );
  });

  test(`${name}: waits before trying again are those that the server asks for`, async () => {
    const waits = async (headers: Record<string, string>, options: Partial<HttpOptions> = {}) => {
      const slept: number[] = [];
      const now = Date.parse("2026-01-01T00:00:00Z");
      const { send } = begin(name, refuse({ status: 429, message: "slow down", headers }), {
        retries: 2,
        clock: { ...hurried(slept), now: () => now },
        ...options,
      });
      const { code, details } = await failure(send());
      assert.equal(code, "rate_limited");
      return [slept, details.retryAfterMs, details.attempts];
    };
    assert.deepEqual(await waits({ "retry-after": "7" }), [[7_000, 7_000], 7_000, 3]);
    assert.deepEqual(await waits({ "retry-after": "0.25" }), [[250, 250], 250, 3]);
    assert.deepEqual(await waits({ "retry-after-ms": "1234", "retry-after": "9" }), [[1_234, 1_234], 1_234, 3]);
    assert.deepEqual(await waits({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }), [[30_000, 30_000], 30_000, 3]);
    assert.deepEqual(await waits({ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }), [[0, 0], 0, 3]);
    assert.deepEqual(await waits({ "retry-after": "soon" }), [[500, 1_000], undefined, 3]);
    assert.deepEqual(await waits({ "retry-after": "-5" }), [[500, 1_000], undefined, 3]);
    assert.deepEqual(await waits({}), [[500, 1_000], undefined, 3]);
    assert.deepEqual(await waits({}, { retries: 6 }), [[500, 1_000, 2_000, 4_000, 8_000, 8_000], undefined, 7]);
    assert.deepEqual(await waits({}, { retries: 0 }), [[], undefined, 1]);
    // An hour is for the host to decide.
    assert.deepEqual(await waits({ "retry-after": "3600" }), [[], 3_600_000, 1]);
    assert.deepEqual(await waits({ "retry-after": "120" }, { maxRetryAfterMs: 200_000 }), [
      [120_000, 120_000],
      120_000,
      3,
    ]);
  });

  test(`${name}: nothing is sent again but what may help`, async () => {
    for (const [status, sent] of [
      [400, 1],
      [401, 1],
      [403, 1],
      [404, 1],
      [408, 1],
      [413, 1],
      [422, 1],
      [429, 3],
      [500, 3],
      [502, 3],
      [503, 3],
      [529, 3],
    ] as const) {
      const { send } = begin(name, refuse({ status, message: "no", code: "other", type: "other" }), RETRIES);
      await failure(send());
      assert.equal(server.seen.length, sent, String(status));
      // The same request each time.
      assert.equal(new Set(server.seen.map(({ text }) => text)).size, 1);
    }
  });

  test(`${name}: a server that knows that it would not help`, async () => {
    await failure(
      begin(name, refuse({ status: 503, message: "no", headers: { "x-should-retry": "false" } }), RETRIES).send(),
    );
    assert.equal(server.seen.length, 1);
  });
}
