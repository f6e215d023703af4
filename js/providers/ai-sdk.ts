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
import type { RefusalRule } from "./refusals.ts";
import { thrown } from "./thrown.ts";
import type {
  Answer,
  Clock,
  Finish,
  Provider,
  ProviderRequest,
  SendOptions,
  StreamPart,
  AnswerToolCall,
  Warning,
} from "./types.ts";
import { usageFrom } from "./usage.ts";
import type { Reported } from "./usage.ts";
import { badAnswer, isFields, objects, string, toolCall } from "./wire.ts";
import type { Fields } from "./wire.ts";
import { isModelMessages, toGenerate, toPrompt } from "../formats/ai-sdk/request.ts";
import type { SdkVersion } from "../formats/ai-sdk/request.ts";
import { check } from "../options/check.ts";
import { AI_SDK, GENERATOR } from "../options/schemas/providers.ts";

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
    if (!streamed) {
      if (answer.reasoning) yield { type: "reasoning", text: answer.reasoning };
      if (answer.text) yield { type: "text", text: answer.text };
    }
    for (const call of answer.toolCalls) yield { type: "toolCall", call };
    yield { type: "done", answer };
  } finally {
    guard.end();
    if (!finished) {
      reader?.cancel().catch(() => undefined);
      guard.abort();
    }
  }
}

const FINISHES: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/** Reads an answer of `doGenerate` (content parts) or of `generateText` (separate fields). */
function read(body: Fields): Answer {
  const warnings: Warning[] = [];
  const content = Array.isArray(body["content"]) ? objects(body["content"]) : undefined;
  if (!content && typeof body["text"] !== "string") throw badAnswer("the model answered without content or text");
  const said = (type: string) =>
    (content ?? [])
      .filter((part) => part["type"] === type)
      .map((part) => string(part["text"]))
      .join("");
  const called = content ? content.filter(({ type }) => type === "tool-call") : objects(body["toolCalls"]);
  const toolCalls = called.map((call): AnswerToolCall => {
    const input = call["input"] ?? call["args"] ?? {};
    return toolCall(
      string(call["toolCallId"]),
      string(call["toolName"]),
      typeof input === "string" ? input : JSON.stringify(input),
      warnings,
    );
  });
  const text = typeof body["text"] === "string" ? body["text"] : said("text");
  const reasoning = typeof body["reasoningText"] === "string" ? body["reasoningText"] : said("reasoning");
  const given = body["finishReason"];
  const reason = string(isFields(given) ? given["unified"] : given);
  const reported = usageOf(body);
  const response = isFields(body["response"]) ? body["response"] : {};
  const made = response["messages"];
  return {
    text,
    toolCalls,
    ...(reasoning && { reasoning }),
    finish: Object.hasOwn(FINISHES, reason) ? FINISHES[reason]! : "other",
    ...(reported && { usage: reported.usage }),
    raw: body,
    ...(typeof response["id"] === "string" && { requestId: response["id"] }),
    messages: Array.isArray(made) ? (made as unknown[]) : messageOf(content, text, toolCalls),
    warnings: [
      ...warnings,
      ...(reported?.warnings ?? [{ code: "usage_missing", message: "the model reported no usage" }]),
    ],
  };
}

/**
 * Reads the SDK's usage. Its version 5 leaves cached tokens out of Anthropic's input, but passes on Anthropic's own
 * record; from version 6 on the input is split.
 */
function usageOf({ usage, providerMetadata }: Fields): Reported | undefined {
  const [given, metadata] = [usage, providerMetadata].map((value) => (isFields(value) ? value : {})) as [
    Fields,
    Fields,
  ];
  const own = isFields(metadata["anthropic"]) ? metadata["anthropic"]["usage"] : undefined;
  return (isFields(given["inputTokens"]) ? undefined : usageFrom("anthropic", own)) ?? usageFrom("ai-sdk", usage);
}

/** Returns the answer as a model message: the model's content, with the input of calls as a value. */
function messageOf(content: readonly Fields[] | undefined, text: string, calls: readonly AnswerToolCall[]): unknown[] {
  const call = ({ id, name, input, arguments: args }: AnswerToolCall) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: input ?? args,
  });
  if (!content) {
    const made = [...(text ? [{ type: "text", text }] : []), ...calls.map(call)];
    return made.length > 0 ? [{ role: "assistant", content: made }] : [];
  }
  let at = 0;
  const made = content.flatMap((part): unknown[] => {
    const { type, providerMetadata, ...rest } = part;
    const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
    if (type === "tool-call")
      return [
        {
          ...call(calls[at++]!),
          ...("providerExecuted" in rest && { providerExecuted: rest["providerExecuted"] }),
          ...options,
        },
      ];
    return type === "source" ? [] : [{ type, ...rest, ...options }];
  });
  return made.length > 0 ? [{ role: "assistant", content: made }] : [];
}

/** Assembles the parts of a model's stream. */
class Fold {
  finished = false;
  #content: Fields[] = [];
  #open = new Map<string, { part: Fields; pieces: string[] }>();
  #fields: Fields = {};
  #response: Fields = {};

  push(part: Fields): { type: "text" | "reasoning"; text: string } | undefined {
    const type = string(part["type"]);
    const found = /^(text|reasoning)-(start|delta|end)$/.exec(type);
    if (found) {
      const kind = found[1] as "text" | "reasoning";
      const key = `${kind}:${string(part["id"])}`;
      let open = this.#open.get(key);
      if (!open) {
        open = { part: { type: kind, text: "" }, pieces: [] };
        this.#open.set(key, open);
        this.#content.push(open.part);
      }
      // Signatures arrive with the end of a thought.
      if (part["providerMetadata"] !== undefined) open.part["providerMetadata"] = part["providerMetadata"];
      if (found[2] === "end") this.#close(key);
      if (found[2] !== "delta") return undefined;
      const text = string(part["delta"]);
      open.pieces.push(text);
      return { type: kind, text };
    }
    if (type === "tool-call" || type === "file" || type === "source" || type === "tool-result")
      this.#content.push(part);
    else if (type === "response-metadata") this.#response = { ...this.#response, ...part };
    else if (type === "finish") {
      const { type: _, ...rest } = part;
      this.#fields = rest;
      this.finished = true;
    }
    return undefined;
  }

  body(): Fields {
    for (const key of [...this.#open.keys()]) this.#close(key);
    const { type: _, ...response } = this.#response;
    return { content: this.#content, ...this.#fields, response };
  }

  #close(key: string): void {
    const open = this.#open.get(key);
    if (open) open.part["text"] = open.pieces.join("");
    this.#open.delete(key);
  }
}
