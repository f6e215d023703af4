/**
 * A summary inside a turn: the first calls that stay begin with the host's own thought of that turn, since the provider
 * demands one.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompactOptions } from "../../../js/types/compact.ts";
import { espalier } from "../built.ts";

type Block = Record<string, unknown>;
type Message = { role: string; content: string | Block[]; model?: string };

const thought = (n: number): Block => ({ type: "thinking", thinking: `What about ${n}?`, signature: `sig${n}` });
const options: CompactOptions = {
  budget: 2_000,
  force: true,
  ladder: ["summary", "offline", "fit"],
  format: "anthropic",
};

/** One request and 20 rounds; those in `thoughtful` have a thought. */
function agent(thoughtful: readonly number[], make: (n: number) => Block = thought): Message[] {
  const rounds = Array.from({ length: 20 }, (_, n): Message[] => [
    {
      role: "assistant",
      content: [
        ...(thoughtful.includes(n) ? [make(n)] : []),
        { type: "tool_use", id: `c${n}`, name: "bash", input: { command: `run ${n}` } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `c${n}`, content: `line ${n} of what it said\n`.repeat(60) }],
    },
  ]);
  return [{ role: "user", content: "Fix the parser." }, ...rounds.flat()];
}

const calls = ({ content }: Message) => Array.isArray(content) && content.some(({ type }) => type === "tool_use");

test("the first calls that stay begin with the very block", async () => {
  for (const make of [thought, (n: number): Block => ({ type: "redacted_thinking", data: `sealed${n}` })]) {
    const messages = agent([0], make);
    const frozen = JSON.stringify(messages);
    const { status, messages: out, report, edits } = await espalier.compact(messages, options);
    assert.equal(status, "applied");
    const first = out.find(calls)!;
    const original = messages.find(
      (message) => calls(message) && (message.content as Block[]).at(-1) === (first.content as Block[]).at(-1),
    )!;
    assert.notEqual(first, original);
    assert.equal((first.content as Block[]).length, 2);
    assert.equal((first.content as Block[])[0], (messages[1]!.content as Block[])[0]);
    assert.equal((first.content as Block[])[1], (original.content as Block[])[0]);
    const { thinking } = edits.find(({ kind }) => kind === "replace_range")!;
    assert.deepEqual(thinking, { from: "m1", part: 0, to: `m${messages.indexOf(original)}` });
    assert.ok(report.after.total <= 2_000, String(report.after.total));
    assert.equal(espalier.countMessages(out, { format: "anthropic" }).total, report.after.total);
    assert.equal(JSON.stringify(messages), frozen);
    for (const message of out.filter((message) => message !== first && calls(message)))
      assert.ok(messages.includes(message));
  }
});

test("the request keeps its other fields, and its system prompt is no message", async () => {
  const request = { model: "claude-opus-4-5", system: "You are an agent.", max_tokens: 9, messages: agent([0]) };
  const { messages: out } = await espalier.compact(request, {
    ...options,
    format: undefined,
  } as unknown as CompactOptions);
  assert.equal(out.system, request.system);
  assert.equal((out.messages.find(calls)!.content as Block[])[0], (request.messages[1]!.content as Block[])[0]);
});

test("nothing is carried where there is no need, or where it would be refused", async () => {
  const all = Array.from({ length: 20 }, (_, n) => n);
  const of = (model: string, at: number[], messages: Message[]) =>
    messages.map((message, n) => (at.includes(n) ? { ...message, model } : message));
  const cases: [string, Message[]][] = [
    ["thoughts of its own", agent(all)],
    ["no thoughts", agent([])],
    ["no signature", agent([0], () => ({ type: "thinking", thinking: "hm" }))],
    ["another model", of("claude-b", [39], of("claude-a", [1], agent([0])))],
  ];
  for (const [name, messages] of cases) {
    const { status, messages: out, edits } = await espalier.compact(messages, options);
    assert.equal(status, "applied", name);
    assert.equal(edits.find(({ kind }) => kind === "replace_range")!.thinking, undefined, name);
    assert.ok(messages.includes(out.find(calls)!), name);
  }
  const same = of("claude-a", [1, 39], agent([0]));
  const { edits } = await espalier.compact(same, options);
  assert.ok(
    edits.some(({ thinking }) => thinking?.from === "m1"),
    "the same model",
  );
});

test("a conversation shows it, prepared or not, keeps it, and takes it back", async () => {
  for (const prepared of [false, true]) {
    const conversation = await espalier.openConversation<Message>({
      format: "anthropic",
      model: { name: "claude-opus-4-5", maxPromptTokens: 4_000 },
      compact: { ladder: ["summary", "offline", "fit"] },
    });
    const messages = agent([0]);
    conversation.append(messages);
    if (prepared) await conversation.prepare();
    const before = conversation.view().messages;
    const done = await conversation.compact();
    const isLed = (list: readonly Message[]) =>
      (list.find(calls)!.content as Block[])[0] === (messages[1]!.content as Block[])[0];
    if (!prepared) assert.equal(done.status, "applied");
    const after = conversation.view().messages;
    assert.ok(isLed(after));
    assert.ok(!after.includes(messages[1]!));
    if (done.status === "applied") {
      conversation.undo();
      assert.deepEqual(conversation.view().messages, before);
      conversation.redo();
      assert.deepEqual(conversation.view().messages, after);
    }
  }
});

test("a pruned turn begins with its thought, whatever the budget", () => {
  for (const make of [thought, (n: number): Block => ({ type: "redacted_thinking", data: `sealed${n}` })]) {
    const messages = agent([0], make);
    const whole = espalier.countMessages(messages, { format: "anthropic" }).total;
    const pruner = new espalier.Pruner();
    for (let budget = 1_000; budget < whole; budget += 250)
      for (const cut of [espalier.prune<Message[]>, (list: Message[], how: object) => pruner.prune(list, how)]) {
        const { messages: out, report } = cut(messages, { format: "anthropic", budget });
        const [first] = out.find(calls)!.content as Block[];
        assert.equal(first, (messages[1]!.content as Block[])[0], `${budget} tokens`);
        assert.ok(report.after.total <= budget);
        assert.equal(espalier.countMessages(out, { format: "anthropic" }).total, report.after.total);
        assert.deepEqual(espalier.validate(out, "anthropic"), []);
      }
  }
});

test("a thought that would not fit, and one without a signature, go with their round", () => {
  const long = (n: number): Block => ({ ...thought(n), thinking: "What about it? ".repeat(2_000) });
  const unsigned = (n: number): Block => ({ type: "thinking", thinking: `What about ${n}?` });
  for (const make of [long, unsigned]) {
    const { messages: out } = espalier.prune(agent([0], make), { format: "anthropic", budget: 2_000 });
    assert.equal((out.find(calls)!.content as Block[])[0]!["type"], "tool_use");
  }
});
