/**
 * One realistic conversation for each provider, in the field shapes of its documentation, and the classes of VS Code.
 */

import type { Format } from "../../../js/types/messages.ts";

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

// The shapes of VS Code's extension host: the message keeps its content behind an accessor.
export class LanguageModelTextPart {
  value: string;
  audience: unknown;
  constructor(value: string, audience?: unknown) {
    this.value = value;
    this.audience = audience;
  }
}
export class LanguageModelToolCallPart {
  callId: string;
  name: string;
  input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
export class LanguageModelToolResultPart {
  callId: string;
  content: unknown[];
  isError: boolean;
  constructor(callId: string, content: unknown[], isError = false) {
    this.callId = callId;
    this.content = content;
    this.isError = isError;
  }
}
export class LanguageModelThinkingPart {
  value: string | string[];
  id?: string;
  constructor(value: string | string[], id?: string) {
    this.value = value;
    if (id !== undefined) this.id = id;
  }
}
export class LanguageModelDataPart {
  data: Uint8Array;
  mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
}
export class LanguageModelChatMessage {
  role: number;
  name: string | undefined;
  private _content: unknown[] = [];
  constructor(role: number, content: string | unknown[], name?: string) {
    this.role = role;
    this.content = content;
    this.name = name;
  }
  set content(value: string | unknown[]) {
    this._content = typeof value === "string" ? [new LanguageModelTextPart(value)] : value;
  }
  get content(): unknown[] {
    return this._content;
  }
}

/** Every field except the messages belongs to the host and must survive. */
const extras = () => ({
  when: new Date(0),
  bytes: new Uint8Array(3),
  map: new Map([[1, 2]]),
  big: 10n,
  nothing: undefined,
  [Symbol.for("x")]: 1,
});

/** A request of each format, with the same content: a question, two parallel calls, one of which fails, an answer. */
export const samples: Record<Format, () => Record<string, unknown>> = {
  "openai-chat": () => ({
    model: "gpt-4o",
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}`, detail: "low" } },
        ],
        ...extras(),
      },
      {
        role: "assistant",
        content: null,
        x_usage: { input: 5 },
        tool_calls: [
          { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } },
          { id: "c2", type: "function", function: { name: "run", arguments: '{"command":"ls"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "text of a" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "failed" }] },
      { role: "assistant", content: "Done \ud800" },
    ],
    tools: [{ type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } }],
    ...extras(),
  }),
  "openai-responses": () => ({
    model: "gpt-5",
    instructions: "Be brief.",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "low" },
        ],
        ...extras(),
      },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Read it." }],
        encrypted_content: "abc",
      },
      {
        type: "function_call",
        id: "fc_1",
        call_id: "c1",
        name: "read",
        arguments: '{"path":"a.ts"}',
        status: "completed",
      },
      { type: "function_call", id: "fc_2", call_id: "c2", name: "run", arguments: '{"command":"ls"}' },
      { type: "function_call_output", call_id: "c1", output: "text of a" },
      { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "failed" }] },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        content: [{ type: "output_text", text: "Done \ud800", annotations: [] }],
      },
    ],
    tools: [{ type: "function", name: "read", description: "Reads.", parameters: { type: "object" }, strict: true }],
    ...extras(),
  }),
  anthropic: () => ({
    model: "claude-sonnet-4-5",
    max_tokens: 1024,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        ],
        ...extras(),
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Read it.", signature: "sig" },
          { type: "redacted_thinking", data: "c2VhbGVk" },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a.ts" } },
          { type: "tool_use", id: "c2", name: "run", input: { command: "ls" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "text of a" },
          {
            type: "tool_result",
            tool_use_id: "c2",
            is_error: true,
            content: [{ type: "text", text: "failed" }],
            cache_control: { type: "ephemeral" },
          },
        ],
      },
      { role: "assistant", content: "Done \ud800" },
    ],
    tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
    ...extras(),
  }),
  gemini: () => ({
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text: "Look" }, { inlineData: { mimeType: "image/png", data: PNG } }], ...extras() },
      {
        role: "model",
        parts: [
          { text: "Read it.", thought: true },
          { functionCall: { name: "read", args: { path: "a.ts" } }, thoughtSignature: "sig" },
          { functionCall: { id: "c2", name: "run", args: { command: "ls" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "read", response: { output: "text of a" } } },
          { functionResponse: { id: "c2", name: "run", response: { error: "failed" } } },
        ],
      },
      { role: "model", parts: [{ text: "Done \ud800" }] },
    ],
    tools: [{ functionDeclarations: [{ name: "read", description: "Reads.", parameters: { type: "object" } }] }],
    ...extras(),
  }),
  vscode: () => ({
    messages: [
      new LanguageModelChatMessage(3, "Be brief."),
      Object.assign(
        new LanguageModelChatMessage(1, [
          new LanguageModelTextPart("Look"),
          new LanguageModelDataPart(Uint8Array.from(Buffer.from(PNG, "base64")), "image/png"),
        ]),
        extras(),
      ),
      new LanguageModelChatMessage(2, [
        new LanguageModelThinkingPart("Read it.", "t1"),
        new LanguageModelToolCallPart("c1", "read", { path: "a.ts" }),
        new LanguageModelToolCallPart("c2", "run", { command: "ls" }),
      ]),
      new LanguageModelChatMessage(1, [
        new LanguageModelToolResultPart("c1", [new LanguageModelTextPart("text of a")]),
        new LanguageModelToolResultPart("c2", [new LanguageModelTextPart("failed")], true),
      ]),
      new LanguageModelChatMessage(2, "Done \ud800"),
    ],
    tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
    ...extras(),
  }),
  raw: () => ({
    messages: [
      { role: 0, content: [{ type: 1, text: "Be brief." }] },
      {
        role: 1,
        content: [
          { type: 1, text: "Look" },
          { type: 0, imageUrl: { url: `data:image/png;base64,${PNG}`, detail: "low" } },
        ],
        ...extras(),
      },
      {
        role: 2,
        content: [],
        toolCalls: [
          { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } },
          { id: "c2", type: "function", function: { name: "run", arguments: '{"command":"ls"}' } },
        ],
      },
      { role: 3, toolCallId: "c1", content: [{ type: 1, text: "text of a" }] },
      {
        role: 3,
        toolCallId: "c2",
        content: [
          { type: 1, text: "failed" },
          { type: 3, cacheType: "ephemeral" },
        ],
      },
      { role: 2, content: [{ type: 1, text: "Done \ud800" }] },
    ],
    tools: [{ type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } }],
    ...extras(),
  }),
  "ai-sdk": () => ({
    system: "Be brief.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image", image: PNG, mediaType: "image/png" },
        ],
        ...extras(),
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Read it.", providerOptions: { anthropic: { signature: "sig" } } },
          { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } },
          { type: "tool-call", toolCallId: "c2", toolName: "run", input: { command: "ls" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "text of a" } },
          { type: "tool-result", toolCallId: "c2", toolName: "run", output: { type: "error-text", value: "failed" } },
        ],
      },
      { role: "assistant", content: "Done \ud800" },
    ],
    tools: { read: { description: "Reads.", inputSchema: { type: "object" } } },
    ...extras(),
  }),
  langchain: () => ({
    messages: [
      { type: "system", content: "Be brief." },
      {
        type: "human",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}`, detail: "low" } },
        ],
        ...extras(),
      },
      {
        type: "ai",
        content: [
          { type: "reasoning", reasoning: "Read it." },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a.ts" } },
        ],
        tool_calls: [
          { type: "tool_call", id: "c1", name: "read", args: { path: "a.ts" } },
          { type: "tool_call", id: "c2", name: "run", args: { command: "ls" } },
        ],
        additional_kwargs: {},
        response_metadata: { model_name: "gpt-4o" },
      },
      { type: "tool", tool_call_id: "c1", name: "read", content: "text of a", artifact: extras() },
      { type: "tool", tool_call_id: "c2", name: "run", status: "error", content: [{ type: "text", text: "failed" }] },
      { type: "ai", content: "Done \ud800" },
    ],
    tools: [{ name: "read", description: "Reads.", schema: { type: "object" } }],
    ...extras(),
  }),
  "openai-agents": () => ({
    input: [
      { type: "message", role: "system", content: "Be brief." },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image: `data:image/png;base64,${PNG}`, detail: "low" },
        ],
        ...extras(),
      },
      { type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "Read it." }], providerData: { a: 1 } },
      {
        type: "function_call",
        id: "fc_1",
        callId: "c1",
        name: "read",
        arguments: '{"path":"a.ts"}',
        status: "completed",
      },
      { type: "function_call", id: "fc_2", callId: "c2", name: "run", arguments: '{"command":"ls"}' },
      {
        type: "function_call_result",
        callId: "c1",
        name: "read",
        status: "completed",
        output: { type: "text", text: "text of a" },
      },
      { type: "function_call_result", callId: "c2", name: "run", output: [{ type: "input_text", text: "failed" }] },
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Done \ud800" }],
      },
    ],
    tools: [{ type: "function", name: "read", description: "Reads.", parameters: { type: "object" }, strict: true }],
    ...extras(),
  }),
  espalier: () => ({
    messages: [
      { id: "s", role: "system", parts: [{ type: "text", text: "Be brief." }] },
      {
        id: "u",
        role: "user",
        parts: [
          { type: "text", text: "Look" },
          { type: "image", mediaType: "image/png", data: PNG },
        ],
        ...extras(),
      },
      {
        id: "a",
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Read it." },
          { type: "toolCall", callId: "c1", name: "read", arguments: '{"path":"a.ts"}' },
          { type: "toolCall", callId: "c2", name: "run", arguments: '{"command":"ls"}' },
        ],
      },
      {
        id: "t",
        role: "tool",
        parts: [
          { type: "toolResult", callId: "c1", content: [{ type: "text", text: "text of a" }] },
          { type: "toolResult", callId: "c2", content: [{ type: "text", text: "failed" }], isError: true },
        ],
      },
      { id: "b", role: "assistant", parts: [{ type: "text", text: "Done \ud800" }] },
    ],
    tools: [{ name: "read", description: "Reads.", schema: '{"type":"object"}' }],
    ...extras(),
  }),
};

/** A UI message of the AI SDK, version 5: the call and its result are one part. */
export const uiMessages = () => [
  {
    id: "x1",
    role: "user",
    parts: [
      { type: "text", text: "Look" },
      { type: "file", mediaType: "image/png", url: `data:image/png;base64,${PNG}` },
    ],
    metadata: extras(),
  },
  {
    id: "x2",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Read it.", state: "done" },
      { type: "tool-read", toolCallId: "c1", state: "output-available", input: { path: "a.ts" }, output: "text of a" },
      {
        type: "dynamic-tool",
        toolName: "run",
        toolCallId: "c2",
        state: "output-error",
        input: { command: "ls" },
        errorText: "failed",
      },
      { type: "data-weather", data: { big: 1n } },
      { type: "source-url", sourceId: "s", url: "https://example.com" },
      { type: "text", text: "Done \ud800", state: "done" },
    ],
  },
];
