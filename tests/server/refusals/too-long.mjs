/** Refusals of requests that are too long: for the window, for it with the answer, in bytes. */

import { anthropic, google, openai } from "./bodies.mjs";

export const TOO_LONG = [
  // ---- the window
  {
    from: "OpenAI, older models",
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
    body: openai(
      "This model's maximum context length is 8192 tokens. However, you requested 10338 tokens (9000 in the messages, 338 in the functions, and 1000 in the completion). Please reduce the length of the messages, functions, or completion.",
      "context_length_exceeded",
    ),
    means: ["context_length", { used: 9338, limit: 8192, output: 1000 }],
  },
  {
    from: "OpenAI, newer models",
    body: openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
    means: ["context_length", {}],
  },
  {
    from: "OpenAI Responses",
    wire: "openai-responses",
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
    body: openai("Something new.", "context_length_exceeded"),
    means: ["context_length", {}],
  },
  {
    from: "Azure",
    body: openai(
      "This model's maximum context length is 8192 tokens, however you requested 12341 tokens (11341 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
    ),
    means: ["context_length", { used: 11341, limit: 8192, output: 1000 }],
  },
  {
    from: "DeepSeek",
    body: openai(
      "This model's maximum context length is 131072 tokens. However, you requested 151134 tokens (142942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      "invalid_request_error",
    ),
    means: ["context_length", { used: 142942, limit: 131072, output: 8192 }],
  },
  {
    from: "OpenRouter",
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
    body: { detail: "This model's maximum context length is 4096 tokens." },
    means: ["context_length", { limit: 4096 }],
  },
  {
    from: "xAI",
    body: {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    means: ["context_length", { used: 537812, limit: 131072 }],
  },
  {
    from: "GitHub Copilot",
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
    body: { message: "Input is too long for requested model." },
    means: ["context_length", {}],
  },
  {
    from: "llama.cpp",
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
    body: {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5120>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
    },
    means: ["context_length", { used: 5120, limit: 4096 }],
  },
  {
    from: "Mistral",
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
    body: openai("Please reduce the length of the messages or completion.", "context_length_exceeded"),
    means: ["context_length", {}],
  },
  {
    from: "Kimi",
    body: openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 300123)", null),
    means: ["context_length", { used: 300123, limit: 262144 }],
  },
  {
    from: "MiniMax, in an answer that is no refusal",
    status: 200,
    body: { base_resp: { status_code: 2013, status_msg: "invalid params, context window exceeds limit (2013)" } },
    means: ["context_length", {}],
  },
  {
    from: "Cohere",
    body: {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.",
    },
    means: ["context_length", { used: 4292, limit: 4081 }],
  },
  {
    from: "text-generation-inference",
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
    body: openai("prompt too long; exceeded max context length by 512 tokens", null, "api_error"),
    means: ["context_length", {}],
  },
  { from: "Cerebras, 400", body: "", means: ["context_length", { kind: "no_body" }] },
  { from: "Cerebras, 413", status: 413, body: "", means: ["context_length", { kind: "no_body" }] },
  {
    from: "413 without a reason",
    status: 413,
    body: { error: { message: "failed to parse request", code: "" } },
    means: ["context_length", {}],
  },
  {
    from: "Anthropic",
    wire: "anthropic",
    body: anthropic("prompt is too long: 213462 tokens > 200000 maximum"),
    means: ["context_length", { used: 213462, limit: 200000 }],
  },
  {
    from: "Gemini",
    wire: "gemini",
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
    body: [
      google(400, "The input token count exceeds the maximum number of tokens allowed 1048576.", "INVALID_ARGUMENT"),
    ],
    means: ["context_length", { limit: 1048576 }],
  },

  // ---- the tokens kept for the answer
  {
    from: "Anthropic",
    wire: "anthropic",
    body: anthropic(
      "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
    ),
    means: ["output_reserve", { used: 199759, output: 8192, limit: 200000 }],
  },
  {
    from: "OpenAI, if the input alone would fit",
    body: openai(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      "context_length_exceeded",
    ),
    means: ["output_reserve", { used: 122942, output: 8192, limit: 131072 }],
  },
  {
    from: "vLLM",
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
    body: google(400, "Request payload size exceeds the limit: 20971520 bytes.", "INVALID_ARGUMENT"),
    means: ["body_size", { limit: 20971520 }],
  },
  {
    from: "OpenAI",
    status: 413,
    body: openai("Maximum content size limit (26214400) exceeded (26300123 bytes read)"),
    means: ["body_size", { limit: 26214400, used: 26300123 }],
  },
  {
    from: "OpenAI, a text",
    wire: "openai-responses",
    body: openai(
      "Invalid 'input[0].content[0].text': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
      "string_above_max_length",
    ),
    means: ["body_size", { limit: 10485760, used: 12000000 }],
  },
  {
    from: "nginx",
    status: 413,
    body: "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>",
    type: "text/html",
    means: ["body_size", {}],
  },
];
