/** Refusals for other reasons: rates, keys, the server's own trouble. */

import { anthropic, google, openai } from "./bodies.mjs";

export const OTHERS = [
  // ---- rates
  {
    from: "OpenAI",
    status: 429,
    body: openai(
      "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit the rate limits page to learn more.",
      "rate_limit_exceeded",
      "tokens",
    ),
    means: ["rate_limited", { retryAfterMs: 2_000, kind: "tokens" }],
  },
  {
    from: "OpenAI, minutes",
    wire: "openai-responses",
    status: 429,
    body: openai("Rate limit reached. Please try again in 1m30.5s.", "rate_limit_exceeded", "requests"),
    means: ["rate_limited", { retryAfterMs: 90_500 }],
  },
  {
    from: "OpenAI, milliseconds",
    status: 429,
    body: openai("Rate limit reached. Please try again in 320ms.", "rate_limit_exceeded", "requests"),
    means: ["rate_limited", { retryAfterMs: 320 }],
  },
  {
    from: "OpenAI, one request above the rate",
    status: 429,
    body: openai(
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 44123. The input or output tokens must be reduced in order to run successfully.",
      "rate_limit_exceeded",
      "tokens",
    ),
    means: ["context_length", { kind: "rate", limit: 30000, total: 44123 }],
  },
  {
    from: "Groq, one request above the rate",
    status: 413,
    body: openai(
      "Request too large for model `llama-3.3-70b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9123, please reduce your message size and try again.",
      "rate_limit_exceeded",
      "tokens",
    ),
    means: ["context_length", { kind: "rate", limit: 6000, total: 9123 }],
  },
  {
    from: "OpenAI, out of credit",
    status: 429,
    body: openai(
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
      "insufficient_quota",
    ),
    means: ["rate_limited", { kind: "quota" }],
    final: true,
  },
  {
    from: "Anthropic, in seconds",
    wire: "anthropic",
    status: 429,
    headers: { "retry-after": "7" },
    body: anthropic(
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      "rate_limit_error",
    ),
    means: ["rate_limited", { retryAfterMs: 7_000 }],
  },
  {
    from: "Azure, in the sentence alone",
    status: 429,
    body: openai("Requests have exceeded the call rate limit. Please retry after 7 seconds.", "429"),
    means: ["rate_limited", { retryAfterMs: 7_000 }],
  },
  {
    from: "a sentence without a number of seconds",
    status: 429,
    body: openai("Too many requests. Please try again in 2 minutes."),
    means: ["rate_limited", { retryAfterMs: undefined }],
  },
  {
    from: "Azure, in milliseconds",
    status: 429,
    headers: { "retry-after-ms": "1500", "retry-after": "2" },
    body: openai("Requests to the service have exceeded the call rate limit.", "429"),
    means: ["rate_limited", { retryAfterMs: 1_500 }],
  },
  {
    from: "Gemini",
    wire: "gemini",
    status: 429,
    body: google(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED", [
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" },
    ]),
    means: ["rate_limited", { retryAfterMs: 34_500 }],
  },
  {
    from: "Bedrock",
    wire: "anthropic",
    status: 429,
    body: { message: "Too many tokens, please wait before trying again." },
    means: ["rate_limited", {}],
  },
  {
    from: "a 429 that speaks of the window",
    status: 429,
    body: openai("prompt is too long: 213462 tokens > 200000 maximum"),
    means: ["rate_limited", {}],
  },
  {
    from: "a 429 of a gateway",
    status: 429,
    body: "slow down",
    type: "text/plain",
    means: ["rate_limited", {}],
  },

  // ---- keys and permissions
  {
    from: "OpenAI",
    status: 401,
    body: openai(
      "Incorrect API key provided: sk-abc***xyz. You can find your API key in the dashboard.",
      "invalid_api_key",
    ),
    means: ["auth", {}],
  },
  {
    from: "Anthropic",
    wire: "anthropic",
    status: 401,
    body: anthropic("invalid x-api-key", "authentication_error"),
    means: ["auth", {}],
  },
  {
    from: "Anthropic, no permission",
    wire: "anthropic",
    status: 403,
    body: anthropic("Your API key does not have permission to use the specified resource.", "permission_error"),
    means: ["auth", { kind: "permission" }],
  },
  {
    from: "Anthropic, out of credit",
    wire: "anthropic",
    body: anthropic(
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    means: ["auth", { kind: "billing" }],
  },
  {
    from: "OpenRouter, out of credit",
    status: 402,
    body: { error: { message: "Insufficient credits", code: 402 } },
    means: ["auth", { kind: "billing" }],
  },
  {
    from: "Gemini",
    wire: "gemini",
    body: google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
    ]),
    means: ["auth", { kind: "key" }],
  },

  // ---- the server's own trouble
  {
    from: "OpenAI",
    status: 500,
    body: openai("The server had an error while processing your request. Sorry about that!", null, "server_error"),
    means: ["overloaded", {}],
  },
  {
    from: "OpenAI",
    wire: "openai-responses",
    status: 503,
    body: openai("The engine is currently overloaded, please try again later.", null, "server_error"),
    means: ["overloaded", {}],
  },
  {
    from: "Anthropic",
    wire: "anthropic",
    status: 529,
    body: anthropic("Overloaded", "overloaded_error"),
    means: ["overloaded", {}],
  },
  {
    from: "Anthropic",
    wire: "anthropic",
    status: 500,
    body: anthropic("Internal server error", "api_error"),
    means: ["overloaded", {}],
  },
  {
    from: "Gemini",
    wire: "gemini",
    status: 503,
    body: google(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
    means: ["overloaded", {}],
  },
  {
    from: "Cloudflare",
    wire: "anthropic",
    status: 502,
    body: "<!DOCTYPE html><html><head><title>api.example.com | 502: Bad gateway</title></head><body>...</body></html>",
    type: "text/html",
    means: ["overloaded", {}],
  },
  { from: "a gateway without a word", wire: "gemini", status: 504, body: "", means: ["overloaded", {}] },
  {
    from: "OpenRouter, in an answer that is no refusal",
    status: 200,
    body: { error: { message: "Provider returned error", code: 502 } },
    means: ["overloaded", {}],
  },

  // ---- the rest
  {
    from: "Azure's filter",
    body: {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        type: null,
        param: "prompt",
        code: "content_filter",
        innererror: { code: "ResponsibleAIPolicyViolation" },
      },
    },
    means: ["content_filter", {}],
  },
  {
    from: "OpenAI, no such model",
    status: 404,
    body: openai("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
    means: ["bad_request", { kind: "not_found" }],
  },
  {
    from: "Anthropic, orphan result",
    wire: "anthropic",
    body: anthropic(
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    means: ["bad_request", {}],
  },
  {
    from: "OpenAI, a long id is no long request",
    body: openai(
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 52 instead.",
      "string_above_max_length",
    ),
    means: ["bad_request", {}],
  },
  {
    from: "a server that thinks the client is slow",
    status: 408,
    body: "",
    means: ["timeout", {}],
  },
];
