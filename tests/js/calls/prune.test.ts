/** Pruning as hosts use it: options, limits, what the report says, and request after request. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { readConversation } from "../../../js/formats/index.ts";
import type { Format, NeutralMessage } from "../../../js/types/messages.ts";
import type { PruneCut, PruneOptions, PruneReport } from "../../../js/types/prune.ts";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

const { EspalierError, Pruner, countMessages, prune } = espalier;

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Message = { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string };

/** Lines that are all different: the same ones again and again would be put together. */
const output = (lines: number) => Array.from({ length: lines }, (_, line) => `output ${line}\n`).join("");

function round(id: string, lines: number): Message[] {
  const call = { id, type: "function", function: { name: "bash", arguments: "{}" } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: output(lines) },
  ];
}

function agentRun(rounds: number, lines = 40): Message[] {
  const start = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Fix the parser. Never touch the lexer." },
  ];
  return [...start, ...Array.from({ length: rounds }, (_, at) => round(`c${at}`, lines)).flat()];
}

const rules = (report: PruneReport) => [...new Set(report.removed.map(({ rule }) => rule))];

function refused(options: object, path: string): void {
  assert.throws(
    () => prune(agentRun(2), options as PruneOptions),
    (error: unknown) => {
      assert.ok(error instanceof EspalierError, String(error));
      assert.deepEqual([error.code, error.path], ["bad_option", path], error.message);
      return true;
    },
  );
}

test("options that make no sense are refused by name", () => {
  refused({ budget: 9, order: "up" }, "options.order");
  refused({ budget: 9, order: "toString" }, "options.order");
  refused({ budget: 9, order: ["rounds", "squares"] }, "options.order[1]");
  refused({ budget: 9, cacheStepShare: 1.5 }, "options.cacheStepShare");
  refused({ budget: 9, cacheStepShare: Number.NaN }, "options.cacheStepShare");
  refused({ budget: 9, dropMedia: true }, "options.dropMedia");
  refused({ budget: 9, note: "yes" }, "options.note");
  refused({ budget: 9, provider: "openai" }, "options.provider");
  refused({ budget: 9, serverManaged: "yes" }, "options.serverManaged");
  for (const maxImageBytes of [-1, 0.5, Number.NaN, "1"])
    refused({ budget: 9, maxImageBytes }, "options.maxImageBytes");
  refused({ budget: 9, backfill: 1 }, "options.backfill");
  refused({ budget: 9, keep: "m1" }, "options.keep");
  refused({ budget: 9, priorities: { m1: "high" } }, "options.priorities.m1");
  refused({ budget: 9, priorities: null }, "options.priorities");
  refused({ model: { maxPromptTokens: -1 } }, "options.model.maxPromptTokens");
  refused({ model: { outputReserve: 0.5 } }, "options.model.outputReserve");
  refused({ model: { maxOutputTokens: -1 } }, "options.model.maxOutputTokens");
  refused({ model: { name: 7 } }, "options.model.name");
  refused({ model: 7 }, "options.model");
  refused({ budget: 9, previous: "m1" }, "options.previous");
  refused({ budget: 9, previous: { limit: 1 } }, "options.previous");
  refused({ budget: 9, previous: { limit: -1, gone: [], shortened: [], sent: "" } }, "options.previous.limit");
  refused(
    { budget: 9, previous: { limit: 1, gone: [], shortened: [{ id: "m1", part: -1, how: "media" }], sent: "" } },
    "options.previous.shortened[0].part",
  );
});

