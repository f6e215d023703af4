/** Tools that the provider runs: what they leave in a conversation stays or goes whole, and costs what it is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ProviderName } from "../../../js/types/validity.ts";

const { countMessages, prune, repair, validate } = espalier;

type Item = Record<string, unknown>;

const say = (text: string) => ({ type: "text", text });
const user = (...content: unknown[]): Item => ({ role: "user", content });
const assistant = (...content: unknown[]): Item => ({ role: "assistant", content });
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at % 7}`).join(" ");

/** A picture of 512 by 512 pixels, as far as its header goes. */
const PNG = `iVBORw0KGgoAAAANSUhEUgAAAgAAAAIACAYAAADPeyyO${"A".repeat(400_000)}`;

/** A program of Claude that calls the host's tool twice, and ends in a third message. */
const program = (n: number): Item[] => [
  user(say(`Question ${n}`)),
  assistant(
    { type: "server_tool_use", id: `srvtoolu_${n}`, name: "code_execution", input: { code: "await read()" } },
    { type: "tool_use", id: `a${n}`, name: "read", input: {}, caller: { type: "code_execution", tool_id: "x" } },
  ),
  user({ type: "tool_result", tool_use_id: `a${n}`, content: words(60) }),
  assistant({ type: "tool_use", id: `b${n}`, name: "read", input: {} }),
  user({ type: "tool_result", tool_use_id: `b${n}`, content: words(60) }),
  assistant(
    {
      type: "code_execution_tool_result",
      tool_use_id: `srvtoolu_${n}`,
      content: { type: "code_execution_result", stdout: words(30), stderr: "", return_code: 0, content: [] },
    },
    say("Done."),
  ),
];

/** The same on OpenAI's platform, behind a question whether a tool of an MCP server may run. */
const items = (n: number): Item[] => [
  { role: "user", content: `Question ${n}` },
  { type: "mcp_approval_request", id: `mcpr_${n}`, server_label: "s", name: "find", arguments: "{}" },
  { type: "mcp_approval_response", approval_request_id: `mcpr_${n}`, approve: true },
  { type: "mcp_call", id: `mcp_${n}`, server_label: "s", name: "find", arguments: "{}", output: words(40) },
  { type: "program", id: `pg_${n}`, call_id: `p${n}`, code: "read()", fingerprint: "f" },
  {
    type: "function_call",
    call_id: `a${n}`,
    name: "read",
    arguments: "{}",
    caller: { type: "program", caller_id: "p" },
  },
  { type: "function_call_output", call_id: `a${n}`, output: words(60) },
  { type: "function_call", call_id: `b${n}`, name: "read", arguments: "{}" },
  { type: "function_call_output", call_id: `b${n}`, output: words(60) },
  { type: "program_output", id: `po_${n}`, call_id: `p${n}`, result: words(30), status: "completed" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done.", annotations: [] }] },
];

for (const [provider, turn, last] of [
  ["anthropic", program, user(say("Next"))],
  ["openai-responses", items, { role: "user", content: "Next" }],
] as [ProviderName, (n: number) => Item[], Item][]) {
  const messages = [...turn(1), ...turn(2), ...turn(3), last];

  test(`${provider}: a program that calls the host's tools is valid as it is`, () => {
    assert.deepEqual(validate(messages, provider), []);
    assert.equal(repair(messages, { provider }).messages, messages);
  });

  test(`${provider}: a cut keeps a program with its result, or neither`, () => {
    const whole = countMessages(messages, { format: provider as "anthropic" }).total;
    for (let budget = whole; budget > 60; budget -= 29) {
      const { messages: cut, report } = prune(messages, { budget, format: provider as "anthropic", provider });
      assert.ok(report.after.total <= budget);
      const json = JSON.stringify(cut);
      for (const n of [1, 2, 3]) {
        const count = (id: string) => json.split(`"${id}"`).length - 1;
        if (provider === "anthropic") assert.ok([0, 2].includes(count(`srvtoolu_${n}`)), `${budget}: ${json}`);
        else
          for (const id of [`p${n}`, `mcpr_${n}`]) assert.ok([0, 2].includes(count(id)), `${id} in ${budget}: ${json}`);
      }
      assert.deepEqual(
        report.removed.filter(({ rule }) => rule.includes("server")),
        [],
      );
      assert.deepEqual(validate(cut, provider), []);
    }
  });
}

test("anthropic: the result of a paused turn comes in the message that continues it", () => {
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } };
  const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };
  const paused = [
    user(say("Find it")),
    assistant(say("I look"), search),
    assistant(found, say("Here")),
    user(say("Go")),
  ];
  assert.deepEqual(validate(paused, "anthropic"), []);
  const rules = (list: Item[]) => validate(list, "anthropic").map(({ rule, path }) => `${rule} ${path}`);
  assert.deepEqual(rules([user(say("x")), assistant(say("I look"), search), user(say("Go"))]), [
    "lost-server-call messages[1].content[1]",
  ]);
  assert.deepEqual(rules([user(say("x")), assistant(search, say("a")), user(say("y")), assistant(found, say("b"))]), [
    "lost-server-call messages[1].content[0]",
    "orphan-server-result messages[3].content[0]",
  ]);
});

