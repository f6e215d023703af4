/** `espalier/anthropic`: a conversation in the loop of Anthropic's tool runner (`client.beta.messages.toolRunner`). */

import { badValue } from "../errors/errors.ts";
import { Follower } from "./follow.ts";
import type { AnyConversation } from "./follow.ts";
import { systemText } from "./prompts.ts";

const SDK = "@anthropic-ai/sdk 1.14";
const NEEDED = ["setMessagesParams", "generateToolResponse"] as const;

/** The parameters of a runner, as far as they are used. */
interface RunnerParams {
  messages: any[];
  system?: any;
  tools?: any;
}

/** A `BetaToolRunner`, as far as it is used. It yields a message, or a stream of one, for each request. */
export interface ToolRunner<Reply> extends AsyncIterable<Reply> {
  readonly params: RunnerParams;
  setMessagesParams(mutator: (params: any) => any): void;
  generateToolResponse(): Promise<object | null>;
}

/** A message of the assistant. */
interface Answer {
  role: string;
  content: any;
  usage?: unknown;
}

/**
 * Runs a tool runner within its model's window: before each request the runner gets what `conversation.prepare`
 * returns. Yields what the runner yields. If the body of the loop changes the messages by itself, its messages count.
 *
 * ```ts
 * import Anthropic from "@anthropic-ai/sdk";
 * import { openConversation } from "espalier";
 * import { fitToolRunner } from "espalier/anthropic";
 *
 * const conversation = await openConversation({ format: "anthropic", model: "claude-sonnet-4-6" });
 * const runner = new Anthropic().beta.messages.toolRunner({
 *   model: "claude-sonnet-4-6",
 *   max_tokens: 1_000,
 *   messages: [{ role: "user", content: "Fix the parser." }],
 *   tools: [],
 * });
 * for await (const message of fitToolRunner(runner, conversation)) {
 *   message.stop_reason; // => "end_turn"
 * }
 * conversation.usage().requests; // => 1
 * await conversation.dispose();
 * ```
 *
 * @throws EspalierError `bad_option` if the conversation has another format
 */
export async function* fitToolRunner<Reply>(
  runner: ToolRunner<Reply>,
  conversation: AnyConversation,
): AsyncGenerator<Awaited<Reply>, void, void> {
  const follower = new Follower(conversation, { format: "anthropic", sdk: SDK });
  const missing = NEEDED.find((name) => typeof runner?.[name] !== "function");
  if (missing) throw badValue(`runner.${missing}`, `a method, as in ${SDK}`, runner?.[missing]);
  /** Gives the runner another list if messages must leave it. Returns the list that it has then. */
  const fit = async (list: readonly object[]) => {
    const { system, tools = [] } = runner.params;
    const fitting = await follower.next(list, { system: systemText(system), tools });
    const isWhole = fitting.length === list.length && fitting.every((message, at) => message === list[at]);
    if (!isWhole) runner.setMessagesParams((params: RunnerParams) => ({ ...params, messages: fitting }));
  };
  await fit(runner.params.messages);
  for await (const reply of runner) {
    const before = runner.params.messages;
    yield reply;
    const { role, content, usage } = await answerOf(reply);
    follower.report(usage);
    const { messages } = runner.params;
    if (messages.length !== before.length || messages.some((message, at) => message !== before[at])) {
      await fit(messages);
      continue;
    }
    // The runner runs each tool once: it keeps these results for itself.
    const results = await runner.generateToolResponse();
    if (results) await fit([...messages, { role, content }, results]);
  }
}

/** Waits for the message of a stream. */
async function answerOf(reply: unknown): Promise<Answer> {
  const stream = reply as { finalMessage?: () => Promise<Answer> };
  return typeof stream.finalMessage === "function" ? stream.finalMessage() : (reply as Answer);
}
