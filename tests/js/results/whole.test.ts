/** All results of a conversation: within a budget, or cleared; in messages of any format. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { ConversationLog, budgetResults, clearResults, countMessages, validate } = espalier;
const vectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/vectors/gemini-cli/${name}.json`, import.meta.url), "utf8"));

const WORDS = "word ".repeat(1_000);

/** Rounds of one call and its result, in each format; `text` is the result's. */
const FORMATS: Record<string, (texts: readonly string[]) => any[]> = {
  "openai-chat": (texts) => [
    { role: "system", content: "You are an agent." },
    { role: "user", content: "Fix it." },
    ...texts.flatMap((content, at) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `c${at}`, type: "function", function: { name: "bash", arguments: `{"command":"make part${at}"}` } },
        ],
      },
      { role: "tool", tool_call_id: `c${at}`, content },
    ]),
  ],
  "openai-responses": (texts) => [
    { role: "user", content: "Fix it." },
    ...texts.flatMap((output, at) => [
      { type: "function_call", call_id: `c${at}`, name: "bash", arguments: `{"command":"make part${at}"}` },
      { type: "function_call_output", call_id: `c${at}`, output },
    ]),
  ],
  anthropic: (texts) => [
    { role: "user", content: "Fix it." },
    ...texts.flatMap((text, at) => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `c${at}`, name: "bash", input: { command: `make part${at}` } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content: [{ type: "text", text }] }] },
    ]),
  ],
  gemini: (texts) => [
    { role: "user", parts: [{ text: "Fix it." }] },
    ...texts.flatMap((output, at) => [
      { role: "model", parts: [{ functionCall: { name: "bash", args: { command: `make part${at}` } } }] },
      { role: "user", parts: [{ functionResponse: { name: "bash", response: { output } } }] },
    ]),
  ],
  vscode: (texts) => [
    { role: 1, content: [{ value: "Fix it." }] },
    ...texts.flatMap((value, at) => [
      { role: 2, content: [{ callId: `c${at}`, name: "bash", input: { command: `make part${at}` } }] },
      { role: 1, content: [{ callId: `c${at}`, content: [{ value }] }] },
    ]),
  ],
  "ai-sdk": (texts) => [
    { role: "user", content: "Fix it." },
    ...texts.flatMap((value, at) => [
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: `c${at}`, toolName: "bash", input: { command: `make part${at}` } }],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: `c${at}`, toolName: "bash", output: { type: "text", value } }],
      },
    ]),
  ],
};

