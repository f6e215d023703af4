/** Raw messages in the forms of the providers. What is written must be read back by the adapters. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConversation } from "../../../js/formats/index.ts";
import { toAnthropic } from "../../../js/formats/anthropic/prompt.ts";
import { toGemini } from "../../../js/formats/gemini/prompt.ts";
import { OpenAI, OutputMode, Raw, toMode, toOpenAI, toVSCode } from "../../../js/prompt/output/mode.ts";
import { setVSCode } from "../../../js/formats/vscode/classes.ts";
import type { Part } from "../../../js/types/messages.ts";

const { ChatRole, ChatCompletionContentPartKind: Kind } = Raw;
const text = (said: string): Raw.ChatCompletionContentPart => ({ type: Kind.Text, text: said });
const image = (url: string, more = {}): Raw.ChatCompletionContentPart => ({
  type: Kind.Image,
  imageUrl: { url, ...more },
});
const pdf: Raw.ChatCompletionContentPart = {
  type: Kind.Document,
  documentData: { data: "JVBERi0=", mediaType: "application/pdf" },
};
const mark: Raw.ChatCompletionContentPart = { type: Kind.CacheBreakpoint };
const opaque = (value: unknown, scope?: number): Raw.ChatCompletionContentPart => ({
  type: Kind.Opaque,
  value,
  ...(scope && { scope }),
});
const call = (id: string, args = "{}"): Raw.ChatMessageToolCall => ({
  id,
  type: "function",
  function: { name: `do_${id}`, arguments: args },
});
const PNG = "data:image/png;base64,iVBORw0K";

const system = (...content: Raw.ChatCompletionContentPart[]): Raw.ChatMessage => ({ role: ChatRole.System, content });
const user = (...content: Raw.ChatCompletionContentPart[]): Raw.ChatMessage => ({ role: ChatRole.User, content });
const assistant = (
  content: Raw.ChatCompletionContentPart[],
  ...toolCalls: Raw.ChatMessageToolCall[]
): Raw.ChatMessage => ({ role: ChatRole.Assistant, content, ...(toolCalls.length > 0 && { toolCalls }) });
const tool = (toolCallId: string, ...content: Raw.ChatCompletionContentPart[]): Raw.ChatMessage => ({
  role: ChatRole.Tool,
  toolCallId,
  content,
});

/** What an adapter understands, in short. */
function gist(request: unknown): string[] {
  const show = (part: Part): string => {
    switch (part.type) {
      case "text":
        return part.text;
      case "toolCall":
        return `${part.callId}=${part.name}(${part.arguments})`;
      case "toolResult":
        return `${part.callId}[${part.content.map(show).join(", ")}]`;
      case "image":
        return `<image ${part.mediaType ?? ""} ${part.data ?? part.url}>`;
      case "document":
        return `<document ${part.mediaType}>`;
      default:
        return `<${part.type}>`;
    }
  };
  return readConversation(request, {}).messages.map(({ role, parts }) => `${role}: ${parts.map(show).join(", ")}`);
}

test("the constants are those of an enum", () => {
  assert.deepEqual(
    [ChatRole.System, ChatRole.User, ChatRole.Assistant, ChatRole.Tool, ChatRole[2]],
    [0, 1, 2, 3, "Assistant"],
  );
  assert.deepEqual([Kind.Image, Kind.Text, Kind.Opaque, Kind.CacheBreakpoint, Kind.Document], [0, 1, 2, 3, 4]);
  assert.deepEqual([OutputMode.Raw, OutputMode.OpenAI, OutputMode.VSCode, OutputMode[4]], [1, 2, 4, "VSCode"]);
  assert.deepEqual(([0, 1, 2, 3] as const).map(ChatRole.display), ["system", "user", "assistant", "tool"]);
  assert.throws(() => ChatRole.display(7 as never), /unknown chat role 7/);
  assert.deepEqual(
    { ...OpenAI },
    {
      ChatRole: { System: "system", User: "user", Assistant: "assistant", Function: "function", Tool: "tool" },
      BaseTokensPerCompletion: 3,
      BaseTokensPerMessage: 3,
      BaseTokensPerName: 1,
    },
  );
  const usable = (scope: number | undefined, mode: OutputMode) =>
    Raw.ChatCompletionContentPartOpaque.usableIn({ type: Kind.Opaque, value: 1, ...(scope && { scope }) }, mode);
  assert.deepEqual(
    [usable(undefined, OutputMode.Raw), usable(6, OutputMode.VSCode), usable(6, OutputMode.Raw)],
    [true, true, false],
  );
});

