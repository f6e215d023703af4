/**
 * How providers refuse, in their own shapes and words, and what each means. Taken from public error reports; `body` is
 * what is on the wire, an object as JSON.
 *
 * `means` is code, and then what details are expected: `used`, `limit`, `output`, `kind`, `retryAfterMs`.
 */

import { OTHERS } from "./refusals/others.mjs";
import { TOO_LONG } from "./refusals/too-long.mjs";

export const REFUSED = [...TOO_LONG, ...OTHERS].map((row) => ({ wire: "openai-chat", status: 400, ...row }));

/** Errors within a stream: `{ message, type, code }` as the wire says them, and what they mean. */
export const REFUSED_WITHIN = [
  { wire: "anthropic", error: { type: "overloaded_error", message: "Overloaded" }, means: "overloaded" },
  {
    wire: "anthropic",
    error: { type: "rate_limit_error", message: "Number of request tokens has exceeded your rate limit" },
    means: "rate_limited",
  },
  {
    wire: "openai-chat",
    error: { type: "server_error", message: "The server had an error while processing your request." },
    means: "overloaded",
  },
  {
    wire: "openai-chat",
    error: { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" },
    means: "context_length",
  },
  {
    wire: "openai-responses",
    error: { code: "server_error", message: "An error occurred while processing your request." },
    means: "overloaded",
  },
  {
    wire: "openai-responses",
    error: { code: "rate_limit_exceeded", message: "Rate limit reached for gpt-5 on tokens per min (TPM)." },
    means: "rate_limited",
  },
  {
    wire: "openai-responses",
    error: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
    means: "context_length",
  },
  { wire: "gemini", error: { message: "The model is overloaded. Please try again later." }, means: "overloaded" },
];
