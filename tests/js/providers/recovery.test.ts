/** `request` over the wire: every refusal of size, in its real wording, ends in a smaller request or an error with all attempts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, hang, raw, refuse } from "../../server/model.mjs";
import { REFUSED } from "../../server/refusals.mjs";
import { espalier } from "../built.ts";
import { hurried, make, NAMES, scripted } from "./support.ts";
import type { WireName } from "./support.ts";

const { Recovery, request } = espalier;
const server = await scripted();

/** An agent's rounds of some 30,000 tokens, as OpenAI chat messages. */
const HISTORY = [
  { role: "user", content: "Find out why the build fails." },
  ...Array.from({ length: 60 }, (_, at) => [
    { role: "assistant", content: "", tool_calls: [{ id: `c${at}`, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: `make part${at}` }) } }] },
    { role: "tool", tool_call_id: `c${at}`, content: `part ${at}: error in line ${at}\n`.repeat(60) },
  ]).flat(),
  { role: "user", content: "Go on." },
];

function sending(wire: WireName, options = {}) {
  const provider = make(wire, server, { clock: hurried(), ...options });
  const sizes: number[] = [];
  const send = (messages: unknown, { signal, report }: { signal: AbortSignal | undefined; report: { after: { total: number } } }) => {
    sizes.push(report.after.total);
    return provider.send(provider.toRequest(messages as never, { maxTokens: 100 }), { stream: false, retries: 0, ...(signal && { signal }) });
  };
  return { send, sizes };
}

const reply = ({ status, type, headers, body }: (typeof REFUSED)[number]) => raw(typeof body === "string" ? body : JSON.stringify(body), { status, type: type ?? "application/json", ...(headers && { headers }) });

for (const refusal of REFUSED.filter(({ means: [code] }) => code === "context_length")) {
  test(`a smaller request after: ${refusal.from}`, async () => {
    server.clear();
    server.queue(reply(refusal), answer({ text: "Better." }));
    const { send, sizes } = sending(refusal.wire);
    const recovery = new Recovery();
    const result = await request(HISTORY, { budget: 200_000, model: { name: "test" }, recovery }, send);
    assert.deepEqual([(result.reply as { text: string }).text, result.attempts.length, sizes.length], ["Better.", 1, 2]);
    assert.ok(sizes[1]! <= 0.95 * sizes[0]!, `${sizes}`);
    // Nothing that was cut stays cut, but a limit that was named is kept.
    assert.equal(HISTORY.length, 122);
  });
}

for (const wire of NAMES) {
  test(`${wire}: three retries, each smaller, then the error with all attempts`, async () => {
    server.clear();
    server.script(refuse({ status: 413, message: "Request too large.", type: "request_too_large" }));
    const { send, sizes } = sending(wire);
    await assert.rejects(request(HISTORY, { budget: 200_000, model: { name: "test" } }, send), (error: any) => {
      assert.equal(error.details.attempts.length, 4);
      return true;
    });
    for (let at = 1; at < sizes.length; at++) assert.ok(sizes[at]! <= 0.95 * sizes[at - 1]!);
    assert.equal(sizes.length, 4);
  });

  test(`${wire}: rate limits never shrink, and an abort ends it`, async () => {
    server.clear();
    server.script(refuse({ status: 429, message: "Slow down.", type: "rate_limit_error" }));
    const { send, sizes } = sending(wire);
    await assert.rejects(request(HISTORY, { budget: 200_000, model: { name: "test" } }, send), { code: "rate_limited" });
    assert.equal(sizes.length, 1);
    server.clear();
    server.script(hang());
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    await assert.rejects(request(HISTORY, { budget: 200_000, model: { name: "test" }, signal: stop.signal }, sending(wire).send));
  });
}
