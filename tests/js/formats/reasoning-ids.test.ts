/** OpenAI's items lose their ids together with the reasoning that led to them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readConversation } from "../../../js/formats/index.ts";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

await espalier.init();
const { compact, openConversation, prune } = espalier;

type Item = Record<string, unknown>;

const user = (text: string): Item => ({ role: "user", content: [{ type: "input_text", text }] });
const reasoning = (id: string): Item => ({ type: "reasoning", id, summary: [], encrypted_content: `sealed ${id}` });
const message = (id: string, text: string): Item => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const call = (id: string): Item => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "ls",
  arguments: "{}",
});
const result = (id: string, output = "a.ts"): Item => ({ type: "function_call_output", call_id: id, output });
const search = (id: string): Item => ({ type: "web_search_call", id, status: "completed" });

/** Numbers of the items that stay, and the ids that the result has. */
function check(items: readonly Item[], stays: readonly number[], ids: readonly (string | undefined)[]): void {
  for (const format of ["openai-responses", "openai-agents"] as const) {
    const asked = format === "openai-agents" ? items.map(asAgents) : items;
    const reading = readConversation(asked, { format });
    const plan = stays.map((at) => ({ type: "keep" as const, id: reading.messages[at]!.id }));
    const out = reading.rebuild(plan) as Item[];
    assert.deepEqual(
      out.map(({ id }) => id),
      ids,
      format,
    );
    // Whatever keeps its id is the host's own object.
    out.forEach((item, at) => assert.equal(item === asked[stays[at]!], item["id"] === asked[stays[at]!]!["id"]));
  }
}

function asAgents(item: Item): Item {
  if (item["type"] === "reasoning") return { type: "reasoning", id: item["id"], content: [] };
  if (item["type"] === "web_search_call")
    return { type: "hosted_tool_call", id: item["id"], name: "web_search_call", status: "completed" };
  if (item["type"] === "function_call") {
    const { call_id: callId, ...others } = item;
    return { ...others, callId, status: "completed" };
  }
  if (item["type"] === "function_call_output")
    return {
      type: "function_call_result",
      callId: item["call_id"],
      name: "ls",
      status: "completed",
      output: { type: "text", text: item["output"] },
    };
  return item;
}

const ROUND = [
  user("Go on."),
  reasoning("rs_1"),
  message("msg_1", "I look."),
  call("c1"),
  call("c2"),
  result("c1"),
  result("c2"),
];

test("all stays: every item is the host's own", () =>
  check(ROUND, [0, 1, 2, 3, 4, 5, 6], [undefined, "rs_1", "msg_1", "fc_c1", "fc_c2", undefined, undefined]));

test("the reasoning stays: what it led to keeps its id", () =>
  check(ROUND, [0, 1, 3, 5], [undefined, "rs_1", "fc_c1", undefined]));

test("the reasoning goes: messages and calls lose their ids", () =>
  check(ROUND, [0, 2, 3, 4, 5, 6], [undefined, undefined, undefined, undefined, undefined, undefined]));

test("an answer without reasoning keeps its ids, whatever goes", () =>
  check([user("a"), message("msg_1", "b"), call("c1"), result("c1")], [2, 3], ["fc_c1", undefined]));

test("each reasoning is that of what comes after it", () =>
  check(
    [reasoning("rs_1"), call("c1"), reasoning("rs_2"), call("c2"), result("c1"), result("c2")],
    [1, 2, 3, 4, 5],
    [undefined, "rs_2", "fc_c2", undefined, undefined],
  ));

test("results and messages of the user end an answer", () =>
  check(
    [reasoning("rs_1"), call("c1"), result("c1"), message("msg_1", "Done.")],
    [1, 2, 3],
    [undefined, undefined, "msg_1"],
  ));

test("the id of a search by the platform stays: it is not optional", () =>
  check([reasoning("rs_1"), search("ws_1"), message("msg_1", "Found.")], [1, 2], ["ws_1", undefined]));

/** What OpenAI refuses, by the ids that the answers had. */
function refused(sent: readonly Item[], answers: readonly Item[]): string[] {
  const owner = new Map<unknown, unknown>();
  let current: unknown;
  for (const item of answers) {
    if (item["type"] === "reasoning") current = item["id"];
    else if (item["type"] === "function_call_output" || item["role"] === "user") current = undefined;
    else if (current !== undefined) owner.set(item["id"], current);
  }
  const ids = new Set(sent.map(({ id }) => id));
  return sent.flatMap(({ id }) => (owner.has(id) && !ids.has(owner.get(id)) ? [String(id)] : []));
}

const long = (at: number) =>
  Array.from({ length: 24 }, (_, line) => `part${at}.rs:${line}: pub fn step_${at}_${line * at}(&self)`).join("\n");
const turns = (count: number): Item[] =>
  Array.from({ length: count }, (_, at) => [
    user(`Question ${at}: what does part ${at} of the program do?`),
    reasoning(`rs_${at}`),
    message(`msg_${at}`, `I look at part ${at}.`),
    search(`ws_${at}`),
    call(`a${at}`),
    call(`b${at}`),
    result(`a${at}`, long(2 * at)),
    result(`b${at}`, long(2 * at + 1)),
    reasoning(`rs_${at}_end`),
    message(`msg_${at}_end`, `Part ${at} parses.`),
  ]).flat();

test("prune and compact at any budget leave nothing that OpenAI refuses", async () => {
  const items = turns(12);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 300, max: 4_500 }), fc.boolean(), async (budget, isCompact) => {
      const options = { budget, format: "openai-responses" } as const;
      const { messages } = isCompact ? await compact(items, options) : prune(items, options);
      assert.deepEqual(refused(messages as Item[], items), []);
    }),
    { numRuns: runs(100) },
  );
});

test("the request for a summary shows calls without the ids of what they do not show", async () => {
  const items = turns(60);
  const asked: Item[][] = [];
  await compact(items, {
    budget: 6_000,
    tools: [{ type: "function", name: "ls", description: "Lists files.", parameters: { type: "object" } }],
    format: "openai-responses",
    llm: (request) => {
      asked.push(request.messages as Item[]);
      return Promise.resolve("The parts were looked at, one after the other; each of them parses a file.");
    },
  });
  assert.ok(asked.some((sent) => sent.some(({ type }) => type === "function_call")));
  assert.ok(!asked.some((sent) => sent.some(({ type }) => type === "web_search_call")));
  for (const sent of asked) assert.deepEqual(refused(sent, items), []);
});

test("no request of a conversation is refused, also right after a cut", async () => {
  const conversation = await openConversation<Item>({ format: "openai-responses", model: { maxPromptTokens: 3_000 } });
  const items = turns(30);
  for (const item of items) {
    conversation.append([item]);
    if (item["type"] === "function_call_output" || item["role"] === "user") {
      const { messages } = await conversation.prepare();
      assert.deepEqual(refused(messages as Item[], items), []);
    }
  }
  await conversation.dispose();
});
