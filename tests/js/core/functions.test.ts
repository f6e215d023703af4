/**
 * The functions of the core return what those of the package return, byte for byte, on real conversations and with
 * every option.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { isTried } from "../runs.ts";
import { core, NAMES, neutral, outcome } from "./raw.ts";
import type { CompactOptions } from "../../../js/types/compact.ts";
import type { Llm, LlmRequest } from "../../../js/types/llm.ts";
import type { PruneOptions } from "../../../js/types/prune.ts";

const whole = new Map(
  NAMES.map((name) => {
    const messages = neutral(name);
    return [name, { messages, total: espalier.countMessages(messages, { format: "espalier" }).total }];
  }),
);

/** Compares the bytes of two results, and shows where they part: whole ones are too long to be read. */
function same(ours: unknown, theirs: unknown, how: unknown): void {
  const [a, b] = [JSON.stringify(ours) ?? "", JSON.stringify(theirs) ?? ""];
  if (a === b) return;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - 120), at + 120);
  assert.fail(`with ${JSON.stringify(how)} at ${at}:\n${around(a)}\n${around(b)}`);
}

async function checkPrune(messages: unknown, options: PruneOptions): Promise<void> {
  const ours = await outcome(() => core.prune(messages, options));
  same(ours, await outcome(() => espalier.prune(messages as [], { format: "espalier", ...options })), options);
}

/** The messages once more, with ids of their own. */
function again(messages: ReturnType<typeof neutral>): unknown[] {
  const spoken = messages.filter(({ role }) => role !== "system");
  const text = JSON.stringify(spoken.map((message, at) => ({ ...message, id: `again${at}` })));
  return JSON.parse(text.replaceAll('"callId":"', '"callId":"again-')) as unknown[];
}

const PRUNE: PruneOptions[] = [
  {},
  { headroom: 200 },
  { backfill: true },
  { note: true },
  { order: "shrink" },
  { order: ["results", "turns"] },
  { sentenceShare: 0.2 },
  { cacheStepShare: 0.1 },
  { keep: [2, "m4"] },
  { keep: [999] },
  { priorities: { m3: 5, m5: -1 } },
  { dropMedia: "all" },
  { provider: "anthropic" },
  { model: "claude-sonnet-4-5" },
  { model: { name: "gpt-4o", maxPromptTokens: 3_000 } },
  { encoding: "cl100k_base" },
  { costModel: "copilot-chat" as never },
  { tools: [{ name: "bash", description: "Runs a command.", schema: '{"type":"object"}' }] as never },
];

for (const [name, { messages, total }] of whole) {
  test(`prune: ${name}`, async () => {
    for (const options of PRUNE) {
      await checkPrune(messages, options);
      for (const share of [0.9, 0.5, 0.2, 0.01])
        await checkPrune(messages, { ...options, budget: Math.floor(total * share) });
    }
    const { report } = core.prune(messages, { budget: total >> 1 });
    // So much is new that the cut has to move.
    await checkPrune([...messages, ...again(messages)], { budget: total >> 1, previous: report.cut });
    await checkPrune([...messages, { id: "next", role: "user", parts: [{ type: "text", text: "Go on." }] }], {
      budget: total >> 1,
      previous: report.cut,
    });
  });
}

test("prune: windows by the names of models", async () => {
  for (const model of [
    "gpt-4",
    "gpt-4-32k-0613",
    "gpt-35-turbo",
    "gpt-3.5-turbo-instruct",
    "openai/gpt-4-0314",
    "claude-2",
    "claude-opus-4-1",
    "gpt-5",
    "gpt-4-turbo",
    "CLAUDE-INSTANT-1",
  ]) {
    await checkPrune(whole.get("tau-airline-0")!.messages, { model });
  }
});

