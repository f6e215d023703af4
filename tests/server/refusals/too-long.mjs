/** Refusals of requests that are too long: for the window, for it with the answer, in bytes. */

import { anthropic, google, openai, vllm } from "./bodies.mjs";

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
  {
    from: "vLLM 0.25",
    body: vllm(
      "This model's maximum context length is 8192 tokens. However, you requested 64 output tokens and your prompt contains 10000 input tokens, for a total of 10064 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    ),
    means: ["context_length", { used: 10000, limit: 8192, output: 64 }],
  },
  {
    from: "vLLM 0.8",
    status: 500,
    body: {
      detail:
        "[address=0.0.0.0:43769, pid=1065] The decoder prompt (length 66501) is longer than the maximum model length of 65536. Make sure that `max_model_len` is no smaller than the number of text tokens.",
    },
    means: ["context_length", { used: 66501, limit: 65536 }],
  },
  {
    from: "vLLM 0.6",
    body: vllm(
      "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
    ),
    means: ["context_length", { used: 25938, limit: 4096 }],
  },
  {
    from: "SGLang",
    body: vllm("The input (61709 tokens) is longer than the model's context length (40960 tokens)."),
    means: ["context_length", { used: 61709, limit: 40960 }],
  },
  {
    from: "SGLang, allowed length",
    body: vllm("Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."),
    means: ["context_length", { used: 160062, limit: 59862 }],
  },
  {
    from: "LiteLLM",
    body: openai("Requested token count exceeds the model's maximum context length of 131072 tokens."),
    means: ["context_length", { limit: 131072 }],
  },
  {
    from: "LiteLLM, without the words of its provider",
    body: openai("litellm.ContextWindowExceededError: litellm.BadRequestError: VertexAIException", "400", null),
    means: ["context_length", {}],
  },
  {
    from: "Ollama, by another server",
    body: openai("Input length (265330) exceeds model's maximum context length (262144)."),
    means: ["context_length", { used: 265330, limit: 262144 }],
  },
  {
    from: "OpenRouter, Poolside",
    body: openai("Input length 140000 exceeds the maximum allowed input length of 131072 tokens."),
    means: ["context_length", { used: 140000, limit: 131072 }],
  },
  {
    from: "OpenAI, GPT-5",
    body: openai(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 4169357 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
    means: ["context_length", { used: 4169357, limit: 272000 }],
  },
  {
    from: "GitHub Models",
    status: 413,
    body: openai("Request body too large for gpt-4o model. Max size: 8000 tokens.", "tokens_limit_reached"),
    means: ["context_length", { limit: 8000 }],
  },
  {
    from: "Vertex AI",
    wire: "gemini",
    body: google(
      400,
      "Unable to submit request because the input token count is 1251952 but model only supports up to 1048576. Reduce the input token count and try again.",
      "INVALID_ARGUMENT",
    ),
    means: ["context_length", { used: 1251952, limit: 1048576 }],
  },
  {
    from: "llama-cpp-python",
    status: 500,
    body: openai("Requested tokens (2285) exceed context window of 2048", null, "internal_server_error"),
    means: ["context_length", { used: 2285, limit: 2048 }],
  },
  {
    from: "LM Studio, first message",
    body: {
      error:
        "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    },
    means: ["context_length", { used: 111490, limit: 32768 }],
  },
  {
    from: "Ollama's cloud",
    body: { error: "The prompt is too long: 450028, model maximum context length: 262144" },
    means: ["context_length", { used: 450028, limit: 262144 }],
  },
  {
    from: "Ollama, newer",
    body: { error: "the input length exceeds the context length" },
    means: ["context_length", {}],
  },
  {
    from: "text-generation-inference, the input alone",
    status: 422,
    body: { error: "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000" },
    means: ["context_length", { used: 5000, limit: 4095 }],
  },
  {
    from: "Cohere, newer",
    body: {
      message:
        "too many tokens: size limit exceeded by 713295 tokens. Try using shorter or fewer inputs. The limit for this model is 288000 tokens.",
    },
    means: ["context_length", { limit: 288000 }],
  },
  {
    from: "Cloudflare",
    status: 413,
    body: {
      success: false,
      errors: [
        {
          code: 5021,
          message:
            "AiError: The estimated number of input and maximum output tokens (155740) exceeded this model context window limit (128000).",
        },
      ],
    },
    means: ["context_length", { total: 155740, limit: 128000 }],
  },
  {
    from: "SiliconFlow",
    body: { code: 20015, message: "length of prompt_tokens (140000) must be less than max_seq_len (131072)." },
    means: ["context_length", { used: 140000, limit: 131072 }],
  },
  {
    from: "SiliconFlow, with the answer",
    body: { code: 20015, message: "max_total_tokens (40794) must be less than or equal to max_seq_len (32768)" },
    means: ["context_length", { total: 40794, limit: 32768 }],
  },
  {
    from: "watsonx",
    body: {
      errors: [
        {
          code: "invalid_input_argument",
          message:
            "Invalid input argument for Model 'meta-llama/llama-2-70b-chat': the number of input tokens 4098 cannot exceed the total tokens limit 4096 for this model",
        },
      ],
    },
    means: ["context_length", { used: 4098, limit: 4096 }],
  },
  {
    from: "Bedrock, Titan",
    body: {
      message: "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9279 ",
    },
    means: ["context_length", { used: 9279, limit: 8192 }],
  },
  {
    from: "Bedrock, Nova",
    body: { message: "Input Tokens Exceeded: Number of input tokens exceeds maximum length." },
    means: ["context_length", {}],
  },
  {
    from: "DashScope",
    body: openai("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]"),
    means: ["context_length", { limit: 258048 }],
  },
  {
    from: "Ark",
    body: openai("Total tokens of image and text exceed max message tokens. Request id: 0217", "InvalidParameter"),
    means: ["context_length", {}],
  },
  {
    from: "Z.ai",
    body: { error: { code: "1261", message: "Prompt exceeds max length" } },
    means: ["context_length", {}],
  },
  {
    from: "Z.ai, GLM-5",
    body: { error: { message: "tokens in request more than max tokens allowed" } },
    means: ["context_length", {}],
  },
  {
    from: "a server that nobody knows",
    body: { error: "This prompt has 5000 tokens and exceeds the 4096 tokens of this model." },
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
    from: "vLLM 0.25, which stops counting",
    body: vllm(
      "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=134145)",
    ),
    means: ["output_reserve", { limit: 262144, output: 128000 }],
  },
  {
    from: "vLLM 0.25, which counts characters",
    body: vllm(
      "This model's maximum context length is 8192 tokens. However, you requested 64 output tokens and your prompt contains 100000 characters (more than 81280 characters, which is the upper bound for 8128 input tokens). Please reduce the length of the input prompt or the number of requested output tokens.",
    ),
    means: ["output_reserve", { limit: 8192, output: 64 }],
  },
  {
    from: "SGLang, if the input alone would fit",
    body: vllm(
      "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
    ),
    means: ["output_reserve", { used: 170941, limit: 202752, output: 32000 }],
  },
  {
    from: "OpenAI, more than a model can say",
    body: openai(
      "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.",
      "invalid_value",
      "invalid_request_error",
      "max_tokens",
    ),
    means: ["output_reserve", { output: 200000, limit: 16384, kind: "output_limit" }],
  },
  {
    from: "Anthropic, more than a model can say",
    wire: "anthropic",
    body: anthropic(
      "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    ),
    means: ["output_reserve", { output: 200000, limit: 64000, kind: "output_limit" }],
  },
  {
    from: "DeepSeek, more than a model can say",
    body: openai("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
    means: ["output_reserve", { limit: 8192, kind: "output_limit" }],
  },
  {
    from: "DashScope, more than a model can say",
    body: openai("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 65536]"),
    means: ["output_reserve", { limit: 65536, kind: "output_limit" }],
  },
  {
    from: "Bedrock, more than a model can say",
    body: {
      message:
        "The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.",
    },
    means: ["output_reserve", { limit: 10000, kind: "output_limit" }],
  },
  {
    from: "Cohere, more than a model can say",
    body: {
      message:
        "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received 8192.",
    },
    means: ["output_reserve", { limit: 4096, kind: "output_limit" }],
  },
  {
    from: "Vertex AI, more than a model can say",
    wire: "gemini",
    body: google(
      400,
      "Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
      "INVALID_ARGUMENT",
    ),
    means: ["output_reserve", { output: 70000, limit: undefined, kind: "output_limit" }],
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
