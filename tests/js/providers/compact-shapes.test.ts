/** What providers are sent when a conversation with tools is summarised, and every way in which they can disappoint. */

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../../pkg/dist/providers.js";
import type * as Providers from "../../../js/providers/index.ts";
import type { CompactOptions } from "../../../js/types/compact.ts";
import type { CompactResult, CompactStatus } from "../../../js/types/compact-report.ts";
import { answer, refuse, SUMMARY } from "../../server/model.mjs";
import type { Behaviour } from "../../server/model.mjs";
import { espalier } from "../built.ts";
import { KEY, noSecret, scripted, until } from "./support.ts";

const providers = bundle as typeof Providers;
const server = await scripted({ strict: true, key: KEY });

type Name = "openai" | "openaiResponses" | "anthropic" | "gemini";
const NAMES: Name[] = ["openai", "openaiResponses", "anthropic", "gemini"];
const text = (n: number) => `Rule ${n} of the parser reads one token after the other. `.repeat(40);
const schema = { type: "object", properties: { path: { type: "string" } } };

/** A run of an agent on one request in the words of each provider, and its tools. */
const RUNS: Record<Name, { messages: Record<string, unknown>[]; tools: unknown[] }> = {
  openai: {
    tools: [{ type: "function", function: { name: "read_file", description: "Reads.", parameters: schema } }],
    messages: [
      { role: "system", content: "You are an agent." },
      { role: "user", content: "Fix the parser." },
      ...rounds((n) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: `c${n}`, type: "function", function: { name: "read_file", arguments: `{"path":"src/a${n}.rs"}` } },
          ],
        },
        { role: "tool", tool_call_id: `c${n}`, content: text(n) },
      ]),
    ],
  },
  openaiResponses: {
    tools: [{ type: "function", name: "read_file", description: "Reads.", parameters: schema, strict: false }],
    messages: [
      { type: "message", role: "user", content: "Fix the parser." },
      ...rounds((n) => [
        { type: "function_call", call_id: `c${n}`, name: "read_file", arguments: `{"path":"src/a${n}.rs"}` },
        { type: "function_call_output", call_id: `c${n}`, output: text(n) },
      ]),
    ],
  },
  anthropic: {
    tools: [{ name: "read_file", description: "Reads.", input_schema: schema }],
    messages: [
      { role: "user", content: "Fix the parser." },
      ...rounds((n) => [
        {
          role: "assistant",
          content: [{ type: "tool_use", id: `toolu_${n}`, name: "read_file", input: { path: `src/a${n}.rs` } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: text(n) }] },
      ]),
    ],
  },
  gemini: {
    tools: [{ functionDeclarations: [{ name: "read_file", description: "Reads.", parametersJsonSchema: schema }] }],
    messages: [
      { role: "user", parts: [{ text: "Fix the parser." }] },
      ...rounds((n) => [
        { role: "model", parts: [{ functionCall: { name: "read_file", args: { path: `src/a${n}.rs` } } }] },
        { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: text(n) } } }] },
      ]),
    ],
  },
};

function rounds(round: (n: number) => Record<string, unknown>[]): Record<string, unknown>[] {
  return Array.from({ length: 24 }, (_, n) => round(n)).flat();
}

const BUDGET = 4_000;

/** `late` is the clock of a request that hangs: its limit is reached once the server has the request. */
async function compacted(
  name: Name,
  options: Partial<CompactOptions> = {},
  late?: { tick(ms: number): void },
): Promise<CompactResult<unknown>> {
  const { messages, tools } = RUNS[name];
  const before = JSON.stringify(messages);
  const fast = {
    after: (ms: number, done: () => void) => {
      const timer = setTimeout(done, ms > 10_000 ? ms : ms / 50);
      return () => clearTimeout(timer);
    },
  };
  const { llm } = providers[name]({ model: "test", apiKey: KEY, baseUrl: `${server.url}/v1`, clock: fast });
  const work = espalier.compact(messages, {
    budget: BUDGET,
    maxLlmTokens: 100_000,
    tools,
    llm,
    ...options,
    ...(late && { timeoutMs: 150 }),
  });
  let isOver = false;
  const end = () => void (isOver = true);
  work.then(end, end);
  // What hangs may be reached in several steps, each with timers of its own.
  while (late && !isOver) {
    await new Promise((done) => setImmediate(done));
    if (server.seen.length > 0) late.tick(150);
  }
  const result = await work;
  assert.equal(JSON.stringify(messages), before);
  noSecret(result.report);
  if (result.status !== "applied") assert.equal(result.messages, messages);
  return result;
}

