/**
 * Copilot Chat's recorded requests, one after the other, against a conversation with its profile. A tenth of every size
 * is enough.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { draw } from "../../../js/conversation/draw.ts";
import { SUMMARY, heard, model, rest, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, countMessages, countTools } = espalier;
const SCALE = 10;

interface Outcome {
  ok?: number;
  exceed?: boolean;
  throws?: string;
  settle?: Settle;
  summary?: unknown;
}
type Settle = { resolve: string } | { reject: string } | { noTags: string };
interface Step {
  rounds?: string[];
  newTurn?: { contextSize?: number; model?: string };
  before: Settle | null;
  during: Settle | null;
  serverPromptTokens: number | null;
  rng: number;
  renderOutcomes: Outcome[];
  expect: {
    renders: { budget: number }[];
    backgroundRequests: unknown[];
    stateAfter: "Idle" | "InProgress" | "Completed" | "Failed";
    progress: string[];
    summariesRecorded: { source: string; outcome: string }[];
    telemetry: { outcome: string }[];
    error: string | null;
  };
}
interface Scenario {
  name: string;
  max: number;
  toolTokens: number;
  threshold?: number;
  contextSize?: number;
  enabled?: boolean;
  history?: string[][];
  quirk?: string;
  steps: Step[];
}

const { scenarios } = JSON.parse(
  readFileSync(new URL("../../fixtures/vectors/copilot-chat/compaction-flow.json", import.meta.url), "utf8"),
) as { scenarios: Scenario[] };

/** Requests that end otherwise here, and how. */
const DIFFERENT: Record<string, string> = {
  "setting off: overflow is rethrown": "the request is pruned",
  "overflow while running, applied, re-render fails otherwise: the error is passed on":
    "nothing is rendered, so that nothing fails there",
  "non-budget render error propagates": "nothing is rendered, so that nothing fails there",
  "foreground fails with an error: plain render, failure recorded": "a summary made by rules follows",
  "everything overflows: the build fails": "what must stay is shortened",
};

const words = (tokens: number) => " the".repeat(Math.max(0, tokens));
const cost = (messages: Fields[]) => countMessages(messages, { format: "openai-chat" }).total;

/**
 * A round that makes a conversation `tokens` larger, or as little larger as can be, by words of the model or by the
 * result.
 */
function round(id: string, tokens: number, inResult = false): Fields[] {
  const made = (text: string): Fields[] => [
    {
      role: "assistant",
      content: `so${inResult ? "" : text}`,
      tool_calls: [{ id: `c${id}`, type: "function", function: { name: "run", arguments: `{"n":"${id}"}` } }],
    },
    { role: "tool", tool_call_id: `c${id}`, content: `out c${id}${inResult ? text : ""}` },
  ];
  const least = cost(made("")) - cost([]);
  return made(words(tokens - least));
}

function tools(tokens: number): unknown[] {
  const made = (text: string) => [
    {
      type: "function",
      function: { name: "run", description: `runs${text}`, parameters: { type: "object", properties: {} } },
    },
  ];
  const least = countTools(made(""), { format: "openai-chat" }).total;
  const found = made(words(tokens - least));
  assert.equal(countTools(found, { format: "openai-chat" }).total, tokens);
  return found;
}

/** A seed whose first numbers are as near to `r` as decisions here need it. */
function seedFor(r: number): number {
  for (let seed = 0; ; seed += 1) if (Math.abs(draw(seed, "0") - r) < 0.001 && draw(seed, "0") >= r) return seed;
}

