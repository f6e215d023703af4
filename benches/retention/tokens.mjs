/** Tokens of a request, counted independently of the package: gpt-tokenizer and OpenAI's published overheads. */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const known = new Map();

export function tokensOf(text) {
  if (!text) return 0;
  if (!known.has(text)) known.set(text, countTokens(text, { disallowedSpecial: new Set() }));
  return known.get(text);
}

/** 4 a message, 3 for the answer, 8 a call. Names of tool messages are not sent to the model. */
export function requestTokens(messages) {
  let sum = 3;
  for (const { role, content, name, tool_calls: calls = [] } of messages) {
    sum +=
      4 +
      tokensOf(typeof content === "string" ? content : JSON.stringify(content ?? "")) +
      (role === "tool" ? 0 : tokensOf(name));
    for (const { function: call } of calls) sum += 8 + tokensOf(call.name) + tokensOf(call.arguments);
  }
  return sum;
}