test("responses: what belongs together is found apart", () => {
  const question = { role: "user", content: "x" };
  const [, ask, answer, , code] = items(1) as [Item, Item, Item, Item, Item];
  const output = items(1)[9]!;
  const rules = (list: Item[]) => validate(list, "openai-responses").map(({ rule, path }) => `${rule} ${path}`);
  assert.deepEqual(rules([question, ask]), []);
  assert.deepEqual(rules([question, ask, question]), ["lost-server-call messages[1]"]);
  assert.deepEqual(rules([question, answer, output, question]), [
    "orphan-server-result messages[1]",
    "orphan-server-result messages[2]",
  ]);
  assert.deepEqual(rules([question, code, question]), ["lost-server-call messages[1]"]);
  assert.deepEqual(repair([question, ask, question], { provider: "openai-responses" }).messages, [question, question]);
});

test("responses: outputs of a local shell have the call's id as their own, references no type", () => {
  const action = { type: "exec", command: ["ls"], env: {} };
  const list = [
    { role: "user", content: "x" },
    { id: "msg_1" },
    { id: "rs_1", type: null },
    { type: "local_shell_call", id: "l", call_id: "c1", status: "completed", action },
    { type: "local_shell_call_output", id: "c1", output: words(600) },
  ];
  assert.deepEqual(validate(list, "openai-responses"), []);
  const { messages } = prune(list, { budget: 300, format: "openai-responses" });
  const { id, output } = messages[4] as Item;
  assert.equal(id, "c1");
  assert.match(String(output), /\[cut: /);
});

test("responses: a call without a result gets one of its own type", () => {
  const asked = { role: "user", content: "x" };
  const types = (call: Item) => repair([asked, call, asked], { provider: "openai-responses" }).messages[2] as Item;
  const lost = "No result was recorded for this call; whether it ran is unknown.";
  const call_id = "c";
  assert.deepEqual(types({ type: "custom_tool_call", call_id, name: "x", input: "" }), {
    type: "custom_tool_call_output",
    call_id,
    output: lost,
  });
  assert.deepEqual(types({ type: "shell_call", call_id, action: { commands: ["ls"] } }), {
    type: "shell_call_output",
    call_id,
    output: [{ stdout: "", stderr: lost, outcome: { type: "timeout" } }],
  });
  const operation = { type: "delete_file", path: "a" };
  assert.deepEqual(types({ type: "apply_patch_call", call_id, status: "completed", operation }), {
    type: "apply_patch_call_output",
    call_id,
    status: "failed",
    output: lost,
  });
  assert.equal(
    types({ type: "tool_search_call", call_id, execution: "client", arguments: {} })["type"],
    "tool_search_output",
  );
  const screen = types({ type: "computer_call", id: "i", call_id, actions: [{ type: "wait" }] });
  assert.equal(screen["type"], "computer_call_output");
  assert.equal((screen["output"] as Item)["type"], "computer_screenshot");
  assert.equal(types({ type: "function_call", call_id, name: "x", arguments: "{}" })["type"], "function_call_output");
});

test("responses: the result of a shell is shortened in its own shape", () => {
  const outcome = { type: "exit", exit_code: 1 };
  const list = [
    { role: "user", content: "x" },
    { type: "shell_call", call_id: "c1", action: { commands: ["make"] } },
    { type: "shell_call_output", call_id: "c1", output: [{ stdout: words(900), stderr: "bad", outcome }] },
  ];
  const { messages } = prune(list, { budget: 300, format: "openai-responses" });
  const [output] = (messages[2] as Item)["output"] as [Item];
  assert.deepEqual([output["outcome"], output["stderr"]], [outcome, ""]);
  assert.ok(String(output["stdout"]).endsWith("bad") && String(output["stdout"]).length < 3_000);
});

test("what a call says is counted, in whichever field", () => {
  const cost = (call: Item) => {
    const list = [call, { type: `${String(call["type"])}_output`, call_id: "c", status: "completed" }];
    return countMessages(list, { format: "openai-responses" }).total;
  };
  const diff = words(500);
  assert.ok(
    cost({ type: "apply_patch_call", call_id: "c", operation: { type: "update_file", path: "a", diff } }) > 900,
  );
  assert.ok(cost({ type: "computer_call", call_id: "c", actions: [{ type: "type", text: diff }] }) > 900);
  assert.ok(cost({ type: "shell_call", call_id: "c", action: { commands: [diff] } }) > 900);
});

test("pictures, documents and encrypted contents of the server's tools cost what they are", () => {
  const anthropic = (...content: unknown[]) =>
    countMessages([assistant(...content)], { format: "anthropic", model: "claude-sonnet-4-6" }).total;
  const responses = (item: Item) => countMessages([item], { format: "openai-responses", model: "gpt-4o" }).total;
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
  const near = (tokens: number, wanted: number) =>
    assert.ok(Math.abs(tokens - wanted) < 60, `${tokens}, not ${wanted}`);
  near(responses({ type: "image_generation_call", id: "ig", status: "completed", result: PNG }), 255 + 40);
  const outputs = [{ type: "image", url: `data:image/png;base64,${PNG}` }];
  near(responses({ type: "code_interpreter_call", id: "ci", code: "1", container_id: "c", outputs }), 255 + 60);
  near(anthropic({ type: "document", source: { type: "content", content: [say("a"), image] } }), 350 + 60);
  const pages = [{ type: "web_search_result", url: "u", title: "t", encrypted_content: "A".repeat(16_000) }];
  near(anthropic({ type: "web_search_tool_result", tool_use_id: "s", content: pages }), 3_000 + 60);
});

test("thoughts of Claude cost what their signature holds if their text is left out", () => {
  const cost = (block: Item) => {
    const { total, origin } = countMessages([assistant(block)], { format: "anthropic", model: "claude-opus-4-7" });
    return [total - 7, origin];
  };
  // 4,170 bytes: 170 around a thought of 4,000.
  const seal = "A".repeat(5_560);
  assert.deepEqual(cost({ type: "thinking", thinking: "", signature: seal }), [1_000, "estimate"]);
  assert.deepEqual(cost({ type: "redacted_thinking", data: seal }), [1_000, "estimate"]);
  assert.deepEqual(cost({ type: "thinking", thinking: "A summary.", signature: seal }), [1_000, "estimate"]);
  // All of the thought is there: recorded sizes.
  assert.equal(
    cost({ type: "thinking", thinking: "x y ".repeat(130).slice(0, 518), signature: "A".repeat(918) })[1],
    "prior",
  );
  const options = { anthropic: { signature: seal } };
  const sdk = [{ role: "assistant", content: [{ type: "reasoning", text: "", providerOptions: options }] }];
  assert.equal(countMessages(sdk, { format: "ai-sdk" }).total - 7, 1_000);
});

test("ai-sdk: the encrypted form of a thought is counted once for the parts of its summary", () => {
  const openai = { itemId: "rs_1", reasoningEncryptedContent: "A".repeat(4_000) };
  const part = (text: string) => ({ type: "reasoning", text, providerOptions: { openai } });
  const count = (...content: unknown[]) =>
    countMessages([{ role: "assistant", content }], { format: "ai-sdk" }).total - 7;
  assert.equal(count(part("one")), 588);
  assert.equal(count(part("one"), part("two")), 588 + 1);
});

test("ai-sdk: the provider's result may come behind those of the host's calls", () => {
  const result = (toolCallId: string, toolName: string) => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: "text", value: words(40) },
  });
  const turn = (n: number): Item[] => [
    user(say(`Question ${n}`)),
    assistant(
      { type: "tool-call", toolCallId: `p${n}`, toolName: "run", input: { code: "x" }, providerExecuted: true },
      { type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: {} },
    ),
    { role: "tool", content: [result(`c${n}`, "read")] },
    assistant(result(`p${n}`, "run"), say("Done.")),
  ];
  const messages = [...turn(1), ...turn(2), ...turn(3), user(say("Next"))];
  for (const provider of ["anthropic", "openai-responses"] as const) {
    assert.deepEqual(validate(messages, provider, { format: "ai-sdk" }), []);
    assert.equal(repair(messages, { provider, format: "ai-sdk" }).messages, messages);
  }
  const whole = countMessages(messages, { format: "ai-sdk" }).total;
  for (let budget = whole; budget > 60; budget -= 13) {
    const { messages: cut, report } = prune(messages, { budget, format: "ai-sdk" });
    const json = JSON.stringify(cut);
    for (const id of ["p1", "p2", "p3"])
      assert.ok([0, 2].includes(json.split(`"${id}"`).length - 1), `${id} in ${budget}: ${json}`);
    assert.ok(!json.includes("No result was recorded"));
    assert.deepEqual(
      report.messages.filter(({ fate }) => fate === "inserted"),
      [],
    );
  }
  // A later turn answers nothing.
  const late = [...turn(1).slice(0, 3), user(say("Stop")), assistant(result("p1", "run"), say("Done."))];
  const rules = validate(late, "anthropic", { format: "ai-sdk" }).map(({ rule }) => rule);
  assert.deepEqual(rules, ["lost-call", "orphan-result"]);
});

