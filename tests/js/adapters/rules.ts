/** What providers refuse (spec of requests, provider rules), as far as the structure of messages decides it. */

import type { Format } from "../../../js/types.ts";

type Fields = Record<string, unknown>;
const list = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

/** The first reason why a provider would refuse these messages, or nothing. */
export function refusal(format: Format, messages: readonly unknown[]): string | undefined {
  const rules = RULES[format];
  return rules?.(messages as readonly Fields[]);
}

const RULES: Partial<Record<Format, (messages: readonly Fields[]) => string | undefined>> = {
  "openai-chat": (messages) =>
    direct(messages, (m) => list(m["tool_calls"]).map((call) => call["id"]), (m) => (m["role"] === "tool" ? [m["tool_call_id"]] : []))
    ?? first(messages, (m) => {
      if (Array.isArray(m["tool_calls"]) && m["tool_calls"].length === 0) return "an empty call list";
      return m["role"] === "assistant" && !m["tool_calls"] && empty(m["content"]) ? "an assistant without content and calls" : undefined;
    }),

  "openai-responses": (messages) => {
    const of = (suffix: RegExp) => messages.flatMap((m, at) => (suffix.test(String(m["type"])) ? [{ id: m["call_id"], at }] : []));
    const [calls, outputs] = [of(/_call$/), of(/_call_output$/)];
    return paired(calls.map(({ id }) => id), outputs.map(({ id }) => id))
      ?? calls.flatMap(({ id, at }) => (outputs.find((o) => o.id === id)!.at < at ? [`${id} is answered before it is called`] : []))[0]
      ?? first(messages, (m, at) => {
        // A thought belongs to the item that came of it.
        if (m["type"] !== "reasoning") return undefined;
        const next = messages.slice(at + 1).find((item) => item["type"] !== "reasoning");
        return next?.["of"] === m["of"] ? undefined : "a thought without what came of it";
      });
  },

  anthropic: (messages) =>
    (messages.length > 0 && messages[0]!["role"] !== "user" ? "the first message is not the user's" : undefined)
    ?? direct(messages, blocks("tool_use", "id"), blocks("tool_result", "tool_use_id"), true)
    ?? first(messages, (m) => {
      const content = m["content"];
      if (empty(content)) return "an empty message";
      const types = list(content).map((block) => block["type"] === "tool_result");
      if (types.lastIndexOf(true) >= 0 && types.indexOf(false) >= 0 && types.indexOf(false) < types.lastIndexOf(true)) return "words before results";
      return list(content).some((block) => block["type"] === "text" && String(block["text"]).trim() === "") ? "a blank text" : undefined;
    }),

  gemini: (messages) =>
    (messages.length > 0 && messages[0]!["role"] !== "user" ? "the first turn is not the user's" : undefined)
    ?? first(messages, (m, at) => {
      if (list(m["parts"]).length === 0) return "a turn without parts";
      if (messages[at + 1]?.["role"] === m["role"]) return "two turns of one role in a row";
      const names = (message: Fields | undefined, field: string) => list(message?.["parts"]).flatMap((part) => (part[field] ? [(part[field] as Fields)["name"]] : []));
      const calls = names(m, "functionCall").sort().join();
      const answers = names(messages[at + 1], "functionResponse").sort().join();
      return calls === answers ? undefined : `calls ${calls} answered by ${answers}`;
    })
    ?? (list(messages[0]?.["parts"]).some((part) => part["functionResponse"]) ? "responses first" : undefined),

  vscode: (messages) =>
    direct(messages, (m) => list(m["content"]).flatMap((part) => ("input" in part ? [part["callId"]] : [])),
      (m) => list(m["content"]).flatMap((part) => ("callId" in part && "content" in part ? [part["callId"]] : [])), true)
    ?? first(messages, (m) => (empty(m["content"]) ? "a message without parts" : undefined)),

  "ai-sdk": (messages) =>
    direct(messages, blocks("tool-call", "toolCallId"), blocks("tool-result", "toolCallId"))
    ?? first(messages, (m) => (empty(m["content"]) ? "an empty message" : undefined)),
};

function blocks(type: string, id: string): (message: Fields) => unknown[] {
  return (message) => list(message["content"]).flatMap((block) => (block["type"] === type ? [block[id]] : []));
}

function empty(content: unknown): boolean {
  return content === null || content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
}

function first(messages: readonly Fields[], rule: (message: Fields, at: number) => string | undefined): string | undefined {
  for (const [at, message] of messages.entries()) {
    const why = rule(message, at);
    if (why) return `message ${at}: ${why}`;
  }
  return undefined;
}

function paired(calls: readonly unknown[], answers: readonly unknown[]): string | undefined {
  if (new Set(calls).size !== calls.length) return `two calls of one id among ${calls.join()}`;
  const [a, b] = [[...calls].sort().join(), [...answers].sort().join()];
  return a === b ? undefined : `calls ${a} are answered by ${b}`;
}

/** Results stand directly after the message that called: in the one message that follows, or in several. */
function direct(messages: readonly Fields[], calls: (m: Fields) => unknown[], answers: (m: Fields) => unknown[], single = false): string | undefined {
  let at = 0;
  while (at < messages.length) {
    const called = calls(messages[at]!);
    if (answers(messages[at]!).length > 0) return `message ${at}: answers nothing`;
    at++;
    const answered: unknown[] = [];
    const end = single && called.length > 0 ? at + 1 : messages.length;
    while (at < end && at < messages.length && answers(messages[at]!).length > 0) answered.push(...answers(messages[at++]!));
    const why = paired(called, answered);
    if (why) return `before message ${at}: ${why}`;
  }
  const all = messages.flatMap(calls);
  return new Set(all).size === all.length ? undefined : "one id twice";
}
