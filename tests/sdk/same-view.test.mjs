/** The same task in every SDK: conversations have the same view, whatever form its messages have. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { run } from "@openai/agents";
import { createMiddleware as createLangChainMiddleware } from "langchain";
import { createMiddleware, createPrepareStep } from "espalier/ai-sdk";
import { fitToolRunner } from "espalier/anthropic";
import { createHooks } from "espalier/langchain";
import { createSession } from "espalier/openai-agents";
import * as agents from "./agents.mjs";
import { neutralView, open, REQUEST, taskServer } from "./task.mjs";

let server;
before(async () => (server = await taskServer()));
after(() => server.close());

/** By what they test: the format of the conversation, and how the agent does the task. */
const WAYS = {
  ...Object.fromEntries(
    Object.keys(agents.AI_SDKS).map((version) => [
      `AI SDK ${version}, prepareStep`,
      [
        "ai-sdk",
        (conversation) => {
          const { sdk, options, tools } = agents.aiSdk(server, version);
          return sdk.generateText({ ...options, prepareStep: createPrepareStep(conversation, { tools }) });
        },
      ],
    ]),
  ),
  "AI SDK 7, middleware": [
    "ai-sdk",
    (conversation) => {
      const { sdk, options } = agents.aiSdk(server, 7);
      const model = sdk.wrapLanguageModel({ model: options.model, middleware: createMiddleware(conversation) });
      return sdk.generateText({ ...options, model });
    },
  ],
  LangChain: [
    "langchain",
    (conversation) =>
      agents
        .langchain(server, { middleware: [createLangChainMiddleware(createHooks(conversation))] })
        .invoke({ messages: [{ role: "user", content: REQUEST }] }, { recursionLimit: 100 }),
  ],
  "OpenAI Agents SDK": [
    "openai-agents",
    (conversation) => {
      const session = createSession(conversation);
      const { callModelInputFilter } = session;
      return run(agents.openaiAgents(server), REQUEST, { session, callModelInputFilter, maxTurns: 50 });
    },
  ],
  "Anthropic's tool runner": [
    "anthropic",
    async (conversation) => {
      for await (const _ of fitToolRunner(agents.anthropicRunner(server), conversation));
    },
  ],
  Mastra: ["ai-sdk", (conversation) => agents.mastra(server, conversation).generate(REQUEST, { maxSteps: 50 })],
};

/** Returns the neutral views of the task by what was run. */
async function viewsOf(ways, options) {
  const views = [];
  for (const [way, [format, work]] of ways) {
    // No usage is reported: providers count differently, and conversations learn from it.
    const conversation = await open(format);
    conversation.reportUsage = () => {};
    server.clear();
    server.script(undefined, options);
    await work(conversation);
    const view = neutralView(conversation);
    // Only some SDKs give the last answer to the conversation.
    views.push([way, view.at(-1)[0] === "assistant" ? view.slice(0, -1) : view]);
    await conversation.dispose();
  }
  return views;
}

/**
 * How many lines of an open file the record quotes depends on the room, and so on the tokens of the tools, whose
 * schemas the SDKs write differently.
 */
const withoutQuotes = (view) =>
  view.map(([role, text]) => [
    role,
    text.replace(/<open-files>[\s\S]*<\/open-files>/, (block) => block.replace(/^part\d+\.txt line .*\n/gm, "")),
  ]);

function checkSame([[name, view], ...rest]) {
  assert.ok(view.some(([, text]) => /conversation-summary/.test(text)) && view.length < 30, "nothing was compacted");
  for (const [way, other] of rest) assert.deepEqual(withoutQuotes(other), withoutQuotes(view), `${way}, and ${name}`);
}

test("all SDKs have the same view of the same task", async () => {
  checkSame(await viewsOf(Object.entries(WAYS), { says: false }));
});

test("so have all whose messages hold words and calls together", async () => {
  // In a list of items, the words of an answer can be summarised while its call stays.
  checkSame(await viewsOf(Object.entries(WAYS).filter(([, [format]]) => format !== "openai-agents")));
});
