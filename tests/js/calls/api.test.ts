/** What hosts call, on the package as it is shipped: options, identity, models that disappoint. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { refused } from "../refused.ts";
import type { CompactOptions } from "../../../js/types/compact.ts";
import type { CompactStatus } from "../../../js/types/compact-report.ts";
import type { Llm } from "../../../js/types/llm.ts";

const { EspalierError, Pruner, compact, count, countMessages, prune, request } = espalier;

type Message = { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string };

function transcript(name: string): Message[] {
  const file = new URL(`../../fixtures/transcripts/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { messages: Message[] }).messages;
}

/** A conversation on one request with many rounds. */
function agentRun(rounds = 60): Message[] {
  const messages: Message[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Fix the parser. Never touch the lexer." },
  ];
  for (let round = 0; round < rounds; round++) {
    const id = `c${round}`;
    const call = {
      id,
      type: "function",
      function: { name: "bash", arguments: JSON.stringify({ command: `make part${round}` }) },
    };
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: id, content: `building part${round}\n`.repeat(40) });
  }
  return messages;
}

test("counts are tiktoken's", () => {
  assert.equal(count("Hello world!"), 3);
  assert.equal(count("Hello world!", { encoding: "cl100k_base" }), 3);
  assert.equal(count("", { model: "gpt-4o" }), 0);
  assert.equal(count("<|endoftext|>"), 7);
  assert.equal(count("a\ud800b"), count("a\ufffdb"));
});

test("a whole request is counted and limited by its own model, unless the options name one", async () => {
  const messages = [...agentRun(20), { role: "user", content: "语法分析器修好了吗？" }];
  const body = { model: "gpt-4", messages, max_tokens: 100 };
  const counted = countMessages(messages, { model: "gpt-4" });
  assert.notEqual(counted.total, countMessages(messages).total);
  assert.deepEqual(countMessages(body), counted);
  assert.equal(countMessages(body, { model: "gpt-4o" }).total, countMessages(messages).total);
  const wanted = prune(messages, { model: "gpt-4" }).report;
  assert.deepEqual([wanted.budget, wanted.limitSource], [6_144, "modelName"]);
  assert.deepEqual(prune(body).report, wanted);
  const pruner = new Pruner();
  assert.deepEqual(pruner.prune(body).report, wanted);
  assert.equal(prune(body, { model: "gpt-4o" }).report.budget, 123_904);
  assert.deepEqual(prune({ ...body, model: 7 }).report, prune(messages).report);
  const { report } = await compact(body, { budget: 1_000 });
  assert.equal(report.before.total, counted.total);
  const sent = await request(body, {}, (fitting) => Promise.resolve(fitting));
  assert.deepEqual(sent.report.before, wanted.before);
});

test("one message costs what the specification says", () => {
  const hello = [{ role: "user", content: "Hello world!" }];
  assert.equal(countMessages(hello, { costModel: "copilot-chat" }).total, 10);
  assert.deepEqual(countMessages(hello).perMessage, [{ id: "m0", role: "user", tokens: 3 + 1 + 3 }]);
});

test("options that make no sense are refused by name", () => {
  const messages = agentRun(3);
  for (const budget of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1.5, 2 ** 60, "7", null]) {
    refused(() => prune(messages, { budget: budget as number }), "bad_option", "options.budget");
  }
  refused(() => prune(messages, { budget: 9, headroom: -1 }), "bad_option", "options.headroom");
  refused(() => prune(messages, { budget: 9, encoding: "p50k_base" as never }), "unknown_encoding", "options.encoding");
  refused(() => prune(messages, { budget: 9, costModel: "free" as never }), "bad_option", "options.costModel");
  refused(() => prune(messages, { budget: 9, format: "morse" as never }), "bad_option", "options.format");
  refused(() => prune(messages, { budget: 9, keep: ["m99"] }), "bad_option", "options.keep[0]");
  refused(() => prune(messages, null as never), "bad_option", "options");
  refused(() => prune("messages" as never, { budget: 9 }), "unknown_format", "messages");
  refused(() => prune([{ content: "x" }], { budget: 9 }), "bad_message", "messages[0].role");
  refused(() => count(7 as never), "bad_input", "text");
});

