/** Tool definitions of a conversation's requests, kept within a share of the limit. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import { espalier } from "../built.ts";
import { freeze } from "../formats/common.ts";

const { countTools, memoryStorage, openConversation } = espalier;

/** A definition of 200 tokens and more, as OpenAI writes it. */
const tool = (name: string) => ({
  type: "function",
  function: {
    name,
    description: `Does ${name}. ${"There is much to know about it. ".repeat(30)}`,
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
});
const TOOLS = freeze(Array.from({ length: 60 }, (_, at) => tool(`tool_${at}`)));
const names = (tools: unknown) => (tools as typeof TOOLS).map((one) => one.function.name);

type Message = Record<string, unknown>;

const call = (id: string, name: string, args: object): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
});

const open = (more: { storage?: ConversationStorage; model?: object } = {}) =>
  openConversation<Message>({ format: "openai-chat", model: { maxPromptTokens: 12_000 }, tools: TOOLS, ...more });

test("60 tools take a fifth of the limit, the report lists the others, and the request counts what is sent", async () => {
  const conversation = await open();
  conversation.append({ role: "user", content: "Do thing 7." });
  const { tools, report, loader, messages } = await conversation.prepare({ toolsShare: 0.2 });
  const total = countTools(tools!).total;
  assert.ok(countTools(TOOLS).total > 12_000, "as they are, nothing else has room");
  assert.ok(total <= 2_400 && total > 1_800, String(total));
  assert.equal(report.usage.tools, total);
  assert.deepEqual([report.tools!.budget, report.tools!.after], [2_400, total]);
  assert.ok(report.tools!.shortened.length > 0);
  const out = report.tools!.deferred.map(({ name }) => name);
  assert.deepEqual(names(tools!), [...names(TOOLS).filter((name) => !out.includes(name)), "load_tools"]);
  assert.equal(loader!.name, "load_tools");
  assert.equal(messages.length, 1);
  await conversation.dispose();
});

test("the model loads a deferred tool, and keeps it; all other requests have the very same definitions", async () => {
  const conversation = await open();
  conversation.append({ role: "user", content: "Do everything." });
  const first = await conversation.prepare({ toolsShare: 0.2 });
  const wanted = first.report.tools!.deferred[0]!.name;
  conversation.append({ role: "assistant", content: "One moment." });
  const second = await conversation.prepare({ toolsShare: 0.2 });
  assert.equal(second.tools, first.tools);
  conversation.append([
    call("c1", "load_tools", { names: [wanted] }),
    { role: "tool", tool_call_id: "c1", content: second.loader!.call({ names: [wanted] }) },
  ]);
  const third = await conversation.prepare({ toolsShare: 0.2 });
  assert.ok(names(third.tools!).includes(wanted));
  assert.ok(third.report.usage.tools <= 2_400);
  conversation.append([
    call("c2", wanted, { path: "a" }),
    { role: "tool", tool_call_id: "c2", content: "done" },
    { role: "user", content: "Thanks." },
  ]);
  const fourth = await conversation.prepare({ tools: TOOLS, toolsShare: 0.2 });
  assert.equal(fourth.tools, third.tools);
  await conversation.dispose();
});

test("a stored conversation goes on with the same definitions", async () => {
  const storage = memoryStorage();
  const before = await open({ storage });
  before.append([
    { role: "user", content: "Do thing 59." },
    call("c1", "tool_59", { path: "a" }),
    { role: "tool", tool_call_id: "c1", content: "done" },
  ]);
  const { tools } = await before.prepare({ toolsShare: 0.2 });
  assert.ok(names(tools!).includes("tool_59"));
  await before.dispose();
  const after = await open({ storage });
  after.append({ role: "user", content: "Go on." });
  assert.deepEqual((await after.prepare({ toolsShare: 0.2 })).tools, tools);
  await after.dispose();
});

test("a smaller model gets fewer definitions; without a share all are sent again", async () => {
  const conversation = await open({ model: { maxPromptTokens: 100_000 } });
  conversation.append({ role: "user", content: "Hello." });
  const whole = await conversation.prepare({ toolsShare: 0.5 });
  assert.equal(whole.tools, TOOLS);
  assert.deepEqual([whole.report.tools!.shortened, whole.report.tools!.deferred, whole.loader], [[], [], undefined]);
  const small = await conversation.prepare({ toolsShare: 0.5, model: { maxPromptTokens: 6_000 } });
  assert.ok(countTools(small.tools!).total <= 3_000);
  const { tools, report } = await conversation.prepare({ model: { maxPromptTokens: 100_000 } });
  assert.deepEqual([tools, report.tools, report.usage.tools], [undefined, undefined, countTools(TOOLS).total]);
  await conversation.dispose();
});

test("tools stay whole by name, and the provider's server searches the others", async () => {
  const tools = TOOLS.map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  const conversation = await openConversation({ format: "anthropic", model: { maxPromptTokens: 12_000 } });
  conversation.append({ role: "user", content: "Do thing 3." });
  const { tools: sent, report } = await conversation.prepare({
    tools,
    toolsShare: 0.2,
    fitTools: { keep: ["tool_3"], search: "provider" },
  });
  assert.equal(
    sent!.find(({ name }) => name === "tool_3"),
    tools[3],
  );
  assert.equal(sent!.length, 61);
  assert.ok(report.tools!.deferred.length > 0);
  assert.equal(report.usage.tools, countTools(sent!, { format: "anthropic" }).total);
  await conversation.dispose();
});

test("options that make no sense, and tools that cannot fit, are refused by name", async () => {
  const conversation = await open();
  conversation.append({ role: "user", content: "Hello." });
  const refused = (options: object, path: string, code = "bad_option") =>
    assert.rejects(conversation.prepare(options), { code, path });
  await refused({ toolsShare: 0 }, "options.toolsShare");
  await refused({ toolsShare: 20 }, "options.toolsShare");
  await refused({ toolsShare: 0.2, fitTools: { keep: ["tool_60"] } }, "options.fitTools.keep[0]");
  await refused({ toolsShare: 0.2, fitTools: { search: "provider" } }, "options.fitTools.search");
  await refused({ toolsShare: 0.2, fitTools: { budget: 9 } }, "options.fitTools.budget");
  await refused({ toolsShare: 0.2, fitTools: { keep: names(TOOLS) } }, "options.toolsShare", "budget_exceeded");
  const { report } = await conversation.prepare({ toolsShare: 0.2 });
  assert.ok(report.usage.tools <= 2_400);
  await conversation.dispose();
});