test("the limit is the caller's, else the model's, else assumed", () => {
  const limit = (options: PruneOptions) => {
    const { budget, limitSource } = prune(agentRun(1), options).report;
    return [budget, limitSource];
  };
  const model = { maxPromptTokens: 64_000, maxContextWindowTokens: 200_000, outputReserve: 10_000 };
  assert.deepEqual(limit({ budget: 5_000, model }), [5_000, "budget"]);
  assert.deepEqual(limit({ model }), [64_000, "maxPromptTokens"]);
  assert.deepEqual(limit({ model: { maxInputTokens: 64_000 } }), [64_000, "maxPromptTokens"]);
  assert.deepEqual(limit({ model: { maxContextWindowTokens: 200_000, outputReserve: 10_000 } }), [
    190_000,
    "contextWindow",
  ]);
  assert.deepEqual(limit({ model: { maxContextWindowTokens: 200_000 } }), [195_904, "contextWindow"]);
  assert.deepEqual(limit({ model: { maxContextWindowTokens: 8_000 } }), [6_000, "contextWindow"]);
  assert.deepEqual(limit({}), [128_000, "assumedLimit"]);
  assert.deepEqual(limit({ model: "gpt-4o" }), [128_000 - 4_096, "modelName"]);
  assert.deepEqual(limit({ model: "my-own-model" }), [128_000, "assumedLimit"]);
  // By name, less the reserve for the answer: 4,096 tokens, or a quarter of a small window.
  assert.deepEqual(limit({ model: "gpt-4" }), [8_192 - 2_048, "modelName"]);
  assert.deepEqual(limit({ model: { name: "openai/gpt-4-0613", outputReserve: 1_000 } }), [7_192, "modelName"]);
  assert.deepEqual(limit({ model: "gpt-3.5-turbo" }), [16_385 - 4_096, "modelName"]);
  assert.deepEqual(limit({ model: "gpt-4-32k" }), [32_000 - 4_096, "modelName"]);
  assert.deepEqual(limit({ model: "anthropic/claude-sonnet-4-5" }), [200_000 - 4_096, "modelName"]);
  assert.deepEqual(limit({ model: "gpt-4-turbo" }), [128_000 - 4_096, "modelName"]);
  assert.deepEqual(limit({ model: "gpt-5" }), [272_000, "modelName"]);
  assert.deepEqual(limit({ model: { name: "gpt-4", maxPromptTokens: 9_000 } }), [9_000, "maxPromptTokens"]);
  assert.deepEqual(limit({ model: "gpt-4", budget: 9_000 }), [9_000, "budget"]);
  assert.equal(prune(agentRun(1), { model: { name: "gpt-4" } }).report.encoding, "cl100k_base");
});

test("the page of requests names the limits that models have", () => {
  const page = readFileSync(new URL("../../../docs/requests.md", import.meta.url), "utf8");
  const row = /its window without the reserve: (.*?) \|/.exec(page)![1]!;
  const named = [...row.matchAll(/([a-z][\w-]+)(?: has)? ([\d,]+)(?:, |$)/g)];
  assert.ok(named.length > 2);
  for (const [, model, limit] of named)
    assert.equal(prune(agentRun(1), { model: model! }).report.budget, Number(limit!.replaceAll(",", "")), model);
});

test("what the host states replaces wrong data of a model", () => {
  const limit = (options: PruneOptions) => {
    const { budget, limitSource, encoding } = prune(agentRun(1), options).report;
    return [budget, limitSource, encoding];
  };
  const smaller = { name: "gpt-4o", maxContextWindowTokens: 32_000 };
  assert.deepEqual(limit({ model: smaller }), [32_000 - 4_096, "contextWindow", "o200k_base"]);
  const larger = { name: "gpt-4", maxContextWindowTokens: 1_000_000, outputReserve: 10_000, maxOutputTokens: 10_000 };
  assert.deepEqual(limit({ model: larger }), [990_000, "contextWindow", "cl100k_base"]);
  assert.deepEqual(limit({ model: "gpt-4", encoding: "o200k_base" }), [6_144, "modelName", "o200k_base"]);
  // A window that leaves nothing for the prompt is an error, and no request without messages.
  for (const model of [{ maxContextWindowTokens: 0 }, { maxContextWindowTokens: 100, outputReserve: 200 }])
    assert.throws(() => prune(agentRun(1), { model }), { code: "budget_exceeded" });
});

