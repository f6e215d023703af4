/** Conversations with one fault each, as hosts come to have them, in the formats that can have it. */

import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "../formats/samples.ts";
import type { Format } from "../../../js/types/messages.ts";

/** The varying parts of a case; everything else of a conversation is valid. */
interface Parts {
  /** The arguments of a call: a value, or its text. */
  input: unknown;
  arguments?: string;
  /** The output of the tool. */
  output: string;
  /** Base64 of a picture, and its type. */
  data?: string;
  mediaType?: string;
  /** True if the host marks every message and every part for the cache. */
  marked?: boolean;
}

type Fields = Record<string, unknown>;

/** The same conversation in every format: a request with a picture, two parallel calls, their results, a request. */
const MAKERS: Record<Format, (parts: Parts) => Fields[]> = {
  "openai-chat": ({ input, arguments: text, output, data, mediaType, marked }) => [
    {
      role: "user",
      content: [
        { type: "text", text: "Look.", ...mark(marked) },
        ...(data === undefined
          ? []
          : [{ type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` }, ...mark(marked) }]),
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: ["c1", "c2"].map((id) => ({
        id,
        type: "function",
        function: { name: "f", arguments: text ?? input },
      })),
    },
    { role: "tool", tool_call_id: "c1", content: output, ...mark(marked) },
    { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: output, ...mark(marked) }], ...mark(marked) },
    { role: "user", content: "Go on.", ...mark(marked) },
  ],
  "openai-responses": ({ input, arguments: text, output, data, mediaType }) => [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Look." },
        ...(data === undefined ? [] : [{ type: "input_image", image_url: `data:${mediaType};base64,${data}` }]),
      ],
    },
    ...["c1", "c2"].map((call_id) => ({ type: "function_call", call_id, name: "f", arguments: text ?? input })),
    { type: "function_call_output", call_id: "c1", output },
    { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: output }] },
    { role: "user", content: "Go on." },
  ],
  anthropic: ({ input, output, data, mediaType, marked }) => [
    {
      role: "user",
      content: [
        { type: "text", text: "Look.", ...mark(marked) },
        ...(data === undefined
          ? []
          : [{ type: "image", source: { type: "base64", media_type: mediaType, data }, ...mark(marked) }]),
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s", ...mark(marked) },
        ...["c1", "c2"].map((id) => ({ type: "tool_use", id, name: "f", input, ...mark(marked) })),
      ],
    },
    {
      role: "user",
      content: ["c1", "c2"].map((tool_use_id) => ({
        type: "tool_result",
        tool_use_id,
        content: [{ type: "text", text: output, ...mark(marked) }],
        ...mark(marked),
      })),
    },
    { role: "user", content: [{ type: "text", text: "Go on.", ...mark(marked) }] },
  ],
  gemini: ({ input, output, data, mediaType }) => [
    {
      role: "user",
      parts: [{ text: "Look." }, ...(data === undefined ? [] : [{ inlineData: { mimeType: mediaType, data } }])],
    },
    {
      role: "model",
      parts: ["c1", "c2"].map((id) => ({ functionCall: { id, name: "f", args: input }, thoughtSignature: "s" })),
    },
    { role: "user", parts: ["c1", "c2"].map((id) => ({ functionResponse: { id, name: "f", response: { output } } })) },
    { role: "user", parts: [{ text: "Go on." }] },
  ],
  vscode: ({ input, output, data, mediaType, marked }) => {
    const own = marked ? [new LanguageModelDataPart(new TextEncoder().encode("ephemeral"), "cache_control")] : [];
    const picture =
      data === undefined ? [] : [new LanguageModelDataPart(new TextEncoder().encode(data), mediaType ?? "")];
    return [
      new LanguageModelChatMessage(1, [new LanguageModelTextPart("Look."), ...picture, ...own]),
      new LanguageModelChatMessage(
        2,
        ["c1", "c2"].map((id) => new LanguageModelToolCallPart(id, "f", input as object)),
      ),
      new LanguageModelChatMessage(1, [
        ...["c1", "c2"].map((id) => new LanguageModelToolResultPart(id, [new LanguageModelTextPart(output)])),
        ...own,
      ]),
      new LanguageModelChatMessage(1, [new LanguageModelTextPart("Go on."), ...own]),
    ] as unknown as Fields[];
  },
  raw: ({ input, arguments: text, output, data, mediaType, marked }) => [
    {
      role: 1,
      content: [
        { type: 1, text: "Look." },
        ...(data === undefined ? [] : [{ type: 0, imageUrl: { url: `data:${mediaType};base64,${data}` } }]),
        ...(marked ? [{ type: 3 }] : []),
      ],
    },
    {
      role: 2,
      content: [],
      toolCalls: ["c1", "c2"].map((id) => ({
        id,
        type: "function",
        function: { name: "f", arguments: text ?? input },
      })),
    },
    ...["c1", "c2"].map((toolCallId) => ({
      role: 3,
      toolCallId,
      content: [{ type: 1, text: output }, ...(marked ? [{ type: 3 }] : [])],
    })),
    { role: 1, content: [{ type: 1, text: "Go on." }, ...(marked ? [{ type: 3 }] : [])] },
  ],
  "ai-sdk": ({ input, output, data, mediaType, marked }) => {
    const own = marked ? { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } : {};
    return [
      {
        role: "user",
        content: [
          { type: "text", text: "Look.", ...own },
          ...(data === undefined ? [] : [{ type: "file", data, mediaType, ...own }]),
        ],
        ...own,
      },
      {
        role: "assistant",
        content: ["c1", "c2"].map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "f", input })),
      },
      {
        role: "tool",
        content: ["c1", "c2"].map((toolCallId) => ({
          type: "tool-result",
          toolCallId,
          toolName: "f",
          output: { type: "text", value: output },
        })),
        ...own,
      },
      { role: "user", content: [{ type: "text", text: "Go on." }], ...own },
    ];
  },
  langchain: ({ input, output, data, mediaType }) => [
    {
      type: "human",
      content: [
        { type: "text", text: "Look." },
        ...(data === undefined ? [] : [{ type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } }]),
      ],
    },
    { type: "ai", content: "", tool_calls: ["c1", "c2"].map((id) => ({ id, name: "f", args: input })) },
    { type: "tool", tool_call_id: "c1", content: output },
    { type: "tool", tool_call_id: "c2", content: [{ type: "text", text: output }] },
    { type: "human", content: "Go on." },
  ],
  "openai-agents": ({ input, arguments: text, output, data, mediaType }) => [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Look." },
        ...(data === undefined ? [] : [{ type: "input_image", image: `data:${mediaType};base64,${data}` }]),
      ],
    },
    ...["c1", "c2"].map((callId) => ({ type: "function_call", callId, name: "f", arguments: text ?? input })),
    { type: "function_call_result", callId: "c1", name: "f", output },
    { type: "function_call_result", callId: "c2", name: "f", output: [{ type: "input_text", text: output }] },
    { role: "user", content: "Go on." },
  ],
  espalier: ({ arguments: text, output, data, mediaType, marked }) => {
    const own = marked ? [{ type: "cacheMark" }] : [];
    return [
      {
        id: "a",
        role: "user",
        parts: [
          { type: "text", text: "Look." },
          ...(data === undefined ? [] : [{ type: "image", data, mediaType }]),
          ...own,
        ],
      },
      {
        id: "b",
        role: "assistant",
        parts: ["c1", "c2"].map((callId) => ({ type: "toolCall", callId, name: "f", arguments: text ?? "{}" })),
      },
      {
        id: "c",
        role: "tool",
        parts: [
          ...["c1", "c2"].map((callId) => ({ type: "toolResult", callId, content: [{ type: "text", text: output }] })),
          ...own,
        ],
      },
      { id: "d", role: "user", parts: [{ type: "text", text: "Go on." }, ...own] },
    ];
  },
};

const mark = (marked: boolean | undefined) => (marked ? { cache_control: { type: "ephemeral" } } : {});

const GOOD: Parts = { input: { a: 1 }, arguments: '{"a":1}', output: "it went well\n".repeat(40) };

const cyclic = () => {
  const made: Fields = { path: "a.ts" };
  made["self"] = made;
  made["list"] = [made, { made }];
  return made;
};
const nested = () => Array.from({ length: 20_000 }).reduce<unknown>((inner) => ({ inner }), 0);

/** The faults, by name. */
export const WRONG: Readonly<Record<string, () => Parts>> = {
  "nothing at all": () => GOOD,
  "arguments that hold themselves": () => ({ ...GOOD, input: cyclic() }),
  "arguments deeper than the stack": () => ({ ...GOOD, input: nested(), arguments: "[".repeat(100_000) }),
  "arguments without end": () => ({
    ...GOOD,
    input: { text: "word ".repeat(30_000) },
    arguments: JSON.stringify({ text: "word ".repeat(30_000) }),
  }),
  "five thousand arguments": () => ({
    ...GOOD,
    input: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at])),
    arguments: `{${'"k":1,'.repeat(5_000)}"k":1}`,
  }),
  "arguments that are no JSON": () => ({ ...GOOD, input: "{not", arguments: "{not" }),
  "arguments that have no JSON": () => ({
    ...GOOD,
    input: { big: 7n, when: new Date(NaN), run: () => 1, nothing: undefined, odd: Symbol("s") },
  }),
  "no arguments": () => ({ ...GOOD, input: undefined, arguments: "" }),
  "results with NUL and other controls": () => ({
    ...GOOD,
    output: "\0\u0001\u0007\b\u001b[31mred\u001b[0m\u007f\u0085\u2028\u2029\ufeff\n".repeat(60),
  }),
  "results of broken UTF-16": () => ({ ...GOOD, output: `${"\udc00 \ud800 x\ud83d".repeat(200)}\ud83d` }),
  "results of one long line": () => ({ ...GOOD, output: "x".repeat(50_000) }),
  "results of nothing": () => ({ ...GOOD, output: "" }),
  "base64 that is no image": () => ({ ...GOOD, data: "bm90IGFuIGltYWdl", mediaType: "image/png" }),
  "base64 that is none": () => ({ ...GOOD, data: "*** \0 \ud800 ===", mediaType: "image/jpeg" }),
  "a picture of nothing": () => ({ ...GOOD, data: "", mediaType: "image/png" }),
  "a picture whose header lies": () => ({ ...GOOD, data: "iVBORw0KGgoAAAANSUhEUv////////8=", mediaType: "image/webp" }),
  "half a picture": () => ({ ...GOOD, data: "/9j/4AAQSkZJRg", mediaType: "image/jpeg" }),
  "a picture of a type without a name": () => ({ ...GOOD, data: "AAAA", mediaType: "" }),
  "marks everywhere": () => ({ ...GOOD, data: "AAAA", mediaType: "image/png", marked: true }),
};

export const FORMATS = Object.keys(MAKERS) as Format[];

export function conversation(format: Format, wrong: string): Fields[] {
  return MAKERS[format](WRONG[wrong]!());
}
