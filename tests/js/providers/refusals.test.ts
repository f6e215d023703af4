/** Refusals: every wording known, in the shape it comes in, means what it means, streamed or not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { classify } from "../../../js/providers/index.ts";
import type { RefusalRule } from "../../../js/providers/index.ts";
import { failWithin, raw, refuse } from "../../server/model.mjs";
import { REFUSED, REFUSED_WITHIN } from "../../server/refusals.mjs";
import { asks, failure, hurried, KEY, make, NAMES, scripted } from "./support.ts";
import { runs } from "../runs.ts";

const server = await scripted();

for (const {
  from,
  wire,
  status,
  type,
  headers,
  body,
  means: [code, details],
  final,
} of REFUSED) {
  test(`${code}: ${from}`, async () => {
    for (const stream of [false, true]) {
      server.clear();
      const provider = make(wire, server, { clock: hurried(), maxRetryAfterMs: 100_000 });
      server.script(
        raw(typeof body === "string" ? body : JSON.stringify(body), {
          status,
          type: type ?? "application/json",
          ...(headers && { headers }),
        }),
      );
      const error = await failure(provider.send(asks(provider), { stream }));
      assert.equal(error.code, code, error.message);
      for (const [name, value] of Object.entries(details))
        assert.equal(error.details[name as "used"], value, `${name} of ${JSON.stringify(error.details)}`);
      // Without numbers in the wording there are none in the error.
      if (code === "context_length" && !("used" in details)) assert.equal(error.details.used, undefined);
      if (status !== 200) assert.equal(error.details.status, status);
      assert.equal(error.details.provider, wire.startsWith("openai") ? "openai" : wire);
      assert.equal(error.details.model, "test");
      assert.equal(error.details.requestId, "req-scripted");
      const again = (code === "overloaded" || code === "rate_limited") && !final;
      assert.deepEqual([error.details.attempts, server.seen.length], again ? [3, 3] : [1, 1]);
    }
  });
}

for (const { wire, error: given, means } of REFUSED_WITHIN) {
  test(`within a stream of ${wire}: ${given.message}`, async () => {
    const provider = make(wire, server, { clock: hurried() });
    server.clear();
    server.script(failWithin(given));
    const early = await failure(provider.send(asks(provider), { stream: true }));
    const again = means === "overloaded" || means === "rate_limited";
    assert.deepEqual([early.code, early.details.attempts], [means, again ? 3 : 1]);
    // Once anything of an answer has come it is not asked for again: it may have been paid for, and the host has seen
    // it.
    server.clear();
    server.script(failWithin(given, { reasoning: "Hm.", text: "Well, I think" }));
    const parts: string[] = [];
    const late = await failure(provider.send(asks(provider), { onPart: ({ type }) => parts.push(type) }));
    assert.deepEqual(
      [late.code, server.seen.length, late.details.attempts],
      [means, parts.length > 0 ? 1 : again ? 3 : 1, server.seen.length],
    );
  });
}

test("rules of the host come first, with named groups", async () => {
  const refusals: RefusalRule[] = [
    { code: "context_length", kind: "house", pattern: /house rule: (?<used>\d+) of (?<limit>[\d,]+)/g },
  ];
  for (const name of NAMES) {
    const provider = make(name, server, { refusals });
    server.clear();
    server.script(refuse({ status: 429, message: "House rule: 7 of 5", code: "rate_limit_exceeded" }));
    assert.equal((await failure(make(name, server, { clock: hurried() }).send(asks(provider)))).code, "rate_limited");
    server.clear();
    server.script(refuse({ status: 429, message: "house rule: 12345 of 10,000", code: "rate_limit_exceeded" }));
    // Twice, since a global pattern remembers where it was.
    for (let time = 0; time < 2; time++) {
      const { code, details } = await failure(provider.send(asks(provider)));
      assert.deepEqual(
        [code, details.kind, details.used, details.limit, details.attempts],
        ["context_length", "house", 12345, 10000, 1],
      );
    }
  }
});

test("a rule that demands nothing matches nothing", () => {
  assert.equal(classify({ status: 418, text: "tea" }, [{ code: "auth" }]).code, "bad_request");
});

test("providers that put the key into their refusal do not get it into an error", async () => {
  for (const name of NAMES) {
    for (const stream of [false, true]) {
      server.clear();
      const provider = make(name, server, {
        clock: hurried(),
        onEvent: (event) => assert.ok(!JSON.stringify(event).includes(KEY)),
        headers: { "x-secret-thing": "hunter2hunter2" },
      });
      server.script(
        refuse({
          status: 401,
          message: `Incorrect API key provided: ${KEY}; Bearer ${KEY} (${encodeURIComponent(KEY)}) hunter2hunter2`,
          code: KEY,
          type: KEY,
        }),
      );
      const error = await failure(provider.send(asks(provider), { stream }));
      assert.match(error.message, /Incorrect API key provided: \[hidden\]/);
      assert.doesNotMatch(error.message, /hunter2/);
      server.script(raw(`<html>${KEY}`, { status: 500, type: "text/html" }));
      await failure(provider.send(asks(provider), { stream }));
      server.script(raw(`{"oops": "${KEY}`, { status: 200 }));
      await failure(provider.send(asks(provider), { stream }));
      server.script(raw(`data: {"oops": "${KEY}\n\n`, { status: 200, type: "text/event-stream" }));
      await failure(provider.send(asks(provider), { stream }));
    }
  }
});

test("property: no text makes classifying throw, or takes long", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "maximum context length is 99999999999999999999 tokens",
      "prompt is too long: . tokens > , maximum",
      "request too large for ".repeat(2_000),
      "1".repeat(100_000),
      "tokens per ".repeat(10_000),
    ),
  );
  fc.assert(
    fc.property(text, fc.option(fc.integer({ min: 100, max: 599 })), (text, status) => {
      const { used, limit } = classify({ text, ...(status !== null && { status }) });
      for (const number of [used, limit]) assert.ok(number === undefined || Number.isSafeInteger(number));
    }),
    { numRuns: runs(300) },
  );
});