test("the reserve for the answer is no more than the model can write", () => {
  const limit = (model: PruneOptions["model"]) => {
    const { budget, outputReserve } = prune(agentRun(1), { model: model! }).report;
    return [budget, outputReserve];
  };
  assert.deepEqual(limit({ name: "gpt-4o", outputReserve: 16_384 }), [128_000 - 16_384, undefined]);
  assert.deepEqual(limit({ name: "gpt-4o", outputReserve: 64_000 }), [128_000 - 16_384, 16_384]);
  assert.deepEqual(limit({ name: "claude-sonnet-4-5", outputReserve: 100_000 }), [136_000, 64_000]);
  const deployment = { maxContextWindowTokens: 100_000, outputReserve: 64_000 };
  assert.deepEqual(limit({ ...deployment, name: "gpt-4o" }), [100_000 - 16_384, 16_384]);
  // The host knows better: a beta with longer answers, a deployment with shorter ones.
  assert.deepEqual(limit({ ...deployment, name: "gpt-4o", maxOutputTokens: 64_000 }), [36_000, undefined]);
  assert.deepEqual(limit({ name: "gpt-4o", maxOutputTokens: 1_000 }), [127_000, 1_000]);
  assert.deepEqual(limit({ maxContextWindowTokens: 8_000, maxOutputTokens: 3_000 }), [6_000, undefined]);
  // What a model can write is not known: the host's reserve holds.
  assert.deepEqual(limit({ ...deployment, name: "my-own-model" }), [36_000, undefined]);
  assert.deepEqual(limit({ ...deployment, name: "claude-opus-4-9" }), [36_000, undefined]);
  // Windows that do not count the answer.
  assert.deepEqual(limit({ name: "gpt-5", outputReserve: 200_000 }), [272_000, 128_000]);
  assert.deepEqual(limit({ name: "gemini-2.5-pro", outputReserve: 65_536 }), [1_048_576, undefined]);
  const stated = { name: "gpt-4o", maxPromptTokens: 50_000, outputReserve: 64_000 };
  assert.deepEqual(limit(stated), [50_000, undefined]);
});

test("tool definitions are counted apart", () => {
  const tools = [
    {
      type: "function",
      function: {
        name: "bash",
        description: "Runs a command.",
        parameters: { type: "object", properties: { command: { type: "string" } } },
      },
    },
  ];
  const { after } = prune(agentRun(20), { budget: 1_000, tools }).report;
  assert.equal(after.total, after.frame + after.conversation + after.tools);
  assert.ok(after.tools > 16 && after.total <= 1_000);
});

test("one giant result is shortened, and what was cut can be found again", () => {
  const messages = [...agentRun(3), ...round("big", 5_000)];
  const { messages: out, report } = prune(messages, { budget: 4_000 });
  assert.deepEqual(rules(report), ["oversize-result"]);
  assert.equal(out.length, messages.length);
  const last = out.at(-1)!;
  assert.match(String(last.content), /recall m9/);
  assert.equal(report.removed[0]!.recall, "m9");
  assert.equal(countMessages(out).total, report.after.total);
  assert.ok(report.after.total > 3_800);
});

test("orders, priorities and notes", () => {
  const messages = [
    ...agentRun(8),
    { role: "assistant", content: "Done." },
    { role: "user", content: "And the tests?" },
  ];
  assert.deepEqual(rules(prune(messages, { budget: 1_000 }).report), ["old-round"]);
  assert.deepEqual(
    rules(
      prune([...agentRun(8, 200), { role: "user", content: "And now?" }], { budget: 5_000, order: "shrink" }).report,
    ),
    ["long-result"],
  );
  assert.throws(() => prune(messages, { budget: 1_000, order: [] }), { code: "budget_exceeded" });
  const kept = prune(messages, { budget: 1_000, priorities: { m2: 1 } }).messages;
  assert.ok(kept.includes(messages[2]!) && kept.includes(messages[3]!) && !kept.includes(messages[4]!));
  const { messages: noted, report } = prune(messages, { budget: 1_000, note: true });
  const line = report.notes![0]!;
  assert.equal((noted.at(-1) as Message).content, `${line.text}\nAnd the tests?`);
  assert.match(line.text, /^\[\d+ earlier messages were left out; recall m2\.\.m\d+\]$/);
  assert.equal(messages.at(-1)!.content, "And the tests?");
  assert.equal(countMessages(noted).total, report.after.total);
});

