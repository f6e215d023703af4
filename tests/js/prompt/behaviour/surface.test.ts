/** Names, values and extension points that users rely on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, component, h, texts } from "../pieces.ts";
import { ours as s, reference } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

test("every name is there, of the same kind", () => {
  for (const [name, value] of Object.entries(reference)) {
    if (name === "name") continue;
    assert.equal(typeof s[name], typeof value, name);
    for (const key of Object.keys(value)) assert.equal(typeof s[name][key], typeof value[key], `${name}.${key}`);
  }
});

test("constants have the same values, both ways round", () => {
  assert.equal(s.contentType, reference.contentType);
  for (const name of ["OutputMode", "ChatResponseReferencePartStatusKind"])
    assert.deepEqual({ ...s[name] }, { ...reference[name] }, name);
  for (const [namespace, name] of [
    ["Raw", "ChatCompletionContentPartKind"],
    ["OpenAI", "ChatRole"],
  ] as const)
    assert.deepEqual({ ...s[namespace][name] }, { ...reference[namespace][name] }, name);
  for (const name of ["BaseTokensPerCompletion", "BaseTokensPerMessage", "BaseTokensPerName"])
    assert.equal(s.OpenAI[name], reference.OpenAI[name], name);
  const { System, User, Assistant, Tool, display } = s.Raw.ChatRole;
  assert.deepEqual(
    [System, User, Assistant, Tool].map((role) => [role, display(role), s.Raw.ChatRole[role]]),
    [
      [0, "system", "System"],
      [1, "user", "User"],
      [2, "assistant", "Assistant"],
      [3, "tool", "Tool"],
    ],
  );
});

test("which elements are messages", () => {
  for (const name of ["SystemMessage", "UserMessage", "AssistantMessage"]) {
    assert.equal(s.isChatMessagePromptElement(new s[name]({})), true, name);
    assert.ok(new s[name]({}) instanceof s.BaseChatMessage, name);
  }
  assert.equal(s.isChatMessagePromptElement(new s.ToolMessage({ toolCallId: "x" })), false);
  assert.equal(s.isChatMessagePromptElement({}), false);
});

test("the classic factories are global", () => {
  const { vscpp, vscppf } = globalThis as any;
  assert.deepEqual(vscpp("br", null, "a", ["b", ["c"]]), { ctor: "br", props: null, children: ["a", "b", ["c"]] });
  assert.equal(vscppf.isFragment, true);
  assert.throws(() => vscppf());
});

test("a renderer of one's own makes the elements", async () => {
  const service = { greeting: "hello" };
  const Injecting: any = class extends s.PromptRenderer {
    createElement(item: any): any {
      return new item.ctor(item.props, service);
    }
  };
  class Greets extends s.PromptElement {
    readonly service: typeof service;
    constructor(props: any, given: typeof service) {
      super(props);
      this.service = given;
    }
    render(): any {
      return h(s.TextChunk, {}, this.service.greeting);
    }
  }
  const Root = component(s, "Root", () => h(s.UserMessage, {}, h(Greets)));
  const { messages } = await new Injecting(
    { modelMaxPromptTokens: 50 },
    Root,
    {},
    tokenizerOf(s, { count: letters }),
  ).render();
  assert.equal(messages[0].content[0].text, "hello");
});

test("renderRaw gives Raw messages whatever the mode", async () => {
  const Root = component(s, "Root", () => h(s.UserMessage, {}, "hi"));
  const { messages } = await new s.PromptRenderer(
    { modelMaxPromptTokens: 50 },
    Root,
    {},
    tokenizerOf(s, { count: letters, mode: "OpenAI" }),
  ).renderRaw();
  assert.equal(messages[0].role, s.Raw.ChatRole.User);
});

test("messages are converted one by one or all together", () => {
  const raw = { role: s.Raw.ChatRole.User, content: [{ type: s.Raw.ChatCompletionContentPartKind.Text, text: "hi" }] };
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  assert.deepEqual(plain(s.toOpenAI(raw)), { role: "user", content: "hi" });
  assert.deepEqual(plain(s.toOpenAI([raw])), [{ role: "user", content: "hi" }]);
  assert.equal(s.toMode(s.OutputMode.Raw, raw), raw);
  assert.throws(() => s.toMode(9, raw), /Unknown output mode: 9/);
});

test("elements know their priority", () => {
  const Part = component(s, "Part");
  assert.deepEqual(
    [new Part({ priority: 3 }).priority, new Part({}).priority, new Part({}).insertLineBreakBefore],
    [3, Number.MAX_SAFE_INTEGER, true],
  );
});

test("props and children reach the root and elements as they were given", async () => {
  const seen: any[] = [];
  const Part = component(s, "Part", (props) => all(String(props.label), void seen.push(props), props.children));
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h(Part, { label: "L" }, "c"))), ["user: Lc"]);
  assert.deepEqual(seen[0].children, ["c"]);
});