test("modes", () => {
  const messages = [system(text("a")), user(text("b"))];
  assert.equal(toMode(OutputMode.Raw, messages), messages);
  assert.deepEqual(toMode(OutputMode.OpenAI, messages[1]!), { role: "user", content: "b", name: undefined });
  assert.throws(() => toMode(3 as never, messages), /^Error: Unknown output mode: 3$/);
  assert.deepEqual(toOpenAI([{ role: 9, content: [] } as never]), []);
});

test("OpenAI", () => {
  const named: Raw.ChatMessage = {
    role: ChatRole.User,
    name: "ann",
    content: [text("look"), image(PNG, { detail: "low", mediaType: "image/png" }), text("!"), pdf, mark],
  };
  const kept = { ...call("a", '{"x":1}'), keepWith: class {} };
  const written = toOpenAI([
    system(text("be"), text(" brief"), mark),
    named,
    assistant([text("I look"), image(PNG)], kept, call("b")),
    tool("a", text("one"), mark, text(" two")),
    tool(
      "b",
      image("https://e.org/x.png"),
      opaque({ type: "input_audio" }),
      opaque({ type: "text", text: "no" }, 4),
      opaque(undefined),
    ),
    user(opaque({ type: "text", text: "x" }), text("y")),
  ]);
  assert.deepEqual(written, [
    { role: "system", content: "be brief", name: undefined },
    {
      role: "user",
      name: "ann",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: PNG, detail: "low", mediaType: "image/png" } },
        { type: "text", text: "!" },
      ],
    },
    {
      role: "assistant",
      content: "I look",
      name: undefined,
      tool_calls: [
        { id: "a", type: "function", function: { name: "do_a", arguments: '{"x":1}' } },
        { id: "b", type: "function", function: { name: "do_b", arguments: "{}" } },
      ],
    },
    { role: "tool", content: "one two", tool_call_id: "a" },
    {
      role: "tool",
      content: [{ type: "image_url", image_url: { url: "https://e.org/x.png" } }, { type: "input_audio" }],
      tool_call_id: "b",
    },
    { role: "user", content: "xy", name: undefined },
  ] as never);
  assert.deepEqual(gist(written).slice(1, 4), [
    "user: look, <image image/png iVBORw0K>, !",
    'assistant: I look, a=do_a({"x":1}), b=do_b({})',
    "tool: a[one two]",
  ]);
});

test("VS Code, without VS Code", () => {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
  const written = toVSCode([
    system(text("be brief")),
    user(text("hi"), image(PNG), text("!"), mark),
    assistant([text("I look")], call("a", '{"x":1}')),
    assistant([text("done")]),
    tool("a", text("one")),
  ]);
  assert.deepEqual(plain(written), [
    { role: 1, content: [{ value: "be brief" }] },
    { role: 1, content: [{ value: "hi!" }] },
    { role: 2, content: [{ value: "I look" }, { callId: "a", name: "do_a", input: { x: 1 } }] },
    { role: 2, content: [{ value: "done" }] },
    { role: 1, content: [{ callId: "a", content: [{ value: "one" }] }] },
  ]);
  assert.deepEqual(gist(written), [
    "user: be brief",
    "user: hi!",
    'assistant: I look, a=do_a({"x":1})',
    "assistant: done",
    "user: a[one]",
  ]);
  assert.equal(toVSCode({ ...user(text("x")), name: "ann" }).name, "ann");
  assert.throws(
    () => toVSCode([assistant([], call("a", "{"))]),
    /^EspalierError: Invalid JSON in tool call arguments for tool call: a$/,
  );
});

