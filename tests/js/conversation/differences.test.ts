/**
 * Where a profile does not follow its system, under that profile: each row fails if the system's way comes back. Rows
 * that need no host are in tests/it/profile.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import type { Llm } from "../../../js/types/llm.ts";
import { HOSTS, SUMMARY, begin, clock, heard, model, refused, rest, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const LIMIT = 6_000;
const open = (options: Partial<ConversationOptions<Fields>>) =>
  espalier.openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    ...options,
  });
type Opened = Awaited<ReturnType<typeof open>>;
let next = 0;
const fill = (conversation: Opened, ratio: number) => {
  while (conversation.usage().ratio < ratio) conversation.append(round(next++, 10));
};

// ------------------------------------------------------------ Copilot Chat

test("copilot-chat: the messages' budget counts everywhere, also behind a summary and in the last resort", async () => {
  const tools = [{ type: "function", function: { name: "bash", description: "runs ".repeat(600), parameters: {} } }];
  for (const [way, llm] of [
    ["summary", async () => SUMMARY],
    [
      "last resort",
      async () => {
        throw new Error("down");
      },
    ],
  ] as [string, Llm][]) {
    const conversation = await open({
      profile: "copilot-chat",
      background: false,
      llm,
      compact: { ladder: way === "summary" ? ["summary", "fit"] : ["summary"], verify: "never" },
    });
    conversation.append(begin());
    await conversation.prepare({ tools });
    fill(conversation, 1.2);
    const {
      messages,
      report: { usage, compactions, trimmed },
    } = await conversation.prepare({ tools });
    // Not the whole window: a tenth of what is left beside the tools stays free.
    sound(messages, usage.tools + Math.floor((LIMIT - usage.tools) * 0.9), tools);
    assert.deepEqual(
      compactions.some(({ status }) => status === "applied"),
      way === "summary",
      way,
    );
    assert.ok(way === "summary" || trimmed.length > 0);
  }
});

test("copilot-chat: a request waits a minute for its job, not for ever", async () => {
  const time = clock();
  const { llm, calls } = model();
  const conversation = await open({ profile: "copilot-chat", llm, clock: time });
  conversation.append(begin());
  fill(conversation, 0.84);
  await conversation.prepare();
  await rest();
  assert.equal(calls.length, 1);
  fill(conversation, 1.02);
  const pending = conversation.prepare();
  await rest();
  time.turn(59_999);
  let isOver = false;
  void pending.then(() => (isOver = true));
  await rest();
  assert.equal(isOver, false);
  time.turn(1);
  sound((await pending).messages, LIMIT);
  await conversation.dispose();
});

test("copilot-chat: a failure beside the conversation hides no summary, and a late answer settles no other job", async () => {
  const { llm, calls } = model();
  const conversation = await open({ profile: "copilot-chat", llm, compact: { verify: "never" } });
  conversation.append(begin());
  fill(conversation, 0.84);
  await conversation.prepare();
  await rest();
  calls[0]!.answer(SUMMARY);
  await rest();
  await conversation.prepare();
  const [first] = conversation.edits();
  assert.equal(first!.kind, "replace_range");
  fill(conversation, 0.84);
  const {
    report: { job },
  } = await conversation.prepare();
  await rest();
  conversation.cancel();
  fill(conversation, 0.88);
  const again = await conversation.prepare();
  await rest();
  assert.equal(again.report.job, job! + 1);
  calls[1]!.answer(SUMMARY.replace("being fixed", "a stale answer"));
  await rest();
  assert.equal(conversation.usage().job, "running");
  for (const call of calls.slice(2)) call.fail(new Error("down"));
  await rest();
  for (const call of calls.slice(3)) call.fail(new Error("down"));
  await rest();
  assert.equal(conversation.usage().job, "failed");
  // The failure is a record of its own: the summary before it counts.
  const text = JSON.stringify((await conversation.prepare()).messages);
  assert.ok(text.includes("The parser is being fixed.") && !text.includes("a stale answer"));
  await conversation.dispose();
});

// ------------------------------------------------------------ gemini-cli

const gemini = (options: Partial<ConversationOptions<Fields>> = {}) =>
  open({ format: "gemini", profile: "gemini-cli", ...options });
const { user, round: called } = HOSTS.gemini;
const grow = (conversation: Opened, ratio: number) => {
  while (conversation.usage().ratio < ratio)
    conversation.append(called({ id: "", name: "bash", args: { n: next++ }, text: "output\n".repeat(60) }));
};

test("gemini-cli: empty answers and errors cost no two calls at every turn", async () => {
  for (const llm of [
    async () => "",
    async () => {
      throw new Error("down");
    },
  ] as Llm[]) {
    let asked = 0;
    const conversation = await gemini({
      llm: (request, context) => ((asked += 1), llm(request, context)),
      compact: { ladder: ["summary", "offline", "fit"] },
    });
    conversation.append([user("Go.")]);
    grow(conversation, 0.55);
    for (let turn = 0; turn < 12; turn += 1) {
      conversation.append(called({ id: "", name: "bash", args: { n: next++ }, text: "ok" }));
      sound((await conversation.prepare()).messages, LIMIT, [], "gemini");
    }
    const episodes = conversation.edits().filter(({ kind }) => kind === "replace_range").length;
    assert.ok(episodes >= 1 && asked <= 4 * episodes, `${asked} calls, ${episodes} summaries by rule`);
  }
});

test("gemini-cli: behind a failure results are cut for a gain only, and a turn where nothing is gained changes nothing", async () => {
  const profile = { name: "gemini-cli", gain: { covered: 0.99 }, cap: { all: 500, each: 100 } } as const;
  const conversation = await gemini({
    profile,
    llm: async () => SUMMARY,
    compact: { ladder: ["cap", "summary", "fit"], verify: "never" },
  });
  const events = heard(conversation);
  conversation.append([user("Go.")]);
  for (let turn = 0; turn < 12; turn += 1) {
    conversation.append(called({ id: "", name: "bash", args: { n: next++ }, text: "short" }));
    grow(conversation, 0.5 + turn / 100);
    const edits = conversation.edits().length;
    await conversation.prepare();
    for (const edit of conversation.edits().slice(edits))
      assert.ok(edit.tokensBefore > edit.tokensAfter, JSON.stringify(edit));
  }
  // Whatever was applied freed something.
  for (const event of events)
    if (event.type === "compaction_complete" && event.success) assert.ok(event.tokensRemoved > 0);
});

test("gemini-cli: files are written for what is shortened alone, and once", async () => {
  const history = [
    user("Go."),
    ...[1, 2, 3].flatMap((n) =>
      called({ id: "", name: "fetch", args: { n }, text: n === 2 ? "word ".repeat(60_000) : `small ${n}` }),
    ),
  ];
  const names: string[] = [];
  const run = () =>
    espalier.budgetResults(history, {
      format: "gemini",
      profile: "gemini-cli",
      store: ({ name }) => (names.push(name), `/tmp/${name}`),
    });
  const { messages } = await run();
  assert.equal(names.length, 1);
  assert.deepEqual([messages[2], messages[6]], [history[2], history[6]]);
  // Nothing is over: nothing is written.
  await espalier.budgetResults(history.slice(0, 3), {
    format: "gemini",
    profile: "gemini-cli",
    store: ({ name }) => (names.push(name), name),
  });
  assert.equal(names.length, 1);
});

test("gemini-cli: the environment turn is kept without a pin: by a wish of the host's, by rules; and where a model left it out it comes back", async () => {
  const environment = user("This is the environment: Linux, /home/me, the date is the first of May.");
  const said = String((environment["parts"] as { text: string }[])[0]!.text);
  for (const [llm, keep] of [
    [undefined, undefined],
    [async () => SUMMARY, ["m0"]],
    [
      async () => {
        throw new Error("down");
      },
      undefined,
    ],
    [async () => SUMMARY, undefined],
  ] as [Llm | undefined, string[] | undefined][]) {
    const conversation = await gemini({ ...(llm && { llm }), compact: { verify: "never", ...(keep && { keep }) } });
    conversation.append([environment, { role: "model", parts: [{ text: "Got it." }] }, user("Go.")]);
    const isLeftOut =
      llm !== undefined &&
      keep === undefined &&
      (await llm({} as never, {} as never).then(
        () => true,
        () => false,
      ));
    // As agents run without anybody there: one compression after the other.
    for (let time = 0; time < 3; time += 1) {
      grow(conversation, 0.55);
      const { messages, report } = await conversation.prepare();
      assert.equal(report.compactions.at(-1)?.status, "applied", String(time));
      sound(messages, LIMIT, [], "gemini");
      assert.equal(JSON.stringify(messages).includes(said), !isLeftOut, String(time));
      assert.equal(conversation.recall("m0")[0]!.message, environment);
      assert.ok(JSON.stringify(conversation.recall({ query: "environment Linux" })).includes(said));
    }
    while (conversation.undo());
    assert.equal(conversation.view().messages[0], environment);
    await conversation.dispose();
  }
});

test("gemini-cli: the hook is not told where nothing comes of it, unless the profile says so", async () => {
  for (const [hook, told] of [
    [undefined, false],
    [{ onNoop: false }, false],
    [{ onNoop: true }, true],
  ] as const) {
    const seen: string[] = [];
    const profile = hook ? { name: "gemini-cli" as const, hook } : ("gemini-cli" as const);
    const conversation = await gemini({
      profile,
      llm: async () => SUMMARY,
      compact: { verify: "never" },
      hooks: { preCompact: ({ trigger, covered }) => void seen.push(`${trigger} ${covered.length > 0}`) },
    });
    // Every turn there compresses, and mostly has nothing to: here one message, there nothing new.
    conversation.append([user("word ".repeat(Math.floor(LIMIT * 0.6)))]);
    await conversation.prepare();
    assert.equal((await conversation.compact()).status, "nothing_to_compact");
    assert.deepEqual([seen.length > 0, seen.every((said) => said.endsWith("false"))], [told, true], String(seen));
    grow(conversation, 0.9);
    seen.length = 0;
    assert.equal((await conversation.compact()).status, "applied");
    assert.deepEqual(seen, ["manual true"]);
    assert.equal((await conversation.compact()).status, "nothing_to_compact");
    assert.deepEqual(seen, told ? ["manual true", "manual false"] : ["manual true"]);
    await conversation.dispose();
  }
});

test("gemini-cli: the environment turn stays in front when it is pinned, and the turn's signal ends the compaction", async () => {
  const controller = new AbortController();
  let stops = false;
  const conversation = await gemini({
    compact: { verify: "never" },
    llm: async (_, { signal }) => {
      if (!stops) return SUMMARY;
      controller.abort();
      return new Promise((_, fail) => signal.addEventListener("abort", () => fail(new Error("stopped"))));
    },
  });
  const [environment] = conversation.append([user("This is the environment: Linux, /home/me.")]);
  conversation.append([{ role: "model", parts: [{ text: "Got it." }] }, user("Go.")]);
  conversation.pin({ message: environment! });
  grow(conversation, 0.55);
  stops = true;
  const before = JSON.stringify(conversation.view().messages);
  await refused(() => conversation.prepare({ signal: controller.signal }), "aborted");
  assert.deepEqual([JSON.stringify(conversation.view().messages), conversation.edits()], [before, []]);
  stops = false;
  const { messages, report } = await conversation.prepare();
  assert.deepEqual(
    report.compactions.map(({ status }) => status),
    ["applied"],
  );
  sound(messages, LIMIT, [], "gemini");
  assert.ok(JSON.stringify(messages).includes("This is the environment: Linux, /home/me."));
});

// ------------------------------------------------------------ Copilot CLI

test("copilot-cli: it starts at 0.80 and not before, and a failure is not paid for at every turn", async () => {
  let asked = 0;
  const conversation = await open({
    profile: "copilot-cli",
    llm: async () => {
      asked += 1;
      throw new Error("down");
    },
  });
  conversation.append(begin());
  while (conversation.usage().ratio < 0.79) {
    conversation.append(round(next++, 3));
    if (conversation.usage().ratio < 0.8) await conversation.prepare();
    await rest();
  }
  assert.equal(asked, 0);
  fill(conversation, 0.81);
  for (let turn = 0; turn < 20; turn += 1) {
    sound((await conversation.prepare()).messages, LIMIT);
    await rest();
  }
  assert.ok(asked >= 1 && asked <= 4, `${asked}`);
});