test("prune gives back the host's own objects", () => {
  const {
    total,
    messages: [, ...messages],
  } = whole.get("cline-sidebar")!;
  assert.equal(core.prune(messages, { budget: total }).messages, messages);
  const { messages: cut, report } = core.prune(messages, { budget: total >> 1 });
  const kept = report.messages.filter(({ fate }) => fate === "kept").length;
  assert.ok(kept > 0);
  assert.equal(cut.filter((message) => messages.includes(message)).length, kept);
});

/** A model that answers from what it is asked, and remembers the requests. */
function model(answer: (request: LlmRequest) => unknown) {
  const requests: unknown[] = [];
  const llm = (async ({ signal, ...request }: LlmRequest, context: { signal: AbortSignal }) => {
    assert.equal(signal, context.signal);
    requests.push(JSON.parse(JSON.stringify(request)));
    return answer({ signal, ...request });
  }) as Llm;
  return { llm, requests };
}
const said = ({ prompt, id }: LlmRequest) => ({
  text: `<summary>\n## Goal\nThe work goes on (${prompt.length}, ${id}).\n</summary>`,
  usage: { prompt_tokens: 9 },
  finishReason: "stop",
  requestId: `r${id}`,
  serviceRequestId: "s",
});

async function checkCompact(
  messages: unknown,
  options: CompactOptions,
  answer?: (request: LlmRequest) => unknown,
): Promise<void> {
  const [ours, theirs] = [model(answer ?? said), model(answer ?? said)];
  const asks = answer !== undefined;
  const [events, others]: [unknown[], unknown[]] = [[], []];
  const mine = await outcome(() =>
    core.compact(
      messages,
      { onProgress: (event: unknown) => events.push(event), ...options },
      asks ? ours.llm : undefined,
    ),
  );
  const package_ = await outcome(() =>
    espalier.compact(messages, {
      format: "espalier",
      onProgress: (event) => others.push(event),
      ...options,
      ...(asks && { llm: theirs.llm }),
    }),
  );
  same(mine, package_, options);
  same(ours.requests, theirs.requests, options);
  same(events, others, options);
}

const COMPACT: Omit<CompactOptions, "budget">[] = [
  {},
  { targetShare: 0.5 },
  { focus: "the tests" },
  { force: true },
  { onFailure: "leave" },
  { keep: [3] },
  { maxLlmTokens: 9_000 },
  { ledger: { root: "/testbed", markers: ["please"], facts: ["It is red."] } },
  { profile: "gemini-cli" },
  { profile: { name: "copilot-cli" } as never },
  { ladder: ["clear", "offline"] as never },
  { protect: { rounds: 3 } as never },
  { trigger: "provider_error" },
  { shape: "simple" },
  { shape: "fork", cacheWarm: true },
  { recordProfile: "copilot-chat" },
  { verify: "always" },
  { strict: true },
  { llmModel: { name: "claude-opus-4-1", maxPromptTokens: 20_000 } },
  { llmModel: "gpt-3.5-turbo" },
  { modelRules: [{ model: "our", textOnly: true }] as never, llmModel: "our-1" },
  { instructions: ["Be brief.", "Name files."] },
  { instructions: "Be brief." },
  { blocks: [{ kind: "todo", text: "- [ ] Ship" }] as never },
  { transcript: { path: "/tmp/log.jsonl", lines: 12 }, recallTool: "recall" },
  { cover: { from: 2, to: "m9" } },
  { prices: { output: 4 } },
  { jobId: "job-1" },
  { exempt: ["read_file"] },
  { tools: [{ name: "bash", description: "Runs.", schema: "{}", annotations: { readOnlyHint: true } }] as never },
  { model: "claude-sonnet-4-5" },
  { readFile: async (path: string) => `# ${path}\n` },
  { readFile: () => 7 as never },
  {
    hooks: {
      preCompact: () => ({ instructions: "Say who asked.", pins: [4], blocks: [{ kind: "plan", text: "Ship it." }] }),
      postCompact: () => undefined,
    } as never,
  },
  {
    hooks: {
      preCompact: () => {
        throw new Error("no");
      },
    },
  },
  { hooks: { preCompact: () => ({ pins: [9_999] }) } as never },
];

