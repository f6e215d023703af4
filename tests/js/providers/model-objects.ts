/** Models that are objects, as their hosts make them: VS Code's and the AI SDK's. */

import assert from "node:assert/strict";
import { aiSdk, vscode } from "../../../js/providers/index.ts";
import type { AiSdkOptions, VscodeOptions } from "../../../js/providers/index.ts";
import { hurried } from "./support.ts";
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "../formats/samples.ts";

export type Fields = Record<string, unknown>;

export const api = {
  LanguageModelChatMessage,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  LanguageModelDataPart,
};

export interface Sent {
  messages: LanguageModelChatMessage[];
  options: Fields;
  token: { isCancellationRequested: boolean; onCancellationRequested(run: () => void): { dispose(): void } };
}

export function editor(
  answer: (sent: Sent) => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>,
  options: Partial<VscodeOptions> = {},
) {
  const seen: Sent[] = [];
  const model = {
    id: "copilot-gpt-4o",
    async sendRequest(messages: LanguageModelChatMessage[], options: Fields, token: Sent["token"]) {
      // The editor takes instances of its own classes only.
      for (const { role, content } of messages) {
        assert.ok(role === 1 || role === 2);
        assert.ok(
          content.length > 0 && content.every((part) => Object.values(api).some((known) => part instanceof known)),
          JSON.stringify(content),
        );
      }
      const sent = { messages, options, token };
      seen.push(sent);
      return { stream: await answer(sent) };
    },
  };
  return { seen, provider: vscode({ model, api, clock: hurried(), ...options } as unknown as VscodeOptions) };
}
export async function* parts(...all: unknown[]) {
  yield* all;
}

export const CHAT = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ],
  },
  {
    role: "assistant",
    content: "I look.",
    tool_calls: [
      { id: "a", type: "function", function: { name: "look", arguments: '{"at":1}' } },
      { id: "b", type: "function", function: { name: "look", arguments: "{}" } },
    ],
  },
  { role: "tool", tool_call_id: "a", content: "a pixel" },
  { role: "tool", tool_call_id: "b", content: "another" },
  { role: "user", content: "Thanks." },
];
export const TOOLS = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];

export class APICallError extends Error {
  statusCode: number | undefined;
  responseBody: string | undefined;
  responseHeaders: Record<string, string>;
  isRetryable: boolean;
  constructor(statusCode: number | undefined, responseBody: string | undefined, responseHeaders = {}) {
    super("Failed");
    this.name = "AI_APICallError";
    this.statusCode = statusCode;
    this.responseBody = responseBody;
    this.responseHeaders = responseHeaders;
    this.isRetryable = statusCode === undefined || statusCode >= 429;
  }
}

const CONTENT = [
  { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "s" } } },
  { type: "text", text: "one two" },
  { type: "tool-call", toolCallId: "c1", toolName: "look", input: '{"at":2}' },
  { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
];
export const V2 = { inputTokens: 100, outputTokens: 20, totalTokens: 120, cachedInputTokens: 60, reasoningTokens: 5 };
const V3 = {
  inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
  outputTokens: { total: 20, text: 15, reasoning: 5 },
};

export function sdk(version: "v2" | "v3", options: Partial<AiSdkOptions> = {}, fail?: (sent: Fields) => unknown) {
  const seen: Fields[] = [];
  const end =
    version === "v2"
      ? { finishReason: "tool-calls", usage: V2 }
      : { finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: V3 };
  const model = {
    specificationVersion: version,
    provider: "fake",
    modelId: "fake-1",
    async doGenerate(call: Fields) {
      seen.push(call);
      if (fail) throw await fail(call);
      return { content: CONTENT, ...end, warnings: [], response: { id: "resp_1" } };
    },
    async doStream(call: Fields) {
      seen.push(call);
      const all: unknown[] = [
        { type: "stream-start", warnings: [] },
        { type: "response-metadata", id: "resp_1" },
        { type: "reasoning-start", id: "0" },
        { type: "reasoning-delta", id: "0", delta: "hm" },
        { type: "reasoning-end", id: "0", providerMetadata: { anthropic: { signature: "s" } } },
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "one " },
        { type: "text-delta", id: "0", delta: "two" },
        { type: "text-end", id: "0" },
        { type: "tool-input-start", id: "c1", toolName: "look" },
        { type: "tool-input-delta", id: "c1", delta: '{"at":2}' },
        { type: "tool-input-end", id: "c1" },
        CONTENT[2],
      ];
      const error = fail && { type: "error", error: await fail(call) };
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of error ? [error] : [...all, CONTENT[3], { type: "finish", ...end }])
              controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
  return { seen, provider: aiSdk({ model, clock: hurried(), ...options } as unknown as AiSdkOptions) };
}
