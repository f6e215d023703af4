/**
 * `request` over the wire: every refusal of size, in its real wording, ends in a smaller request or an error with all
 * attempts.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, hang, raw, refuse } from "../../server/model.mjs";
import { REFUSED } from "../../server/refusals.mjs";
import { espalier } from "../built.ts";
import { hurried, make, NAMES, scripted, until } from "./support.ts";
import type { WireName } from "./support.ts";

const { Recovery, request } = espalier;
const server = await scripted();

/** An agent's rounds of some 30,000 tokens, as OpenAI chat messages. */
const HISTORY = [
  { role: "user", content: "Find out why the build fails." },
  ...Array.from({ length: 60 }, (_, at) => [
    {
      role: "assistant",
      content: "",
      tool_calls: [
        {
          id: `c${at}`,
          type: "function",
          function: { name: "bash", arguments: JSON.stringify({ command: `make part${at}` }) },
        },
      ],
    },
    { role: "tool", tool_call_id: `c${at}`, content: `part ${at}: error in line ${at}\n`.repeat(60) },
  ]).flat(),
  { role: "user", content: "Go on." },
];

function sending(wire: WireName, options = {}) {
  const provider = make(wire, server, { clock: hurried(), ...options });
  const sizes: number[] = [];
  const send = (
    messages: unknown,
    { signal, report }: { signal: AbortSignal | undefined; report: { after: { total: number } } },
  ) => {
    sizes.push(report.after.total);
    return provider.send(provider.toRequest(messages as never, { maxTokens: 100 }), {
      stream: false,
      retries: 0,
      ...(signal && { signal }),
    });
  };
  return { send, sizes };
}

const reply = ({ status, type, headers, body }: (typeof REFUSED)[number]) =>
  raw(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    type: type ?? "application/json",
    ...(headers && { headers }),
  });

