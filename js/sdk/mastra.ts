/** `espalier/mastra`: a conversation as a processor of Mastra's agents. */

import type { ToolList } from "../types/messages.ts";
import { Follower } from "./follow.ts";
import type { AnyConversation } from "./follow.ts";
import { asPromptMessage, withoutSystem } from "./prompts.ts";
import type { PromptMessage } from "./prompts.ts";

/** A processor of requests, for the options `inputProcessors` and `errorProcessors` of an agent. */
export interface ContextProcessor {
  readonly id: "espalier-context";
  readonly name: string;
  processInputStep(args: any): Promise<void>;
  processLLMRequest(args: any): Promise<any>;
  processAPIError(args: any): Promise<{ retry: boolean }>;
}

interface RequestArgs {
  prompt: PromptMessage[];
  steps?: readonly { usage?: unknown }[];
  abortSignal?: AbortSignal | undefined;
}

/**
 * Returns a processor that replaces each request by what `conversation.prepare` returns. Mastra's own list of messages
 * and its memory keep everything; compactions are edits of the conversation, so they persist from step to step. As one
 * of the `errorProcessors` it repeats requests that the provider refuses as too large. `tools` replaces the agent's
 * tools where their tokens are counted; needed if a schema of theirs cannot be read (zod 3).
 *
 * @throws EspalierError `bad_option` if the conversation has another format than `ai-sdk`
 */
export function createProcessor(
  conversation: AnyConversation,
  { tools: counted }: { tools?: ToolList } = {},
): ContextProcessor {
  const follower = new Follower(conversation, { format: "ai-sdk", sdk: "Mastra 1.71" });
  let tools = counted;
  return {
    id: "espalier-context",
    name: "Espalier",
    // A request is not told its tools; its step is.
    async processInputStep({ tools: ofStep }: { tools?: ToolList }) {
      tools = counted ?? ofStep;
    },
    async processLLMRequest({ prompt, steps, abortSignal: signal }: RequestArgs) {
      follower.report(steps?.at(-1)?.usage);
      const { system, rest, options } = withoutSystem(prompt);
      const messages = await follower.next(rest, { ...options, ...(tools && { tools }), ...(signal && { signal }) });
      return { prompt: [...system, ...messages.map(asPromptMessage)] };
    },
    processAPIError: async ({ error }: { error: unknown }) => ({ retry: follower.mayRetry(error) }),
  };
}
