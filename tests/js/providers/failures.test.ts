/**
 * What goes wrong on the way: hangs, cuts, rubbish, calling off. Every way ends in a typed error, and no connection is
 * left.
 */

import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { EspalierError, openai } from "../../../js/providers/index.ts";
import type { HttpOptions, SendOptions } from "../../../js/providers/index.ts";
import { answer, hang, raw, refuse, WIRES } from "../../server/model.mjs";
import { asks, beginOn, failure, firing, hurried, KEY, make, NAMES, noSecret, scripted, until } from "./support.ts";

const server = await scripted();
const begin = beginOn(server);
const RETRIES = { retries: 2, clock: hurried() };

/** The server has the request: what it does from then on is decided. */
const arrived = () => server.seen.length > 0;

/** No connection is held by a request that is over. (Idle ones that can be used again are the pool's.) */
const freed = () => until(() => server.seen.every(({ closed }) => closed), "a connection was left open");

for (const name of NAMES) {
  test(`${name}: a server that says nothing`, async () => {
    for (const stream of [false, true]) {
      const { code, details } = await failure(
        begin(name, hang(), { clock: firing(60, arrived) }).send({ stream, timeoutMs: 60 }),
      );
      assert.deepEqual([code, details.kind, details.attempts], ["timeout", "total", 1]);
      await freed();
    }
  });

  test(`${name}: a stream that falls silent`, async () => {
    for (const hangAfter of [0, 1, 200, 400]) {
      const { code, details } = await failure(
        begin(name, answer({ text: "some words. ".repeat(20) }, { hangAfter }), { clock: firing(60, arrived) }).send({
          stream: true,
          idleTimeoutMs: 60,
        }),
      );
      assert.deepEqual([code, details.kind], ["timeout", "idle"]);
      assert.equal(details.requestId, "req-scripted");
      await freed();
    }
  });

  test(`${name}: a body that falls silent`, async () => {
    const { code } = await failure(
      begin(name, answer({ text: "words" }, { hangAfter: 20 }), { clock: firing(80, arrived) }).send({
        stream: false,
        timeoutMs: 80,
      }),
    );
    assert.equal(code, "timeout");
    await freed();
  });

  test(`${name}: a trickle that never ends is ended by the limit of the whole`, async () => {
    const { send } = begin(name, answer({ text: "x".repeat(4_000) }, { delay: 1, chunks: [8] }), {
      clock: firing(120, arrived),
    });
    const { code, details } = await failure(send({ stream: true, idleTimeoutMs: 1_000, timeoutMs: 120 }));
    assert.deepEqual([code, details.kind], ["timeout", "total"]);
    await freed();
  });

  test(`${name}: a stream that is cut, anywhere`, async () => {
    const what = { text: "some words", calls: [{ id: "c", name: "f", input: { a: 1 } }] };
    const length = Buffer.byteLength(WIRES[name].events({ ...what, finish: "tool_calls" }, {}).join(""));
    for (const end of ["quiet", undefined] as const) {
      for (let part = 1; part < 12; part++) {
        const cutAfter = Math.floor((length * part) / 12);
        const { code, details } = await failure(
          begin(name, answer(what, { cutAfter, ...(end && { end }) }), RETRIES).send({
            stream: true,
          }),
        );
        // In the middle of a character, a line or an event: what is left of it is no event, or none that can be read.
        assert.ok(code === "network" || code === "bad_response", `${cutAfter}: ${code}`);
        if (code === "network") assert.equal(details.kind, "cut");
        assert.equal(details.attempts, 1, "what may have been paid for is not asked for again");
      }
    }
  });

  test(`${name}: what had come of a stream is in the error`, async () => {
    const { send } = begin(name, answer({ text: "abcdefghijklmnopqrstuvwxyz ".repeat(40) }, { hangAfter: 1_500 }), {
      clock: firing(60, () => texts.length > 0),
    });
    const texts: string[] = [];
    const { details } = await failure(send({ onText: (text) => texts.push(text), idleTimeoutMs: 60 }));
    assert.ok(texts.length > 0);
    assert.equal(details.partialText, texts.join(""));
  });

  test(`${name}: a body that is cut`, async () => {
    const { send } = begin(
      name,
      answer({ text: "words" }, { cutAfter: 20, headers: { "content-length": "1000" } }),
      RETRIES,
    );
    const { code, details } = await failure(send({ stream: false }));
    assert.deepEqual([code, details.kind, details.attempts], ["network", "cut", 1]);
    const quiet = await failure(
      begin(name, answer({ text: "words" }, { cutAfter: 20, end: "quiet" })).send({ stream: false }),
    );
    assert.equal(quiet.code, "bad_response");
  });

  test(`${name}: answers that make no sense`, async () => {
    for (const [body, type] of [
      ['{"choices": [{"mess', "application/json"],
      ["", "application/json"],
      ["null", "application/json"],
      ["[]", "application/json"],
      ["7", "application/json"],
      ['"text"', "application/json"],
      ["{}", "application/json"],
      ['{"choices":[],"content":7,"output":{},"candidates":[]}', "application/json"],
      ['{"choices":[null],"candidates":[7]}', "application/json"],
      ["<html><title>Log in</title></html>", "text/html"],
      ["plain", "text/plain"],
    ] as const) {
      for (const stream of [false, true]) {
        const { code } = await failure(begin(name, raw(body, { type }), RETRIES).send({ stream }));
        assert.equal(code, "bad_response", `${JSON.stringify(body)} ${stream}`);
        assert.equal(server.seen.length, 1);
      }
    }
  });

  test(`${name}: streams that make no sense`, async () => {
    for (const body of [
      "data: {\n\n",
      "data: nothing\n\n",
      "data: 7\n\n",
      "data: null\n\n",
      "data: []\n\n",
      ": only comments\n\n",
      "\n\n\n",
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
      'data: {"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"a"}}\n\n',
      'data: {"type":"message_start","message":7}\n\n',
      'data: {"type":"message_start","message":{}}\n\ndata: {"type":"content_block_start","index":1e9,"content_block":{"type":"text"}}\n\n',
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":99999999,"id":"a"}]}}]}\n\n',
      'data: {"type":"response.output_item.done","output_index":-1,"item":{}}\n\n',
      'data: {"type":"response.completed","response":null}\n\n',
      'data: {"type":"response.completed"}\n\n',
      'data: {"choices":[{"delta":{"content":{"a":1}}}]}\n\n',
    ]) {
      const { code } = await failure(begin(name, raw(body, { type: "text/event-stream" })).send({ stream: true }));
      // One that goes on in another provider's words, and ends, was cut.
      assert.ok(code === "bad_response" || code === "network", `${JSON.stringify(body)}: ${code}`);
      await freed();
    }
  });

  test(`${name}: calling off, at every moment`, async () => {
    const reason = new Error("enough");
    const check = async (work: (signal: AbortSignal) => Promise<unknown>, when: (abort: () => void) => unknown) => {
      const controller = new AbortController();
      const done = failure(work(controller.signal));
      await when(() => controller.abort(reason));
      const error = await done;
      assert.deepEqual([error.code, error.cause], ["aborted", reason]);
      await freed();
    };
    // Before anything.
    const { send: early } = begin(name, "good");
    await check(
      (signal) => early({ signal }),
      (abort) => abort(),
    );
    const already = await failure(early({ signal: AbortSignal.abort(reason) }));
    assert.deepEqual([already.code, already.details.attempts], ["aborted", 0]);
    for (const stream of [false, true]) {
      // While the server thinks.
      const { send } = begin(name, hang());
      await check(
        (signal) => send({ signal, stream }),
        async (abort) => {
          await until(() => server.seen.length > 0, "nothing was sent");
          abort();
        },
      );
      // Within the answer.
      const { send: within } = begin(name, answer({ text: "words ".repeat(100) }, { hangAfter: 300 }));
      await check(
        (signal) => within({ signal, stream }),
        async (abort) => {
          await until(() => server.seen.length > 0, "nothing was sent");
          await new Promise((resolve) => setTimeout(resolve, 30));
          abort();
        },
      );
      // While it waits to try again.
      const { send: waiting } = begin(
        name,
        refuse({ status: 503, message: "later", headers: { "retry-after": "50" } }),
        { retries: 2 },
      );
      await check(
        (signal) => waiting({ signal, stream }),
        async (abort) => {
          await until(() => server.seen.length > 0, "nothing was sent");
          await new Promise((resolve) => setTimeout(resolve, 30));
          abort();
        },
      );
      assert.equal(server.seen.length, 1);
    }
    // From within a callback.
    const controller = new AbortController();
    const { send: calling } = begin(name, answer({ text: "words ".repeat(100) }, { delay: 1 }));
    const error = await failure(calling({ signal: controller.signal, onText: () => controller.abort(reason) }));
    assert.equal(error.code, "aborted");
    await freed();
  });

  test(`${name}: a reader that stops frees the connection`, async () => {
    const { provider } = begin(name, answer({ text: "words ".repeat(50) }, { hangAfter: 1_500 }));
    for await (const part of provider.stream(asks(provider))) if (part.type === "text") break;
    await freed();
    // A callback that throws stops it, too, and its error is the host's own.
    const mine = new Error("mine");
    const { send } = begin(name, answer({ text: "words ".repeat(50) }, { hangAfter: 1_500 }));
    await assert.rejects(
      send({
        onText: () => {
          throw mine;
        },
      }),
      (error) => error === mine,
    );
    await freed();
    // A stream that nobody reads is never asked for.
    server.clear();
    const unread = provider.stream(asks(provider));
    await unread.return();
    assert.equal(server.seen.length, 0);
  });

  test(`${name}: a server that does not end its stream after the last event`, async () => {
    const text = WIRES[name].events({ text: "All.", calls: [], finish: "stop" }, {}).join("");
    const length = Buffer.byteLength(text);
    server.clear();
    // Gemini has no last event: its streams end with the connection's.
    if (name === "gemini") return;
    // Neither limit fires: the last event alone ends it.
    const { send } = begin(name, raw(text, { type: "text/event-stream", hangAfter: length }), { clock: hurried() });
    assert.equal((await send({ stream: true })).text, "All.");
    await freed();
  });
}