for (const [format, make] of Object.entries(FORMATS)) {
  test(`${format}: old results become notes, the rest are the caller's own objects`, async () => {
    const messages = make([WORDS, WORDS, WORDS, "ok", "ok"]);
    const before = JSON.stringify(messages);
    const {
      messages: sent,
      edits,
      report,
    } = await clearResults(messages, { newest: 2, rounds: 0, minKeptTokens: 0, minFreedTokens: 0 });
    assert.equal(JSON.stringify(messages), before);
    assert.equal(sent.length, messages.length);
    const changed = sent.flatMap((message, at) => (message === messages[at] ? [] : [at]));
    assert.equal(report.gone.length, 3);
    assert.deepEqual(
      changed.map((at) => `m${at}`),
      report.gone.map(({ message }) => message),
    );
    for (const at of changed)
      assert.match(
        JSON.stringify(sent[at]),
        new RegExp(`\\[cleared: bash \`make part\\d\`, 1 line, 5,000 characters; recall m${at}\\]`),
      );
    assert.equal(countMessages(sent).total, report.after.total);
    assert.equal(countMessages(messages).total, report.before.total);
    assert.equal(
      report.before.total - report.after.total,
      report.removed.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    // The same as an edit of a log, with a way back.
    const log = ConversationLog.from(messages);
    const id = log.edit(edits[0]!);
    assert.deepEqual(log.view().messages, sent);
    log.undo(id);
    assert.ok(log.view().messages.every((message, at) => message === messages[at]));
    if (format !== "ai-sdk") assert.deepEqual(validate(sent, format as never), validate(messages, format as never));
  });

  test(`${format}: all results within a budget`, async () => {
    const messages = make([WORDS, "short", WORDS, WORDS]);
    for (const rule of ["water-level", "newest-first"] as const) {
      const { messages: sent, edits, report } = await budgetResults(messages, { budget: 1_500, rule });
      assert.equal(report.outcome, "changed");
      // Newest first, what is cut adds up behind the budget.
      const most = rule === "water-level" ? 1_500 : 1_500 + report.gone.length * 375;
      assert.ok(report.results.after <= most && report.results.before > 3_000, JSON.stringify(report.results));
      assert.equal(countMessages(sent).total, report.after.total);
      assert.deepEqual(
        edits.map(({ kind }) => kind),
        ["truncate"],
      );
      sent.forEach((message, at) =>
        assert.equal(message === messages[at], !report.gone.some((gone) => gone.message === `m${at}`)),
      );
      assert.deepEqual(ConversationLog.from(messages).preview(edits[0]!).view.messages, sent);
    }
    const whole = await budgetResults(messages, { budget: 1e6 });
    assert.equal(whole.messages, messages);
    assert.deepEqual([whole.edits, whole.report.outcome], [[], "within_budget"]);
  });
}

test("a request object keeps its shape, and its system prompt", async () => {
  const request = {
    model: "claude-sonnet-4-5",
    system: "You are an agent.",
    messages: FORMATS["anthropic"]!([WORDS, WORDS, WORDS, WORDS]),
  };
  const { messages: sent, report } = await clearResults(request, { profile: "anthropic", minRequestTokens: 1_000 });
  assert.deepEqual([sent.system, report.gone.length, report.origin], [request.system, 1, "prior"]);
  assert.equal(sent.messages[1], request.messages[1]);
  assert.equal((await clearResults(request, { profile: "anthropic" })).report.outcome, "within_budget");
});

test("a level that still fits stays: the request begins like the one before", async () => {
  const messages = FORMATS["openai-chat"]!([WORDS, WORDS, WORDS]);
  const first = await budgetResults(messages, { budget: 1_000 });
  const again = await budgetResults(messages, { budget: 1_000, level: first.report.level! });
  assert.deepEqual([again.report.level, again.messages], [first.report.level, first.messages]);
});

test("the level only falls", async () => {
  const messages = FORMATS["openai-chat"]!([WORDS, WORDS, WORDS]);
  const first = await budgetResults(messages, { budget: 1_000 });
  const second = await budgetResults([...messages, ...FORMATS["openai-chat"]!([WORDS]).slice(2)], {
    budget: 1_000,
    level: first.report.level!,
  });
  assert.ok(second.report.level! <= first.report.level! * 0.8);
});

test("what goes is stored first, and the handle stands in its place", async () => {
  const messages = FORMATS["openai-chat"]!([WORDS, WORDS, WORDS, WORDS]);
  const files = new Map<string, string>();
  const { messages: sent, report } = await clearResults(messages, {
    newest: 1,
    rounds: 0,
    minKeptTokens: 0,
    minFreedTokens: 0,
    store: async ({ name, content, tool }) => {
      assert.equal(tool, "bash");
      files.set(name, content);
      return `/out/${name}`;
    },
  });
  assert.equal(files.size, 1, "the same content has the same name");
  const [name] = files.keys();
  assert.equal(files.get(name!), WORDS);
  assert.deepEqual(
    report.removed.map(({ recall }) => recall),
    Array(3).fill(`/out/${name}`),
  );
  assert.match(sent[3].content, new RegExp(`; recall /out/${name}\\]$`));
});

test("a store that fails, hangs or lies costs nothing: the original is the host's own", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const hangs = () => {
    setImmediate(() => mock.timers.tick(20));
    return new Promise(() => undefined);
  };
  const messages = FORMATS["openai-chat"]!([WORDS, WORDS, WORDS]);
  const stores: [any, string[]][] = [
    [
      () => {
        throw new Error("no disk");
      },
      ["store_failed", "store_failed"],
    ],
    [() => Promise.reject(new Error("full")), ["store_failed", "store_failed"]],
    [() => undefined, ["store_failed", "store_failed"]],
    [() => ({ path: "" }), ["store_failed", "store_failed"]],
    [() => "x".repeat(5_000_000), ["store_failed", "store_failed"]],
    // Asked once only.
    [hangs, ["store_timeout"]],
  ];
  for (const [store, codes] of stores) {
    const events: any[] = [];
    const { report, storeError } = await clearResults(messages, {
      newest: 1,
      rounds: 0,
      minKeptTokens: 0,
      minFreedTokens: 0,
      store,
      timeoutMs: 20,
      onEvent: (event) => events.push(event),
    });
    assert.deepEqual([events.map(({ code }) => code), report.gone.map(({ recall }) => recall)], [codes, ["m3", "m5"]]);
    assert.equal(storeError, events[0].error);
    // gemini-cli keeps what it could not save.
    const kept = await budgetResults(messages, {
      profile: "gemini-cli",
      budget: 100,
      maxResultTokens: 400,
      store,
      timeoutMs: 20,
    });
    assert.equal(kept.messages, messages);
  }
});