test("what is no conversation is named, with what to do", () => {
  const says = (input: unknown, words: RegExp) => assert.throws(() => prune(input, { budget: 9 }), words);
  const wanted = "messages must be a list of messages, or a request with such a list as messages, contents or input";
  says('[{"role":"user"}]', new RegExp(`${wanted}, and is "\\[\\{.*; if it is JSON, pass JSON\\.parse of it$`));
  says({ role: "user", content: "Hello" }, /and is an object that is one message; put it into a list$/);
  says(Promise.resolve([]), /and is an object that is a promise; await it$/);
  says(undefined, /and is undefined$/);
});

test("a Pruner refuses options instead of its cut", () => {
  const { cut } = prune(agentRun(3), { budget: 400 }).report;
  assert.equal(new Pruner(cut).cut, cut);
  for (const wrong of [{ budget: 200 }, "x", prune(agentRun(3), { budget: 400 }).report])
    refused(() => new Pruner(wrong as never), "bad_option", "cut");
});

test("a budget that cannot be met names what must stay", () => {
  assert.throws(
    () => prune(agentRun(3), { budget: 20 }),
    (error: unknown) => {
      assert.ok(error instanceof EspalierError);
      const details = error.details as {
        budget: number;
        needed: number;
        largest: { id: string; tokens: number; why: string }[];
      };
      assert.equal(error.code, "budget_exceeded");
      assert.equal(details.budget, 20);
      assert.ok(details.needed > 20 && details.largest.length > 0);
      return true;
    },
  );
});

test("what fits comes back as the very input", () => {
  const messages = agentRun(3);
  const { messages: same, report } = prune(messages, { budget: 100_000 });
  assert.equal(same, messages);
  assert.equal(report.before.total, report.after.total);
});

test("what stays is the caller's own objects, in order, and the input is as it was", () => {
  const messages = agentRun(40);
  const before = JSON.stringify(messages);
  const { messages: kept, report } = prune(messages, { budget: 1_500 });
  assert.equal(JSON.stringify(messages), before);
  let at = -1;
  for (const message of kept) {
    const next = messages.indexOf(message);
    assert.ok(next > at);
    at = next;
  }
  assert.equal(countMessages(kept).total, report.after.total);
  assert.ok(report.after.total <= 1_500);
});

test("a breakdown says where the tokens go", () => {
  const tools = [{ name: "bash", description: "Runs a command." }];
  const messages = [...agentRun(2), { role: "user", content: "<attachment>a file of mine</attachment> What is this?" }];
  const { shares, total, free } = espalier.breakdown(messages, {
    tools,
    room: { window: 10_000, outputReserve: 1_000 },
  });
  assert.deepEqual(
    shares.map(({ label }) => label),
    ["System", "Tool Definitions", "Messages", "Files", "Tool Results"],
  );
  assert.equal(
    shares.reduce((sum, { tokens }) => sum + tokens, 0),
    total,
  );
  assert.equal(total, countMessages(messages, { tools }).total);
  assert.equal(free, 10_000 - 1_000 - total);
  refused(() => espalier.breakdown(messages, { room: { window: -1 } }), "bad_option", "options.room.window");
});

test("tools count against the budget", () => {
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
  const report = countMessages(agentRun(2), { tools });
  assert.ok(report.tools > 0);
  assert.equal(report.total, report.frame + report.conversation + report.tools);
  assert.equal(prune(agentRun(9), { budget: 900, tools }).report.after.tools, report.tools);
});

test("kept messages stay with their round", () => {
  const messages = agentRun(40);
  const { messages: kept } = prune(messages, { budget: 1_500, keep: [3] });
  assert.ok(kept.includes(messages[2]!) && kept.includes(messages[3]!));
});

