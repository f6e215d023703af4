/**
 * `espalier/ai-sdk`: a conversation as `prepareStep` or as middleware of the Vercel AI SDK, versions 5, 6 and 7.
 * Compactions are edits of the conversation, so they persist from step to step and from call to call.
 */

import { badValue } from "../errors/errors.ts";
import type { ToolList } from "../types/messages.ts";
import { Follower } from "./follow.ts";
import type { AnyConversation } from "./follow.ts";
import { asPromptMessage, systemText, withoutSystem } from "./prompts.ts";
import type { PromptMessage } from "./prompts.ts";

const SDK = "the AI SDK 5, 6 or 7";

/** What `prepareStep` receives, as far as it is used. */
export interface Step {
  messages: any[];
  steps: readonly { usage?: unknown }[];
  /** The system prompt; version 7 passes it. */
  instructions?: any;
}

/** A language model of the AI SDK, as far as it is used. */
export interface LanguageModel {
  specificationVersion: string;
  doGenerate(params: any): PromiseLike<any>;
  doStream(params: any): PromiseLike<any>;
}

/** A call of a language model, as middleware sees it. */
export interface ModelCall {
  model: LanguageModel;
  params: { prompt: PromptMessage[]; tools?: any; abortSignal?: AbortSignal | undefined };
}

/** A middleware for `wrapLanguageModel` of all three versions. */
export interface ContextMiddleware {
  /** `v4`. The types of version 6 ask for `v3`; at run time it accepts both. */
  readonly specificationVersion: any;
  wrapGenerate(call: any): Promise<any>;
  wrapStream(call: any): Promise<any>;
}

/**
 * Returns a function for the option `prepareStep` of `generateText`, `streamText` and agents. Every step sends what
 * `conversation.prepare` returns, and reports the usage of the step before. `tools` are those of the call, which
 * `prepareStep` is not told; they are counted.
 *
 * ```ts
 * import { openai } from "@ai-sdk/openai";
 * import { generateText, stepCountIs } from "ai";
 * import { openConversation } from "espalier";
 * import { createPrepareStep } from "espalier/ai-sdk";
 *
 * const conversation = await openConversation({ format: "ai-sdk", model: "gpt-4o" });
 * const { text } = await generateText({
 *   model: openai.chat("gpt-4o"),
 *   messages: [{ role: "user", content: "Fix the parser." }],
 *   prepareStep: createPrepareStep(conversation),
 *   stopWhen: stepCountIs(50),
 * });
 * text.length > 0; // => true
 * conversation.usage().requests; // => 1
 * await conversation.dispose();
 * ```
 *
 * @throws EspalierError `bad_option` if the conversation has another format
 */
export function createPrepareStep(
  conversation: AnyConversation,
  { tools }: { tools?: ToolList } = {},
): (step: Step) => Promise<{ messages: any[] }> {
  const follower = new Follower(conversation, { format: "ai-sdk", sdk: SDK });
  return async ({ messages, steps, instructions }) => {
    follower.report(steps?.at(-1)?.usage);
    const options = { system: systemText(instructions), ...(tools !== undefined && { tools }) };
    return { messages: await follower.next(messages as object[], options) };
  };
}

/**
 * Returns a middleware for `wrapLanguageModel`. It sees every request with its tools and its system prompt, takes the
 * reported usage, and sends a smaller request if the provider refuses one as too large. A middleware belongs to one
 * conversation.
 *
 * @throws EspalierError `bad_option` if the conversation has another format, or the model an unknown version
 */
export function createMiddleware(conversation: AnyConversation): ContextMiddleware {
  const follower = new Follower(conversation, { format: "ai-sdk", sdk: SDK });
  const send = <R>({ model, params }: ModelCall, name: "doGenerate" | "doStream") => {
    if (!/^v[234]$/.test(model.specificationVersion))
      throw badValue("model.specificationVersion", `v2, v3 or v4: a model of ${SDK}`, model.specificationVersion);
    const { system, rest, options } = withoutSystem(params.prompt);
    const { tools = [], abortSignal: signal } = params;
    return follower.send(
      rest,
      { ...options, tools, ...(signal && { signal }) },
      (messages) => model[name]({ ...params, prompt: [...system, ...messages.map(asPromptMessage)] }) as PromiseLike<R>,
    );
  };
  return {
    specificationVersion: "v4",
    async wrapGenerate(call: ModelCall) {
      const result = await send<{ usage?: unknown }>(call, "doGenerate");
      follower.report(result.usage);
      return result;
    },
    async wrapStream(call: ModelCall) {
      const result = await send<{ stream: ReadableStream<{ type: string; usage?: unknown }> }>(call, "doStream");
      const usage = new TransformStream({
        transform(part: { type: string; usage?: unknown }, controller) {
          if (part.type === "finish") follower.report(part.usage);
          controller.enqueue(part);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(usage) };
    },
  };
}
