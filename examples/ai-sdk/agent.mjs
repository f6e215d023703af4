/**
 * An agent of the Vercel AI SDK in a window of 16,000 tokens. `prepareStep` passes every step through a conversation,
 * so that each request fits, and a compaction serves all steps after it.
 *
 *   npm install
 *   npm run ai-sdk
 *
 * With OPENAI_API_KEY it asks gpt-4o-mini, else a scripted model on localhost.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { openConversation } from "espalier";
import { createPrepareStep } from "espalier/ai-sdk";
import { DESCRIPTION, QUESTION, readPage } from "../documentation.mjs";
import { openModel, WINDOW } from "../model.mjs";

const { apiKey, baseURL, close } = await openModel();
const openai = createOpenAI({ apiKey, baseURL });
const tools = {
  read_page: tool({
    description: DESCRIPTION,
    inputSchema: jsonSchema({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
    execute: ({ name }) => readPage(name),
  }),
};
const conversation = await openConversation({
  format: "ai-sdk",
  model: { name: "gpt-4o-mini", maxContextWindowTokens: WINDOW, outputReserve: 1_000 },
});

const { text, steps, responseMessages } = await generateText({
  model: openai.chat("gpt-4o-mini"),
  system: "You answer questions about a documentation. Read every page before you answer.",
  prompt: QUESTION,
  tools,
  prepareStep: createPrepareStep(conversation, { tools }),
  stopWhen: stepCountIs(50),
});
for (const { usage, toolCalls } of steps)
  console.log(`${usage.inputTokens} tokens: ${toolCalls.map(({ input }) => input.name).join(", ") || text}`);
console.log(
  `The SDK's list has ${responseMessages.length} messages; ${conversation.edits().length} edits lie over the conversation.`,
);
await conversation.dispose();
close();
