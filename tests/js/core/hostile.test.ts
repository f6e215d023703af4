/**
 * Wrong values of every kind: the error has the package's code and path, or at least a stable code, and the engine goes
 * on.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { core, neutral, outcome } from "./raw.ts";

const messages = neutral("tau-airline-0").slice(0, 8);
const llm = async () => "<summary>Fixed.</summary>";

/** Both refuse, and name the same field. */
async function refused(run: () => unknown, reference: () => unknown, how: unknown): Promise<void> {
  const [ours, theirs] = [await outcome(run), await outcome(reference)] as { code?: string; path?: string }[];
  assert.ok(theirs?.code !== undefined, `the package accepts ${JSON.stringify(how)}`);
  assert.deepEqual(ours, theirs, JSON.stringify(how));
}

const PRUNE: Record<string, unknown>[] = [
  { budget: -1 },
  { budget: "9" },
  { budget: 1.5 },
  { budget: null },
  { bugdet: 9 },
  { budget: 9, llm },
  { headroom: -1 },
  { keep: "m1" },
  { keep: [true] },
  { keep: ["none"] },
  { backfill: 1 },
  { note: "yes" },
  { order: "none" },
  { order: ["none"] },
  { order: 7 },
  { priorities: 7 },
  { priorities: { m1: "x" } },
  { sentenceShare: 2 },
  { cacheStepShare: "x" },
  { dropMedia: "some" },
  { maxImageBytes: -1 },
  { provider: "none" },
  { encoding: "none" },
  { encoding: 7 },
  { costModel: "none" },
  { model: 7 },
  { model: { name: 7 } },
  { model: { maxPromptTokens: -1 } },
  { previous: 7 },
];
const COMPACT: Record<string, unknown>[] = [
  { budget: undefined },
  { budget: -1 },
  { targetShare: 2 },
  { targetShare: "x" },
  { onFailure: "none" },
  { force: 1 },
  { focus: 7 },
  { keep: [-1] },
  { signal: {} },
  { signal: 7 },
  { maxLlmTokens: -1 },
  { timeoutMs: "1" },
  { hookTimeoutMs: -1 },
  { onProgress: 7 },
  { ledger: { tools: 7 } },
  { ledger: { toolz: [] } },
  { profile: "none" },
  { profile: 7 },
  { profile: { start: { wram: 1 } } },
  { protect: 7 },
  { ladder: ["none"] },
  { ladder: "x" },
  { exempt: 7 },
  { trigger: "none" },
  { shape: "none" },
  { recordProfile: "none" },
  { verify: "none" },
  { strict: 1 },
  { cacheWarm: "x" },
  { llmModel: 7 },
  { modelRules: 7 },
  { instructions: 7 },
  { instructions: [7] },
  { blocks: 7 },
  { transcript: 7 },
  { transcript: { path: "" } },
  { transcript: { file: "a" } },
  { recallTool: 7 },
  { readFile: 7 },
  { hooks: 7 },
  { hooks: { preCompact: 7 } },
  { hooks: { preCompat: llm } },
  { llmModel: { maxPromptToken: 9 } },
  { jobId: 7 },
  { cover: 7 },
  { cover: { from: "none" } },
  { cover: { begin: 1 } },
  { prices: { input: -1 } },
  { prices: 7 },
  { prfile: "espalier" },
];

test("prune: options", async () => {
  for (const options of PRUNE)
    await refused(
      () => core.prune(messages, { budget: 2_000, ...options }),
      () => espalier.prune(messages, { format: "espalier", budget: 2_000, ...options } as never),
      options,
    );
  for (const options of [7, null, "x", []])
    await refused(
      () => core.prune(messages, options),
      () => espalier.prune(messages, options as never),
      options,
    );
});

test("compact: options", async () => {
  for (const options of COMPACT) {
    const all = { budget: 2_000, ...options };
    await refused(
      () => core.compact(messages, all, llm),
      () => espalier.compact(messages, { format: "espalier", ...all, llm } as never),
      options,
    );
  }
  await refused(
    () => core.compact(messages, { budget: 9 }, 7 as never),
    () => espalier.compact(messages, { budget: 9, llm: 7 as never }),
    "llm",
  ).catch((error: Error) => {
    // It is an argument here.
    assert.match(error.message, /options\.llm/);
  });
  for (const options of [undefined, null, 7])
    assert.equal(((await outcome(() => core.compact(messages, options))) as { code: string }).code, "bad_option");
});

