/** What tests of the request flow share: a conversation, an agent's prompt, and what a request must be. */

import assert from "node:assert/strict";
import { espalier } from "../built.ts";
import type { RenderFormat } from "../../../js/prompt/output/request.ts";
import { begin, round } from "../conversation/support.ts";
import type { Fields } from "../conversation/support.ts";

const { AgentPrompt, createPiece: h, openConversation } = espalier;

export const BUDGET = 2_500;
export const open = (options: object = {}, messages: Fields[] = begin(5)) =>
  openConversation<any>({ format: "openai-chat", messages, entropy: 1, ...options });
export const agent = (props: object = {}, ...children: any[]) =>
  h(AgentPrompt, { system: "You mend parsers.", ...props }, ...children);
export const filled = (conversation: { append(messages: Fields[]): unknown }, from: number, to: number) => {
  for (let at = from; at < to; at += 1) conversation.append(round(at));
};

/** Opens a conversation that does not fit the budget. */
export const long = async (options: object = {}) => {
  const conversation = await open(options);
  filled(conversation, 5, 25);
  return conversation;
};

/** A fresh count, and what the provider would refuse. */
export function sound(
  { request, messages, tokens, budget }: { request: object; messages: Fields[]; tokens: number; budget: number },
  format: RenderFormat = "openai-chat",
  tools: Fields[] = [],
): void {
  const whole = format === "anthropic" || format === "gemini" ? request : messages;
  const provider = format === "raw" || format === "ai-sdk" ? "openai-chat" : format;
  assert.deepEqual(espalier.validate(whole, provider, { format, pending: "keep" }), []);
  const { total } = espalier.countMessages(whole, { format, tools });
  assert.ok(total <= tokens && tokens <= budget, `${total} counted, ${tokens} reported, ${budget} allowed`);
}
export const summaries = (messages: Fields[]) =>
  messages.filter((message) => JSON.stringify(message).includes("<conversation-summary")).length;
export async function fails(run: () => Promise<unknown>, code: string, path?: string): Promise<any> {
  let thrown: any;
  await assert.rejects(run, (error: any) => ((thrown = error), error.code === code));
  if (path !== undefined) assert.equal(thrown.path, path);
  return thrown;
}