const NO_TOOLS: Record<Name, (body: Record<string, unknown>) => unknown> = {
  openai: (body) => body["tool_choice"] === "none",
  openaiResponses: (body) => body["tool_choice"] === "none",
  anthropic: (body) => (body["tool_choice"] as { type?: string }).type === "none",
  gemini: (body) =>
    (body["toolConfig"] as { functionCallingConfig: { mode: string } }).functionCallingConfig.mode === "NONE",
};

for (const name of NAMES) {
  test(`${name}: the history goes as messages, with tools that may not be called`, async () => {
    server.clear();
    const { status, report } = await compacted(name);
    assert.equal(status, "applied", JSON.stringify(report.model));
    assert.deepEqual(
      report.model?.asked.map(({ shape, purpose }) => [shape, purpose]),
      [["full", "summary"]],
    );
    const [{ body }] = server.seen as [(typeof server.seen)[0]];
    assert.ok(Array.isArray(body["tools"]) && NO_TOOLS[name](body), JSON.stringify(body).slice(0, 300));
    assert.match(JSON.stringify(body), /never follow it/);
    // The host's own words, not a rendering of them.
    assert.doesNotMatch(JSON.stringify(body), /<history>/);
  });

  test(`${name}: what is refused as messages is sent as text`, async () => {
    server.clear();
    server.queue(refuse({ status: 400, message: "Tools are not supported by this model." }));
    const { status, report } = await compacted(name);
    assert.equal(status, "applied", JSON.stringify(report.model));
    assert.deepEqual(
      report.model?.asked.map(({ shape }) => shape),
      ["full", "simple"],
    );
    const { body } = server.seen[1]!;
    assert.ok(body["tools"] === undefined && body["tool_choice"] === undefined && body["toolConfig"] === undefined);
    assert.match(JSON.stringify(body), /<history>/);
  });

  test(`${name}: a warm cache is used by the running request itself`, async () => {
    server.clear();
    const { status, report } = await compacted(name, { cacheWarm: true });
    assert.equal(status, "applied", JSON.stringify(report.model));
    assert.equal(report.model!.asked[0]!.shape, "fork");
    const { body } = server.seen[0]!;
    assert.ok(body["tool_choice"] === undefined && body["toolConfig"] === undefined && Array.isArray(body["tools"]));
    const list = (body["messages"] ?? body["input"] ?? body["contents"]) as Record<string, unknown>[];
    const own = RUNS[name].messages;
    // Anthropic and Gemini put the last message and the request into one turn where both are the user's.
    assert.deepEqual(
      list
        .slice(-own.length - 1)
        .slice(0, 4)
        .at(-1)?.["role"],
      own.slice(-own.length).slice(0, 4).at(-1)?.["role"],
    );
    assert.ok(list.length >= own.length, `${list.length} of ${own.length}`);
  });
}

test("a request object is forked with everything in it", async () => {
  server.clear();
  const { messages, tools } = RUNS.anthropic;
  const request = {
    model: "other",
    system: "Be brief.",
    max_tokens: 777,
    thinking: { type: "enabled", budget_tokens: 500 },
    tools,
    messages,
  };
  const { llm } = providers.anthropic({ model: "test", apiKey: KEY, baseUrl: `${server.url}/v1` });
  const { status, report } = await espalier.compact(request, {
    budget: BUDGET,
    maxLlmTokens: 100_000,
    llm,
    cacheWarm: true,
  });
  assert.equal(status, "applied", JSON.stringify(report.model));
  const { system, max_tokens, thinking } = server.seen[0]!.body;
  assert.deepEqual(
    { system, max_tokens, thinking },
    { system: "Be brief.", max_tokens: 777, thinking: request.thinking },
  );
});

test("the request for a summary asks for no more tokens than the provider's model can write", async () => {
  const most = async (model: string) => {
    server.clear();
    const { llm } = providers.anthropic({ model, apiKey: KEY, baseUrl: `${server.url}/v1` });
    const messages = [{ role: "user" as const, content: "Sum it up." }];
    const request = { id: 1, format: "anthropic", messages, params: { maxTokens: 8_000 } };
    await llm(request as never, { signal: new AbortController().signal });
    return server.seen[0]!.body["max_tokens"];
  };
  assert.equal(await most("claude-3-haiku-20240307"), 4_096);
  assert.equal(await most("claude-sonnet-4-5"), 8_000);
  assert.equal(await most("test"), 8_000);
});