test("an error that a getter throws reaches the caller", async () => {
  const thrown = new Error("mine");
  const odd = {
    get rounds(): never {
      throw thrown;
    },
  };
  const caught = (run: () => unknown) =>
    Promise.resolve()
      .then(run)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  assert.equal(await caught(() => core.compact(messages, { budget: 2_000, protect: odd })), thrown);
  assert.equal(await caught(() => core.prune(messages, { budget: 2_000, priorities: odd })), thrown);
  assert.ok(core.prune(messages, { budget: 2_000 }), "and the engine goes on");
});

test("what only the package has is refused by name", async () => {
  for (const name of ["tokenizer", "images", "imageSize", "llm"])
    assert.deepEqual(await outcome(() => core.prune(messages, { budget: 9, [name]: () => 1 })), {
      code: "bad_option",
      path: `options.${name}`,
    });
  assert.deepEqual(await outcome(() => core.prune([{ role: "user", content: "x" }], { format: "openai-chat" })), {
    code: "bad_option",
    path: "options.format",
  });
});

const part = { type: "text", text: "x" };
const user = { id: "a", role: "user", parts: [part] };
const MESSAGES: unknown[] = [
  [7],
  [null],
  [{}],
  [{ ...user, id: 7 }],
  [{ ...user, id: "" }],
  [{ ...user, role: "boss" }],
  [{ ...user, role: 7 }],
  [{ ...user, name: 7 }],
  [{ ...user, parts: "x" }],
  [{ ...user, parts: [7] }],
  [{ ...user, parts: [{}] }],
  [{ ...user, parts: [{ type: "text" }] }],
  [{ ...user, parts: [{ type: "text", text: 7 }] }],
  [{ ...user, parts: [{ type: "none" }] }],
  [user, user],
  [{ ...user, role: "tool", parts: [{ type: "toolResult", callId: "c", content: "x" }] }],
  [{ ...user, role: "tool", parts: [{ type: "toolResult", content: [part] }] }],
];

test("messages", async () => {
  for (const list of MESSAGES)
    await refused(
      () => core.prune(list, { budget: 99 }),
      () => espalier.prune(list as [], { format: "espalier", budget: 99 }),
      list,
    );
  for (const list of [undefined, null, 7, "x", {}])
    assert.deepEqual(await outcome(() => core.prune(list, { budget: 99 })), { code: "bad_message", path: "messages" });
  for (const list of [undefined, 7])
    assert.deepEqual(await outcome(() => core.compact(list, { budget: 99 })), {
      code: "bad_message",
      path: "messages",
    });
});

test("a result that holds itself is refused", async () => {
  const result: Record<string, unknown> = { type: "toolResult", callId: "c", content: [] };
  (result["content"] as unknown[]).push(result);
  const path = `messages[0].parts[0]${".content[0]".repeat(4)}`;
  assert.deepEqual(await outcome(() => core.prune([{ id: "a", role: "tool", parts: [result] }], { budget: 99 })), {
    code: "bad_message",
    path,
  });
});

test("options that hold themselves, and objects that throw, are errors of the call", async () => {
  const self: Record<string, unknown> = { name: "espalier" };
  self["start"] = self;
  assert.deepEqual(await outcome(() => core.compact(messages, { budget: 9, profile: self })), {
    code: "bad_option",
    path: "options.profile",
  });
  const own = new Error("mine");
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw own;
      },
      ownKeys: () => {
        throw own;
      },
    },
  );
  assert.throws(() => core.prune(messages, trap), own);
  await assert.rejects(core.compact([trap], { budget: 9 }), own);
  await assert.rejects(core.render(trap, { budget: 9 }), own);
  assert.equal(core.prune(messages, { budget: 1e6 }).messages.length, messages.length);
});

test("errors are errors, with the nearest name of an option", async () => {
  const error: any = await core.compact(messages, { budget: 9, profle: "espalier" }).then(
    () => assert.fail("accepted"),
    (error: unknown) => error,
  );
  assert.equal(error instanceof Error, true);
  assert.equal(error.name, "EspalierError");
  assert.match(error.message, /^options\.profle is unknown; did you mean profile\?$/);
  assert.deepEqual(error.details, { nearest: "profile" });
});

test("onProgress that throws ends the call, as in the package", async () => {
  const own = new Error("mine");
  await assert.rejects(
    core.compact(
      neutral("tau-airline-0"),
      {
        budget: 3_000,
        onProgress: () => {
          throw own;
        },
      },
      llm,
    ),
    own,
  );
});

test("many calls at once do not meet", async () => {
  const all = neutral("tau-airline-0");
  const slow = (at: number) => () =>
    new Promise((resolve) => setTimeout(() => resolve(`<summary>Call ${at}.</summary>`), at % 7));
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, at) => core.compact(all, { budget: 4_000 }, slow(at) as never)),
  );
  made.forEach(({ status, report }, at) => assert.deepEqual([status, report.summary], ["applied", `Call ${at}.`]));
});
