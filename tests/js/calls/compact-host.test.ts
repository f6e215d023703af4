/**
 * `compact` and its host: what the callback is given, hooks, files, blocks, aborts at every effect, callbacks that
 * misbehave.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompactOptions } from "../../../js/types/compact.ts";
import type { CompactProgress, CompactStatus } from "../../../js/types/compact-report.ts";
import type { LlmRequest } from "../../../js/types/llm.ts";
import { SUMMARY } from "../../server/model.mjs";
import { espalier } from "../built.ts";

type Message = { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string };
const edit = (n: number): Message[] => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: `c${n}`,
        type: "function",
        function: { name: "write_file", arguments: JSON.stringify({ path: `src/a${n}.rs`, content: "fn a() {}\n" }) },
      },
    ],
  },
  {
    role: "tool",
    tool_call_id: `c${n}`,
    content: "The file was written, and this is a long answer about it. ".repeat(20),
  },
];
const messages: Message[] = [
  { role: "system", content: "You are an agent." },
  { role: "user", content: "Write the files." },
  ...Array.from({ length: 30 }, (_, n) => edit(n)).flat(),
];
const tools = [{ type: "function", function: { name: "write_file", parameters: { type: "object" } } }];
const frozen = JSON.stringify(messages);

// Without the steps that would spare the model.
const base: CompactOptions = {
  budget: 5_000,
  maxLlmTokens: 100_000,
  ladder: ["summary", "offline", "fit"],
  tools,
  llm: async () => SUMMARY,
};

async function compacted(options: Partial<CompactOptions> = {}) {
  const result = await espalier.compact(messages, { ...base, ...options });
  assert.equal(JSON.stringify(messages), frozen);
  if (result.status !== "applied") assert.equal(result.messages, messages);
  return result;
}

async function refused(options: Record<string, unknown>, path: string) {
  await assert.rejects(
    compacted(options as Partial<CompactOptions>),
    (error) =>
      (error instanceof espalier.EspalierError && error.code === "bad_option" && error.path === path) ||
      assert.fail(String(error)),
  );
}

test("the callback is given the host's own messages, tools that may not be called, and a signal", async () => {
  const seen: LlmRequest[] = [];
  const { status } = await compacted({
    jobId: "job-7",
    llm: async (request, { signal }) => {
      seen.push(request);
      assert.equal(request.signal, signal);
      return SUMMARY;
    },
  });
  assert.equal(status, "applied");
  const [request] = seen as [LlmRequest];
  const { shape, format, purpose, jobId, params } = request;
  assert.deepEqual(
    { shape, format, purpose, jobId },
    { shape: "full", format: "openai-chat", purpose: "summary", jobId: "job-7" },
  );
  assert.equal(request.tools, tools);
  assert.deepEqual([params.toolChoice, params.temperature], ["none", 0]);
  assert.equal(request.messages[0].role, "system");
  assert.equal(request.messages[1], messages[1]); // the request, which stays
  assert.equal(request.messages[2], messages[2]);
  assert.equal(request.messages.at(-1).role, "user");
});

test("text in one message on demand, as it always was", async () => {
  let seen: LlmRequest | undefined;
  await compacted({ shape: "simple", llm: async (request) => ((seen = request), SUMMARY) });
  assert.deepEqual(
    seen!.messages.map(({ role }) => role),
    ["system", "user"],
  );
  assert.equal(seen!.messages[1].content, seen!.prompt);
  assert.equal(seen!.tools, undefined);
});

test("sections of another profile", async () => {
  const names = [
    "Overall Goal",
    "Active Constraints",
    "Key Knowledge",
    "Artifact Trail",
    "File System State",
    "Recent Actions",
    "Task State",
  ];
  const reply = `<summary>${names.map((name) => `\n## ${name}\nSo it is.`).join("")}\n</summary>`;
  const { status, report } = await compacted({
    recordProfile: "gemini-cli",
    llm: async ({ system }) => (assert.match(system, /<artifact_trail>/), reply),
  });
  assert.deepEqual([status, report.model?.calls], ["applied", 1]);
});

test("options that make no sense are named", async () => {
  await refused({ shape: "round" }, "options.shape");
  await refused({ verify: true }, "options.verify");
  await refused({ strict: 1 }, "options.strict");
  await refused({ recordProfile: "claude" }, "options.recordProfile");
  await refused({ trigger: "boredom" }, "options.trigger");
  await refused({ hooks: { preCompact: "x" } }, "options.hooks.preCompact");
  await refused({ blocks: [{ kind: "plan" }] }, "options.blocks[0].text");
  await refused({ transcript: { path: "" } }, "options.transcript.path");
  await refused({ transcript: { path: "a", lines: -1 } }, "options.transcript.lines");
  await refused({ modelRules: [{ model: "a", loud: true }] }, "options.modelRules[0].loud");
  await refused({ instructions: [7] }, "options.instructions[0]");
  await refused({ readFile: "x" }, "options.readFile");
  await refused({ hookTimeoutMs: -1 }, "options.hookTimeoutMs");
  await refused({ llmModel: 4 }, "options.llmModel");
});

test("hooks before and after, with what they want", async () => {
  const order: string[] = [];
  const {
    status,
    report,
    messages: out,
  } = await compacted({
    llm: async ({ system }) => {
      order.push("llm");
      assert.match(system, /Mention the moon\./);
      return SUMMARY;
    },
    hooks: {
      preCompact: ({ trigger, covered, coveredTokens, before, budget }) => {
        order.push("pre");
        assert.equal(trigger, "overflow");
        assert.ok(covered.length > 2 && coveredTokens > 0 && before.total > budget);
        return {
          instructions: "Mention the moon.",
          pins: [2],
          blocks: [{ kind: "skill", title: "deploy", text: "Run it twice." }],
        };
      },
      postCompact: ({ status, summary }) => void order.push(`post ${status} ${summary !== undefined}`),
    },
  });
  assert.deepEqual(order, ["pre", "llm", "post applied true"]);
  assert.equal(status, "applied");
  assert.ok((out as Message[]).includes(messages[2]!) && (out as Message[]).includes(messages[3]!));
  assert.match(JSON.stringify(out), /host-skill name=.{1,3}deploy/);
  assert.deepEqual(report.hooks, [
    { name: "preCompact", outcome: "done" },
    { name: "postCompact", outcome: "done" },
  ]);
});

for (const [what, hook, outcome] of [
  [
    "throws",
    () => {
      throw new Error("boom");
    },
    "failed",
  ],
  ["rejects with nothing", () => Promise.reject(undefined), "failed"],
  ["hangs", () => new Promise<void>(() => undefined), "timeout"],
  ["pins what is not there", () => ({ pins: ["nobody"] }), "failed"],
  ["gives a number", () => 7 as never, "failed"],
] as const) {
  test(`a hook that ${what} stops nothing`, async () => {
    const events: CompactProgress[] = [];
    const { status, report } = await compacted({
      hooks: { preCompact: hook },
      hookTimeoutMs: 30,
      onProgress: (event) => events.push(event),
    });
    assert.equal(status, "applied");
    assert.equal(report.hooks![0]!.outcome, outcome);
    assert.ok(events.some((event) => event.type === "hook" && event.outcome === outcome && event.why !== undefined));
  });
}

test("a hook may put off what can wait, and nothing else", async () => {
  const skip = { hooks: { preCompact: () => ({ skip: true }) }, budget: 100_000, force: true };
  assert.equal((await compacted({ ...skip, trigger: "threshold" })).status, "skipped");
  assert.equal((await compacted({ ...skip, trigger: "manual" })).status, "applied");
  assert.equal((await compacted({ hooks: skip.hooks, trigger: "threshold" })).status, "applied");
});

test("files in use, state of the host and the way back are beside the summary", async () => {
  const read: string[] = [];
  const { status, report } = await compacted({
    budget: 8_000,
    readFile: async (path) => (
      read.push(path), read.length === 1 ? undefined : `fn of_${path.replaceAll(/\W/g, "_")}() {}`
    ),
    blocks: [{ kind: "plan", text: "1. Write. 2. Test." }],
    transcript: { path: "/t/s.jsonl", lines: 7, tool: "read_file", argument: "filePath" },
    recallTool: "recall",
  });
  assert.equal(status, "applied");
  assert.equal(read.length, 5);
  assert.deepEqual(report.files!.map(({ outcome }) => outcome).sort(), ["failed", "whole", "whole", "whole", "whole"]);
  assert.equal(report.blocks![0]!.kind, "host-plan");
  const { edits } = await compacted({
    budget: 8_000,
    transcript: { path: "/t/s.jsonl", lines: 7, tool: "read_file", argument: "filePath" },
  });
  const part = edits.find(({ kind }) => kind === "replace_range")!.message!.parts[0]!;
  assert.match(
    part.type === "text" ? part.text : "",
    /\/t\/s\.jsonl \(7 lines.*read_file\(\{"filePath":"\/t\/s\.jsonl"\}\)/s,
  );
});

/** Everything at once, so that every kind of effect comes up. */
function busy(step: (what: string) => void): Partial<CompactOptions> {
  return {
    budget: 8_000,
    verify: "always",
    llm: async ({ purpose }) => (step(purpose), SUMMARY),
    readFile: async (path) => (step(path), "text"),
    hooks: { preCompact: () => step("pre"), postCompact: () => step("post") },
  };
}

