/** The model behind an address, asked by the playground's own code: answers, and errors in a person's words. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { register } from "tsx/esm/api";
import { answer, failWithin, hang, modelServer, raw, refuse } from "../server/model.mjs";

register();
await import("../js/built.ts");
const { askOf, tryOut } = await import("../../www/run/endpoint.ts");
const { ScriptedClock } = await import("../../www/run/clock.ts");
const { KINDS } = await import("../../www/run/kinds.ts");

const PATHS = { openai: "/v1", anthropic: "/v1", gemini: "/v1beta", ollama: "/v1" };
const REQUEST = {
  format: "espalier",
  messages: [
    { id: "a", role: "system", parts: [{ type: "text", text: "Summarise." }] },
    { id: "b", role: "user", parts: [{ type: "text", text: "What was said?" }] },
  ],
  params: { maxTokens: 500 },
};

let server;
before(async () => (server = await modelServer({ key: "right" })));
after(() => server?.close());
beforeEach(() => server.clear());

const endpoint = (fields = {}) => {
  const { kind = "openai" } = fields;
  return { kind, address: `${server.url}${PATHS[kind]}`, model: "m", key: "right", patience: 2, ...fields };
};
const never = new AbortController().signal;

for (const kind of Object.keys(KINDS)) {
  test(`${kind}: the answer comes piece by piece, and the request holds the conversation`, async () => {
    server.queue(answer({ text: "one two three", usage: { input: 5, output: 3 } }, { chunks: [40], delay: 1 }));
    const pieces = [];
    const { text, finishReason } = await askOf(endpoint({ kind }))(REQUEST, never, (piece) => pieces.push(piece));
    assert.deepEqual([text, finishReason, pieces.join("")], ["one two three", "stop", "one two three"]);
    assert.match(server.seen[0].text, /Summarise\.[\s\S]*What was said\?|What was said\?[\s\S]*Summarise\./);
    assert.equal(await tryOut(endpoint({ kind }), never).then((said) => said.length > 0), true);
  });

  test(`${kind}: a wrong key`, async () => {
    const error = await asked({ kind, key: "wrong" });
    assert.match(error.said.what, /^127\.0\.0\.1:\d+ refused the key\.$/);
    assert.ok(error.isLasting && !JSON.stringify(error.said).includes("wrong"), JSON.stringify(error.said));
  });

  test(`${kind}: an address that hangs, and a model that stops in the middle`, async () => {
    server.queue(hang());
    assert.match((await asked({ kind, patience: 0.1 })).said.what, /did not answer within 0\.1 s/);
    server.queue(answer({ text: "one two three" }, { hangAfter: 60 }));
    const error = await asked({ kind, patience: 0.3 });
    assert.match(error.said.what, /stopped in the middle: 0\.3 s without a word|did not answer within 0\.3 s/);
    assert.equal(error.isLasting, false);
  });
}

test("a slow model may take longer than the patience, as long as it is not silent for that long", async () => {
  const clock = new ScriptedClock();
  let next;
  server.queue(async ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let count = 0; count < 5; count += 1) {
      const go = new Promise((resolve) => (next = resolve));
      response.write('data: {"choices":[{"delta":{"content":"word "}}]}\n\n');
      await go;
    }
    response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  });
  // Nine tenths of the patience pass before each word.
  const write = () => {
    const until = clock.now() + 900;
    while (clock.hasTimer(until)) clock.fire(until);
    clock.pass(until);
    setImmediate(() => next());
  };
  const { text } = await askOf(endpoint({ patience: 1 }), clock.after)(REQUEST, never, write);
  assert.equal(text, "word word word word word ");
  assert.equal(clock.now(), 4_500);
});

test("a web page is no LLM, and the address says how it should end", async () => {
  server.script(raw("<!doctype html><title>Shop</title>", { type: "text/html" }));
  const error = await asked({ address: `${server.url}/v1` });
  assert.match(error.said.what, /answers, but not as an LLM does \(OpenAI-compatible\)/);
  assert.equal(error.said.hint, "Is the kind of the provider right?");
  assert.match(error.said.detail, /Shop/);
  server.script(raw("Not Found", { status: 404, type: "text/plain" }));
  const other = await asked({ address: server.url });
  assert.match(other.said.what, /There is no LLM at http:\/\/127\.0\.0\.1:\d+ \(it answered 404\)/);
  assert.match(other.said.hint, /end in \/v1, as in https:\/\/api\.openai\.com\/v1/);
});

test("JSON of something else is no LLM", async () => {
  server.script(raw('{"hello":"world"}'));
  assert.match((await asked()).said.what, /not as an LLM does/);
});

const REFUSALS = [
  [{ status: 404, message: "The model `m` does not exist.", code: "model_not_found" }, /has no model m\./],
  [
    { status: 429, message: "You exceeded your current quota, please check your plan.", code: "insufficient_quota" },
    /nothing left to spend/,
  ],
  [{ status: 500, message: "Broken.", headers: { "retry-after-ms": "1" } }, /overloaded or broken \(it answered 500\)/],
  [
    {
      message: "This model's maximum context length is 100 tokens. However, your messages resulted in 2000 tokens.",
      code: "context_length_exceeded",
    },
    /too long for m: 2000 of 100 tokens/,
  ],
];
for (const [refusal, expected] of REFUSALS) {
  test(`a refusal in words: ${refusal.message}`, async () => {
    server.script(refuse(refusal));
    const { said } = await asked();
    assert.match(said.what, expected);
    assert.ok(said.detail.includes(refusal.message.slice(0, 20)), said.detail);
  });
}

test("an error within a stream", async () => {
  server.script(failWithin({ status: 529, message: "Overloaded", type: "overloaded_error" }));
  assert.match((await asked({ kind: "anthropic" })).said.what, /overloaded/);
});

test("an address where nothing listens", async () => {
  const closed = createServer();
  await new Promise((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address();
  await new Promise((resolve) => closed.close(resolve));
  const { said, isLasting } = await asked({ kind: "ollama", address: `http://127.0.0.1:${port}/v1` });
  assert.equal(said.what, `Nothing answers at 127.0.0.1:${port}.`);
  assert.match(said.hint, /Is Ollama running\?/);
  assert.ok(isLasting);
});

for (const [fields, expected] of [
  [{ address: "localhost" }, /This is no address/],
  [{ address: "ftp://x" }, /This is no address/],
  [{ model: " " }, /name of the model is missing/],
  [{ key: "two words" }, /characters that no key has/],
]) {
  test(`${JSON.stringify(fields)} is refused before anything is sent`, async () => {
    assert.match((await asked(fields)).said.what, expected);
    assert.equal(server.seen.length, 0);
  });
}

test("aborting closes the connection", async () => {
  server.queue(hang());
  const controller = new AbortController();
  const asking = asked({ patience: 60 }, controller.signal);
  while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  const { said } = await asking;
  assert.equal(said.what, "Stopped.");
  while (!server.seen[0].closed) await new Promise((resolve) => setTimeout(resolve, 5));
});

async function asked(fields = {}, signal = never) {
  try {
    await askOf(endpoint(fields))(REQUEST, signal, () => undefined);
  } catch (error) {
    assert.ok(error.said, String(error.stack));
    return error;
  }
  assert.fail("there was an answer");
}
