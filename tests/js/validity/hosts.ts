/** Random conversations as hosts have them, with every oddity that a format allows. */

import fc from "fast-check";
import type { Format } from "../../../js/types/messages.ts";
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  PNG,
} from "../formats/samples.ts";

type Fields = Record<string, unknown>;

const text = fc.constantFrom("so it is", "go on", "ends in space ", "", "  ", "half \ud800");
const id = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 5 }).map((n) => `c${n}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "c1__vscode-7", "c1__vscode-8", "ä b", "x".repeat(70), "toolu_a.b", "\t\\odd\n"),
  },
);
const tool = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("run", "read") },
  { weight: 1, arbitrary: fc.constantFrom("", "mcp.server/tool", "1st", "näh") },
);
const picture = fc.constantFrom(PNG, PNG, "aGVsbG8=", "?");
const some = <T>(item: fc.Arbitrary<T>, most = 3) => fc.array(item, { maxLength: most });
const maybe = <T>(item: fc.Arbitrary<T>) => fc.option(item, { nil: undefined, freq: 3 });
/** Absent fields are absent, not undefined. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record(fields)
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as Fields);
const is = <T>(value: T) => fc.constant(value);

const chatPart = fc.oneof(
  record({ type: is("text"), text }),
  record({ type: is("image_url"), image_url: record({ url: picture.map((data) => `data:image/png;base64,${data}`) }) }),
  record({ type: is("text"), text, cache_control: is({ type: "ephemeral" }) }),
);
const chatContent = fc.oneof(text, some(chatPart), is(null));
const chatCall = record({
  id: maybe(id),
  type: is("function"),
  function: record({ name: tool, arguments: fc.constantFrom("{}", "not JSON") }),
});
const chat = fc.oneof(
  record({
    role: fc.constantFrom("system", "developer", "user", "user", "user"),
    content: chatContent,
    name: maybe(fc.constantFrom("ann", "a b", "  ")),
  }),
  record({ role: is("assistant"), content: chatContent }),
  record({ role: is("assistant"), content: fc.oneof(text, is(null)), tool_calls: some(chatCall) }),
  record({ role: is("assistant"), content: is(null), function_call: record({ name: is("run"), arguments: is("{}") }) }),
  record({ role: is("function"), name: is("run"), content: text }),
  record({ role: is("tool"), tool_call_id: maybe(id), content: fc.oneof(text, some(chatPart)), name: maybe(tool) }),
  record({ role: is("tool"), tool_call_id: id, content: text }),
);

const output = fc.oneof(
  text,
  some(
    fc.oneof(
      record({ type: is("input_text"), text }),
      record({ type: is("input_image"), image_url: picture.map((data) => `data:image/png;base64,${data}`) }),
    ),
  ),
);
const item = fc.oneof(
  record({ role: fc.constantFrom("user", "system", "developer"), content: output }),
  record({ type: is("message"), role: is("assistant"), content: some(record({ type: is("output_text"), text })) }),
  record({ type: is("reasoning"), id: is("rs"), summary: is([]) }),
  record({ type: is("function_call"), call_id: id, name: tool, arguments: is("{}") }),
  record({ type: is("function_call"), call_id: id, name: tool, arguments: is("{}") }),
  record({ type: is("function_call_output"), call_id: id, output }),
  record({ type: is("function_call_output"), call_id: id, output }),
  record({ type: is("web_search_call"), id: is("ws"), status: is("completed") }),
);

const mark = maybe(fc.constantFrom<unknown>({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }));
const anthropicText = record({ type: is("text"), text, cache_control: mark });
const anthropicImage = record({
  type: is("image"),
  source: record({ type: is("base64"), media_type: is("image/png"), data: picture }),
  cache_control: mark,
});
const thought = fc.oneof(
  record({ type: is("thinking"), thinking: text, signature: maybe(is("sig")), cache_control: mark }),
  record({ type: is("redacted_thinking"), data: maybe(is("c2VhbGVk")) }),
);
const use = record({ type: is("tool_use"), id, name: tool, input: is({ a: 1 }), cache_control: mark });
const served = fc.oneof(
  record({ type: is("server_tool_use"), id: is("srv"), name: is("tool_search"), input: is({}) }),
  record({ type: is("tool_search_tool_result"), tool_use_id: is("srv"), content: is([]) }),
);
const outcome = record({
  type: is("tool_result"),
  tool_use_id: id,
  content: fc.oneof(text, some(fc.oneof(anthropicText, anthropicImage)), is(undefined)),
  cache_control: mark,
});
const anthropic = fc.oneof(
  record({
    role: is("user"),
    content: fc.oneof(text, some(fc.oneof(anthropicText, anthropicImage, outcome, outcome, thought), 4)),
  }),
  record({ role: is("user"), content: some(outcome) }),
  record({
    role: is("assistant"),
    content: fc.oneof(text, some(fc.oneof(thought, anthropicText, use, use, served), 4)),
  }),
  record({ role: is("system"), content: text }),
);

const inline = record({ inlineData: record({ mimeType: is("image/png"), data: picture }) });
const signature = maybe(is("sig"));
const functionCall = record({
  functionCall: record({ id: maybe(id), name: tool, args: is({ a: 1 }) }),
  thoughtSignature: signature,
});
const functionResponse = record({
  functionResponse: record({
    id: maybe(id),
    name: tool,
    response: is({ output: "done" }),
    parts: maybe(some(inline, 2)),
  }),
  extra: maybe(is(1)),
});
const geminiText = record({ text, thought: maybe(is(true)), odd: maybe(is(2)) });
const gemini = fc.oneof(
  record({
    role: fc.constantFrom("user", "function", undefined),
    parts: some(fc.oneof(geminiText, inline, functionResponse, functionResponse), 4),
  }),
  record({ role: is("model"), parts: some(fc.oneof(geminiText, functionCall, functionCall, inline), 4) }),
);

const codeText = text.map((value) => new LanguageModelTextPart(value));
const codeImage = picture.map(
  (data) => new LanguageModelDataPart(Uint8Array.from(Buffer.from(data, "base64")), "image/png"),
);
const codeResult = fc
  .tuple(id, some(fc.oneof(codeText, codeImage)))
  .map(([callId, content]) => new LanguageModelToolResultPart(callId, content));
const codeCall = fc.tuple(id, tool).map(([callId, name]) => new LanguageModelToolCallPart(callId, name, { a: 1 }));
const vscode = fc.oneof(
  some(fc.oneof<fc.Arbitrary<unknown>[]>(codeText, codeImage, codeResult, codeResult), 4).map(
    (content) => new LanguageModelChatMessage(1, content),
  ),
  some(
    fc.oneof<fc.Arbitrary<unknown>[]>(
      codeText,
      codeCall,
      codeCall,
      text.map((value) => new LanguageModelThinkingPart(value)),
    ),
    4,
  ).map((content) => new LanguageModelChatMessage(2, content)),
  text.map((value) => new LanguageModelChatMessage(3, value)),
);

const rawContent = some(
  fc.oneof(
    record({ type: is(1), text }),
    is({ type: 0, imageUrl: { url: `data:image/png;base64,${PNG}` } }),
    is({ type: 3 }),
  ),
  3,
);
const raw = fc.oneof(
  record({ role: fc.constantFrom(0, 1), content: rawContent }),
  record({
    role: is(2),
    content: rawContent,
    toolCalls: some(record({ id, type: is("function"), function: record({ name: tool, arguments: is("{}") }) }), 3),
  }),
  record({ role: is(3), toolCallId: id, content: rawContent }),
);

const sdkResult = record({
  type: is("tool-result"),
  toolCallId: id,
  toolName: tool,
  output: record({ type: is("text"), value: text }),
});
const aiSdk = fc.oneof(
  record({ role: fc.constantFrom("user", "system"), content: text }),
  record({
    role: is("assistant"),
    content: fc.oneof(
      text,
      some(
        fc.oneof(
          record({ type: is("text"), text }),
          record({ type: is("tool-call"), toolCallId: id, toolName: tool, input: is({}) }),
        ),
      ),
    ),
  }),
  record({ role: is("tool"), content: some(sdkResult) }),
);

const chainContent = fc.oneof(
  text,
  some(
    fc.oneof(
      record({ type: is("text"), text }),
      record({ type: is("image_url"), image_url: picture.map((data) => ({ url: `data:image/png;base64,${data}` })) }),
    ),
  ),
);
const chainCalls = some(record({ type: is("tool_call"), id, name: tool, args: is({ a: 1 }) }), 3);
const chain = fc.oneof(
  record({ type: fc.constantFrom("human", "system"), content: chainContent }),
  record({ type: is("ai"), content: text, tool_calls: maybe(chainCalls) }),
  // As stored, and as serialised.
  record({ type: is("ai"), data: record({ content: text, tool_calls: chainCalls }) }),
  record({ lc: is(1), id: is(["x", "ToolMessage"]), kwargs: record({ tool_call_id: id, content: chainContent }) }),
  record({ type: is("tool"), tool_call_id: id, name: maybe(tool), content: chainContent }),
);

const agentsOutput = fc.oneof(
  text,
  record({ type: is("text"), text }),
  some(
    fc.oneof(
      record({ type: is("input_text"), text }),
      record({ type: is("input_image"), image: picture.map((data) => `data:image/png;base64,${data}`) }),
    ),
  ),
);
const agents = fc.oneof(
  record({ role: fc.constantFrom("user", "system"), content: text }),
  record({ type: is("message"), role: is("assistant"), content: some(record({ type: is("output_text"), text })) }),
  record({ type: is("reasoning"), id: is("rs"), content: is([]) }),
  record({ type: is("function_call"), callId: id, name: tool, arguments: is("{}") }),
  record({ type: is("function_call"), callId: id, name: tool, arguments: is("{}") }),
  record({ type: is("shell_call"), callId: id, action: is({ commands: ["ls"] }) }),
  record({ type: is("function_call_result"), callId: id, name: tool, output: agentsOutput }),
  record({ type: is("function_call_result"), callId: id, name: tool, output: agentsOutput }),
  record({ type: is("hosted_tool_call"), id: is("ws"), name: is("web_search"), status: is("completed") }),
);

const neutralImage = record({ type: is("image"), data: picture });
const neutralText = record({ type: is("text"), text });
const neutralResult = record({
  type: is("toolResult"),
  callId: id,
  name: maybe(tool),
  content: some(fc.oneof(neutralText, neutralImage)),
});
const neutral = record({
  role: fc.constantFrom("system", "developer", "user", "assistant", "assistant", "tool"),
  parts: some(
    fc.oneof(
      neutralText,
      neutralImage,
      neutralResult,
      neutralResult,
      record({ type: is("toolCall"), callId: id, name: tool, arguments: is("{}") }),
      is({ type: "cacheMark" }),
      is({ type: "reasoning", text: "hm" }),
      is({ type: "document", dataLength: 3 }),
    ),
    4,
  ),
});

const wrapped = (name: string, message: fc.Arbitrary<unknown>, more: Fields = {}) =>
  fc
    .tuple(some(message, 12), fc.boolean())
    .map(([list, inside]): unknown =>
      inside ? { ...more, [name]: list } : name === "input" || name === "contents" ? { [name]: list } : list,
    );

/** By format; each is a list of messages or a whole request. */
export const hosts: Record<Format, fc.Arbitrary<unknown>> = {
  "openai-chat": wrapped("messages", chat, { model: "gpt-4o", tool_choice: "auto" }),
  "openai-responses": wrapped("input", item, { model: "gpt-5", instructions: "Be brief." }),
  anthropic: wrapped("messages", anthropic, {
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    tools: [{ name: "run", input_schema: {} }],
  }),
  gemini: wrapped("contents", gemini, { systemInstruction: { parts: [{ text: "Be brief." }] } }),
  vscode: wrapped("messages", vscode),
  "ai-sdk": wrapped("messages", aiSdk),
  raw: wrapped("messages", raw),
  langchain: wrapped("messages", chain),
  "openai-agents": wrapped("input", agents),
  espalier: some(neutral, 12).map((list) => list.map((message, at) => ({ id: `n${at}`, ...message }))),
};