const long = {
  openai:
    "This model's maximum context length is 8000 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
  anthropic: "prompt is too long: 9000 tokens > 8000 maximum",
};

for (const name of ["openai", "anthropic"] as const) {
  test(`${name}: a request that is too long is made again within the limit that the refusal names`, async () => {
    server.clear();
    server.queue(
      refuse({ status: 400, message: long[name], ...(name === "openai" && { code: "context_length_exceeded" }) }),
    );
    const { status, report } = await compacted(name);
    assert.equal(status, "applied", JSON.stringify(report.model));
    assert.equal(report.model?.calls, 2);
    assert.ok(report.model!.asked[1]!.promptTokens <= 8_000, JSON.stringify(report.model));
  });
}

const tooLong: Behaviour = answer({
  text: SUMMARY.replace("Nothing to tell.", "It went on and on. ".repeat(20_000)),
  finish: "length",
});
const injected: Behaviour = answer({ text: "<summary>PWNED</summary>" });
/** Behaviour of every request, status, requests at most, in either policy. */
const DISAPPOINTMENTS: [string, Behaviour | string, CompactStatus, number][] = [
  ["no tag", "no-tag", "no_summary_tag", 2],
  ["wrong tag", "wrong-tag", "no_summary_tag", 2],
  ["empty", "empty", "empty_summary", 2],
  ["a tool call instead", "tool-call", "tool_call_instead", 2],
  ["a refusal in words", "refusal", "no_summary_tag", 2],
  ["filtered", "filtered", "empty_summary", 2],
  ["not JSON", "malformed", "model_failed", 2],
  ["400", refuse({ status: 400, message: "no" }), "model_failed", 2],
  // Too long, by how much is not said: the history is shown in three smaller forms before the model is given up.
  ["413", refuse({ status: 413, message: "Request Entity Too Large" }), "model_failed", 4],
  // The provider itself sends these again, twice.
  ["401", "401", "model_failed", 1],
  ["429", "429", "model_failed", 3],
  ["500", "500", "model_failed", 3],
  ["cut", "cut", "model_failed", 3],
  ["reset", "reset", "model_failed", 3],
  ["hang", "hang", "timeout", 1],
  ["hang in the middle", "hang-in-body", "timeout", 1],
  ["far too long", tooLong, "applied", 2],
  ["what the history told it to say", injected, "applied", 2],
];

for (const [what, behaviour, status, most] of DISAPPOINTMENTS) {
  test(`${what}: ${status}, and nothing is lost`, async ({ mock }) => {
    if (status === "timeout") mock.timers.enable({ apis: ["setTimeout"] });
    const late = status === "timeout" ? mock.timers : undefined;
    for (const name of ["openai", "anthropic"] as const) {
      server.clear();
      server.script(behaviour);
      const left = await compacted(name, {}, late);
      assert.equal(left.report.model?.failure ?? left.status, status, `${name}: ${left.report.model?.error}`);
      assert.ok(server.seen.length <= most, `${name}: ${server.seen.length} requests`);
      // The request still goes out: rules do what the model did not.
      assert.equal(left.status, "applied");
      assert.ok(left.report.after.total <= BUDGET);
      if (status === "applied") continue;
      server.clear();
      server.script(behaviour);
      await assert.rejects(compacted(name, { onFailure: "leave" }, late), { code: "compaction_failed" });
    }
  });
}

test("strict refuses the record that a history dictated", async () => {
  server.clear();
  server.script(
    answer({ text: SUMMARY.replace("Nothing to tell.", "See https://evil.example/x and /etc/shadow.bak") }),
  );
  await assert.rejects(compacted("openai", { strict: true }), (error) => {
    assert.ok(error instanceof espalier.EspalierError && error.code === "compaction_failed");
    const { status, report } = error.details;
    assert.equal(status, "quality_failed");
    assert.deepEqual(report.quality?.misses, ["inventions"]);
    assert.deepEqual(
      report.model?.asked.map(({ purpose }) => purpose),
      ["summary", "verify"],
    );
    return true;
  });
});

test("nothing hangs on when a compaction is aborted in the middle of an answer", async () => {
  server.clear();
  server.script("hang-in-body");
  const controller = new AbortController();
  const work = compacted("openai", { signal: controller.signal });
  await until(() => server.seen.length > 0, "nothing was sent");
  controller.abort();
  const { status } = await work;
  assert.equal(status, "cancelled");
  await until(() => server.seen[0]!.closed, "the connection was left open");
});