test("given up at any effect, the conversation is as it was", async () => {
  const all: string[] = [];
  assert.equal((await compacted(busy((what) => all.push(what)))).status, "applied");
  assert.deepEqual([all[0], all[1], all[2], all.at(-1), all.length], ["pre", "summary", "verify", "post", 9]);
  for (const at of all.keys()) {
    const controller = new AbortController();
    let number = 0;
    const { status, edits } = await compacted({
      ...busy(() => {
        if (number++ === at) controller.abort();
      }),
      signal: controller.signal,
      onFailure: "offline",
    });
    assert.deepEqual([status, edits], ["cancelled", []], all[at]);
  }
});

test("a signal that was aborted before asks nobody", async () => {
  const { status } = await compacted({ ...busy(() => assert.fail("asked")), signal: AbortSignal.abort() });
  assert.equal(status, "cancelled");
});

test("an answer after the abort, or after the time, changes nothing", async () => {
  for (const how of ["abort", "timeout"] as const) {
    const controller = new AbortController();
    const late: ((text: string) => void)[] = [];
    const llm = () =>
      new Promise<string>((resolve) => {
        late.push(resolve);
        if (how === "abort") queueMicrotask(() => controller.abort());
      });
    const { status, report } = await compacted({
      llm,
      ...(how === "abort" ? { signal: controller.signal } : { timeoutMs: 20 }),
    });
    assert.deepEqual(
      [status, report.model?.failure],
      how === "abort" ? ["cancelled", "cancelled"] : ["applied", "timeout"],
    );
    const ended = structuredClone(report);
    assert.equal(late.length, 1);
    for (const answer of late) answer(SUMMARY);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(report, ended);
  }
});