test("nobody there", async () => {
  // A port that was free a moment ago.
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  for (const name of NAMES) {
    const provider = make(name, { ...server, url: `http://127.0.0.1:${port}` }, { clock: hurried() });
    const error = await failure(provider.send(asks(provider)));
    assert.deepEqual([error.code, error.details.kind, error.details.attempts], ["network", "unreachable", 3]);
    assert.match(error.message, /ECONNREFUSED/);
  }
  const nowhere = make("openai-chat", { ...server, url: "http://no-such-host.invalid" }, { retries: 0 });
  assert.equal((await failure(nowhere.send(asks(nowhere)))).code, "network");
});

test("a server that speaks no HTTP", async () => {
  const odd = createServer((socket) =>
    socket.on("error", () => undefined).end("220 smtp.example.com ESMTP\r\n"),
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => odd.once("listening", resolve));
  const provider = make(
    "openai-chat",
    { ...server, url: `http://127.0.0.1:${(odd.address() as AddressInfo).port}` },
    { retries: 0 },
  );
  assert.equal((await failure(provider.send(asks(provider)))).code, "network");
  odd.close();
});

test("options that make no sense", () => {
  const table: [unknown, string][] = [
    [undefined, "options"],
    [{}, "options.model"],
    [{ model: 7 }, "options.model"],
    [{ model: "m", apiKey: 7 }, "options.apiKey"],
    [{ model: "m", baseUrl: "localhost" }, "options.baseUrl"],
    [{ model: "m", baseUrl: "ftp://a" }, "options.baseUrl"],
    [{ model: "m", baseUrl: `http://user:${KEY}@a` }, "options.baseUrl"],
    [{ model: "m", maxTokens: 0 }, "options.maxTokens"],
    [{ model: "m", maxTokens: 1.5 }, "options.maxTokens"],
    [{ model: "m", fetch: 7 }, "options.fetch"],
    [{ model: "m", headers: { "a b": "c" } }, "options.headers"],
  ];
  for (const [options, path] of table) {
    assert.throws(
      () => openai(options as HttpOptions),
      (error) => {
        noSecret(error);
        return error instanceof EspalierError && error.code === "bad_option" && error.path === path;
      },
      path,
    );
  }
});

