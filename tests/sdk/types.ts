/** Passes what the entries export to the types of all SDKs. It is type-checked, never run. */

import Anthropic from "@anthropic-ai/sdk";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { type Agent, run } from "@openai/agents";
import OpenAI from "openai";
import { generateText as generateText7, ToolLoopAgent, wrapLanguageModel as wrap7 } from "ai";
import type { LanguageModel as Model7 } from "ai";
import { generateText as generateText5, wrapLanguageModel as wrap5 } from "ai5";
import { generateText as generateText6, wrapLanguageModel as wrap6 } from "ai6";
import { contextEditingMiddleware, createAgent, createMiddleware as langchainMiddleware } from "langchain";
import { openConversation, prune, type Conversation } from "espalier";
import { createMiddleware, createPrepareStep } from "espalier/ai-sdk";
import { fitToolRunner } from "espalier/anthropic";
import { createFetch } from "espalier/fetch";
import { createContextEdit, createHooks, trimMessages } from "espalier/langchain";
import { createProcessor } from "espalier/mastra";
import { createSession } from "espalier/openai-agents";

export async function aiSdk(
  conversation: Conversation,
  five: Parameters<typeof wrap5>[0]["model"],
  six: Parameters<typeof wrap6>[0]["model"],
  seven: Parameters<typeof wrap7>[0]["model"] & Model7,
): Promise<void> {
  const prepareStep = createPrepareStep(conversation);
  const middleware = createMiddleware(conversation);
  await generateText5({ model: wrap5({ model: five, middleware }), prompt: "Go.", prepareStep });
  await generateText6({ model: wrap6({ model: six, middleware }), prompt: "Go.", prepareStep });
  await generateText7({ model: wrap7({ model: seven, middleware }), prompt: "Go.", prepareStep });
  new ToolLoopAgent({ model: seven, prepareStep });
}

export async function langchain(messages: BaseMessage[]): Promise<BaseMessage[]> {
  const conversation = await openConversation({ format: "langchain", model: "gpt-4o", messages });
  createAgent({
    model: "openai:gpt-4o",
    middleware: [
      langchainMiddleware(createHooks(conversation)),
      contextEditingMiddleware({ edits: [createContextEdit({ maxTokens: 1_000 })] }),
    ],
  });
  const trimmed: BaseMessage[] = trimMessages(messages, { maxTokens: 100 });
  const pruned: BaseMessage[] = prune([new HumanMessage("Go."), ...trimmed], { budget: 100 }).messages;
  // @ts-expect-error LangChain's counter is not needed.
  trimMessages(messages, { maxTokens: 100, tokenCounter: () => 5 });
  return pruned;
}

export async function agents(conversation: Conversation, agent: Agent): Promise<void> {
  const session = createSession(conversation);
  const { callModelInputFilter } = session;
  await run(agent, "Go.", { session, callModelInputFilter });
  await run(agent, "Go.", { session, callModelInputFilter, stream: true });
}

export async function anthropic(conversation: Conversation, client: Anthropic): Promise<string | null> {
  const params = { model: "claude-opus-4-7", max_tokens: 5, messages: [], tools: [] };
  for await (const message of fitToolRunner(client.beta.messages.toolRunner(params), conversation))
    return message.stop_reason;
  for await (const stream of fitToolRunner(client.beta.messages.toolRunner({ ...params, stream: true }), conversation))
    return (await stream.finalMessage()).stop_reason;
  return null;
}

export function mastra(conversation: Conversation): MastraAgent {
  const processor = createProcessor(conversation);
  return new MastraAgent({
    id: "a",
    name: "a",
    instructions: "Go.",
    model: "openai/gpt-4o",
    inputProcessors: [processor],
    errorProcessors: [processor],
  });
}

export function clients(conversation: Conversation): (OpenAI | Anthropic)[] {
  const fetch = createFetch(conversation, { fetch: globalThis.fetch, belongs: ({ model }) => model === "gpt-4o" });
  return [new OpenAI({ fetch }), new Anthropic({ fetch })];
}
