/**
 * Models of the Vercel AI SDK: a language model object of its versions 5 and 6, or a function that calls
 * `generateText`.
 */

import { EspalierError } from "../errors/errors.ts";
import { CLOCK } from "./clock.ts";
import { Failure, NO_SECRETS } from "./failure.ts";
import { Guard } from "./guard.ts";
import { provider } from "./provider.ts";
import { patience, retrying } from "./retry.ts";
import type { AttemptState, Patience } from "./retry.ts";
import { checkRules } from "./refusals.ts";
import type { RefusalRule } from "./refusal-rules.ts";
import { thrown } from "./thrown.ts";
import type { Clock, Provider, ProviderRequest, SendOptions, StreamPart } from "./types.ts";
import { Fold, read } from "../formats/ai-sdk/answers.ts";
import { badAnswer, endOf, string } from "./wire.ts";
import { isModelMessages, toGenerate, toPrompt } from "../formats/ai-sdk/request.ts";
import type { SdkVersion } from "../formats/ai-sdk/request.ts";
import { check } from "../options/check.ts";
import { AI_SDK, GENERATOR } from "../options/schemas/providers.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";

/** The used part of a `LanguageModelV2` or `LanguageModelV3`. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

export interface AiSdkOptions extends Patience {
  /** The language model, of version 5, 6 or 7 of the AI SDK. */
  model: AiSdkModel;
  /** Rules for refusals that this package does not know; they are tried first. Default: none. */
  refusals?: readonly RefusalRule[];
  /** Max tokens of an answer if the request sets no limit. Default: the model's. */
  maxTokens?: number;
  /** Clock and random numbers, for tests. Default: the system's. */
  clock?: Partial<Clock>;
}

/** The argument of a generating function: options of `generateText`, with the SDK's types. */
export interface GenerateRequest {
  messages: any[];
  tools?: any;
  maxOutputTokens?: number;
  temperature?: number;
  maxRetries: number;
  abortSignal: AbortSignal;
}

export interface GeneratorOptions extends Patience {
  /** Used in error details. */
  model?: string;
  /** `(request) => generateText({ model, ...request })`. */
  generate: (request: GenerateRequest) => PromiseLike<unknown>;
  /** Rules for refusals that this package does not know; they are tried first. Default: none. */
  refusals?: readonly RefusalRule[];
  /** Max tokens of an answer if the request sets no limit. Default: the model's. */
  maxTokens?: number;
  /** Clock and random numbers, for tests. Default: the system's. */
  clock?: Partial<Clock>;
}

/**
 * Returns a provider for a language model object of the AI SDK.
 *
 * ```ts
 * import { openai } from "@ai-sdk/openai";
 * import { readFile } from "node:fs/promises";
 * import { compact } from "espalier";
 * import { aiSdk } from "espalier/providers";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const { llm } = aiSdk({ model: openai("gpt-4o-mini") });
 * const { status } = await compact(messages, { budget: 8_000, llm });
 * status; // => "applied"
 * ```
 *
 * @throws EspalierError `bad_option`
 */
export function aiSdk(options: AiSdkOptions): Provider {
  const { model } = check(options, AI_SDK);
  if (
    typeof model?.doGenerate !== "function" ||
    typeof model.doStream !== "function" ||
    !/^v[234]$/.test(model.specificationVersion)
  ) {
    throw new EspalierError({
      code: "bad_option",
      message: "options.model must be a language model of the AI SDK, version 5, 6 or 7",
      path: "options.model",
    });
  }
  const version = model.specificationVersion as SdkVersion;
  return build(
    string(model.modelId),
    options,
    { toolChoice: { type: "none" } },
    (conversation) => toPrompt(conversation, version),
    (request, options, stream) => {
      const call = { ...request, ...options } as never;
      return stream ? model.doStream(call) : model.doGenerate(call);
    },
  );
}