for (const name of [
  "tau-airline-0",
  "tau-airline-11",
  "sweagent-marshmallow-1867",
  "cline-sidebar",
  "openhands-ponyc-4593",
]) {
  test(`${name} at every budget`, async () => {
    const messages = transcript(name);
    const whole = countMessages(messages).total;
    for (let percent = 1; percent <= 100; percent += 7) {
      const budget = Math.floor((whole * percent) / 100);
      for (const run of [prune, compact]) {
        let result;
        try {
          result = await run(messages, { budget });
        } catch (error) {
          assert.equal((error as { code: string }).code, "budget_exceeded");
          continue;
        }
        const { messages: out, report } = result;
        assert.ok(report.after.total <= budget);
        assert.equal(countMessages(out).total, report.after.total);
        paired(out);
      }
    }
  });
}

/** Every result follows a call, every call is answered unless the conversation ends with it. */
function paired(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      assert.ok(open.includes(message.tool_call_id!), `orphan ${message.tool_call_id}`);
      open = open.filter((id) => id !== message.tool_call_id);
    } else {
      assert.deepEqual(open, [], "a call was not answered");
      open = (message.tool_calls ?? []).map((call) => (call as { id: string }).id);
    }
  }
}

test("the long transcript goes into 20,000 tokens offline", async () => {
  const messages = transcript("pi-refactor-long");
  const { status, messages: out, report } = await compact(messages, { budget: 20_000 });
  assert.equal(status, "applied");
  assert.ok(report.before.total > 390_000 && report.after.total <= 20_000);
  assert.equal(countMessages(out).total, report.after.total);
});

// ---------------------------------------------------------------- models

const SUMMARY = "<analysis>hm</analysis>\n<summary>\nAll parts are built.\n</summary>";

/** Compacts with this model; gives status and whether the conversation came back untouched. */
async function withModel(
  llm: Llm,
  options: Partial<CompactOptions> = {},
): Promise<{ status: CompactStatus; untouched: boolean }> {
  const messages = agentRun();
  const before = JSON.stringify(messages);
  // A model with room for all of it, and one look only: this summary has none of the sections.
  const result = await compact(messages, { budget: 3_000, maxLlmTokens: 50_000, verify: "never", llm, ...options });
  assert.equal(JSON.stringify(messages), before, "the input was changed");
  // Rules write the summary where the model fails, and the report says how it did.
  assert.ok(result.status === "cancelled" || result.report.after.total <= 3_000);
  const status = result.report.model?.failure ?? result.status;
  if (status === result.status || !options.onFailure) return { status, untouched: result.messages === messages };
  return { status, untouched: false };
}

const left = (status: CompactStatus) => ({ status, untouched: status === "cancelled" });
const applied = { status: "applied" as const, untouched: false };

test("a model's summary is put in place", async () => {
  const requests: Parameters<Llm>[0][] = [];
  const messages = agentRun();
  const {
    messages: out,
    report,
    edits,
  } = await compact(messages, {
    budget: 3_000,
    maxLlmTokens: 50_000,
    verify: "never",
    llm: async (request) => (requests.push(request), { text: SUMMARY, usage: { prompt_tokens: 7 } }),
  });
  assert.equal(requests.length, 1);
  assert.equal(count(requests[0]!.system) + count(requests[0]!.prompt), requests[0]!.promptTokens);
  assert.deepEqual(
    requests[0]!.messages.map(({ role }) => role),
    ["system", "user"],
  );
  assert.deepEqual(report.model?.usage, [{ prompt_tokens: 7 }]);
  assert.equal(out[0], messages[0]);
  assert.equal(out[1], messages[1], "the request stays, word for word, in front of what was done");
  assert.match(String(out[2]!.content), /All parts are built/);
  assert.equal(edits[0]!.kind, "replace_range");
  paired(out);
});