test("numbers and requests that make no sense", async () => {
  const provider = make("openai-chat", server);
  for (const options of [
    { timeoutMs: -1 },
    { timeoutMs: NaN },
    { idleTimeoutMs: Infinity },
    { retries: "2" as unknown as number },
  ]) {
    const { code, path } = await failure(provider.send(asks(provider), options));
    assert.deepEqual([code, path], ["bad_option", `options.${Object.keys(options)[0]}`]);
  }
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  assert.equal((await failure(provider.send(cyclic))).code, "bad_input");
  assert.equal((await failure(provider.send({ big: 7n }))).code, "bad_input");
  for (const request of [null, undefined, 7, "text", []])
    await assert.rejects(
      provider.send(request as never),
      (error) => error instanceof EspalierError && error.code === "bad_input",
    );
});

test("a fetch of the host's that misbehaves", async () => {
  const base = { model: "m", baseUrl: "http://a/v1", apiKey: KEY, retries: 0, timeoutMs: 60 };
  const never = firing(0, () => false);
  const send = (fetch: unknown, how: SendOptions = {}, clock = never) =>
    failure(openai({ ...base, clock, fetch: fetch as typeof globalThis.fetch }).send({ messages: [] }, how));
  const check = async (code: string, ...given: Parameters<typeof send>) =>
    assert.equal((await send(...given)).code, code);
  // It ignores its signal.
  const ignoring = () => new Promise(() => undefined);
  const atLimit = firing(60, () => true);
  await check("timeout", ignoring, {}, atLimit);
  await check("network", () => {
    throw new TypeError(`bad header ${KEY}`);
  });
  const leaky = await send(() => Promise.reject(new TypeError("fetch failed", { cause: new Error(`Bearer ${KEY}`) })));
  assert.deepEqual([leaky.code, leaky.cause], ["network", undefined]);
  // Node's own limits are no broken connection: what was sent may be under way.
  const undici = (code: string) =>
    new TypeError("fetch failed", { cause: Object.assign(new Error("Headers Timeout Error"), { code }) });
  const failing = (error: Error) => async () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(error) }));
  await check("timeout", () => Promise.reject(undici("UND_ERR_HEADERS_TIMEOUT")));
  await check("network", () => Promise.reject(undici("UND_ERR_CONNECT_TIMEOUT")));
  await check("timeout", failing(undici("UND_ERR_BODY_TIMEOUT")));
  await check("network", failing(new Error("gone")));
  await check("bad_response", async () => new Response(null));
  const silent = async () => new Response(new ReadableStream({ start() {} }));
  const atOnce = firing(50, () => true);
  await check("timeout", silent, { stream: true, timeoutMs: 50 }, atOnce);
});

test("connections are used again, and none is left behind", async () => {
  const { sockets } = server;
  for (let round = 0; round < 15; round++) {
    for (const name of NAMES) {
      await begin(name, answer({ text: "a" })).send({ stream: round % 2 === 0 });
      await failure(
        begin(name, answer({ text: "words" }, { hangAfter: 30 })).send({ stream: true, idleTimeoutMs: 10 }),
      );
    }
  }
  await until(() => server.sockets <= sockets + 12, `${server.sockets} sockets, ${sockets} before`);
});

test("listeners on the host's signal are taken off", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = ((...args: Parameters<typeof add>) => (listeners++, add(...args))) as typeof add;
  signal.removeEventListener = ((...args: Parameters<typeof remove>) => (
    listeners--, remove(...args)
  )) as typeof remove;
  for (const name of NAMES) {
    await begin(name, "good").send({ signal });
    await begin(name, "good", { apiKey: () => KEY }).send({ signal, stream: true });
    await failure(begin(name, "500", { retries: 1, clock: hurried() }).send({ signal }));
  }
  assert.equal(listeners, 0);
});
