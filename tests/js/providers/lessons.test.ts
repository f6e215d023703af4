/** Servers that do not take a field: the request is sent without it, now and from then on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderEvent } from "../../../js/providers/index.ts";
import { answer, refuse } from "../../server/model.mjs";
import type { Behaviour } from "../../server/model.mjs";
import { failure, make, scripted } from "./support.ts";
import type { WireName } from "./support.ts";

const server = await scripted();

/** Refuses requests that have a field, in these words. */
const without =
  (field: string, message: string): Behaviour =>
  (exchange) =>
    (field in exchange.body ? refuse({ message }) : answer({ text: "ok" }))(exchange);

async function check(name: WireName, field: string, message: string, wanted: Record<string, unknown>): Promise<void> {
  for (const stream of [false, true]) {
    server.clear();
    server.script(without(field, message));
    const events: ProviderEvent[] = [];
    const provider = make(name, server, { onEvent: (event) => events.push(event) });
    const request = provider.toRequest([{ role: "user", content: "a" }], { maxTokens: 9, temperature: 0 });
    const before = JSON.stringify(request);
    // Only what streams have is refused in them.
    if (field === "stream_options" && !stream) continue;
    assert.equal((await provider.send(request, { stream })).text, "ok");
    assert.equal((await provider.send(request, { stream })).text, "ok");
    assert.deepEqual(
      server.seen.map(({ body }) => field in body),
      [true, false, false],
      "a lesson is learnt once",
    );
    for (const [name, value] of Object.entries(wanted)) assert.deepEqual(server.seen[2]!.body[name], value, name);
    assert.deepEqual(
      events.map((event) => event.type === "warning" && event.code),
      ["adapted"],
    );
    assert.equal(JSON.stringify(request), before);
  }
}

test("OpenAI's newer models", () =>
  check(
    "openai-chat",
    "max_tokens",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { max_completion_tokens: 9, temperature: 0 },
  ));
test("models that take no temperature", async () => {
  await check(
    "openai-chat",
    "temperature",
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    { max_tokens: 9 },
  );
  await check(
    "openai-responses",
    "temperature",
    "Unsupported parameter: 'temperature' is not supported with this model.",
    { max_output_tokens: 9 },
  );
  await check("anthropic", "temperature", "`temperature` is deprecated for this model.", { max_tokens: 9 });
});
test("servers that do not know stream options", () =>
  check("openai-chat", "stream_options", "Unrecognized request argument supplied: stream_options", { max_tokens: 9 }));

test("requests that are under way at the same time all learn", async () => {
  server.clear();
  server.script(without("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model."));
  const provider = make("openai-chat", server);
  const request = provider.toRequest([{ role: "user", content: "a" }], { maxTokens: 9 });
  assert.deepEqual(
    (await Promise.all([1, 2, 3].map(() => provider.send(request)))).map(({ text }) => text),
    ["ok", "ok", "ok"],
  );
});

test("several lessons at once, and a refusal that is none", async () => {
  server.clear();
  server.script((exchange) => {
    const field = ["max_tokens", "temperature"].find((name) => name in exchange.body);
    return (
      field
        ? refuse({ message: `Unsupported parameter: '${field}' is not supported with this model.` })
        : answer({ text: "ok" })
    )(exchange);
  });
  const provider = make("openai-chat", server);
  const request = provider.toRequest([{ role: "user", content: "a" }], { maxTokens: 9, temperature: 0 });
  assert.equal((await provider.send(request)).text, "ok");
  assert.equal(server.seen.length, 3);
  // It says so of everything: there is an end to it.
  server.clear();
  server.script(
    refuse({ message: "Unsupported parameter: max_tokens, max_completion_tokens, temperature, stream_options" }),
  );
  const { code, details } = await failure(make("openai-chat", server).send(request, { stream: true }));
  assert.equal(code, "bad_request");
  assert.ok(details.attempts <= 5, String(details.attempts));
  server.clear();
  server.script(refuse({ message: "temperature: must be between 0 and 2" }));
  await failure(make("openai-chat", server).send(request));
  assert.equal(server.seen.length, 1);
});

test("what is sent to OpenAI itself", async () => {
  const bodies: Record<string, unknown>[] = [];
  const { openai } = await import("../../../js/providers/index.ts");
  const provider = openai({
    model: "m",
    apiKey: "k",
    fetch: async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
      return new Response('{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}');
    },
  });
  await provider.send(provider.toRequest([{ role: "user", content: "a" }], { maxTokens: 9 }));
  assert.deepEqual([bodies[0]!["max_completion_tokens"], "max_tokens" in bodies[0]!], [9, false]);
});