test("an abort is an abort, before and while it is stored", async () => {
  const messages = FORMATS["openai-chat"]!([WORDS, WORDS]);
  await assert.rejects(clearResults(messages, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
  const stop = new AbortController();
  const store = () => {
    setImmediate(() => stop.abort(new Error("enough")));
    return new Promise<string>(() => undefined);
  };
  await assert.rejects(budgetResults(messages, { budget: 10, store, signal: stop.signal }), /enough/);
});

test("pictures of one turn beyond their bytes become notes, in the log as well", async () => {
  const shot = (id: string, kib: number) => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "shoot", input: {} }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: id,
          content: [
            { type: "text", text: WORDS },
            {
              type: "image",
              source: {
                type: "base64",
                media_type: "image/png",
                data: `iVBORw0KGgoA${"A".repeat((kib * 4_096) / 3 - 12)}`,
              },
            },
          ],
        },
      ],
    },
  ];
  const messages: any[] = [{ role: "user", content: "Look." }, ...shot("a", 1_500), ...shot("b", 1_500)];
  const enough = { budget: 100_000 };
  const { messages: out, edits, report } = await budgetResults(messages, enough);
  assert.equal(report.outcome, "changed");
  assert.deepEqual(
    report.removed.map(({ ids, rule }) => [ids, rule]),
    [[["m2"], "heavy-picture"]],
  );
  assert.match(JSON.stringify(out[2]), /\[image left out: image\/png, \d+ tokens; recall m2\]/);
  assert.ok(out.every((message, at) => at === 2 || message === messages[at]));
  assert.deepEqual(validate(out, "anthropic"), []);
  const logged = (edits: Parameters<InstanceType<typeof ConversationLog>["edit"]>[0][]) => {
    const log = ConversationLog.from(messages);
    for (const edit of edits) log.edit(edit);
    return log.view().messages;
  };
  assert.deepEqual(logged(edits), out);
  // Text and picture of one result both go.
  const both = await budgetResults(messages, { budget: 600 });
  assert.match(JSON.stringify(both.messages[2]), /\[cut: .*image left out/);
  assert.deepEqual(logged(both.edits), both.messages);
  const cleared = await clearResults(messages, { newest: 1, rounds: 0, minKeptTokens: 0, minFreedTokens: 0 });
  assert.match(JSON.stringify(cleared.messages[2]), /\[cleared: .*image left out/);
  assert.equal((await budgetResults(messages, { ...enough, maxImageBytes: Infinity })).messages, messages);
  assert.equal((await budgetResults(messages, { ...enough, maxImageBytes: 0 })).report.removed.length, 2);
  assert.equal((await budgetResults(messages, { profile: "gemini-cli" })).report.removed.length, 0);
  for (const maxImageBytes of [-1, 0.5, "1"])
    await assert.rejects(budgetResults(messages, { ...enough, maxImageBytes } as never), {
      code: "bad_option",
      path: "options.maxImageBytes",
    });
});