for (const refusal of REFUSED.filter(({ means: [code] }) => code === "context_length")) {
  test(`a smaller request after: ${refusal.from}`, async () => {
    server.clear();
    server.queue(reply(refusal), answer({ text: "Better.", usage: undefined }));
    const { send, sizes } = sending(refusal.wire);
    const recovery = new Recovery();
    const result = await request(
      HISTORY,
      { budget: 200_000, model: { name: "test" }, recovery, date: "2026-11-21" },
      send,
    );
    assert.deepEqual(
      [(result.reply as { text: string }).text, result.attempts.length, sizes.length],
      ["Better.", 1, 2],
    );
    assert.ok(sizes[1]! <= 0.95 * sizes[0]!, `${sizes}`);
    // Nothing that was cut stays cut, but a limit that was named is kept, until the host clears it.
    assert.equal(HISTORY.length, 122);
    // A limit of input and output together leaves room for the output.
    const { limit, output, total } = refusal.means[1];
    const named = limit === undefined ? undefined : limit - (output ?? Math.max(0, (total ?? 0) - sizes[0]!));
    const { models } = recovery.state as { models: Record<string, { limit?: number; date?: string; buffer: number }> };
    assert.deepEqual(
      [models["test"]!.limit, models["test"]!.date],
      named === undefined ? [undefined, undefined] : [named, "2026-11-21"],
    );
    // Where nothing was named, a twentieth is left free.
    if (named === undefined && refusal.means[1].used === undefined) assert.equal(models["test"]!.buffer, 0.05);
    recovery.clear("test");
    assert.deepEqual(recovery.state, { models: {} });
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
    for (const message of [
      "Slow down.",
      "Rate limit reached on tokens per min (TPM): Limit 30000, Requested 44123.",
      "prompt is too long: 213462 tokens > 200000 maximum",
    ]) {
      server.clear();
      server.script(refuse({ status: 429, message, type: "rate_limit_error", headers: { "retry-after": "7" } }));
      const { send, sizes } = sending(wire);
      const recovery = new Recovery();
      await assert.rejects(
        request(HISTORY, { budget: 200_000, model: { name: "test" }, recovery }, send),
        (error: any) => error.code === "rate_limited" && error.details.retryAfterMs === 7_000,
      );
      assert.deepEqual([sizes.length, recovery.state], [1, { models: {} }]);
    }
    server.clear();
    server.script(hang());
    const stop = new AbortController();
    const work = assert.rejects(
      request(HISTORY, { budget: 200_000, model: { name: "test" }, signal: stop.signal }, sending(wire).send),
    );
    await until(() => server.seen.length > 0, "nothing was sent");
    stop.abort();
    await work;
  });

  test(`${wire}: a body that is too large loses its pictures first, then words`, async () => {
    server.clear();
    server.script(
      refuse({ status: 413, message: "Request Entity Too Large: maximum size is 20 MB.", type: "request_too_large" }),
    );
    const picture = (at: number) => [
      { type: "text", text: `Picture ${at}` },
      { type: "image_url", image_url: { url: `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQA${at}` } },
    ];
    const history = [
      { role: "user", content: picture(1) },
      { role: "assistant", content: "I see." },
      ...HISTORY.slice(0, -1),
      { role: "user", content: picture(2) },
    ];
    const { send } = sending(wire);
    await assert.rejects(
      request(history, { budget: 200_000, model: { name: "test" } }, send),
      (error: any) => error.code === "body_size" && error.details.attempts.length === 4,
    );
    // A request that was called off before may still come in.
    const seen = server.seen.filter(({ text }) => text.includes("Picture 2"));
    const pictures = seen.map(({ text }) => text.split("iVBORw0KGgo").length - 1);
    // Those outside the newest request; that one is the user's own. After that there is nothing to lose but words.
    assert.deepEqual(pictures, [2, 1, 1, 1], `${pictures}`);
    const lengths = seen.map(({ text }) => text.length);
    assert.ok(
      lengths[1]! > 0.95 * lengths[0]! && lengths[2]! < 0.96 * lengths[1]! && lengths[3]! < 0.96 * lengths[2]!,
      `${lengths}`,
    );
  });

  test(`${wire}: the answer is asked to be shorter before the request is`, async () => {
    server.clear();
    server.queue(
      refuse({
        status: 400,
        message:
          "input length and `max_tokens` exceed context limit: 30000 + 8192 > 36000, decrease input length or `max_tokens` and try again",
      }),
      answer({ text: "Better." }),
    );
    const provider = make(wire, server, { clock: hurried() });
    const asked: [size: number, output: number | undefined][] = [];
    const options = {
      model: { name: "test", maxContextWindowTokens: 200_000, outputReserve: 8_192 },
      lowerOutput: true,
    };
    const { attempts } = await request(HISTORY, options, (messages, { report, outputReserve }) => {
      asked.push([report.after.total, outputReserve]);
      return provider.send(provider.toRequest(messages, { maxTokens: outputReserve ?? 8_192 }), { retries: 0 });
    });
    assert.deepEqual(
      [asked.map(([, output]) => output), attempts.map(({ kind }) => kind)],
      [[undefined, 6_000], ["output_reserve"]],
    );
    assert.equal(asked[0]![0], asked[1]![0], "nothing was cut");
    assert.match(server.seen.at(-1)!.text, /:6000\b/);
  });

  test(`${wire}: a host's own wording shrinks the request as well`, async () => {
    server.clear();
    server.queue(
      refuse({ status: 418, message: "Too much tea: 31000 cups of 20,000" }),
      answer({ text: "Better.", usage: undefined }),
    );
    const { send, sizes } = sending(wire, {
      refusals: [{ code: "context_length", pattern: /(?<used>\d+) cups of (?<limit>[\d,]+)/ }],
    });
    const recovery = new Recovery();
    await request(HISTORY, { budget: 200_000, model: { name: "test" }, recovery }, send);
    assert.equal((recovery.state as any).models.test.limit, 20_000);
    assert.ok(sizes[1]! <= 20_000, `${sizes}`);
  });

  test(`${wire}: an answer to less than was sent is noticed, and after a second one requests keep to it`, async () => {
    for (const stream of [false, true]) {
      server.clear();
      server.script(answer({ text: "Hm?", usage: { input: 4_096, output: 2 } }));
      const provider = make(wire, server);
      const recovery = new Recovery();
      const events: string[] = [];
      const ask = () =>
        request(
          HISTORY,
          { budget: 200_000, model: { name: "test" }, recovery, onEvent: ({ type }) => events.push(type) },
          (messages) => provider.send(provider.toRequest(messages, { maxTokens: 9 }), { stream }),
        );
      assert.equal((await ask()).silentOverflow?.kind, "odd");
      events.length = 0;
      server.script(answer({ text: "Hm?", usage: { input: 4_096, output: 2 } }));
      const { silentOverflow } = await ask();
      assert.deepEqual(
        [silentOverflow?.kind, silentOverflow?.reported, events],
        ["truncated", 4_096, ["context_usage", "silent_overflow"]],
      );
      const { report } = await ask();
      assert.ok(report.after.total <= 4_096 && report.limitSource === "learned");
    }
  });
}