for (const [row, [name, { messages, total }]] of [...whole].entries()) {
  test(`compact: ${name}`, async () => {
    for (const [column, options] of COMPACT.entries()) {
      for (const [at, share] of [0.7, 0.3].entries()) {
        if (!isTried(5, row, column, at)) continue;
        const budget = Math.floor(total * share);
        await checkCompact(messages, { ...options, budget }, said);
      }
      if (isTried(5, row, column, 2)) await checkCompact(messages, { ...options, budget: total >> 1 });
    }
    await checkCompact(messages, { budget: 10 }, said);
    await checkCompact(messages, { budget: total * 2 }, said);
  });
}

const REPLIES: Record<string, (request: LlmRequest) => unknown> = {
  "a text": () => "<summary>Fixed.</summary>",
  "no summary": () => "Sorry.",
  nothing: () => undefined,
  null: () => ({ text: null }),
  "a number": () => 7,
  "no text": () => ({ text: 7 }),
  "tool calls": () => ({ text: "", finishReason: "tool_calls" }),
  "too much": () => "x".repeat(2_000_001),
  throws: () => {
    throw new Error("down");
  },
  "throws nothing": () => {
    throw undefined;
  },
  "throws a text": () => {
    throw "down";
  },
  "throws a status": () => {
    throw Object.assign(new Error("no"), { status: 529 });
  },
  "throws a status in details": () => {
    throw Object.assign(new Error("no"), { code: "overloaded", details: { status: 503 } });
  },
  "too long": () => {
    throw Object.assign(new Error("too long"), { code: "context_length", details: { limit: 4_000 } });
  },
  "no key": () => {
    throw Object.assign(new Error("no key"), { code: "auth" });
  },
  "a getter that throws": () => ({
    get text() {
      throw new Error("gone");
    },
  }),
};

for (const [what, answer] of Object.entries(REPLIES)) {
  test(`compact: the model answers ${what}`, async () => {
    const { messages, total } = whole.get("sweagent-marshmallow-1867")!;
    for (const onFailure of ["offline", "leave"] as const)
      await checkCompact(messages, { budget: total >> 1, onFailure }, answer);
    // The engine goes on.
    assert.ok(core.prune(messages, { budget: total }).report.after.total <= total);
  });
}

test("compact: a model that never answers is late, and its signal says so", async () => {
  const { messages, total } = whole.get("tau-airline-0")!;
  let reason: unknown;
  const hangs = ({ signal }: LlmRequest) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        reason = signal.reason;
        reject(new Error("late"));
      }),
    );
  await checkCompact(messages, { budget: total >> 1, timeoutMs: 5 }, hangs);
  assert.equal((reason as { code?: string }).code, "timeout");
  await checkCompact(
    messages,
    { budget: total >> 1, hookTimeoutMs: 5, hooks: { preCompact: () => new Promise(() => {}) } },
    said,
  );
});

test("compact: an abort ends a model that never answers, and leaves the messages alone", async () => {
  const { messages, total } = whole.get("tau-airline-0")!;
  for (const early of [true, false]) {
    const controller = new AbortController();
    if (early) controller.abort(new Error("stop"));
    let aborted: unknown;
    const llm = (({ signal }: LlmRequest) => {
      signal.addEventListener("abort", () => {
        aborted = signal.reason;
      });
      setTimeout(() => controller.abort(new Error("stop")), 5);
      return new Promise(() => {});
    }) as Llm;
    const { status, messages: left } = await core.compact(
      messages,
      { budget: total >> 1, signal: controller.signal },
      llm,
    );
    assert.equal(status, "cancelled");
    assert.equal(left, messages);
    assert.equal((aborted as Error | undefined)?.message, early ? undefined : "stop");
  }
});

test("compact: answers that come at once need no promise", async () => {
  const { messages, total } = whole.get("tau-airline-0")!;
  const made = await core.compact(messages, { budget: total >> 1 }, (() => "<summary>Fixed.</summary>") as never);
  assert.equal(made.status, "applied");
});