test("a model that fails: rules write the summary, and the report says why", async () => {
  assert.deepEqual(
    await withModel(async () => {
      throw new Error("500");
    }),
    left("model_failed"),
  );
  assert.deepEqual(
    await withModel(() => {
      throw "thrown, not rejected";
    }),
    left("model_failed"),
  );
  assert.deepEqual(await withModel(async () => undefined as never), left("model_failed"));
  assert.deepEqual(await withModel(async () => ({ text: 7 }) as never), left("model_failed"));
  assert.deepEqual(await withModel(async () => ""), left("empty_summary"));
  assert.deepEqual(await withModel(async () => "I cannot help with that."), left("no_summary_tag"));
  assert.deepEqual(await withModel(async () => ({ text: "", finishReason: "tool_calls" })), left("tool_call_instead"));
});

test("a model that hangs is given up on", async () => {
  let aborted = false;
  const hangs: Llm = (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => (aborted = true)));
  assert.deepEqual(await withModel(hangs, { timeoutMs: 20 }), left("timeout"));
  assert.ok(aborted, "the signal was not raised");
});

test("an abort ends it at once, whatever the model does", async () => {
  const controller = new AbortController();
  const stubborn: Llm = () => (setTimeout(() => controller.abort(), 5), new Promise(() => undefined));
  assert.deepEqual(await withModel(stubborn, { signal: controller.signal }), left("cancelled"));
  assert.deepEqual(await withModel(async () => SUMMARY, { signal: AbortSignal.abort() }), left("cancelled"));
});

test("the result of a model that fails is that of rules, and safe to send", async () => {
  const messages = agentRun();
  const byRules = await compact(messages, { budget: 3_000 });
  for (const onFailure of [undefined, "offline"] as const) {
    const {
      status,
      messages: out,
      report,
    } = await compact(messages, {
      budget: 3_000,
      llm: async () => {
        throw new Error("429");
      },
      ...(onFailure && { onFailure }),
    });
    assert.deepEqual([status, report.model?.failure, report.model?.error], ["applied", "model_failed", "429"]);
    assert.deepEqual(out, byRules.messages);
  }
});

test("a model that fails where nothing may stand in for it: an error unless the request fits", async () => {
  const messages = agentRun();
  const llm = async () => {
    throw new Error("429");
  };
  await assert.rejects(compact(messages, { budget: 3_000, llm, onFailure: "leave" }), (error) => {
    assert.ok(error instanceof EspalierError && error.code === "compaction_failed", String(error));
    const { status, budget, needed, report } = error.details;
    assert.deepEqual(
      [status, budget, needed, error.path],
      ["model_failed", 3_000, countMessages(messages).total, "options.budget"],
    );
    assert.equal(report.model?.error, "429");
    assert.match(error.message, /^Nothing was changed \(model_failed: 429\)/);
    return true;
  });
  const fits = await compact(messages, { budget: 50_000, force: true, llm, onFailure: "leave" });
  assert.deepEqual([fits.status, fits.messages === messages], ["model_failed", true]);
});

test("a second answer mends the first", async () => {
  const answers = ["Sure!", SUMMARY];
  assert.deepEqual(await withModel(async () => answers.shift()!), applied);
});

test("progress is reported, and what throws there reaches the caller with nothing changed", async () => {
  const events: string[] = [];
  await withModel(async () => SUMMARY, { onProgress: ({ type }) => events.push(type) });
  assert.deepEqual(events, ["model", "answered"]);
  await assert.rejects(
    withModel(async () => SUMMARY, {
      onProgress: () => {
        throw new Error("mine");
      },
    }),
    /mine/,
  );
  assert.equal(count("still works"), 2);
});

test("what fits is left alone unless it is forced", async () => {
  const messages = agentRun(20);
  const result = await compact(messages, { budget: 50_000 });
  assert.deepEqual([result.status, result.messages === messages], ["unchanged", true]);
  assert.equal((await compact(messages, { budget: 50_000, force: true })).status, "applied");
});