test("no listener stays on the host's signal", async () => {
  const { signal } = new AbortController();
  let open = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = ((...args: Parameters<typeof add>) => (open++, add(...args))) as typeof add;
  signal.removeEventListener = ((...args: Parameters<typeof remove>) => (open--, remove(...args))) as typeof remove;
  await compacted({ ...busy(() => undefined), signal });
  assert.equal(open, 0);
});

for (const [what, llm, status, calls] of [
  [
    "throws",
    () => {
      throw new Error("no");
    },
    "model_failed",
    2,
  ],
  ["throws nothing", () => Promise.reject(undefined), "model_failed", 2],
  [
    "throws what cannot be shown",
    () =>
      Promise.reject({
        toString() {
          throw new Error("x");
        },
        get code() {
          throw new Error("y");
        },
      }),
    "model_failed",
    2,
  ],
  [
    "says that it has no key",
    () => Promise.reject(Object.assign(new Error("key"), { code: "auth" })),
    "model_failed",
    1,
  ],
  ["gives nothing", () => undefined, "model_failed", 2],
  ["gives a number", () => 7, "model_failed", 2],
  ["gives a text that is none", () => ({ text: 7 }), "model_failed", 2],
  ["gives null for its reason", () => ({ text: SUMMARY, finishReason: null }), "applied", 1],
  ["calls tools beside a good text", () => ({ text: SUMMARY, finishReason: "tool_calls" }), "applied", 1],
  ["calls tools alone", () => ({ text: "", finishReason: "tool_use" }), "tool_call_instead", 2],
  ["is cut off but useful", () => ({ text: SUMMARY.replace("</summary>", ""), finishReason: "length" }), "applied", 1],
] as [string, () => never, CompactStatus, number][]) {
  test(`a callback that ${what}: ${status}`, async () => {
    const { status: ended, report } = await compacted({ llm: llm as never });
    assert.deepEqual(
      [ended, report.model?.failure ?? ended, report.model?.calls],
      ["applied", status, calls],
      report.model?.error,
    );
  });
}

test("two compactions at once do not meet", async () => {
  let isTwoAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (isTwoAsked = resolve));
  const one = compacted({ llm: async () => (await asked, SUMMARY.replace("Nothing to tell.", "One.")) });
  const two = compacted({ llm: async () => (isTwoAsked(), SUMMARY.replace("Nothing to tell.", "Two.")) });
  const [first, second] = await Promise.all([one, two]);
  assert.match(first.report.summary!, /One\./);
  assert.match(second.report.summary!, /Two\./);
});
