/** `espalier/providers`. */

import type * as Providers from "../../../js/providers/index.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../../pkg/dist/providers.js";
import { chat } from "./entry.ts";
import type { Entry } from "./entry.ts";

const p = bundle as typeof Providers;
const answered = async () =>
  new Response(
    '{"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}',
  );
const httpOptions = () => ({
  model: "gpt-4o",
  apiKey: "sk-test",
  baseUrl: "http://127.0.0.1:1/v1",
  retries: 0,
  fetch: answered,
});
const HTTP = "maxTokens headers refusals timeoutMs idleTimeoutMs clock onEvent";
const finish = { finishReason: "stop", usage: { inputTokens: 5, outputTokens: 2 } };
const language = {
  specificationVersion: "v2",
  modelId: "m",
  doGenerate: async () => ({ content: [{ type: "text", text: "Hi." }], ...finish }),
  doStream: async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "finish", ...finish });
        controller.close();
      },
    }),
  }),
};

const http = (name: "openai" | "openaiResponses" | "anthropic" | "gemini"): Entry[] => [
  { name: `providers.${name}`, args: () => [httpOptions()], run: (options) => p[name](options).name, options: HTTP },
  {
    name: `providers.${name}.toRequest`,
    args: () => [chat(), { maxTokens: 100 }],
    options: "tools system temperature format contextManagement extra",
    run: (...args) => p[name](httpOptions()).toRequest(...(args as [unknown])),
  },
];

export const PROVIDERS: readonly Entry[] = [
  ...http("openai"),
  ...http("openaiResponses"),
  ...http("anthropic"),
  ...http("gemini"),
  {
    name: "provider.send",
    args: () => [{ model: "gpt-4o", messages: [] }, {}],
    run: (request, options) => p.openai(httpOptions()).send(request, options),
    options: "signal stream onText onPart timeoutMs idleTimeoutMs retries onEvent",
  },
  {
    name: "providers.aiSdk",
    args: () => [{ model: language }],
    run: (options) => p.aiSdk(options).name,
    options: "refusals maxTokens clock retries timeoutMs idleTimeoutMs onEvent",
  },
  {
    name: "providers.aiSdk.send",
    args: () => [{ prompt: [] }, {}],
    run: (request, options) => p.aiSdk({ model: language }).send(request, options),
    options: "signal stream onText onPart timeoutMs idleTimeoutMs retries onEvent",
  },
  {
    name: "providers.aiSdk.toRequest",
    args: () => [chat(), {}],
    run: (...args) => p.aiSdk({ model: language }).toRequest(...(args as [unknown])),
    options: "tools system temperature format contextManagement extra maxTokens",
  },
  {
    name: "providers.generator",
    args: () => [{ generate: async () => ({ text: "Hi.", finishReason: "stop" }) }],
    run: (options) => p.generator(options).name,
    options: "model refusals maxTokens clock retries timeoutMs idleTimeoutMs onEvent",
  },
  {
    name: "providers.vscode",
    args: () => [{ model: { id: "m", sendRequest: async () => ({ stream: [] }) } }],
    run: (options) => p.vscode(options).name,
    options: "api justification refusals maxTokens clock retries timeoutMs idleTimeoutMs onEvent",
  },
  {
    name: "providers.serverWindow",
    args: () => [{ baseUrl: "http://127.0.0.1:9/v1", timeoutMs: 500 }],
    run: (options) => p.serverWindow(options),
    options: "model headers fetch signal",
  },
  {
    name: "classify",
    args: () => [{ status: 400, text: "prompt is too long" }, []],
    run: (refused, rules) => p.classify(refused, rules),
  },
  { name: "usageFrom", args: () => ["openai-chat", { prompt_tokens: 1, completion_tokens: 1 }], run: p.usageFrom },
];
