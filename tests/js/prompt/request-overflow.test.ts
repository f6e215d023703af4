/** Requests that no summary makes fit: an error with the largest elements, or less history if the host allows it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { model, rest, SUMMARY } from "../conversation/support.ts";
import type { Fields } from "../conversation/support.ts";
import { agent, BUDGET, fails, filled, long, open, sound } from "./requests.ts";

const { ConversationHistory, createPiece: h, Fragment, SystemMessage, UserMessage, renderRequest } = espalier;

test("a prompt that is too large without its history is refused with its largest elements, and nothing is compacted", async () => {
  const conversation = await long({ llm: async () => SUMMARY });
  const before = conversation.log.length;
  const breakpoint = h("cacheBreakpoint", { type: "ephemeral" });
  for (const marks of [[], [breakpoint]]) {
    const prompt = h(
      Fragment,
      null,
      h(SystemMessage, null, "word ".repeat(3_000), ...marks),
      h(ConversationHistory, { priority: 700 }),
      h(UserMessage, { priority: 900 }, "Go on."),
    );
    const error = await fails(() => renderRequest(prompt, { conversation, budget: BUDGET }), "budget_exceeded");
    assert.ok(error instanceof espalier.BudgetExceededError);
    assert.match(
      error.message,
      /without its history needs 30\d\d tokens, and 2500 are allowed. Largest: LogicalWrapper -> system \(30\d\d\)/,
    );
    assert.equal(error.details.largest.length, 2);
    assert.equal(conversation.log.length, before);
  }
  // What is worth less than the history makes room for it.
  const prompt = h(
    Fragment,
    null,
    h(UserMessage, { priority: 10 }, "word ".repeat(3_000)),
    h(ConversationHistory, { priority: 700 }),
  );
  const made = await renderRequest(prompt, { conversation, budget: BUDGET });
  assert.equal(made.status, "applied");
  sound(made);
});

test("what cannot be summarised is left out only if that is allowed, and the result says so", async () => {
  const never = { compact: { ladder: [] } };
  const drop = "lastResort";
  const tried = await renderRequest(agent(), { conversation: await long(never), budget: BUDGET, drop });
  assert.ok(["noResult", "dropped"].includes(tried.status) && tried.trimmed.length > 0, tried.status);
  const off = await renderRequest(agent(), { conversation: await long({ automatic: false }), budget: BUDGET, drop });
  assert.deepEqual([off.status, off.trimmed.length > 0], ["dropped", true]);
  const asked: string[] = [];
  const freely = await renderRequest(agent(), {
    conversation: await long({ llm: async () => (asked.push("x"), SUMMARY) }),
    budget: BUDGET,
    drop: "freely",
  });
  assert.deepEqual(
    [freely.status, asked, freely.trimmed[0]!.rule, freely.trimmed[0]!.ids],
    ["dropped", [], "priority", ["m2"]],
  );
  for (const made of [tried, off, freely]) sound(made);
  const conversation = await long(never);
  const before = JSON.stringify(conversation.view().messages);
  const error = await fails(
    () => renderRequest(agent(), { conversation, budget: BUDGET }),
    "budget_exceeded",
    "options.drop",
  );
  assert.ok(error.details.needed > BUDGET);
  const { perMessage } = espalier.countMessages(conversation.view().messages);
  const bySize = perMessage.toSorted((a, b) => b.tokens - a.tokens);
  assert.deepEqual(
    error.details.largest,
    bySize.slice(0, 5).map(({ id, tokens }) => ({ id, tokens })),
    "the largest messages of the whole history, and not of what a cut left of it",
  );
  assert.deepEqual(
    error.details.compactions.map(({ status }: Fields) => status),
    ["budget_exceeded"],
  );
  assert.match(
    error.message,
    /^The request needs \d+ tokens, and 2500 are allowed\. Compactions ended as budget_exceeded \(.*drop: "lastResort"\.$/,
  );
  assert.equal(JSON.stringify(conversation.view().messages), before);
  await fails(
    async () => renderRequest(agent(), { conversation: await long({ automatic: false }), budget: BUDGET }),
    "budget_exceeded",
    "options.drop",
  );
  assert.equal((await renderRequest(agent(), { conversation, budget: 50_000 })).status, "rendered");
  await fails(
    () => renderRequest(agent(), { conversation, budget: BUDGET, drop: "always" as any }),
    "bad_option",
    "options.drop",
  );
});

/** A prompt whose last message takes the room that a summary made. */
function greedy() {
  let asked = 0;
  const Greedy = () => h(UserMessage, { priority: 990 }, (asked += 1) === 1 ? "Go on." : "word ".repeat(2_300));
  return h(
    Fragment,
    null,
    h(ConversationHistory, { priority: 700, flexGrow: 2 }),
    h(Greedy, { priority: 990, flexGrow: 1 }),
  );
}

