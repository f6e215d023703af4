/** The key of a provider: it goes into one header of requests to one host, and into no text. */

import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { ProviderEvent, SendOptions } from "../../../js/providers/index.ts";
import { failWithin, raw, refuse } from "../../server/model.mjs";
import type { Behaviour } from "../../server/model.mjs";
import { beginOn, failure, hurried, KEY, NAMES, noSecret, scripted } from "./support.ts";

const server = await scripted();
const begin = beginOn(server);

/** Every piece of a key that says too much of it. */
const pieces = (key: string) => Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8));

for (const name of NAMES) {
  test(`${name}: sent elsewhere`, async () => {
    const { send } = begin(name, raw("", { status: 307, headers: { location: `${server.url}/v2/chat/completions` } }));
    const { code, message } = await failure(send());
    assert.equal(code, "bad_response");
    assert.match(message, /baseUrl must name the place itself/);
    assert.equal(server.seen.length, 1, "the key went nowhere else");
  });

  test(`${name}: a redirect takes the key to no other host`, async () => {
    const other: IncomingMessage[] = [];
    const elsewhere = createHttpServer((request, response) => {
      other.push(request);
      response.end("{}");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1`;
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        for (const stream of [false, true]) {
          const { code, message } = await failure(
            begin(name, raw("", { status, headers: { location } }), { retries: 1, clock: hurried() }).send({ stream }),
          );
          assert.deepEqual([code, server.seen.length], ["bad_response", 1], message);
        }
      }
      assert.deepEqual(
        other.map(({ headers }) => headers),
        [],
      );
    } finally {
      elsewhere.close();
    }
  });

  test(`${name}: a key at any place of what is quoted is hidden before the cut`, async () => {
    const check = async (behaviour: Behaviour, how: SendOptions = {}) => {
      const events: ProviderEvent[] = [];
      const error = await failure(
        begin(name, behaviour, { retries: 1, clock: hurried(), onEvent: (event) => events.push(event) }).send(how),
      );
      for (const piece of pieces(KEY)) {
        assert.ok(
          ![error.message, JSON.stringify(error.details), JSON.stringify(events), error.stack].some((text) =>
            text?.includes(piece),
          ),
          `${piece} in ${error.message}`,
        );
      }
      return error;
    };
    for (let at = 500 - KEY.length - 2; at <= 502; at += 4) {
      const message = `${"y".repeat(at)}${KEY} and more ${"z".repeat(300)}`;
      await check(refuse({ status: 400, message }));
      await check(refuse({ status: 503, message }));
      await check(failWithin({ status: 500, message }, undefined), { stream: true });
    }
    for (let at = 200 - KEY.length - 2; at <= 202; at += 4) {
      const text = `${"y".repeat(at)}${KEY} and more`;
      await check(raw(text));
      await check(raw(`data: ${text}\n\n`, { type: "text/event-stream" }), { stream: true });
      await check(raw(`data: ${JSON.stringify(text)}\n\n`, { type: "text/event-stream" }), { stream: true });
      await check(raw(`<html><title>${text}</title></html>`, { type: "text/html" }));
    }
    const { message } = await check(refuse({ status: 400, message: "y".repeat(600) }));
    assert.ok(message.endsWith(`${"y".repeat(500)} …`), "what has no secret in it is cut as before");
  });

  test(`${name}: a cause that holds the key anywhere is not passed on`, async () => {
    const holders: ((error: Error) => Error)[] = [
      (error) => Object.assign(error, { config: { headers: { authorization: `Bearer ${KEY}` } } }),
      (error) => Object.assign(error, { request: new Headers({ "x-api-key": KEY }) }),
      (error) => Object.assign(error, { sent: new Map([[KEY, 1]]) }),
      (error) => new AggregateError([error, new Error(`sent ${KEY}`)]),
      (error) =>
        Array.from({ length: 12 }).reduce<Error>(
          (cause) => new Error("outer", { cause }),
          new Error(KEY, { cause: error }),
        ),
      (error) =>
        Object.defineProperty(error, "held", {
          get: () => {
            throw new Error("no");
          },
        }),
    ];
    for (const hold of holders) {
      const { code, cause } = await failure(
        begin(name, "good", { fetch: () => Promise.reject(hold(new Error("broken"))) }).send(),
      );
      assert.deepEqual([code, cause], ["network", undefined]);
    }
    const plain = new Error("broken");
    assert.equal((await failure(begin(name, "good", { fetch: () => Promise.reject(plain) }).send())).cause, plain);
  });

  test(`${name}: the key goes into a header and nowhere else`, async () => {
    const { provider, send } = begin(name, "good");
    const { raw: _, ...rest } = await send();
    noSecret(rest);
    noSecret(provider);
    const [{ url, headers, text } = assert.fail()] = server.seen;
    assert.ok(!url.includes(KEY) && !text.includes(KEY));
    assert.equal(Object.values(headers).filter((value) => String(value).includes(KEY)).length, 1);
    // A key that changes is asked for each time, and one that cannot be had is an error of its own.
    let number = 0;
    const { send: fresh } = begin(name, "good", { apiKey: async () => ` ${KEY}${++number}\n` });
    await fresh();
    await fresh();
    assert.deepEqual(
      server.seen.map(({ headers }) =>
        Object.values(headers).some((value) => String(value).endsWith(`${KEY}1`)) ? 1 : 2,
      ),
      [1, 2],
    );
    const { code } = await failure(begin(name, "good", { apiKey: () => Promise.reject(new Error("locked")) }).send());
    assert.equal(code, "auth");
    const never = new AbortController();
    const hangs = () => {
      setImmediate(() => never.abort());
      return new Promise<string>(() => undefined);
    };
    assert.equal(
      (await failure(begin(name, "good", { apiKey: hangs }).send({ signal: never.signal }))).code,
      "aborted",
    );
    for (const apiKey of [`${KEY}\nX: y`, "schlüssel-0123456789", `${KEY} ${KEY}`]) {
      const error = await failure(begin(name, "good", { apiKey }).send());
      assert.deepEqual([error.code, error.path], ["bad_option", "options.apiKey"]);
      assert.ok(!error.message.includes(apiKey.slice(0, 8)));
    }
  });
}

test("values of headers and query parameters that are secret by their name are hidden", async () => {
  const secret = "S3CRETVALUE99";
  const names = [
    "sig",
    "code",
    "X-Amz-Credential",
    "X-Amz-Signature",
    "access_token",
    "pwd",
    "sas",
    "session",
    "api-key",
  ];
  for (const name of names) {
    const message = `no access to /v1?${name}=${secret}`;
    const { send } = begin("openai-chat", refuse({ status: 400, message }), {
      baseUrl: `${server.url}/v1?${name}=${secret}`,
      headers: { [`x-${name}`]: secret },
    });
    const { message: said, details } = await failure(send());
    assert.match(said, /\[hidden\]/, name);
    assert.ok(!JSON.stringify([said, details]).includes(secret), name);
  }
});
