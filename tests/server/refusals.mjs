/**
 * How providers refuse, in their own shapes and words, and what each means. Taken from public error reports; `body` is
 * what is on the wire, an object as JSON.
 *
 * `means` is code, and then what details are expected: `used`, `limit`, `output`, `kind`, `retryAfterMs`.
 */

const openai = (message, code = null, type = "invalid_request_error", param = null) => ({
  error: { message, type, param, code },
});
const anthropic = (message, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
  request_id: "req_011",
});
const google = (code, message, status, details) => ({ error: { code, message, status, ...(details && { details }) } });

export const REFUSED = [
  // ---- the window
  {
    from: "OpenAI, older models",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9,338 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
      "invalid_request_error",
      "messages",
    ),
    means: ["context_length", { used: 9338, limit: 8192 }],
  },
  {
    from: "OpenAI, with functions",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "This model's maximum context length is 8192 tokens. However, you requested 10338 tokens (9000 in the messages, 338 in the functions, and 1000 in the completion). Please reduce the length of the messages, functions, or completion.",
      "context_length_exceeded",
    ),
    means: ["context_length", { used: 9338, limit: 8192, output: 1000 }],
  },
  {
    from: "OpenAI, newer models",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
    means: ["context_length", {}],
  },
  {
    from: "OpenAI Responses",
    wire: "openai-responses",
    status: 400,
    body: openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
      "invalid_request_error",
      "input",
    ),
    means: ["context_length", {}],
  },
  {
    from: "OpenAI, the code alone",
    wire: "openai-chat",
    status: 400,
    body: openai("Something new.", "context_length_exceeded"),
    means: ["context_length", {}],
  },
  {
    from: "Azure",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "This model's maximum context length is 8192 tokens, however you requested 12341 tokens (11341 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
    ),
    means: ["context_length", { used: 11341, limit: 8192, output: 1000 }],
  },
  {
    from: "DeepSeek",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "This model's maximum context length is 131072 tokens. However, you requested 151134 tokens (142942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      "invalid_request_error",
    ),
    means: ["context_length", { used: 142942, limit: 131072, output: 8192 }],
  },
  {
    from: "OpenRouter",
    wire: "openai-chat",
    status: 400,
    body: {
      error: {
        message:
          'This endpoint\'s maximum context length is 200000 tokens. However, you requested about 264437 tokens (262437 of text input, 2000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: null },
      },
    },
    means: ["context_length", { used: 262437, limit: 200000, output: 2000 }],
  },
  {
    from: "OpenRouter, what is behind it",
    wire: "openai-chat",
    status: 400,
    body: {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: JSON.stringify(anthropic("prompt is too long: 213462 tokens > 200000 maximum")),
          provider_name: "Anthropic",
        },
      },
    },
    means: ["context_length", { used: 213462, limit: 200000 }],
  },
  {
    from: "vLLM",
    wire: "openai-chat",
    status: 400,
    body: {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, your request has 5133 input tokens. Please reduce the length of the input messages.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    means: ["context_length", { used: 5133, limit: 4096 }],
  },
  {
    from: "vLLM, the number alone",
    wire: "openai-chat",
    status: 400,
    body: { detail: "This model's maximum context length is 4096 tokens." },
    means: ["context_length", { limit: 4096 }],
  },
  {
    from: "xAI",
    wire: "openai-chat",
    status: 400,
    body: {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    means: ["context_length", { used: 537812, limit: 131072 }],
  },
  {
    from: "GitHub Copilot",
    wire: "openai-chat",
    status: 400,
    body: {
      error: {
        message: "prompt token count of 140213 exceeds the limit of 128000",
        code: "model_max_prompt_tokens_exceeded",
      },
    },
    means: ["context_length", { used: 140213, limit: 128000 }],
  },
  {
    from: "Bedrock",
    wire: "anthropic",
    status: 400,
    body: { message: "Input is too long for requested model." },
    means: ["context_length", {}],
  },
  {
    from: "llama.cpp",
    wire: "openai-chat",
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    means: ["context_length", { used: 9000, limit: 4096 }],
  },
  {
    from: "llama.cpp, newer",
    wire: "openai-chat",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "request (9,000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
      },
    },
    means: ["context_length", { used: 9000, limit: 4096 }],
  },
  {
    from: "LM Studio",
    wire: "openai-chat",
    status: 400,
    body: {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5120>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
    },
    means: ["context_length", { used: 5120, limit: 4096 }],
  },
  {
    from: "Mistral",
    wire: "openai-chat",
    status: 400,
    body: {
      object: "error",
      message: "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_error",
      code: "3051",
    },
    means: ["context_length", { used: 65673, limit: 32768 }],
  },
  {
    from: "Groq",
    wire: "openai-chat",
    status: 400,
    body: openai("Please reduce the length of the messages or completion.", "context_length_exceeded"),
    means: ["context_length", {}],
  },
  {
    from: "Kimi",
    wire: "openai-chat",
    status: 400,
    body: openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 300123)", null),
    means: ["context_length", { used: 300123, limit: 262144 }],
  },
  {
    from: "MiniMax, in an answer that is no refusal",
    wire: "openai-chat",
    status: 200,
    body: { base_resp: { status_code: 2013, status_msg: "invalid params, context window exceeds limit (2013)" } },
    means: ["context_length", {}],
  },
  {
    from: "Cohere",
    wire: "openai-chat",
    status: 400,
    body: {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.",
    },
    means: ["context_length", { used: 4292, limit: 4081 }],
  },
  {
    from: "text-generation-inference",
    wire: "openai-chat",
    status: 422,
    body: {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
      error_type: "validation",
    },
    means: ["context_length", { used: 5000, limit: 4096, output: 100 }],
  },
  {
    from: "Ollama",
    wire: "openai-chat",
    status: 400,
    body: openai("prompt too long; exceeded max context length by 512 tokens", null, "api_error"),
    means: ["context_length", {}],
  },
  { from: "Cerebras, 400", wire: "openai-chat", status: 400, body: "", means: ["context_length", { kind: "no_body" }] },
  { from: "Cerebras, 413", wire: "openai-chat", status: 413, body: "", means: ["context_length", { kind: "no_body" }] },
  {
    from: "413 without a reason",
    wire: "openai-chat",
    status: 413,
    body: { error: { message: "failed to parse request", code: "" } },
    means: ["context_length", {}],
  },
  {
    from: "Anthropic",
    wire: "anthropic",
    status: 400,
    body: anthropic("prompt is too long: 213462 tokens > 200000 maximum"),
    means: ["context_length", { used: 213462, limit: 200000 }],
  },
  {
    from: "Gemini",
    wire: "gemini",
    status: 400,
    body: google(
      400,
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
      "INVALID_ARGUMENT",
    ),
    means: ["context_length", { used: 1196265, limit: 1048575 }],
  },
  {
    from: "Gemini, older",
    wire: "gemini",
    status: 400,
    body: [
      google(400, "The input token count exceeds the maximum number of tokens allowed 1048576.", "INVALID_ARGUMENT"),
    ],
    means: ["context_length", { limit: 1048576 }],
  },

  // ---- the tokens kept for the answer
  {
    from: "Anthropic",
    wire: "anthropic",
    status: 400,
    body: anthropic(
      "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
    ),
    means: ["output_reserve", { used: 199759, output: 8192, limit: 200000 }],
  },
  {
    from: "OpenAI, if the input alone would fit",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      "context_length_exceeded",
    ),
    means: ["output_reserve", { used: 122942, output: 8192, limit: 131072 }],
  },
  {
    from: "vLLM",
    wire: "openai-chat",
    status: 400,
    body: {
      error: {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 100 input tokens (5000 > 4096 - 100).",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    },
    means: ["output_reserve", { used: 100, output: 5000, limit: 4096 }],
  },
  {
    from: "OpenAI, more than a model can say",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.",
      "invalid_value",
      "invalid_request_error",
      "max_tokens",
    ),
    means: ["output_reserve", { output: 200000, limit: undefined, kind: "output_limit" }],
  },
  {
    from: "Anthropic, more than a model can say",
    wire: "anthropic",
    status: 400,
    body: anthropic(
      "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    ),
    means: ["output_reserve", { output: 200000, limit: undefined, kind: "output_limit" }],
  },

  // ---- bytes
  {
    from: "Anthropic",
    wire: "anthropic",
    status: 413,
    body: anthropic("Request exceeds the maximum allowed number of bytes.", "request_too_large"),
    means: ["body_size", {}],
  },
  {
    from: "Gemini",
    wire: "gemini",
    status: 400,
    body: google(400, "Request payload size exceeds the limit: 20971520 bytes.", "INVALID_ARGUMENT"),
    means: ["body_size", { limit: 20971520 }],
  },
  {
    from: "OpenAI",
    wire: "openai-chat",
    status: 413,
    body: openai("Maximum content size limit (26214400) exceeded (26300123 bytes read)"),
    means: ["body_size", { limit: 26214400, used: 26300123 }],
  },
  {
    from: "OpenAI, a text",
    wire: "openai-responses",
    status: 400,
    body: openai(
      "Invalid 'input[0].content[0].text': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
      "string_above_max_length",
    ),
    means: ["body_size", { limit: 10485760, used: 12000000 }],
  },
  {
    from: "nginx",
    wire: "openai-chat",
    status: 413,
    body: "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>",
    type: "text/html",
    means: ["body_size", {}],
  },

  // ---- rates
  {
    from: "OpenAI",
    wire: "openai-chat",
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
    wire: "openai-chat",
    status: 429,
    body: openai("Rate limit reached. Please try again in 320ms.", "rate_limit_exceeded", "requests"),
    means: ["rate_limited", { retryAfterMs: 320 }],
  },
  {
    from: "OpenAI, one request above the rate",
    wire: "openai-chat",
    status: 429,
    body: openai(
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 44123. The input or output tokens must be reduced in order to run successfully.",
      "rate_limit_exceeded",
      "tokens",
    ),
    means: ["rate_limited", { limit: 30000, used: 44123 }],
    final: true,
  },
  {
    from: "Groq, one request above the rate",
    wire: "openai-chat",
    status: 413,
    body: openai(
      "Request too large for model `llama-3.3-70b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9123, please reduce your message size and try again.",
      "rate_limit_exceeded",
      "tokens",
    ),
    means: ["rate_limited", {}],
    final: true,
  },
  {
    from: "OpenAI, out of credit",
    wire: "openai-chat",
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
    from: "Azure, in milliseconds",
    wire: "openai-chat",
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
    wire: "openai-chat",
    status: 429,
    body: openai("prompt is too long: 213462 tokens > 200000 maximum"),
    means: ["rate_limited", {}],
  },
  {
    from: "a 429 of a gateway",
    wire: "openai-chat",
    status: 429,
    body: "slow down",
    type: "text/plain",
    means: ["rate_limited", {}],
  },

  // ---- keys and permissions
  {
    from: "OpenAI",
    wire: "openai-chat",
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
    status: 400,
    body: anthropic(
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    means: ["auth", { kind: "billing" }],
  },
  {
    from: "OpenRouter, out of credit",
    wire: "openai-chat",
    status: 402,
    body: { error: { message: "Insufficient credits", code: 402 } },
    means: ["auth", { kind: "billing" }],
  },
  {
    from: "Gemini",
    wire: "gemini",
    status: 400,
    body: google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
    ]),
    means: ["auth", { kind: "key" }],
  },

  // ---- the server's own trouble
  {
    from: "OpenAI",
    wire: "openai-chat",
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
    wire: "openai-chat",
    status: 200,
    body: { error: { message: "Provider returned error", code: 502 } },
    means: ["overloaded", {}],
  },

  // ---- the rest
  {
    from: "Azure's filter",
    wire: "openai-chat",
    status: 400,
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
    wire: "openai-chat",
    status: 404,
    body: openai("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
    means: ["bad_request", { kind: "not_found" }],
  },
  {
    from: "Anthropic, orphan result",
    wire: "anthropic",
    status: 400,
    body: anthropic(
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    means: ["bad_request", {}],
  },
  {
    from: "OpenAI, a long id is no long request",
    wire: "openai-chat",
    status: 400,
    body: openai(
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 52 instead.",
      "string_above_max_length",
    ),
    means: ["bad_request", {}],
  },
  {
    from: "a server that thinks the client is slow",
    wire: "openai-chat",
    status: 408,
    body: "",
    means: ["timeout", {}],
  },
];

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
