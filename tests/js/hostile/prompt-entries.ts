/** Elements and renders of prompts. */

import { espalier as e } from "../built.ts";
import { chat, using } from "./entry.ts";
import type { Entry } from "./entry.ts";

const found = () => ({
  query: "add",
  hits: [{ path: "a.ts", text: "const a = 1;\n", firstLine: 0, lastLine: 0, header: "" }],
});

export const PROMPTS: readonly Entry[] = [
  {
    name: "searchMessages",
    args: () => [found(), { format: "openai-chat", budget: 200, call: { id: "c1" } }],
    run: e.searchMessages,
    options: "encoding model costModel",
  },
  { name: "SearchResults", args: () => [found()], run: (answer) => new e.SearchResults({ answer }).props.answer },
  {
    name: "AgentPrompt",
    args: () => [{ messages: chat(), format: "openai-chat", system: "Be brief." }],
    options: "context conversation resultShare cacheBreakpoint",
    run: async (props) => (await e.render(e.createPiece(e.AgentPrompt, props), { budget: 5_000 })).messages,
  },
  {
    name: "renderRequest",
    args: () => [e.createPiece(e.AgentPrompt, { messages: chat(), format: "openai-chat" }), { budget: 300 }],
    options: "conversation format encoding model images costModel tools backfill signal token tracer llm drop",
    run: async (prompt, options) => {
      const made = await e.renderRequest(prompt, options);
      return using(made.rendered, () => [made.status, made.messages]);
    },
  },
  {
    name: "ConversationHistory",
    args: () => [{ messages: chat(), format: "openai-chat" }],
    options: "conversation resultShare cacheBreakpoint priority flexGrow passPriority",
    run: async (props) => (await e.render(e.createPiece(e.ConversationHistory, props), { budget: 5_000 })).messages,
  },
  {
    name: "render",
    args: () => [{ ctor: e.UserMessage, props: {}, children: ["Hello."] }, { budget: 100 }],
    run: async (prompt, options) => using(await e.render(prompt, options), (made) => made.messages),
    options: "format encoding model images costModel tools backfill signal token tracer",
  },
  { name: "toAnthropic", args: () => [[{ role: 1, content: [{ type: 1, text: "Hi." }] }]], run: e.toAnthropic },
  { name: "toGemini", args: () => [[{ role: 1, content: [{ type: 1, text: "Hi." }] }]], run: e.toGemini },
];