test("every removal has a rule, a reason, its tokens and a way back, and they add up", () => {
  const old = round("old", 60);
  const messages = [
    ...agentRun(6),
    ...old,
    { role: "tool", tool_call_id: "nobody", content: "orphan" },
    { role: "user", content: "Go on." },
    ...round("new", 900),
  ];
  const { messages: out, report } = prune(messages, { budget: 1_200 });
  assert.deepEqual(rules(report), ["orphan-result", "oversize-result", "old-round"]);
  for (const { ids, why, tokens, recall } of report.removed) {
    assert.ok(ids.length > 0 && why !== "" && tokens > 0, JSON.stringify({ ids, why, tokens }));
    assert.equal(recall, ids.length === 1 ? ids[0] : `${ids[0]}..${ids.at(-1)}`);
    // A group goes whole, and the handle is the place in the list that was passed.
    assert.ok(ids.every((id) => messages[Number(id.slice(1))]));
  }
  const { before, after } = report;
  assert.equal(
    before.total - after.total,
    report.removed.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  for (const totals of [before, after]) assert.equal(totals.total, totals.frame + totals.conversation + totals.tools);
  assert.deepEqual([before.messages, after.messages, before.frame], [messages.length, out.length, after.frame]);
  assert.deepEqual(report.messages.map(({ fate }) => fate).filter((fate) => fate !== "dropped").length, out.length);
  assert.ok(report.cut.limit === 1_200 && report.cut.gone.length > 0 && report.cut.shortened.length === 1);
  assert.equal(report.cut.sent.length, 8 * out.length);
});

test("backfill puts back what still fits whole, and holes are off by default", () => {
  const messages = [
    { role: "user", content: "a" },
    ...round("1", 10),
    ...round("2", 200),
    ...round("3", 10),
    { role: "user", content: "z" },
  ];
  const left = (options: PruneOptions) =>
    prune(messages, { budget: countMessages(messages).total - 100, order: ["rounds"], ...options }).messages.map(
      (message) => messages.indexOf(message),
    );
  // The small first round goes, then the large one: with it gone there is room for the first again.
  assert.deepEqual(left({}), [0, 5, 6, 7]);
  assert.deepEqual(left({ backfill: true }), [0, 1, 2, 5, 6, 7]);
});

test("pictures count as the provider counts them that the request is for", () => {
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } };
  const messages = [{ role: "user", content: [{ type: "text", text: "look" }, picture] }];
  const total = (options: PruneOptions) => prune(messages, { budget: 10_000, ...options }).report.before.total;
  assert.equal(total({}), total({ provider: "openai-chat" }));
  assert.notEqual(total({ provider: "anthropic" }), total({ provider: "openai-chat" }));
});

test("pictures in results are limited in bytes", () => {
  // A header that says 1,000 by 1,000, and as many bytes as it takes.
  const header = Buffer.from(PNG, "base64").subarray(0, 33);
  header.writeUInt32BE(1_000, 16);
  header.writeUInt32BE(1_000, 20);
  const large = header.toString("base64");
  const picture = (kib: number) => ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: large + "A".repeat((kib * 4_096) / 3 - large.length) },
  });
  const shot = (id: string, kib: number) => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "shoot", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "taken" }, picture(kib)] }],
    },
  ];
  const messages = [
    { role: "user", content: "Look at it." },
    ...shot("a", 1_500),
    ...shot("b", 1_500),
    ...shot("c", 900),
  ];
  const { messages: out, report } = prune(messages, { budget: 100_000 });
  assert.deepEqual(
    report.removed.map(({ ids, rule, recall }) => [ids, rule, recall]),
    [[["m2"], "heavy-picture", "m2"]],
  );
  assert.match(JSON.stringify(out[2]), /taken.*\[image left out: image\/png, \d+ tokens; recall m2\]/);
  assert.ok(out.every((message, at) => at === 2 || message === messages[at]));
  assert.equal(prune(messages, { budget: 100_000, maxImageBytes: Infinity }).messages, messages);
  assert.equal(prune(messages, { budget: 100_000, maxImageBytes: 4_000 * 1_024 }).messages, messages);
  assert.equal(prune(messages, { budget: 100_000, maxImageBytes: 0 }).report.removed.length, 3);
  const pruner = new Pruner();
  assert.deepEqual(pruner.prune(messages, { budget: 100_000 }).messages, out);
  pruner.free();
});

test("the report says what the request shares with the one before", () => {
  let previous: PruneCut | undefined;
  let before: Message[] = [];
  let [whole, breaks] = [0, 0];
  const messages = agentRun(0);
  for (let at = 0; at < 60; at++) {
    messages.push(...round(`c${at}`, 30 + (at % 7)));
    const { messages: out, report } = prune(messages, {
      budget: 5_000,
      cacheStepShare: 0.2,
      ...(previous && { previous: JSON.parse(JSON.stringify(previous)) as PruneCut }),
    });
    assert.equal(report.shared === undefined, previous === undefined);
    if (report.shared) {
      const same = out.findIndex((message, index) => message !== before[index]);
      assert.equal(report.shared.messages, same < 0 ? out.length : same);
      if (report.shared.differs) {
        breaks++;
        assert.equal(report.shared.differs.rule, "current-round");
      } else whole++;
    }
    previous = report.cut;
    before = [...out];
  }
  assert.ok(whole > 45 && breaks > 1, `${whole} ${breaks}`);
});

