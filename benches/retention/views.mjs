/** The contenders: each makes a view of a history within a budget, or returns nothing if it cannot. */

import { scriptedModel } from "./model.mjs";
import { requestTokens } from "./tokens.mjs";

/** The default profile with a model (see `model.mjs`). */
export const WITH_MODEL = "compact + model";
/** Contenders that do not depend on the package. */
export const PEERS = new Set(["keep last", "LangChain trimMessages", "AI SDK pruneMessages + keep last"]);

/** @param espalier the built package @param peers modules of the peers */
export function contenders(espalier, { trimMessages, pruneMessages }) {
  const compact = (options) => async (messages, budget) =>
    (await espalier.compact(messages, { budget, ...options })).messages;
  return {
    compact: compact({}),
    [WITH_MODEL]: compact({ llm: scriptedModel }),
    prune: (messages, budget) => espalier.prune(messages, { budget }).messages,
    "copilot-chat profile": compact({ profile: "copilot-chat" }),
    "gemini-cli profile": compact({ profile: "gemini-cli" }),
    "copilot-cli profile": compact({ profile: "copilot-cli" }),
    "keep last": keepLast,
    ...(trimMessages && { "LangChain trimMessages": trimmed(trimMessages) }),
    ...(pruneMessages && { "AI SDK pruneMessages + keep last": pruned(pruneMessages) }),
  };
}

/**
 * Keeps system messages, and the newest others from the first user or assistant message that fits; the newest request
 * stays.
 */
function keepLast(messages, budget) {
  const system = messages.filter(({ role }) => role === "system");
  const rest = messages.filter(({ role }) => role !== "system");
  let from = rest.length,
    used = requestTokens(system);
  while (from > 0 && used + requestTokens([rest[from - 1]]) - 3 <= budget) used += requestTokens([rest[--from]]) - 3;
  while (from < rest.length && rest[from].role === "tool") from++;
  return [...system, ...rest.slice(from)];
}

function trimmed(trimMessages) {
  return async (messages, budget) => {
    const { AIMessage, HumanMessage, SystemMessage, ToolMessage } = await import("@langchain/core/messages");
    const made = messages.map((message, id) => {
      const common = { content: message.content ?? "", id: String(id) };
      if (message.role === "system") return new SystemMessage(common);
      if (message.role === "user") return new HumanMessage(common);
      if (message.role === "tool") return new ToolMessage({ ...common, tool_call_id: message.tool_call_id });
      return new AIMessage(common);
    });
    const tokenCounter = (list) => requestTokens(list.map(({ id }) => messages[Number(id)]));
    const kept = await trimMessages(made, {
      maxTokens: budget,
      tokenCounter,
      strategy: "last",
      includeSystem: true,
      startOn: ["human", "ai"],
    });
    return kept.map(({ id }) => messages[Number(id)]);
  };
}

/** Drops tool calls before the last message, as its documentation shows, then the messages that do not fit. */
function pruned(pruneMessages) {
  return (messages, budget) => {
    const model = messages.map((message, at) => ({ ...asModelMessage(message), at }));
    const kept = pruneMessages({
      messages: model,
      reasoning: "all",
      toolCalls: "before-last-20-messages",
      emptyMessages: "remove",
    });
    const back = kept.map((message) => {
      const original = messages[message.at];
      if (typeof message.content === "string" || original.tool_calls === undefined) return original;
      const ids = new Set(
        message.content.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId),
      );
      const calls = original.tool_calls.filter(({ id }) => ids.has(id));
      const { tool_calls: _, ...rest } = original;
      return calls.length > 0 ? { ...rest, tool_calls: calls } : rest;
    });
    return keepLast(back, budget);
  };
}

function asModelMessage({ role, content, tool_calls: calls = [], tool_call_id: toolCallId }) {
  if (role === "tool")
    return {
      role,
      content: [{ type: "tool-result", toolCallId, toolName: "tool", output: { type: "text", value: content ?? "" } }],
    };
  if (calls.length === 0) return { role, content: content ?? "" };
  const text = content ? [{ type: "text", text: content }] : [];
  return {
    role,
    content: [
      ...text,
      ...calls.map(({ id, function: call }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: call.name,
        input: call.arguments,
      })),
    ],
  };
}
