/**
 * What a profile says of a conversation: lines, counts, failures, hooks, events; one conversation under all of them.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { isTried } from "../runs.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import type { Format } from "../../../js/types/messages.ts";
import type { ProfileName } from "../../../js/types/profile.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { SUMMARY, answered, begin, fill, heard, model, rest, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const { openConversation, memoryStorage, validate, countMessages } = espalier;
const NAMES = ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"] as const satisfies readonly ProfileName[];
const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  openConversation<Fields>({ format: "openai-chat", model: { maxPromptTokens: 4_000 }, entropy: 7, ...options });
type Opened = Awaited<ReturnType<typeof open>>;

// ------------------------------------------------------------ counts

test("how full a request is goes by our count, by the server's, or by the larger", async () => {
  const ratio = async (measured: "predicted" | "atLeastReported" | "reported", reported: number) => {
    const conversation = await open({ profile: { measured } });
    conversation.append(begin(5));
    const {
      report: { usage },
    } = await conversation.prepare();
    conversation.reportUsage(reported);
    return Math.round(conversation.usage().ratio * 4_000 - usage.used);
  };
  const used = await (async () => {
    const conversation = await open();
    conversation.append(begin(5));
    return (await conversation.prepare()).report.usage.used;
  })();
  assert.deepEqual(
    [
      await ratio("predicted", used + 900),
      await ratio("atLeastReported", used + 900),
      await ratio("reported", used + 900),
    ],
    [0, 900, 900],
  );
  assert.deepEqual(
    [
      await ratio("predicted", used - 30),
      await ratio("atLeastReported", used - 30),
      await ratio("reported", used - 30),
    ],
    [0, 0, -30],
  );
});

test("a count of the server's is no count of what was compacted since", async () => {
  const { llm, calls } = model();
  const conversation = await open({ profile: { name: "gemini-cli", ladder: ["summary", "fit"] }, llm });
  conversation.append(begin());
  fill(conversation, 0.45);
  await conversation.prepare();
  conversation.reportUsage(3_900);
  assert.ok(conversation.usage().ratio > 0.9);
  const {
    report: { compactions },
  } = await answered(calls, conversation.prepare());
  assert.deepEqual(
    compactions.map(({ status }) => status),
    ["applied"],
  );
  assert.ok(conversation.usage().ratio < 0.45);
});

// ------------------------------------------------------------ switches

test("another model gives the job up, in profiles that say so", async () => {
  for (const cancelsOnSwitch of [false, true]) {
    const { llm, calls } = model();
    const conversation = await open({ profile: { name: "copilot-chat", cancelsOnSwitch }, llm });
    const events = heard(conversation);
    conversation.append(begin());
    fill(conversation, 0.83);
    await conversation.prepare();
    await rest();
    assert.equal(calls.length, 1);
    await conversation.prepare({ model: { maxPromptTokens: 4_100 } });
    assert.equal(calls[0]!.signal.aborted, cancelsOnSwitch);
    assert.equal(
      events.some((event) => event.type === "compaction_progress" && event.stage === "cancelled"),
      cancelsOnSwitch,
    );
    await conversation.dispose();
  }
});

test("with fewer messages than a profile wants none is compacted by itself, by hand it is", async () => {
  for (const [automatic, isMade] of [
    [undefined, true],
    [2, true],
    [500, false],
  ] as const) {
    let asked = 0;
    const llm = async () => ((asked += 1), SUMMARY);
    const ladder = ["summary", "offline", "fit"] as const;
    const conversation = await open({
      ...(automatic !== undefined && { profile: { minMessages: { automatic } } }),
      llm,
      compact: { ladder, verify: "never" },
    });
    conversation.append(begin());
    const number = fill(conversation, 0.83);
    await conversation.prepare();
    await rest();
    assert.equal(asked, isMade ? 1 : 0, String(automatic));
    conversation.cancel();
    fill(conversation, 1.05, number);
    const { messages, report } = await conversation.prepare();
    sound(messages, 4_000);
    assert.deepEqual(
      [report.compactions.some(({ status }) => status === "applied"), report.trimmed.length > 0],
      [isMade, !isMade],
    );
    if (!isMade) assert.deepEqual([asked, (await conversation.compact()).status], [0, "applied"]);
    await conversation.dispose();
  }
});

// ------------------------------------------------------------ gemini-cli's acknowledgement

test("gemini-cli: the acknowledgement is in the view, in the log, and goes with its summary", async () => {
  const { llm, calls } = model();
  const storage = memoryStorage();
  const conversation = await open({ profile: "gemini-cli", llm, storage });
  conversation.append(begin());
  fill(conversation, 0.9);
  const done = await answered(calls, conversation.compact());
  assert.equal(done.status, "applied");
  const texts = () => conversation.view().messages.map(({ role, content }) => [role, String(content).slice(0, 8)]);
  assert.deepEqual(
    texts()
      .slice(1, 4)
      .map(([role]) => role),
    ["user", "assistant", "user"],
  );
  assert.deepEqual(conversation.view().messages[2], {
    role: "assistant",
    content: "Got it. Thanks for the additional context!",
  });
  const { messages, report } = await conversation.prepare();
  sound(messages, 4_000);
  assert.equal(report.usage.used, countMessages(messages, { format: "openai-chat" }).total);
  assert.equal(report.usage.messages, messages.length);
  await conversation.flush();
  const again = await open({ storage });
  assert.deepEqual(again.view().messages, conversation.view().messages);
  // Recalled like the summary, gone with an undo.
  const reply = conversation.edits().at(-1)!.id;
  assert.ok(conversation.recall(`${reply}:reply`).length > 4);
  conversation.undo();
  assert.ok(!texts().some(([, text]) => text === "Got it. "));
});

// ------------------------------------------------------------ one conversation under all of them

const FORMATS: [Format, ProviderName, Fields[], (number: number) => Fields[]][] = [
  ["openai-chat", "openai-chat", begin(), (number) => round(number)],
  [
    "openai-responses",
    "openai-responses",
    [{ role: "user", content: "Fix the parser." }],
    (number) => [
      { type: "function_call", call_id: `c${number}`, name: "bash", arguments: `{"command":"make part${number}"}` },
      { type: "function_call_output", call_id: `c${number}`, output: `building part${number}\n`.repeat(30) },
    ],
  ],
  [
    "anthropic",
    "anthropic",
    [{ role: "user", content: "Fix the parser." }],
    (number) => [
      {
        role: "assistant",
        content: [
          { type: "text", text: "So." },
          { type: "tool_use", id: `c${number}`, name: "bash", input: { command: `make part${number}` } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `c${number}`, content: `building part${number}\n`.repeat(30) }],
      },
    ],
  ],
  [
    "gemini",
    "gemini",
    [{ role: "user", parts: [{ text: "Fix the parser." }] }],
    (number) => [
      { role: "model", parts: [{ functionCall: { name: "bash", args: { command: `make part${number}` } } }] },
      {
        role: "user",
        parts: [{ functionResponse: { name: "bash", response: { output: `building part${number}\n`.repeat(30) } } }],
      },
    ],
  ],
];

for (const [row, [format, provider, first, next]] of FORMATS.entries()) {
  test(`${format}: made under any profile, gone on with under any other, with a model and without`, async () => {
    for (const [at, made] of NAMES.entries()) {
      for (const [column, llm] of [undefined, async () => SUMMARY].entries()) {
        if (!isTried(2, row, at, column)) continue;
        const storage = memoryStorage();
        const options = { format, model: { maxPromptTokens: 3_000 }, entropy: 3, storage, ...(llm && { llm }) };
        const conversation = await openConversation<Fields>({ ...options, profile: made });
        conversation.append(first);
        const steps = new Set<string>();
        const go = async (conversation: Opened, from: number, to: number) => {
          for (let number = from; number < to; number += 1) {
            conversation.append(next(number));
            const { messages, report } = await conversation.prepare();
            await rest();
            assert.deepEqual(validate(messages, provider, { format }), [], `${made} ${number}`);
            assert.ok(countMessages(messages, { format }).total <= 3_000);
            for (const { report: of } of report.compactions)
              for (const { step, outcome } of of?.steps ?? []) if (outcome === "applied") steps.add(step);
          }
        };
        await go(conversation, 0, 25);
        // By rules where there is nobody to ask, and it says so.
        assert.ok(
          llm ? steps.has("summary") : steps.has("offline") || steps.has("clear") || steps.has("stale"),
          `${made}: ${[...steps].join()}`,
        );
        await conversation.flush();
        const other = NAMES[(at + 1) % NAMES.length]!;
        for (const profile of llm ? [other] : NAMES) {
          const again = await openConversation<Fields>({
            ...options,
            storage: copied(await storage.read("log.jsonl"), await storage.read("messages.jsonl")),
            profile,
          });
          assert.deepEqual(again.view().messages, conversation.view().messages, `${made} under ${profile}`);
          await go(again, 100, 112);
        }
      }
    }
  });
}

function copied(log: string | undefined, messages: string | undefined) {
  const storage = memoryStorage();
  if (log !== undefined) void storage.write("log.jsonl", log);
  if (messages !== undefined) void storage.write("messages.jsonl", messages);
  return storage;
}

// ------------------------------------------------------------ copilot-cli's events

const { cases } = JSON.parse(
  readFileSync(new URL("../../fixtures/vectors/copilot-cli/replacement.json", import.meta.url), "utf8"),
) as { cases: { id: string; expected: Record<string, string[]> }[] };
const FIELDS = cases.find(({ id }) => id === "events-required-fields")!.expected;

test("copilot-cli's events have its fields and no others", async () => {
  const { llm, calls } = model();
  const conversation = await open({
    profile: "copilot-cli",
    eventProfile: "copilot-cli",
    llm,
    storage: memoryStorage(),
  });
  const events = heard(conversation) as { type: string; data: Fields }[];
  conversation.append(begin());
  const number = fill(conversation, 0.9);
  await answered(calls, conversation.compact({ focus: "names" }));
  await answered(calls, conversation.compact(), "nothing of use");
  conversation.append(round(number, 3_000));
  await answered(calls, conversation.prepare(), "nothing of use");
  const named = events.filter(({ type }) => type.startsWith("session."));
  const seen = new Set(named.map(({ type }) => type));
  for (const name of [
    "session.compaction_start",
    "session.compaction_complete",
    "session.usage_info",
    "session.truncation",
  ])
    assert.ok(seen.has(name), name);
  for (const { type, data } of named) {
    const fields = FIELDS[type]!;
    const required = fields.filter((field) => field.endsWith("*")).map((field) => field.slice(0, -1));
    const allowed = fields.map((field) => field.replace("*", ""));
    for (const field of required) assert.ok(data[field] !== undefined, `${type}.${field}`);
    for (const field of Object.keys(data)) assert.ok(allowed.includes(field), `${type}.${field}`);
    if ("trigger" in data) assert.ok(FIELDS["triggers"]!.includes(String(data["trigger"])), String(data["trigger"]));
  }
});

test("copilot-cli: a stored summary is applied again on opening, what was trimmed is not", async () => {
  const { llm, calls } = model();
  const storage = memoryStorage();
  const conversation = await open({ profile: "copilot-cli", llm, storage });
  conversation.append(begin());
  const number = fill(conversation, 0.9);
  await answered(calls, conversation.compact());
  const after = conversation.view().messages;
  conversation.append(round(number, 3_000));
  const { report } = await answered(calls, conversation.prepare(), "nothing of use");
  assert.ok(report.trimmed.length > 0);
  await conversation.flush();
  const again = await open({ profile: "copilot-cli", storage });
  assert.deepEqual(again.view().messages, conversation.view().messages);
  assert.ok(again.view().messages.length > after.length, "the whole round is there");
});
