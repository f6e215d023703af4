/**
 * `espalier/langchain`: LangChain's `trimMessages` with exact counts and whole pairs, an edit for its
 * `contextEditingMiddleware`, and a conversation as middleware of an agent. Messages are instances of LangChain's
 * classes or their JSON; unchanged ones are the same objects.
 */

import { prune } from "../calls/prune.ts";
import { badOption } from "../errors/errors.ts";
import { isSameMessage } from "../formats/langchain/stored.ts";
import type { ToolList } from "../types/messages.ts";
import type { PruneOptions } from "../types/prune.ts";
import { Follower } from "./follow.ts";
import type { AnyConversation } from "./follow.ts";
import { systemText } from "./prompts.ts";

export interface TrimOptions extends Omit<PruneOptions, "budget" | "format"> {
  /** Max tokens of the messages, exactly counted. */
  maxTokens: number;
  /** The newest messages stay; LangChain's other strategy, `first`, is refused. */
  strategy?: "last";
  /** The system prompt always stays. */
  includeSystem?: true;
}

/**
 * Trims messages to the newest that fit: as LangChain's `trimMessages`, but every count is exact, calls and results
 * stay together, and no counter is needed. Without messages it returns a function, which a chain can `pipe`.
 *
 * ```ts
 * import { AIMessage, HumanMessage } from "@langchain/core/messages";
 * import { trimMessages } from "espalier/langchain";
 *
 * const messages = [new HumanMessage("Why? ".repeat(500)), new AIMessage("Because."), new HumanMessage("Really?")];
 * const trimmed = trimMessages(messages, { maxTokens: 100 });
 * trimmed.length; // => 1
 * trimmed[0] === messages[2]; // => true
 * ```
 *
 * @throws EspalierError `budget_exceeded` if the newest request alone is larger; `bad_option`, `bad_message` with the
 *   path of the field
 */
export function trimMessages<T extends object>(messages: readonly T[], options: TrimOptions): T[];
export function trimMessages(options: TrimOptions): <T extends object>(messages: readonly T[]) => T[];
export function trimMessages<T extends object>(given: readonly T[] | TrimOptions, options?: TrimOptions) {
  if (!Array.isArray(given)) return (messages: readonly T[]) => trimMessages(messages, given as TrimOptions);
  const { maxTokens, strategy, includeSystem, ...rest } = options ?? ({} as TrimOptions);
  if (typeof maxTokens !== "number") throw badOption("maxTokens", "a number of tokens", maxTokens);
  if (strategy !== undefined && strategy !== "last") throw badOption("strategy", '"last"', strategy);
  if (includeSystem !== undefined && includeSystem !== true) throw badOption("includeSystem", "true", includeSystem);
  return prune(given as T[], { ...rest, budget: maxTokens, format: "langchain" }).messages;
}

/** An edit of messages in place, as LangChain's `contextEditingMiddleware` takes it. */
export interface ContextEdit {
  apply(params: { messages: any[] }): void;
}

/**
 * Returns a `ContextEdit` for `contextEditingMiddleware({ edits: [...] })`: it trims the messages of a request in
 * place, as {@link trimMessages} does. The middleware passes the list of the agent's state, so that removed messages
 * leave the state as well; with {@link createHooks} the state keeps them all.
 */
export function createContextEdit(options: TrimOptions): ContextEdit {
  return {
    apply({ messages }) {
      const trimmed = trimMessages(messages as object[], options);
      messages.splice(0, messages.length, ...trimmed);
    },
  };
}

/** A request to a model, as LangChain's middleware sees it. */
export interface ModelRequest {
  messages: any[];
  systemMessage?: unknown;
  tools?: any;
  runtime?: { signal?: AbortSignal | undefined };
}

/** The configuration for LangChain's `createMiddleware`. */
export interface ContextHooks {
  /** The name of the middleware in the agent's graph. */
  name: string;
  /** Sends the conversation's request instead of the agent's, and takes the reported usage. */
  wrapModelCall(request: any, handler: any): Promise<any>;
}

/**
 * Returns hooks for LangChain's `createMiddleware`: each call of the model sends what `conversation.prepare` returns,
 * reports its usage, and is repeated with a smaller request if the provider refuses one as too large. The state of the
 * graph keeps all messages; compactions are edits of the conversation, so they persist from call to call. `tools`
 * replaces the agent's tools where their tokens are counted; needed if a schema of theirs cannot be read (zod 3).
 *
 * ```ts
 * import { ChatOpenAI } from "@langchain/openai";
 * import { createAgent, createMiddleware } from "langchain";
 * import { openConversation } from "espalier";
 * import { createHooks } from "espalier/langchain";
 *
 * const conversation = await openConversation({ format: "langchain", model: "gpt-4o" });
 * const agent = createAgent({
 *   model: new ChatOpenAI({ model: "gpt-4o" }),
 *   middleware: [createMiddleware(createHooks(conversation))],
 * });
 * const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Fix the parser." }] });
 * messages.length; // => 2
 * conversation.usage().requests; // => 1
 * await conversation.dispose();
 * ```
 *
 * @throws EspalierError `bad_option` if the conversation has another format
 */
export function createHooks(
  conversation: AnyConversation,
  { tools: counted }: { tools?: ToolList } = {},
): ContextHooks {
  const follower = new Follower(conversation, { format: "langchain", sdk: "LangChain 1.5", isSame: isSameMessage });
  return {
    name: "EspalierContext",
    async wrapModelCall(request: ModelRequest, handler: (request: ModelRequest) => PromiseLike<unknown>) {
      const { systemMessage, tools = [], runtime } = request;
      const signal = runtime?.signal;
      const options = { system: systemText(systemMessage), tools: counted ?? tools, ...(signal && { signal }) };
      const reply = await follower.send(request.messages as object[], options, (messages) =>
        handler({ ...request, messages }),
      );
      follower.report((reply as { usage_metadata?: unknown } | undefined)?.usage_metadata);
      return reply;
    },
  };
}
