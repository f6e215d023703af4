/** Passes the package's results to the SDKs in package.json, and back. This file is type-checked, and never run. */

import Anthropic from "@anthropic-ai/sdk";
import { generateText, stepCountIs, type ModelMessage, type UIMessage } from "ai";
import OpenAI from "openai";
import { compact, countMessages, openConversation, prune, recallTool, repair, request } from "espalier";
import type { Rendered } from "espalier/prompt";

const openai = new OpenAI();
const anthropic = new Anthropic();
const model = "gpt-4o";
const claude = { model: "claude-sonnet-4-5", max_tokens: 100 };

/** A rendered prompt is spread into the request. */
export async function prompts(chat: Rendered<"openai-chat">, messages: Rendered<"anthropic">): Promise<void> {
  await openai.chat.completions.create({ model, ...chat.request });
  await openai.chat.completions.create({ model, messages: chat.messages });
  await anthropic.messages.create({ ...claude, ...messages.request });
}

/** A conversation has the messages of its format: messages of the SDK are appended, and sent. */
export async function conversations(
  openaiMessages: OpenAI.ChatCompletionMessageParam[],
  modelMessages: ModelMessage[],
): Promise<void> {
  const chat = await openConversation({ format: "openai-chat", model: { name: model, maxPromptTokens: 100_000 } });
  chat.append([
    { role: "system", content: "You fix builds." },
    { role: "user", content: [{ type: "text", text: "Hello" }] },
  ]);
  chat.append(openaiMessages);
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: "function", function: { name: "run", parameters: { type: "object" } } },
  ];
  const reply = await openai.chat.completions.create({
    model,
    messages: (await chat.prepare({ tools })).messages,
    tools,
  });
  chat.reportUsage(reply.usage);
  chat.append(reply.choices[0]!.message);
  chat.append({ role: "tool", tool_call_id: reply.choices[0]!.message.tool_calls?.[0]?.id ?? "", content: "done" });
  const [first] = chat.view().messages;
  // @ts-expect-error There is no such role: messages are typed.
  first?.role === "robot";
  // @ts-expect-error A result names its call.
  chat.append({ role: "tool", content: "done" });

  const messages = await openConversation({ format: "anthropic", model: "claude-sonnet-4-5" });
  messages.append({ role: "user", content: "Hello" });
  messages.append(await anthropic.messages.create({ ...claude, messages: (await messages.prepare()).messages }));
  const history: Anthropic.MessageParam[] = [{ role: "system", content: "Be brief." }];
  messages.append(history);

  const sdk = await openConversation({ messages: modelMessages });
  await generateText({ model: "openai/gpt-4o", messages: (await sdk.prepare()).messages, stopWhen: stepCountIs(3) });
  const typed = await openConversation<ModelMessage>({ format: "ai-sdk" });
  typed.append({ role: "user", content: "Hello" });
  const items = await openConversation({ format: "openai-responses" });
  await openai.responses.create({ model, input: (await items.prepare()).messages });
}

/** The recall tool is sent with the other tools, and answers calls unchanged. */
export async function recalls(messages: OpenAI.ChatCompletionMessageParam[]): Promise<void> {
  const conversation = await openConversation({ format: "openai-chat", model, messages });
  const recall = recallTool(conversation, { format: "openai-chat" });
  const reply = await openai.chat.completions.create({ model, messages, tools: [recall.definition] });
  for (const call of reply.choices[0]?.message.tool_calls ?? []) {
    if (call.type === "function")
      conversation.append({
        role: "tool",
        tool_call_id: call.id,
        content: await recall.handle(call.function.arguments),
      });
  }
  await openai.responses.create({
    model,
    input: "Go on.",
    tools: [recallTool(conversation, { format: "openai-responses" }).definition],
  });
  const claudes = recallTool(conversation, { format: "anthropic" });
  const message = await anthropic.messages.create({ ...claude, messages: [], tools: [claudes.definition] });
  for (const block of message.content) if (block.type === "tool_use") await claudes.handle(block.input);
  await generateText({
    model: "openai/gpt-4o",
    prompt: "Go on.",
    tools: { recall: recallTool(conversation, { format: "ai-sdk" }).definition },
  });
}

/** A call returns the type of its input, list or request. */
export async function calls(
  list: OpenAI.ChatCompletionMessageParam[],
  body: Anthropic.MessageCreateParamsNonStreaming,
  ui: UIMessage[],
): Promise<void> {
  await openai.chat.completions.create({ model, messages: prune(list, { budget: 4_000 }).messages });
  await anthropic.messages.create(prune(body, { budget: 4_000 }).messages);
  await anthropic.messages.create(repair(body, { provider: "anthropic" }).messages);
  const kept: UIMessage[] = prune(ui, { budget: 4_000 }).messages;
  countMessages(kept);
  await request(list, { budget: 4_000 }, async (messages) => openai.chat.completions.create({ model, messages }));
}

/** Models that summarise: the answer in the SDK's form. */
export async function summaries(list: OpenAI.ChatCompletionMessageParam[]): Promise<void> {
  await compact(list, {
    budget: 4_000,
    llm: async ({ messages }, { signal }) => {
      const {
        choices: [choice],
        usage,
      } = await openai.chat.completions.create({ model, messages }, { signal });
      return { text: choice!.message.content, finishReason: choice!.finish_reason, usage };
    },
  });
  await compact(list, {
    budget: 4_000,
    llm: async ({ messages }, { signal }) => {
      const { text, finishReason, usage } = await generateText({
        model: "openai/gpt-4o",
        messages,
        abortSignal: signal,
      });
      return { text, finishReason, usage };
    },
  });
}