test("options that make no sense are named", async () => {
  const messages = FORMATS["openai-chat"]!([WORDS]);
  for (const value of [-1, 1.5, NaN, Infinity, "5", null, 2 ** 53]) {
    for (const name of ["minRequestTokens", "newest", "rounds", "minKeptTokens", "minFreedTokens", "timeoutMs"])
      await assert.rejects(clearResults(messages, { [name]: value } as never), {
        code: "bad_option",
        path: `options.${name}`,
      });
    for (const name of ["budget", "level", "maxResultTokens"])
      await assert.rejects(budgetResults(messages, { budget: 5, [name]: value } as never), {
        code: "bad_option",
        path: `options.${name}`,
      });
  }
  for (const [options, path] of [
    [undefined, "options"],
    [null, "options"],
    [{}, "options.budget"],
    [{ budget: 1, rule: "all" }, "options.rule"],
    [{ budget: 1, profile: "x" }, "options.profile"],
    [{ profile: "gemini-cli", rule: "water-level" }, "options.rule"],
    [{ budget: 1, store: "disk" }, "options.store"],
    [{ budget: 1, exempt: "bash" }, "options.exempt"],
    [{ budget: 1, exempt: [1] }, "options.exempt"],
    [{ budget: 1, keep: [99] }, "options.keep[0]"],
    [{ budget: 1, onEvent: 1 }, "options.onEvent"],
  ] as const)
    await assert.rejects(budgetResults(messages, options as never), { code: "bad_option", path });
  await assert.rejects(clearResults(messages, { profile: "constructor" as never }), {
    code: "bad_option",
    path: "options.profile",
  });
  await assert.rejects(clearResults(messages, { protectLatest: 1 as never }), {
    code: "bad_option",
    path: "options.protectLatest",
  });
  await assert.rejects(clearResults([{ role: "nobody", content: "" }]), { code: "bad_message" });
});

test("odd texts: NUL, half of a character, nothing", async () => {
  const odd = `a\ud800\0b ${"👩‍👩‍👧 ".repeat(2_000)}\udc00`;
  for (const make of Object.values(FORMATS)) {
    const messages = make([odd, "", odd]);
    for (const budget of [0, 1, 60, 3_000]) {
      const { report } = await budgetResults(messages, { budget });
      assert.ok(report.results.after <= budget || report.gone.length === 0);
    }
    assert.equal(
      (await clearResults(messages, { newest: 0, rounds: 0, minKeptTokens: 0, minFreedTokens: 0 })).report.gone.length,
      2,
    );
  }
  assert.deepEqual((await clearResults([], {})).messages, []);
});

// ---------------------------------------------------------------- gemini-cli

function expand(value: any): any {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== "object" || value === null) return value;
  if ("$rep" in value) return value.$rep[0].repeat(value.$rep[1]);
  if ("$cat" in value) return value.$cat.map(expand).join("");
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
}

test("gemini-cli's budget", async () => {
  for (const each of vectors("tool-budget").cases) {
    const { id, history, truncateToolOutputThreshold: cap, expected } = expand(each);
    if (cap < 0) {
      // There a negative cap doubles the text; here it is refused.
      await assert.rejects(budgetResults(history, { profile: "gemini-cli", maxResultTokens: cap }), {
        code: "bad_option",
        path: "options.maxResultTokens",
      });
      continue;
    }
    const files: { path: string; length: number }[] = [];
    const { messages: sent } = await budgetResults(history, {
      profile: "gemini-cli",
      maxResultTokens: cap,
      // Its names count up; ours tell the content (below).
      store: ({ tool, content }) => {
        const name = (tool ?? "unknown_tool").replace(/[^\w-]/g, "_").toLowerCase();
        files.push({ path: `/project-tmp/tool-outputs/${name}_${files.length + 1}.txt`, length: content.length });
        return files.at(-1)!.path;
      },
    });
    assert.deepEqual(sent, expected.newHistory, id);
    // There a text that is over the budget but under the cap is stored and stays as it is; here it just stays.
    assert.deepEqual(files, id === "cjk" ? [] : expected.filesSaved, id);
  }
});