test("a component that takes the room which a summary made: an error, or the history goes by priority", async () => {
  for (const drop of ["never", "lastResort"] as const) {
    const conversation = await long();
    const events: any[] = [];
    conversation.on("*", (event) => void events.push(event));
    const pending = () => renderRequest(greedy(), { conversation, budget: BUDGET, drop });
    if (drop === "never") {
      const error = await fails(pending, "budget_exceeded", "options.drop");
      assert.ok(error.details.needed > BUDGET && error.details.largest[0].id === "prompt", error.message);
    } else {
      const made = await pending();
      assert.deepEqual([made.status, made.source], ["appliedButReRenderFailed", "foreground"]);
      assert.ok(made.trimmed.every(({ rule }) => rule === "priority") && made.trimmed.length > 0);
      assert.equal(events.find(({ type }) => type === "context_trimmed").performedBy, "render");
      sound(made);
    }
    const insufficient = events.filter(({ type }) => type === "compaction_insufficient");
    assert.deepEqual(insufficient, [
      {
        type: "compaction_insufficient",
        trigger: "overflow",
        request: 1,
        limit: BUDGET,
        isSent: drop === "lastResort",
      },
    ]);
  }
});

test("Copilot Chat's outcome of a summary that does not make the next render fit", async () => {
  const outcomes = async (prompt: any, drop: "never" | "lastResort") => {
    const { llm, calls } = model();
    const conversation = await open({ llm, eventProfile: "copilot-chat" });
    const events: any[] = [];
    conversation.on("*", ({ type, data }: any) => void (data && events.push([type, data.trigger, data.outcome])));
    let at = 5;
    while ((await renderRequest(agent(), { conversation, budget: BUDGET })).report!.job === undefined)
      filled(conversation, at, (at += 1));
    while (calls.length === 0) await rest();
    filled(conversation, at, at + 4);
    const pending = renderRequest(prompt, { conversation, budget: BUDGET, drop }).catch(() => undefined);
    await rest();
    calls[0]!.answer(SUMMARY);
    await pending;
    return events.slice(1);
  };
  const applied = (outcome: string) => [["backgroundSummarizationApplied", "budgetExceededWaited", outcome]];
  assert.deepEqual(await outcomes(agent(), "never"), applied("applied"));
  for (const drop of ["never", "lastResort"] as const)
    assert.deepEqual(await outcomes(greedy(), drop), applied("appliedButReRenderFailed"));
});

test("the last resort is the prompt without what must stay of the history", async () => {
  const messages = [
    { role: "system", content: "word ".repeat(2_600) },
    { role: "user", content: "Go on." },
  ];
  const given = async () => ({ conversation: await open({}, messages), budget: BUDGET });
  const error = await fails(async () => renderRequest(agent(), await given()), "budget_exceeded");
  assert.deepEqual(error.details.largest[0].id, "m0");
  const made = await renderRequest(agent(), { ...(await given()), drop: "lastResort" });
  assert.deepEqual(
    [made.status, made.messages.map(({ content }: Fields) => content)],
    ["dropped", ["You mend parsers."]],
  );
  assert.deepEqual(
    made.trimmed.flatMap(({ ids }) => ids),
    ["m0", "m1"],
  );
});