test("a pruner gives what prune gives, and holds what it counted", () => {
  const pruner = new Pruner();
  let previous: PruneCut | undefined;
  const messages = agentRun(0);
  for (let at = 0; at < 40; at++) {
    messages.push(...round(`c${at}`, 20 + at));
    const options = { budget: 4_000, cacheStepShare: 0.1, ...(at > 20 && { model: "gpt-4" }) };
    const alone = prune(messages, { ...options, ...(previous && { previous }) });
    const held = pruner.prune(messages, options);
    assert.deepEqual(held.report, alone.report);
    held.messages.forEach((message, index) =>
      assert.equal(
        message === alone.messages[index] || JSON.stringify(message) === JSON.stringify(alone.messages[index]),
        true,
      ),
    );
    previous = alone.report.cut;
  }
  assert.deepEqual(pruner.cut, previous);
  // Without the cut of before.
  assert.equal(pruner.prune(messages, { budget: 4_000, previous: undefined } as never).report.shared, undefined);
  pruner.free();
  assert.equal(pruner.prune(messages, { budget: 4_000 }).report.after.total <= 4_000, true);
});

test("a pruner notices what the host changed", () => {
  const word = fc.string({ maxLength: 30 });
  const message = fc.record({ role: fc.constantFrom("user", "assistant"), content: word });
  const change = fc.record({
    at: fc.nat(12),
    remove: fc.nat(3),
    add: fc.array(message, { maxLength: 3 }),
    budget: fc.integer({ min: 30, max: 400 }),
  });
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 10 }),
      fc.array(change, { maxLength: 6 }),
      (start, changes) => {
        const pruner = new Pruner();
        const messages = [...start];
        for (const { at, remove, add, budget } of [{ at: 0, remove: 0, add: [], budget: 100 }, ...changes]) {
          messages.splice(at, remove, ...add);
          const run = (
            prune: (messages: Message[], options: PruneOptions) => { report: PruneReport },
            options: PruneOptions,
          ) => {
            try {
              return prune(messages, options).report;
            } catch (error) {
              return (error as { code: string }).code;
            }
          };
          const previous = pruner.cut;
          assert.deepEqual(
            run((m, o) => pruner.prune(m, o), { budget, format: "openai-chat" }),
            run(prune, { budget, format: "openai-chat", ...(previous && { previous }) }),
          );
        }
        pruner.free();
      },
    ),
    { seed: 3, numRuns: runs(300) },
  );
});

test("a pruner outlives a crash of the engine", async () => {
  const { call, wasm } = (await import("../../../pkg/dist/core.js" as string)) as {
    call: (run: () => unknown) => unknown;
    wasm: () => { __panicForTests(): void };
  };
  const pruner = new Pruner();
  const messages = agentRun(10);
  const before = pruner.prune(messages, { budget: 2_000 }).report.after;
  const error = console.error;
  console.error = () => undefined;
  try {
    assert.throws(() => call(() => wasm().__panicForTests()), { code: "engine_crashed" });
  } finally {
    console.error = error;
  }
  assert.deepEqual(pruner.prune(messages, { budget: 2_000 }).report.after, before);
  pruner.free();
});

test("a refused option or message leaves a pruner as it was", () => {
  const pruner = new Pruner();
  const messages = agentRun(10);
  const first = pruner.prune(messages, { budget: 2_000 }).report;
  assert.throws(() => pruner.prune(messages, { budget: 10 }), { code: "budget_exceeded" });
  assert.throws(() => pruner.prune([{ role: "nobody" }], { budget: 10, format: "openai-chat" }), {
    code: "bad_message",
  });
  assert.deepEqual(pruner.cut, first.cut);
  assert.deepEqual(pruner.prune(messages, { budget: 2_000 }).report.after, first.after);
});