for (const scenario of scenarios) {
  test(`copilot-chat: ${scenario.name}`, async () => {
    const { llm, calls } = model();
    // Without a name nothing is learned of how its server counts.
    const limits = (name?: string) => ({ ...(name !== undefined && { name }), maxPromptTokens: scenario.max / SCALE });
    const scaled = (value: number | undefined) => (value === undefined || value <= 1 ? value : value / SCALE);
    const [threshold, contextSize] = [scaled(scenario.threshold), scaled(scenario.contextSize)];
    const defined = tools(scenario.toolTokens / SCALE);
    const conversation = await openConversation<Fields>({
      format: "openai-chat",
      tools: defined,
      model: limits(),
      profile: "copilot-chat",
      llm,
      entropy: seedFor(scenario.steps[0]!.rng),
      automatic: scenario.enabled ?? true,
      ...(threshold !== undefined && { threshold }),
      ...(contextSize !== undefined && { maxContextTokens: contextSize }),
    });
    const events = heard(conversation);
    const stages = () => events.flatMap((event) => (event.type === "compaction_progress" ? [event.stage] : []));
    const own = () => conversation.usage().frame + conversation.usage().conversation;
    let known: string[] = [];
    let settled = 0;
    let name: string | undefined;
    const settle = async (how: Settle) => {
      // A job that fails is asked once more, in another shape.
      const times = "resolve" in how ? 1 : 2;
      for (let tries = 0; tries < times; tries += 1) {
        const call = calls[settled++]!;
        if ("reject" in how) call.fail(new Error(how.reject));
        else call.answer("resolve" in how ? SUMMARY : "no tags at all");
        await rest();
      }
    };

    for (const [number, step] of scenario.steps.entries()) {
      const {
        expect,
        renderOutcomes: [first, ...later],
      } = step;
      if (number === 0) {
        for (const turn of scenario.history ?? []) {
          conversation.append({ role: "user", content: "before" });
          conversation.append(turn.flatMap((id) => round(id, 0)));
        }
        conversation.append({ role: "user", content: "go" });
      }
      if (step.newTurn) {
        conversation.append({ role: "user", content: "and now" });
        if (step.newTurn.contextSize !== undefined) conversation.setMaxContextTokens(step.newTurn.contextSize / SCALE);
        if (step.newTurn.model !== undefined) name = "gpt-4o-mini";
      }
      const budget = (await conversation.modelSwitch(limits(name))).newLimit - scenario.toolTokens / SCALE;
      assert.equal(expect.renders[0]!.budget / SCALE, budget, "the budget of messages");
      const settles = step.before ?? first!.settle;
      if (settles) await settle(settles);

      // What is large lies in front, where a summary takes it away; only what overflows even then lies in the newest
      // round.
      const target = first!.ok === undefined ? budget + 100 : Math.min(Math.floor(first!.ok / SCALE), budget);
      const fresh = (step.rounds ?? []).filter((id) => !known.includes(id));
      const stays = first!.exceed === true && later[0]?.exceed === true;
      for (const [at, id] of fresh.entries()) {
        const isIt = number === 0 && !stays ? at === 0 : at === fresh.length - 1;
        const rest = isIt ? fresh.slice(at + 1).flatMap((other) => round(other, 0)) : [];
        if (isIt && !stays && number > 0)
          conversation.append(round(`${id}0`, target - own() - (cost(round(id, 0)) - cost([]))));
        const size = stays ? budget + 100 : number > 0 ? 0 : target - own() - (cost(rest) - cost([]));
        conversation.append(round(id, isIt ? size : 0, stays));
      }
      const query = (text: string): Fields => ({ role: "user", content: `and${text}` });
      if (fresh.length === 0 && number === 0)
        conversation.append(query(words(target - own() - (cost([query("")]) - cost([])))));
      known = [...known, ...fresh];
      if (step.serverPromptTokens !== null) {
        if (number === 0) await conversation.prepare();
        conversation.reportUsage(step.serverPromptTokens / SCALE);
      }

      const [asked, before] = [calls.length, stages().length];
      const pending = conversation.prepare({ tools: defined, model: limits(name) });
      let isOver = false;
      const end = () => void (isOver = true);
      pending.then(end, end);
      await rest();
      if (step.during) await settle(step.during);
      // Whatever is asked before the request goes out is the foreground.
      while (!isOver) {
        if (settled < calls.length) {
          const call = calls[settled++]!;
          if (later.some(({ throws }) => throws !== undefined)) call.fail(new Error("refused"));
          else call.answer(SUMMARY);
        }
        await rest();
      }
      const { messages, report } = await pending;
      const told = stages().slice(before);
      sound(messages, budget + scenario.toolTokens / SCALE, defined);
      assert.equal(report.usage.tools, scenario.toolTokens / SCALE);

      const different = DIFFERENT[scenario.name];
      if (different !== undefined && number === scenario.steps.length - 1) {
        if (different === "the request is pruned")
          assert.ok(report.trimmed.length > 0 && report.compactions.length === 0);
        if (different.startsWith("a summary made by rules"))
          assert.equal(report.compactions.at(-1)?.report?.steps.at(-1)?.step, "offline");
        return;
      }
      const applied = report.compactions.filter(({ status }) => status === "applied");
      const isRecorded = expect.summariesRecorded.some(({ outcome }) => outcome === "success");
      assert.equal(
        applied.length > 0,
        isRecorded,
        `applied: ${JSON.stringify(report.compactions.map(({ status, error }) => [status, error]))}`,
      );
      assert.equal(told.includes("waiting"), expect.progress.includes("Compacting conversation..."), "waited");
      assert.equal(
        told.includes("dropped"),
        expect.telemetry.some(({ outcome }) => outcome === "discardedBelowApplyMinRatio"),
        "dropped",
      );
      assert.equal(told.includes("started"), expect.backgroundRequests.length > 0, `started at ${report.usage.ratio}`);
      assert.ok(calls.length - asked >= expect.backgroundRequests.length);
      const states = { idle: "Idle", running: "InProgress", ready: "Completed", parked: "Completed", failed: "Failed" };
      const state = states[conversation.usage().job];
      // A failure that the foreground made good is over there; here it stays until the next start.
      assert.ok(
        state === expect.stateAfter || (state === "Failed" && expect.stateAfter === "Idle" && isRecorded),
        `${state}, and ${expect.stateAfter} was expected`,
      );
    }
    await conversation.dispose();
  });
}