test("VS Code, with a registered module", () => {
  class Made {
    readonly from: unknown[];
    constructor(...from: unknown[]) {
      this.from = from;
    }
  }
  const said =
    (role: string) =>
    (...from: unknown[]) =>
      Object.assign(new Made(role, ...from), { content: [] as unknown[] });
  setVSCode({
    LanguageModelChatMessage: { User: said("user"), Assistant: said("assistant") },
    LanguageModelTextPart: class extends Made {},
    LanguageModelToolCallPart: class extends Made {},
    LanguageModelToolResultPart: class extends Made {},
  });
  try {
    const [first, second] = toVSCode([user(text("hi")), assistant([text("x")], call("a"))]) as unknown as (Made & {
      content: Made[];
    })[];
    assert.deepEqual(first!.from, ["user", "hi", undefined]);
    assert.deepEqual(
      [second!.from, second!.content.map(({ from }) => from)],
      [
        ["assistant", "x", undefined],
        [["x"], ["a", "do_a", {}]],
      ],
    );
  } finally {
    setVSCode();
  }
  assert.equal(toVSCode(user(text("hi"))).role, 1);
});

test("Anthropic", () => {
  const written = toAnthropic([
    system(text("be brief"), mark),
    user(text("look"), image(PNG), image("https://e.org/x.png"), pdf),
    user(text(" \n")),
    user(text("quick")),
    assistant([text("I look")], call("a", '{"x":1}'), call("b", "")),
    tool("a", text("one"), image("iVBOR", { mediaType: "image/png" }), mark),
    tool("b"),
    user(text("go on")),
    system(text("later")),
    assistant([
      opaque({ type: "thinking", thinking: "hm", signature: "s" }),
      opaque("no block"),
      opaque({ type: "text", text: "not here" }, 4),
    ]),
    user({ type: Kind.Document, documentData: { data: btoa("plain"), mediaType: "text/plain" } }),
  ]);
  assert.deepEqual(written, {
    system: [
      { type: "text", text: "be brief", cache_control: { type: "ephemeral" } },
      { type: "text", text: "later" },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0K" } },
          { type: "image", source: { type: "url", url: "https://e.org/x.png" } },
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
          { type: "text", text: "quick" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look" },
          { type: "tool_use", id: "a", name: "do_a", input: { x: 1 } },
          { type: "tool_use", id: "b", name: "do_b", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [
              { type: "text", text: "one" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBOR" } },
            ],
            cache_control: { type: "ephemeral" },
          },
          { type: "tool_result", tool_use_id: "b" },
          { type: "text", text: "go on" },
        ],
      },
      { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }] },
      {
        role: "user",
        content: [{ type: "document", source: { type: "text", media_type: "text/plain", data: "plain" } }],
      },
    ],
  } as never);
  assert.deepEqual(gist(written), [
    "system: be brief, <cacheMark>, later",
    "user: look, <image image/png iVBORw0K>, <image  https://e.org/x.png>, <document application/pdf>, quick",
    'assistant: I look, a=do_a({"x":1}), b=do_b({})',
    "user: a[one, <image image/png iVBOR>], <cacheMark>, b[], go on",
    "assistant: <reasoning>",
    "user: plain",
  ]);
});

test("Anthropic: breakpoints", () => {
  const marks = (messages: Raw.ChatMessage[]) => {
    const { system: before = [], messages: list } = toAnthropic(messages);
    return [...before, ...list.flatMap(({ content }) => content)]
      .map((block) => (block.cache_control ? "*" : "."))
      .join("");
  };
  // The block before it, in whatever message that is; nothing, where nothing is before it.
  assert.equal(marks([user(mark, text("a")), assistant([mark, text("b")]), user(text("c"), mark, mark)]), "*.*");
  assert.equal(marks([system(text("s")), user(mark, text("a"))]), "*.");
  assert.equal(marks([user(mark), assistant([text("b")])]), ".");
  // Four at most, the last ones, in the order of the request.
  assert.equal(marks(Array.from({ length: 7 }, (_, i) => user(text(`${i}`), mark))), "...****");
  assert.equal(
    marks([
      user(text("a"), mark),
      user(text("b"), mark),
      user(text("c"), mark),
      user(text("d"), mark),
      system(text("s"), mark),
    ]),
    ".****",
  );
  // Thoughts carry none, nor do the caller's own blocks.
  const thought = { type: "thinking", thinking: "hm" };
  assert.equal(marks([assistant([text("a"), opaque(thought), mark])]), "*.");
  const own = { type: "text", text: "mine" };
  assert.equal(marks([user(opaque(own), mark)]), "*");
  assert.deepEqual(
    [thought, own],
    [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "mine" },
    ],
  );
  // Results come first, and take their marks along.
  assert.deepEqual(
    toAnthropic([assistant([], call("a")), user(text("wait"), mark), tool("a", text("r"))]).messages[1]!.content.map(
      ({ type, cache_control }) => [type, !!cache_control],
    ),
    [
      ["tool_result", false],
      ["text", true],
    ],
  );
});

