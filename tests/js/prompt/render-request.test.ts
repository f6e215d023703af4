/** The flow of an agent's request: render, compact what does not fit, render again. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { RenderFormat } from "../../../js/prompt/output/request.ts";
import { begin, HOSTS, model, rest, SUMMARY } from "../conversation/support.ts";
import type { Fields } from "../conversation/support.ts";
import { turns } from "../conversation/replay.ts";
import type { Shape } from "../conversation/replay.ts";
import { agent, BUDGET, fails, filled, long, open, sound, summaries } from "./requests.ts";

const { ConversationHistory, createPiece: h, Fragment, UserMessage, renderRequest, openConversation } = espalier;

test("a prompt that fits is rendered, and holds the conversation's own messages", async () => {
  const conversation = await open();
  const made = await renderRequest(agent(), { conversation, budget: BUDGET });
  assert.deepEqual([made.status, made.compactions, made.trimmed, made.budget], ["rendered", [], [], BUDGET]);
  assert.deepEqual(
    made.messages.slice(1).map((message: Fields, at: number) => message === conversation.log.originalsFrom(0)[at]),
    Array(12).fill(true),
  );
  assert.equal(made.report!.usage.used, made.tokens);
  sound(made);
});

test("a history that does not fit is compacted by the model, with the rest of the prompt counted, and rendered again", async () => {
  const asked: number[] = [];
  const conversation = await open({ llm: async () => (asked.push(1), SUMMARY) });
  filled(conversation, 5, 20);
  for (const words of [10, 700]) {
    filled(conversation, 100 * words, 100 * words + 12);
    const made = await renderRequest(agent({ system: "word ".repeat(words) }), { conversation, budget: BUDGET });
    assert.deepEqual(
      [made.status, made.source, summaries(made.messages), made.trimmed],
      ["applied", "foreground", 1, []],
    );
    assert.equal(made.compactions.at(-1)!.trigger, "overflow");
    assert.deepEqual(made.messages.slice(1), conversation.view().messages);
    sound(made);
  }
  assert.ok(asked.length >= 2);
});

test("results that a provider wants in one message are shortened and joined, and none counts as left out", async () => {
  const texts: Record<string, (id: string) => string> = {
    "a line again and again": (id) => `line of ${id}\n`.repeat(3_000),
    "many lines": (id) => Array.from({ length: 3_000 }, (_, at) => `line ${at} of ${id}`).join("\n"),
  };
  const call = (id: string) => ({ type: "tool_use", id, name: "read", input: { path: id } });
  for (const [name, text] of Object.entries(texts)) {
    const result = (id: string) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: text(id) }],
    });
    const asked = { role: "user", content: "Compare both files." };
    const messages = [asked, { role: "assistant", content: [call("a"), call("b")] }, result("a"), result("b")];
    for (const budget of [30_000, 16_000, 8_000, 4_000]) {
      const model = { name: "gpt-4o", maxPromptTokens: 100_000 };
      const conversation = await openConversation<object>({ format: "anthropic", model, messages });
      const made = await renderRequest(agent(), { conversation, budget, format: "anthropic" });
      assert.equal(made.status, "rendered", `${name}, ${budget}`);
      sound(made, "anthropic");
      const sent = made.messages as { content: { tool_use_id?: string }[] }[];
      const ids = sent.at(-1)!.content.map(({ tool_use_id }) => tool_use_id);
      assert.deepEqual(ids, ["a", "b"], `${name}, ${budget}`);
      await conversation.dispose();
    }
  }
});

test("where the model fails rules write the summary; nothing is left out without one", async () => {
  for (const llm of [
    async () => "",
    async () => {
      throw new Error("no such model");
    },
    undefined,
  ]) {
    const conversation = await long(llm && { llm });
    const made = await renderRequest(agent(), { conversation, budget: BUDGET });
    assert.deepEqual([made.status, summaries(made.messages), made.trimmed], ["applied", 1, []]);
    sound(made);
  }
});

test("an abort while the model is asked leaves the conversation as it was", async () => {
  const { llm, calls } = model();
  const conversation = await long({ llm });
  const before = JSON.stringify(conversation.view().messages);
  const controller = new AbortController();
  const pending = renderRequest(agent(), { conversation, budget: BUDGET, signal: controller.signal });
  pending.catch(() => undefined);
  while (calls.length === 0) await rest();
  controller.abort();
  await fails(() => pending, "aborted");
  assert.equal(JSON.stringify(conversation.view().messages), before);
  const made = await renderRequest(agent(), { conversation, budget: BUDGET, llm: async () => SUMMARY });
  assert.equal(made.status, "applied");
  sound(made);
});

test("a model that hangs is given up, and rules write the summary", async () => {
  const signals: AbortSignal[] = [];
  const llm = ({ signal }: { signal: AbortSignal }) => (signals.push(signal), new Promise<string>(() => undefined));
  const conversation = await long({ llm, timeoutsMs: { model: 20 } });
  const made = await renderRequest(agent(), { conversation, budget: BUDGET });
  assert.deepEqual([made.status, summaries(made.messages), made.trimmed], ["applied", 1, []]);
  assert.ok(signals.length > 0 && signals.every(({ aborted }) => aborted));
  sound(made);
  conversation.append({ role: "user", content: "And the lexer?" });
  assert.equal((await renderRequest(agent(), { conversation, budget: BUDGET })).status, "rendered");
});

test("an answer in the form of another profile is read", async () => {
  const parts = ["overall_goal", "active_constraints", "key_knowledge", "artifact_trail", "task_state"];
  const inside = parts.map((name) => `<${name}>\nMend the parser at noon.\n</${name}>\n`).join("");
  const snapshot = `<scratchpad>Hm.</scratchpad>\n<state_snapshot>\n${inside}</state_snapshot>`;
  const heading = "<summary>\n## Overall Goal\nMend the parser at noon.\n</summary>";
  for (const [profile, answer] of [
    ["espalier", snapshot],
    ["copilot-chat", snapshot],
    ["gemini-cli", heading],
    ["copilot-cli", snapshot],
  ] as const) {
    const conversation = await long({ profile, llm: async () => answer, compact: { verify: "never" } });
    const made = await renderRequest(agent(), { conversation, budget: BUDGET });
    const sent = JSON.stringify(made.messages);
    assert.deepEqual([made.status, made.compactions.at(-1)!.report!.model?.failure], ["applied", undefined], profile);
    assert.ok(
      sent.includes("Mend the parser at noon.") && !sent.includes("Hm."),
      `${profile}: ${sent.slice(0, 2_000)}`,
    );
    sound(made);
  }
});

test("a summary is begun beside the conversation, and put to use before it is needed, or waited for", async () => {
  for (const [reaches, source] of [
    [false, "preRender"],
    [true, "budgetExceededWaited"],
  ] as const) {
    const { llm, calls } = model();
    const conversation = await open({ llm });
    let at = 5;
    let made = await renderRequest(agent(), { conversation, budget: BUDGET });
    while (made.report!.job === undefined) {
      filled(conversation, at, (at += 1));
      made = await renderRequest(agent(), { conversation, budget: BUDGET });
      assert.equal(made.status, "rendered");
    }
    while (calls.length === 0) await rest();
    if (reaches) filled(conversation, at, at + 8);
    else calls[0]!.answer(SUMMARY);
    await rest();
    const pending = renderRequest(agent(), { conversation, budget: BUDGET });
    await rest();
    calls[0]!.answer(SUMMARY);
    const next = await pending;
    assert.deepEqual([next.status, next.source, summaries(next.messages)], ["applied", source, 1]);
    sound(next);
  }
});

test("a summary from beside the conversation that is too old to make enough room is followed by another, and nothing is lost", async () => {
  const { llm, calls } = model();
  const conversation = await open({ llm });
  let at = 5;
  while ((await renderRequest(agent(), { conversation, budget: BUDGET })).report!.job === undefined)
    filled(conversation, at, (at += 1));
  while (calls.length === 0) await rest();
  calls[0]!.answer(SUMMARY);
  filled(conversation, at, at + 40);
  const made = await renderRequest(agent(), { conversation, budget: BUDGET, llm: async () => SUMMARY });
  assert.deepEqual(
    [made.status, made.trimmed, made.compactions.map(({ status, job }) => [status, job !== undefined])],
    [
      "applied",
      [],
      [
        ["applied", true],
        ["applied", false],
      ],
    ],
  );
  sound(made);
});

test("a prompt without a history is a plain render, unless a conversation was given", async () => {
  const prompt = h(UserMessage, null, "Hello");
  const { messages, status, tokens, budget } = await renderRequest(prompt, { budget: 100 });
  assert.deepEqual(
    { messages, status, budget, tokens },
    { messages: [{ role: "user", content: "Hello" }], status: "rendered", budget: 100, tokens: 8 },
  );
  await fails(
    async () => renderRequest(prompt, { budget: 100, conversation: await open() }),
    "bad_option",
    "options.conversation",
  );
  await fails(() => renderRequest(prompt, {} as any), "bad_option", "options.budget");
});

test("two histories are refused", async () => {
  const [one, other] = [await open(), await open()];
  const both = (a: object, b: object) =>
    renderRequest(h(Fragment, null, h(ConversationHistory, a), h(ConversationHistory, b)), {
      conversation: one,
      budget: BUDGET,
    });
  await fails(() => both({}, {}), "bad_option", "conversation");
  await fails(() => both({}, { conversation: one }), "bad_option", "conversation");
  await fails(() => both({}, { conversation: other }), "bad_option", "prompt");
  await fails(() => both({}, { messages: begin(1) }), "bad_option", "prompt");
});

test("cache breakpoints that protect the history lead to a compaction, too", async () => {
  const conversation = await long();
  const prompt = agent({}, h(UserMessage, { priority: 950 }, "Be brief.", h("cacheBreakpoint", { type: "ephemeral" })));
  const made = await renderRequest(prompt, { conversation, budget: BUDGET });
  assert.deepEqual([made.status, summaries(made.messages)], ["applied", 1]);
  sound(made);
});

test("components that render before the history are asked once, those behind it again", async () => {
  const conversation = await long();
  const asked: string[] = [];
  const Named = ({ name }: { name: string }) => (asked.push(name), h(UserMessage, { priority: 950 }, name));
  const prompt = h(
    Fragment,
    null,
    h(Named, { name: "before" }),
    h(ConversationHistory, { priority: 700, flexGrow: 2 }),
    h(Named, { name: "behind", flexGrow: 1 }),
  );
  const made = await renderRequest(prompt, { conversation, budget: BUDGET });
  assert.equal(made.status, "applied");
  assert.deepEqual(asked, ["before", "behind", "behind"]);
  assert.deepEqual([made.messages[0].content, made.messages.at(-1).content], ["before", "behind"]);
});

test("an error of a component arrives as it is, and the conversation goes on", async () => {
  const conversation = await open();
  const Broken = () => {
    throw new TypeError("no file");
  };
  await assert.rejects(
    () => renderRequest(agent({}, h(Broken, {})), { conversation, budget: BUDGET }),
    /no file \(at tsx element/,
  );
  assert.equal((await renderRequest(agent(), { conversation, budget: BUDGET })).status, "rendered");
});

test("the element's own conversation, and plain messages, need no option", async () => {
  const conversation = await long();
  const named = await renderRequest(agent({ conversation }), { budget: BUDGET });
  assert.deepEqual([named.status, named.messages.slice(1)], ["applied", conversation.view().messages]);
  const messages = [...begin(25)];
  const plain = await renderRequest(agent({ messages }), { budget: BUDGET, llm: async () => SUMMARY });
  assert.deepEqual([plain.status, summaries(plain.messages), messages.length], ["applied", 1, 52]);
  sound(plain);
  const begun = await renderRequest(agent({ messages: [] }), { budget: BUDGET });
  assert.deepEqual([begun.status, begun.messages.length], ["rendered", 1]);
});

test("tools count, given here or with the conversation", async () => {
  const tools = [
    {
      type: "function",
      function: { name: "bash", description: "word ".repeat(500), parameters: { type: "object", properties: {} } },
    },
  ];
  for (const given of [{ tools }, {}]) {
    const conversation = await long("tools" in given ? {} : { tools });
    const made = await renderRequest(agent(), { conversation, budget: BUDGET, ...given });
    assert.equal(made.status, "applied");
    assert.equal(made.tokens, espalier.countMessages(made.messages, { tools }).total);
    assert.equal(made.report!.usage.used, made.tokens);
    sound(made, "openai-chat", tools);
  }
});

test("a request of the conversation alone counts no prompt", async () => {
  const conversation = await open();
  await renderRequest(agent({ system: "word ".repeat(500) }), { conversation, budget: BUDGET });
  const { messages, report } = await conversation.prepare();
  assert.equal(report.usage.used, espalier.countMessages(messages).total);
  assert.equal(report.usage.limit, 128_000);
});

test("a provider's refusal is learned from, and the next request is smaller", async () => {
  const conversation = await long({ model: { name: "gpt-4o", maxPromptTokens: 50_000 } });
  const first = await renderRequest(agent(), { conversation });
  assert.deepEqual([first.status, first.budget], ["rendered", 50_000]);
  assert.equal(
    conversation.contextRefused({ status: 400, message: "This model's maximum context length is 2000 tokens." }).action,
    "retry",
  );
  const next = await renderRequest(agent(), { conversation });
  assert.deepEqual([next.status, next.compactions.at(-1)!.trigger], ["applied", "provider_error"]);
  assert.ok(next.tokens <= 2_000);
});

test("where the server manages the context nothing is compacted and nothing left out", async () => {
  const conversation = await long({ serverManaged: true });
  const made = await renderRequest(agent(), { conversation, budget: BUDGET });
  assert.deepEqual([made.status, made.compactions, made.trimmed, made.messages.length], ["rendered", [], [], 53]);
});

test("a smaller model: the history is compacted for it, and says why", async () => {
  const conversation = await long({ model: { name: "gpt-4o", maxPromptTokens: 50_000 } });
  assert.equal((await renderRequest(agent(), { conversation })).status, "rendered");
  const made = await renderRequest(agent(), { conversation, model: { name: "gpt-4o-mini", maxPromptTokens: BUDGET } });
  assert.deepEqual([made.status, made.budget, made.compactions.at(-1)!.trigger], ["applied", BUDGET, "model_switch"]);
  sound(made);
});

test("a summary can be taken back, and the next request has another", async () => {
  const conversation = await long();
  await renderRequest(agent(), { conversation, budget: BUDGET });
  conversation.undo();
  const made = await renderRequest(agent(), { conversation, budget: 50_000 });
  assert.deepEqual([made.status, summaries(made.messages), made.messages.length], ["rendered", 0, 53]);
});

const FORMATS: RenderFormat[] = ["openai-chat", "anthropic", "gemini", "vscode", "raw", "ai-sdk"];
for (const format of FORMATS) {
  test(`${format}: conversations of any format, compacted and valid`, async () => {
    for (const from of ["openai-chat", "anthropic", "gemini", "vscode", "ai-sdk", "raw", "espalier"] as const) {
      const host = HOSTS[from];
      const called = (at: number) => ({
        id: `c${at}`,
        name: "bash",
        args: { command: `make part${at}` },
        text: `building part${at}\n`.repeat(30),
      });
      const conversation = await openConversation<any>({
        format: from,
        messages: [
          host.user("Fix the parser."),
          ...Array.from({ length: 25 }, (_, at) => host.round(called(at))).flat(),
        ],
        entropy: 1,
      });
      const made = await renderRequest(agent(), { conversation, budget: BUDGET, format });
      assert.deepEqual([made.status, summaries(made.messages)], ["applied", 1], from);
      sound(made, format);
      if (format !== "openai-chat" && from !== "openai-chat")
        await fails(() => renderRequest(agent(), { conversation, budget: BUDGET }), "bad_option", "options.format");
      await conversation.dispose();
    }
  });
}

const RECORDED: [string, Shape, number][] = [
  ["sweagent-marshmallow-1867.json", "anthropic", 4_000],
  ["openhands-ponyc-4593.json", "openai-chat", 8_000],
  ["tau-airline-11.json", "gemini", 2_500],
];
for (const [file, shape, budget] of RECORDED) {
  test(`${file} replayed as prompts for ${shape}: valid, within ${budget}, and compacted instead of cut`, async () => {
    const recording = (
      JSON.parse(readFileSync(new URL(`../../fixtures/transcripts/${file}`, import.meta.url), "utf8")) as {
        messages: unknown;
      }
    ).messages;
    const conversation = await openConversation<any>({ format: shape, entropy: 1, llm: async () => SUMMARY });
    let applied = 0;
    for (const turn of turns(recording, shape)) {
      conversation.append(turn as any[]);
      const made = await renderRequest(agent({ system: "You are an agent. ".repeat(40) }), {
        conversation,
        budget,
        format: shape as RenderFormat,
      });
      assert.ok(["rendered", "applied"].includes(made.status), made.status);
      applied += made.status === "applied" ? 1 : 0;
      sound(made, shape as RenderFormat);
      await rest();
    }
    assert.ok(applied > 0);
    await conversation.dispose();
  });
}

test("a job that gained too little does not keep an overflow from being compacted", async () => {
  const file = new URL("../../fixtures/transcripts/pi-refactor-long.json", import.meta.url);
  const { messages } = JSON.parse(readFileSync(file, "utf8")) as { messages: unknown };
  const conversation = await openConversation<any>({ format: "anthropic", entropy: 1, llm: async () => SUMMARY });
  const ends: string[] = [];
  conversation.on("compaction_complete", ({ trigger, status }) => void ends.push(`${trigger} ${status}`));
  for (const [at, turn] of turns(messages, "anthropic").slice(0, 41).entries()) {
    conversation.append(turn as any[]);
    if (at % 4 !== 0) continue;
    const made = await renderRequest(agent({ system: "You are an agent. ".repeat(300) }), {
      conversation,
      budget: 64_000,
      format: "anthropic",
    });
    assert.ok(["rendered", "applied"].includes(made.status), `${at}: ${made.status}`);
    await rest();
  }
  assert.ok(ends.includes("threshold no_gain") && ends.includes("overflow applied"), ends.join(", "));
  await conversation.dispose();
});