test("the same input gives the same output", async () => {
  const run = async () => JSON.stringify(await compact(agentRun(), { budget: 3_000 }));
  assert.equal(await run(), await run());
});

// ---------------------------------------------------------------- the ledger and the quality report

test("a compaction tells what of the history is left", async () => {
  const { report } = await compact(transcript("pi-refactor-long"), { budget: 64_000 });
  const { retention, users, misses, size } = report.quality!;
  const share = (kind: string) => {
    const found = retention.find((r) => r.kind === kind)!;
    return found.ownLine / found.all;
  };
  assert.ok(
    share("modifiedFiles") >= 0.95 && share("requests") >= 0.95 && share("commands") >= 0.8 && share("errors") >= 0.8,
  );
  assert.deepEqual(misses, []);
  assert.ok(users.withEntry >= 0.95 * users.messages);
  assert.equal(size!.after, report.after.total);
  assert.ok(report.ledger!.some(({ block, lines }) => block === "commands" && lines > 100));
});

test("the host's tools, root and markers are rules of the ledger", async () => {
  const messages: Parameters<typeof countMessages>[0] = [{ role: "user", content: "Das muss unbedingt so bleiben." }];
  for (let at = 0; at < 60; at++) {
    const call = {
      id: `c${at}`,
      type: "function",
      function: { name: "frob", arguments: JSON.stringify({ what: `/w/app/src/f${at}.x` }) },
    };
    (messages as unknown[]).push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: "word ".repeat(200) },
    );
  }
  (messages as unknown[]).push({ role: "user", content: "Go on." });
  const ledger = {
    root: "/w/app",
    markers: ["unbedingt"],
    tools: [{ name: "frob", kind: "edit", path: ["what"] }],
  } as const;
  const { report, messages: out } = await compact(messages, { budget: 6_000, targetShare: 0.4, ledger });
  assert.equal(report.quality!.retention.find((r) => r.kind === "modifiedFiles")!.all, 60);
  assert.match(JSON.stringify(out), /- src\/f3\.x \(edited/);
  assert.match(JSON.stringify(out), /- m0: Das muss unbedingt so bleiben\./);
  const refused = (ledger: unknown, path: string) =>
    assert.rejects(
      compact(messages, { budget: 6_000, ledger: ledger as never }),
      (e: InstanceType<typeof EspalierError>) => e.code === "bad_option" && e.path === path,
    );
  await refused({ markers: [1] }, "options.ledger.markers");
  await refused({ root: 3 }, "options.ledger.root");
  await refused({ tools: [{ name: "x", kind: "cook" }] }, "options.ledger.tools[0].kind");
  await refused({ tools: [{ name: "x", kind: "read", path: [3] }] }, "options.ledger.tools[0].path");
});

test("a model that writes much leaves open files as much room as rules do", async () => {
  const wordy = Array.from(
    { length: 40 },
    (_, at) => `## Part ${at}\nThe agent looked at step ${at} and went on to the next one, as it was asked.`,
  );
  const llm = async () => ({ text: `<summary>\n${wordy.join("\n")}\n</summary>` });
  for (const [at, budget] of [
    [482, 8_000],
    [678, 16_000],
  ] as const) {
    const history = transcript("pi-refactor-long").slice(0, at);
    const [byRules, byModel] = [await compact(history, { budget }), await compact(history, { budget, llm })];
    assert.equal(byModel.report.status, "applied");
    const [usual, left] = [openLines(byRules.messages), openLines(byModel.messages)];
    assert.ok(usual > 200 && left >= usual * 0.95, `${left} lines of ${usual} at ${budget}`);
  }
});

/** Lines of the files that a view shows in their latest state. */
function openLines(messages: readonly Message[]): number {
  const texts = messages.map(({ content }) => (typeof content === "string" ? content : "")).join("\n");
  return texts.match(/<open-files>[^]*?<\/open-files>/)?.[0].split("\n").length ?? 0;
}