test("langchain: the encrypted thought beside the content of OpenAI's answers is counted, and goes", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "A".repeat(4_000) };
  const answer = { type: "ai", content: "Done.", additional_kwargs: { reasoning, refusal: "no" } };
  const plain = { type: "ai", content: "Done." };
  const count = (message: Item) => countMessages([message], { format: "langchain" });
  assert.equal(count(answer).total - count(plain).total, 588);
  assert.equal(count(answer).origin, "estimate");
  const asked = { type: "human", content: "x" };
  const list = [asked, answer, asked];
  const { messages } = repair(list, { provider: "openai-responses", format: "langchain", dropThoughts: true });
  assert.deepEqual((messages[1] as Item)["additional_kwargs"], { refusal: "no" });
  assert.equal(repair(list, { provider: "openai-responses", format: "langchain" }).messages, list);
});

test("openai-agents: results of lost calls and programs are as in Responses", () => {
  const asked = { role: "user", content: "x" };
  const lost = (type: string, more: Item) =>
    repair([asked, { type, callId: "c", ...more }, asked], { provider: "openai-responses", format: "openai-agents" })
      .messages[2] as Item;
  assert.equal(lost("shell_call", { action: { commands: ["ls"] } })["type"], "shell_call_output");
  assert.equal(lost("apply_patch_call", { operation: { type: "delete_file", path: "a" } })["status"], "failed");
  assert.equal(lost("computer_call", { action: { type: "wait" } })["type"], "computer_call_result");
  assert.equal(lost("function_call", { name: "x", arguments: "{}" })["type"], "function_call_result");
  const call = (callId: string) => ({
    type: "function_call",
    callId,
    name: "read",
    arguments: "{}",
    status: "completed",
  });
  const result = (callId: string) => ({
    type: "function_call_result",
    callId,
    name: "read",
    status: "completed",
    output: "a",
  });
  const list = [
    asked,
    { type: "program", callId: "p", code: "read()", fingerprint: "f" },
    call("a"),
    result("a"),
    call("b"),
    result("b"),
    { type: "program_output", callId: "p", result: "b", status: "completed" },
    asked,
  ];
  assert.equal(repair(list, { provider: "openai-responses", format: "openai-agents" }).messages, list);
});