test("Gemini", () => {
  const written = toGemini([
    system(text("be brief"), mark),
    user(text("look"), image(PNG), image("https://e.org/x.png", { mediaType: "image/png" }), pdf),
    user(text("")),
    user(text("quick")),
    assistant([text("I look")], call("a", '{"x":1}'), call("b", "[1]")),
    tool("a", text("one"), image(PNG)),
    tool("b", text("two")),
    tool("lost"),
    system(text("later")),
    assistant([opaque({ text: "own" }), opaque({ text: "not here" }, 8)]),
  ]);
  assert.deepEqual(written, {
    systemInstruction: { parts: [{ text: "be brief" }, { text: "later" }] },
    contents: [
      {
        role: "user",
        parts: [
          { text: "look" },
          { inlineData: { mimeType: "image/png", data: "iVBORw0K" } },
          { fileData: { fileUri: "https://e.org/x.png", mimeType: "image/png" } },
          { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
          { text: "quick" },
        ],
      },
      {
        role: "model",
        parts: [
          { text: "I look" },
          { functionCall: { id: "a", name: "do_a", args: { x: 1 } } },
          { functionCall: { id: "b", name: "do_b", args: { arguments: [1] } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "do_a", response: { output: "one" } } },
          { functionResponse: { id: "b", name: "do_b", response: { output: "two" } } },
          { functionResponse: { id: "lost", name: "unknown", response: { output: "" } } },
          { inlineData: { mimeType: "image/png", data: "iVBORw0K" } },
        ],
      },
      { role: "model", parts: [{ text: "own" }] },
    ],
  });
  assert.deepEqual(gist(written), [
    "system: be brief, later",
    "user: look, <image image/png iVBORw0K>, <image image/png https://e.org/x.png>, <document application/pdf>, quick",
    'assistant: I look, a=do_a({"x":1}), b=do_b({"arguments":[1]})',
    "user: a[one], b[two], lost[], <image image/png iVBORw0K>",
    "assistant: own",
  ]);
});

test("VS Code with a class for data keeps pictures in their place", () => {
  class TextPart {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  }
  class DataPart {
    readonly data: Uint8Array;
    readonly mimeType: string;
    constructor(data: Uint8Array, mimeType: string) {
      this.data = data;
      this.mimeType = mimeType;
    }
  }
  class ResultPart {
    readonly callId: string;
    readonly content: unknown[];
    constructor(callId: string, content: unknown[]) {
      this.callId = callId;
      this.content = content;
    }
  }
  const made = (role: number) => (content: string, name?: string) => ({ role, name, content: [new TextPart(content)] });
  setVSCode({
    LanguageModelChatMessage: { User: made(1), Assistant: made(2) },
    LanguageModelTextPart: TextPart,
    LanguageModelDataPart: DataPart,
    LanguageModelToolCallPart: TextPart as never,
    LanguageModelToolResultPart: ResultPart,
  });
  try {
    const picture = new DataPart(
      Uint8Array.from(atob(PNG.slice(PNG.indexOf(",") + 1)), (unit) => unit.charCodeAt(0)),
      "image/png",
    );
    const contents = (message: Raw.ChatMessage) =>
      (toVSCode([message])[0] as unknown as { content: unknown[] }).content;
    assert.deepEqual(contents(user(text("see "), text("this"), image(PNG), text("!"), mark)), [
      new TextPart("see this"),
      picture,
      new TextPart("!"),
    ]);
    assert.deepEqual(contents(user(image(PNG))), [picture]);
    assert.deepEqual(contents(tool("a", text("one"), image(PNG))), [
      new ResultPart("a", [new TextPart("one"), picture]),
    ]);
    // No class takes a picture by address, or one that is no base64.
    for (const lost of ["https://e.org/x.png", "data:image/png;base64,%"])
      assert.deepEqual(contents(user(text("x"), image(lost))), [new TextPart("x")]);
  } finally {
    setVSCode();
  }
});
