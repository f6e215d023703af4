/** The agent of the task in each SDK, with a model behind the scripted server. */

import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { ChatOpenAI } from "@langchain/openai";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, OpenAIResponsesModel, setTracingDisabled, tool as agentsTool } from "@openai/agents";
import * as ai7 from "ai";
import * as ai5 from "ai5";
import { createOpenAI as createOpenAI5 } from "ai5-openai";
import * as ai6 from "ai6";
import { createOpenAI as createOpenAI6 } from "ai6-openai";
import { createAgent, tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { z } from "zod";
import { createProcessor } from "espalier/mastra";
import { read, REQUEST, STEPS, SYSTEM, TOOL } from "./task.mjs";

export const AI_SDKS = { 5: [ai5, createOpenAI5], 6: [ai6, createOpenAI6], 7: [ai7, createOpenAI] };

/** Returns the options of a call of the AI SDK that does the task. */
export function aiSdk({ url }, version, settings = {}) {
  const [sdk, createOpenAI] = AI_SDKS[version];
  const openai = createOpenAI({ apiKey: "k", baseURL: `${url}/v1`, ...settings });
  const tools = { [TOOL.name]: { ...TOOL, inputSchema: sdk.jsonSchema(TOOL.parameters), execute: read } };
  return {
    sdk,
    tools,
    options: {
      model: openai.chat("gpt-4o"),
      system: SYSTEM,
      messages: [{ role: "user", content: REQUEST }],
      tools,
      stopWhen: sdk.stepCountIs(STEPS + 5),
      maxRetries: 0,
    },
  };
}

export const langchainModel = ({ url }) =>
  new ChatOpenAI({ model: "gpt-4o", apiKey: "k", maxRetries: 0, configuration: { baseURL: `${url}/v1` } });

export const langchain = (server, options) =>
  createAgent({
    model: langchainModel(server),
    tools: [langchainTool(read, { ...TOOL, schema: z.object({ path: z.string() }) })],
    systemPrompt: SYSTEM,
    ...options,
  });

export function openaiAgents({ url }, options = {}) {
  setTracingDisabled(true);
  const client = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0, ...options });
  const model = new OpenAIResponsesModel(client, "gpt-4o");
  const tools = [agentsTool({ ...TOOL, parameters: z.object({ path: z.string() }), execute: read })];
  return new Agent({ name: "Reader", instructions: SYSTEM, model, tools });
}

/** `onRun` is called whenever the tool runs. */
export function anthropicRunner({ url }, { onRun = () => {}, fetch, ...more } = {}) {
  const client = new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0, ...(fetch && { fetch }) });
  const { parameters, ...named } = TOOL;
  const run = (input) => {
    onRun();
    return read(input);
  };
  return client.beta.messages.toolRunner({
    thread: false,
    model: "gpt-4o",
    max_tokens: 500,
    system: SYSTEM,
    messages: [{ role: "user", content: REQUEST }],
    tools: [{ ...named, type: "custom", input_schema: parameters, parse: (input) => input, run }],
    ...more,
  });
}

export function mastra({ url }, conversation) {
  const processor = createProcessor(conversation);
  const reader = createTool({
    id: TOOL.name,
    description: TOOL.description,
    inputSchema: z.object({ path: z.string() }),
    execute: async (input) => read(input),
  });
  return new MastraAgent({
    id: "reader",
    name: "Reader",
    instructions: SYSTEM,
    model: createOpenAI({ apiKey: "k", baseURL: `${url}/v1` }).chat("gpt-4o"),
    tools: { [TOOL.name]: reader },
    inputProcessors: [processor],
    errorProcessors: [processor],
  });
}