/**
 * Returns a provider for a generating function, such as one that calls the AI SDK's `generateText`: it receives `{
 * messages, tools, maxOutputTokens, temperature, abortSignal }` and returns `{ text, toolCalls, finishReason, usage }`.
 *
 * ```ts
 * import { openai } from "@ai-sdk/openai";
 * import { generateText } from "ai";
 * import { readFile } from "node:fs/promises";
 * import { compact } from "espalier";
 * import { generator } from "espalier/providers";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const { llm } = generator({ generate: (request) => generateText({ model: openai("gpt-4o-mini"), ...request }) });
 * const { status } = await compact(messages, { budget: 8_000, llm });
 * status; // => "applied"
 * ```
 *
 * @throws EspalierError `bad_option`
 */
export function generator(options: GeneratorOptions): Provider {
  const { generate, model = "" } = check(options, GENERATOR);
  // This package retries by itself; the SDK's own retries would multiply the attempts. The AI SDK 7 refuses system
  // messages among the messages without this flag.
  const always = { messages: [], maxRetries: 0, allowSystemInMessages: true };
  return build(model, options, { toolChoice: "none" }, toGenerate, (request, { abortSignal }) =>
    generate({ ...always, ...request, abortSignal }),
  );
}

type Ask = (request: ProviderRequest, options: { abortSignal: AbortSignal }, stream: boolean) => PromiseLike<unknown>;

function build(
  model: string,
  options: Omit<AiSdkOptions, "model">,
  noTools: ProviderRequest,
  write: Parameters<typeof provider>[1],
  ask: Ask,
): Provider {
  checkRules(options.refusals);
  const clock: Clock = { ...CLOCK, ...options.clock };
  const about = {
    name: "ai-sdk",
    format: "ai-sdk" as const,
    model,
    maxTokens: options.maxTokens,
    onEvent: options.onEvent,
    noTools,
  };
  return provider(
    about,
    write,
    (request, how) =>
      retrying({ provider: "ai-sdk", model, clock, host: options, options: how, hide: NO_SECRETS }, (state) =>
        attempt(ask, options, clock, request, how, state),
      ),
    isModelMessages,
  );
}

async function* attempt(
  ask: Ask,
  host: Omit<AiSdkOptions, "model">,
  clock: Clock,
  request: ProviderRequest,
  how: SendOptions,
  state: AttemptState,
): AsyncGenerator<StreamPart, void, void> {
  const { timeout, idle } = patience(host, how);
  const guard = new Guard(clock, how.signal, timeout);
  const failed = (error: unknown) => thrown("ai-sdk", error, host.refusals, clock.now());
  let reader: ReadableStreamDefaultReader<unknown> | undefined;
  let finished = false;
  try {
    const result = await guard.race(
      Promise.resolve().then(() => ask(request, { abortSignal: guard.signal }, how.stream ?? false)),
      failed,
    );
    if (!isFields(result)) throw badAnswer("the model answered no object");
    let body: Fields = result;
    const streamed = result["stream"] instanceof ReadableStream;
    if (streamed) {
      reader = (result["stream"] as ReadableStream<unknown>).getReader();
      const fold = new Fold();
      guard.idle(idle);
      for (;;) {
        const { done, value } = await guard.race(reader.read(), failed);
        guard.idle(0);
        if (done) break;
        if (isFields(value) && value["type"] === "error") throw failed(value["error"]);
        const delta = isFields(value) ? fold.push(value) : undefined;
        if (delta?.text) {
          state.answered = true;
          yield delta;
        }
        guard.idle(idle);
      }
      reader = undefined;
      if (!fold.finished)
        throw new Failure("network", "the model's stream was cut: it ended before the answer did", { kind: "cut" });
      body = fold.body();
    }
    finished = true;
    state.answered = true;
    const answer = read(body);
    yield* endOf(answer, streamed);
  } finally {
    guard.end();
    if (!finished) {
      reader?.cancel().catch(() => undefined);
      guard.abort();
    }
  }
}