// In every format the numbers of the report are those of what is sent, whatever was shortened, dropped or put in.
const formats: Format[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk", "espalier"];
const size = fc.integer({ min: 0, max: 400 });
const turns = fc.array(
  fc.record({
    ask: fc.option(fc.string({ minLength: 1, maxLength: 30 }), { nil: undefined }),
    code: size,
    lines: size,
    calls: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 8 },
);

function neutral(all: typeof turns extends fc.Arbitrary<infer T> ? T : never): NeutralMessage[] {
  const out: NeutralMessage[] = [];
  const push = (role: NeutralMessage["role"], parts: NeutralMessage["parts"]) =>
    out.push({ id: `n${out.length}`, role, parts });
  for (const [at, { ask, code, lines, calls }] of all.entries()) {
    if (at === 0 || ask !== undefined) push("user", [{ type: "text", text: `ask ${ask ?? ""}` }]);
    const ids = Array.from({ length: calls }, (_, n) => `c${at}_${n}`);
    if (calls > 0) {
      push(
        "assistant",
        ids.map((callId) => ({
          type: "toolCall",
          callId,
          name: "write",
          arguments: JSON.stringify({ path: "ä.ts", content: 'line "of" code\n\t💡'.repeat(code), n: at }),
        })),
      );
      push(
        "tool",
        ids.map((callId, n) => ({
          type: "toolResult",
          callId,
          name: "write",
          content: [{ type: "text", text: `${n} written\n`.repeat(lines * (n + 1)) || "ok" }],
        })),
      );
    }
    push("assistant", [{ type: "text", text: "done so far" }]);
  }
  return out;
}

for (const format of formats) {
  test(`${format}: what is reported is what is sent`, () => {
    const orders: PruneOptions["order"][] = [
      "drop",
      "shrink",
      ["arguments", "results", "rounds"],
      ["requests", "currentRounds", "media"],
    ];
    fc.assert(
      fc.property(
        turns,
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        fc.constantFrom(...orders),
        fc.boolean(),
        fc.nat(20),
        (all, share, order, note, kept) => {
          const empty =
            format === "gemini" ? { contents: [] } : format === "openai-responses" ? { input: [] } : { messages: [] };
          const input = readConversation(empty, { format }).rebuild(
            neutral(all).map((message) => ({ type: "insert", message })),
          );
          const { perMessage, total } = countMessages(input, { format });
          const keep = [perMessage[Math.min(kept, perMessage.length - 1)]!.id];
          const frozen = JSON.stringify(input);
          try {
            const { messages, report } = prune(input, {
              format,
              budget: Math.floor(total * share),
              order: order!,
              note,
              keep,
            });
            const sent = countMessages(messages, { format }).total;
            // Gemini's neighbours of one role are put together when what stood between them went, which saves the frame
            // of a message.
            if (format === "gemini") assert.ok(sent <= report.after.total);
            else assert.equal(sent, report.after.total);
            assert.ok(report.after.total <= report.budget);
          } catch (error) {
            assert.equal((error as { code: string }).code, "budget_exceeded", String(error));
          }
          assert.equal(JSON.stringify(input), frozen);
        },
      ),
      { seed: 5, numRuns: runs(150) },
    );
  });
}

test("a share of the limit goes to sentences of what was left out", () => {
  const turn = (n: number) => [
    {
      role: "user",
      content: `Well, how time goes by. My locker in hall ${n} is number ${400 + n}. And so on, as ever.`,
    },
    { role: "assistant", content: "Indeed it does! I keep that in mind, of course, as always." },
  ];
  const messages = [
    ...Array.from({ length: 40 }, (_, n) => turn(n)).flat(),
    { role: "user", content: "Which locker is mine?" },
  ];
  const has = (made: object[]) =>
    Array.from({ length: 40 }, (_, n) => `number ${400 + n}.`).filter((fact) => JSON.stringify(made).includes(fact))
      .length;
  const plain = prune(messages, { budget: 800 });
  const { messages: made, report } = prune(messages, { budget: 800, sentenceShare: 0.6 });
  assert.ok(has(made) > 1.5 * has(plain.messages), `${has(made)} ${has(plain.messages)}`);
  assert.ok(report.after.total <= 800);
  assert.deepEqual(made.at(-1), messages.at(-1));
  const [note, ...others] = report.notes!;
  assert.equal(others.length, 0);
  assert.match(note!.text, /^\[\d+ messages were left out; recall m0\.\.m\d+\. From them:\nuser: /);
  assert.throws(() => prune(messages, { budget: 800, sentenceShare: 2 }), {
    code: "bad_option",
    path: "options.sentenceShare",
  });
});