test("gemini-cli stores a response that is a bare string as it is", async () => {
  const text = "t".repeat(240_000);
  const stored: string[] = [];
  const store = ({ content }: { content: string }) => `/out/${stored.push(content)}.txt`;
  const contents = (response: unknown) => [{ role: "user", parts: [{ functionResponse: { name: "x", response } }] }];
  const shown = async (response: unknown) =>
    (await budgetResults(contents(response) as any[], { profile: "gemini-cli", store })).messages[0].parts[0]
      .functionResponse.response.output;
  const bare = await shown(text);
  assert.deepEqual(stored, [text]);
  assert.ok(!bare.includes('"'), bare.slice(0, 200));
  assert.equal(bare.replace("/1.", "/2."), await shown({ output: text }));
});

test("gemini-cli's files of several turns: a note finds what it replaces, and the same history is not written anew", async () => {
  const operations = [
    (messages: any[], store: any) =>
      budgetResults(messages, { profile: "gemini-cli", budget: 1_500, maxResultTokens: 400, store }),
    (messages: any[], store: any) =>
      clearResults(messages, {
        profile: "gemini-cli",
        minKeptTokens: 1_500,
        minFreedTokens: 0,
        protectLatest: false,
        store,
      }),
  ];
  for (const operation of operations) {
    const files = new Map<string, string>();
    const written: string[] = [];
    // Each turn is another call, and what a path was given for stays true.
    const told = new Map<string, string>();
    const store = ({ name, content }: { name: string; content: string }) => {
      written.push(name);
      files.set(name, content);
      assert.equal(told.get(name) ?? content, content, name);
      told.set(name, content);
      return name;
    };
    const texts = ["first ", "second ", "third ", "fourth "].map((word) => word.repeat(1_000));
    for (const count of [2, 3, 4, 4]) {
      const messages = FORMATS["openai-chat"]!(texts.slice(0, count));
      const { report } = await operation(messages, store);
      assert.ok(report.gone.length > 0, String(count));
      for (const { message, recall } of report.gone)
        assert.equal(files.get(recall), messages[Number(message.slice(1))].content, `${message} of ${count}`);
    }
    assert.equal(files.size, new Set(written).size);
    assert.deepEqual([...files.values()].toSorted(), texts.slice(0, files.size).toSorted(), "each text once");
    assert.ok(files.size > 1);
    for (const name of files.keys()) assert.match(name, /^bash-[0-9a-f]+\.txt$/);
  }
});

test("gemini-cli's masking", async () => {
  for (const each of vectors("tool-masking").cases) {
    const { id, history, config, expected } = expand(each);
    if (!config.enabled) continue;
    const { messages: sent, report } = await clearResults(history, {
      profile: "gemini-cli",
      minKeptTokens: config.toolProtectionThreshold,
      minFreedTokens: config.minPrunableTokensThreshold,
      protectLatest: config.protectLatestTurn,
      store: ({ tool }) => `/project-tmp/tool-outputs/session-s1/${tool}_1700000000000_.txt`,
    });
    assert.deepEqual(
      report.gone.map(({ message, part }) => [Number(message.slice(1)), part]),
      expected.masked,
      id,
    );
    assert.deepEqual(
      report.gone.map(
        ({ message, part }) => (sent as any)[Number(message.slice(1))].parts[part].functionResponse.response.output,
      ),
      expected.maskedTexts,
      id,
    );
    assert.equal(
      report.gone.reduce((sum, { before, after }) => sum + before - after, 0),
      expected.tokensSaved,
      id,
    );
    // Media beside a response stay.
    (history as any[]).forEach(({ parts }, at) =>
      parts.forEach(
        (part: any, number: number) => "inlineData" in part && assert.equal((sent as any)[at].parts[number], part),
      ),
    );
  }
});

test("its exempt tools, also in other formats", async () => {
  const messages = FORMATS["openai-chat"]!([WORDS, WORDS, WORDS]);
  messages[2].tool_calls[0].function.name = "save_memory";
  const { report } = await clearResults(messages, { profile: "gemini-cli", minKeptTokens: 0, minFreedTokens: 0 });
  assert.deepEqual(
    report.gone.map(({ message, recall }) => [message, recall]),
    [["m5", "m5"]],
  );
});
