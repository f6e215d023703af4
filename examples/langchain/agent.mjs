/**
 * An agent of LangChain in a window of 16,000 tokens. The middleware passes every request through a conversation; the
 * state of the graph keeps all messages.
 *
 *   npm install
 *   npm run langchain
 *
 * With OPENAI_API_KEY it asks gpt-4o-mini, else a scripted model on localhost.
 */

import { ChatOpenAI } from "@langchain/openai";
import { createAgent, createMiddleware, tool } from "langchain";
import { openConversation } from "espalier";
import { createHooks } from "espalier/langchain";
import { DESCRIPTION, QUESTION, readPage } from "../documentation.mjs";
import { openModel, WINDOW } from "../model.mjs";

const { apiKey, baseURL, close } = await openModel();
const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const conversation = await openConversation({
  format: "langchain",
  model: { name: "gpt-4o-mini", maxContextWindowTokens: WINDOW, outputReserve: 1_000 },
});

const agent = createAgent({
  model: new ChatOpenAI({ model: "gpt-4o-mini", apiKey, configuration: { baseURL } }),
  systemPrompt: "You answer questions about a documentation. Read every page before you answer.",
  tools: [tool(({ name }) => readPage(name), { name: "read_page", description: DESCRIPTION, schema })],
  middleware: [createMiddleware(createHooks(conversation))],
});
const { messages } = await agent.invoke({ messages: [{ role: "user", content: QUESTION }] }, { recursionLimit: 200 });
for (const { usage_metadata: usage, tool_calls: calls, text } of messages.filter(({ type }) => type === "ai"))
  console.log(`${usage.input_tokens} tokens: ${calls.map(({ args }) => args.name).join(", ") || text}`);
console.log(
  `The state has ${messages.length} messages; ${conversation.edits().length} edits lie over the conversation.`,
);
await conversation.dispose();
close();
