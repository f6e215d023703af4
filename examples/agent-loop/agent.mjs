/**
 * An agent with tools in a window of 16,000 tokens, without an SDK. It reads the documentation of this package, which
 * is several times as long, and answers a question about it. Every request fits, and nothing is lost: the agent can
 * recall what a summary replaced.
 *
 *   npm install
 *   npm run agent-loop
 *
 * With OPENAI_API_KEY it asks gpt-4o-mini, else a scripted model on localhost.
 */

import { openConversation, recallTool } from "espalier";
import { openai } from "espalier/providers";
import { DESCRIPTION, QUESTION, readPage } from "../documentation.mjs";
import { openModel, WINDOW } from "../model.mjs";

const { apiKey, baseURL, close } = await openModel();
const model = openai({ model: "gpt-4o-mini", apiKey, baseUrl: baseURL });
const conversation = await openConversation({
  format: "openai-chat",
  model: { name: "gpt-4o-mini", maxContextWindowTokens: WINDOW, outputReserve: 1_000 },
  llm: model.llm, // writes the summaries
});

const recall = recallTool(conversation, { format: "openai-chat", maxTokens: 2_000 });
const parameters = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const tools = [
  { type: "function", function: { name: "read_page", description: DESCRIPTION, parameters } },
  recall.definition,
];
const run = ({ name, arguments: args, input }) => (name === recall.name ? recall.handle(args) : readPage(input?.name));

conversation.append([
  { role: "system", content: "You answer questions about a documentation. Read every page before you answer." },
  { role: "user", content: QUESTION },
]);
for (;;) {
  const { messages, report } = await conversation.prepare({ tools });
  const answer = await model.send(model.toRequest(messages, { tools, maxTokens: 1_000 }));
  conversation.reportUsage(answer.usage);
  conversation.append(answer.messages);
  const calls = answer.toolCalls.map((call) => `${call.name} ${call.arguments}`).join(", ");
  console.log(`${messages.length} messages, ${report.usage.used} tokens: ${calls || answer.text}`);
  if (answer.toolCalls.length === 0) break;
  for (const call of answer.toolCalls)
    conversation.append({ role: "tool", tool_call_id: call.id, content: await run(call) });
}
console.log(
  `The history has ${conversation.log.originals} messages; ${conversation.edits().length} edits lie over it.`,
);
await conversation.dispose();
close();
