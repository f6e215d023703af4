/**
 * How providers refuse requests, as data: wordings, codes, statuses, and their meanings.
 *
 * The wordings were collected from public error reports of the services and servers named beside them. The named groups
 * `used`, `limit` and `output` extract numbers.
 */

import type { ProviderErrorCode } from "./types.ts";

/** A rule for one kind of refusal. */
export interface RefusalRule {
  /** The code of the error. */
  code: ProviderErrorCode;
  /** Finer than the code, for `details.kind`. */
  kind?: string;
  /**
   * Matched against the provider's sentence. The groups `used`, `limit`, `output` and `total` are read as whole numbers
   * ("131,072" too); `total` means `used` + `output`.
   */
  pattern?: RegExp;
  /** The provider's own code or type. */
  providerCode?: RegExp;
  /** HTTP status, or several. Default: any. */
  status?: number | readonly number[];
  /** The service with this wording, for readers. */
  from?: string;
  /** True if sending the same request again cannot help, whatever the code. */
  final?: boolean;
}

const N = String.raw`(\d[\d,._]*)`;
const named = (name: string) => N.replace("(", `(?<${name}>`);
const USED = named("used");
const LIMIT = named("limit");
const OUTPUT = named("output");
const TOTAL = named("total");
/** How OpenAI's sentence begins, which most servers repeat: the window, and what the request asks for. */
const REQUESTED = `maximum context length is ${LIMIT} tokens.{0,20}you requested`;

/** Returns a function that makes the rules of one kind. */
const wordings =
  (code: ProviderErrorCode, kind: string) =>
  (from: string, source: string): RefusalRule => ({ code, kind, pattern: new RegExp(source, "i"), from });
const tokens = wordings("context_length", "tokens");
const rate = wordings("context_length", "rate");
const reserve = wordings("output_reserve", "reserve");
/** `limit` is the max output then. */
const output = wordings("output_reserve", "output_limit");
const bytes = wordings("body_size", "bytes");
const characters = wordings("body_size", "characters");

/** Too many requests, tokens a minute, quota: tried first, since such texts mention token limits, too. */
const RATE: readonly RefusalRule[] = [
  {
    code: "rate_limited",
    kind: "quota",
    providerCode: /insufficient_quota|billing_hard_limit_reached/,
    final: true,
    from: "OpenAI",
  },
  {
    code: "rate_limited",
    kind: "quota",
    status: 429,
    pattern: /exceeded your current quota, please check your plan and billing/i,
    from: "OpenAI, Gemini",
  },
  // Above what a minute allows by itself: no waiting helps, a smaller request does.
  rate("OpenAI (429), Groq (413)", `request too large for .*tokens per \\w+.*limit ${LIMIT}, requested ${TOTAL}`),
  {
    code: "rate_limited",
    kind: "tokens",
    pattern: /tokens per (min|day|hour)|\bTP[MD]\b|too many tokens, please wait/i,
    from: "OpenAI, Groq, Bedrock",
  },
  {
    code: "rate_limited",
    kind: "requests",
    providerCode:
      /^(rate_limit_exceeded|rate_limit_error|RESOURCE_EXHAUSTED|ThrottlingException|TooManyRequests(Exception)?)$/,
  },
  { code: "rate_limited", kind: "requests", status: 429 },
];

const RESERVE: readonly RefusalRule[] = [
  // The prompt was counted only up to the first token too many, so that its number says nothing.
  reserve("vLLM 0.25", `${REQUESTED} ${OUTPUT} output tokens and your prompt contains (at least|\\d+ characters)`),
  reserve(
    "Anthropic",
    `input length and \`?max_tokens\`? exceed context limit:? ${USED}\\s*\\+\\s*${OUTPUT}\\s*>\\s*${LIMIT}`,
  ),
  reserve("Anthropic", "input length and `?max_tokens`? exceed context limit"),
  reserve(
    "vLLM",
    `is too large: ${OUTPUT}\\W+this model'?s maximum context length is ${LIMIT} tokens and your request has ${USED} input tokens`,
  ),
  output("OpenAI", `max_(completion_)?tokens.{0,20} is too large: ${OUTPUT}\\. this model supports at most ${LIMIT}`),
  output("Anthropic", `max_tokens: ${OUTPUT} > ${LIMIT}, which is the maximum allowed number of output tokens`),
  output("DeepSeek, DashScope", `range of max_tokens (is|should be) \\[\\d+, ?${LIMIT}\\]`),
  output("Bedrock", `maximum tokens you requested exceeds the model limit of ${LIMIT}`),
  output("Cohere", `max tokens must be less than or equal to ${LIMIT}, the maximum output for this model`),
  // Its limit is the first number that is too large.
  output("Vertex AI", `maxOutputTokens value of ${OUTPUT} but the supported range is`),
];

/** Bytes rather than tokens, but for the first. */
const BYTES: readonly RefusalRule[] = [
  tokens("GitHub Models", `body too large for .{1,80} model\\. max size: ${LIMIT} tokens`),
  bytes("Gemini (400)", `payload size exceeds the limit: ${LIMIT} bytes`),
  bytes("OpenAI", `maximum content size limit \\(?${LIMIT}\\)? exceeded \\(?${USED} bytes`),
  characters(
    "OpenAI",
    `string too long\\. expected a string with maximum length (?<limit>\\d{6,}), but got a string with length ${USED}`,
  ),
  { code: "body_size", kind: "bytes", providerCode: /^request_too_large$/, from: "Anthropic" },
  bytes("Anthropic", `image exceeds \\S+ MB maximum: ${USED} bytes > ${LIMIT} bytes`),
  {
    code: "body_size",
    kind: "bytes",
    status: 413,
    pattern:
      /entity too large|(payload|content|body) too large|maximum (request )?size|maximum allowed number of bytes|\d\s*(bytes|[KMG]i?B)\b/i,
    from: "gateways",
  },
];

/** More exact wordings come first. */
const CONTEXT: readonly RefusalRule[] = [
  tokens("Anthropic", `prompt is too long: ${USED} tokens > ${LIMIT} maximum`),
  tokens("Ollama's cloud, Fireworks", `prompt is too long: ${USED}, model maximum context length: ${LIMIT}`),
  tokens(
    "OpenAI, Azure, DeepSeek, OpenRouter, vLLM",
    `${REQUESTED} (about )?${TOTAL} tokens \\(.{0,120}?${OUTPUT} (in|for) the (completion|output)`,
  ),
  tokens("vLLM 0.25", `${REQUESTED} ${OUTPUT} output tokens and your prompt contains ${USED} input tokens`),
  tokens(
    "OpenAI, OpenRouter, vLLM",
    `maximum context length is ${LIMIT} tokens.{0,40}(resulted in|requested( about)?|request has|contains) ${USED}`,
  ),
  tokens("OpenAI, OpenRouter, vLLM", `maximum context length is ${LIMIT} tokens`),
  tokens("OpenAI, GPT-5", `exceed the configured limit of ${LIMIT} tokens\\. your messages resulted in ${USED} tokens`),
  tokens("OpenAI, GPT-5", `input tokens exceed the configured limit of ${LIMIT} tokens`),
  tokens("vLLM 0.8", `prompt \\(length ${USED}\\) is longer than the maximum model length of ${LIMIT}`),
  tokens(
    "vLLM 0.6",
    `prompt \\(total length ${USED}\\) is too long to fit into the model \\(context length ${LIMIT}\\)`,
  ),
  tokens(
    "SGLang, Cloudflare",
    `maximum context length of ${LIMIT} tokens.{0,40}total of \\d+ tokens: ${USED} tokens from the input messages and ${OUTPUT} tokens for the completion`,
  ),
  tokens("SGLang, LiteLLM", `exceeds the model'?s maximum context length of ${LIMIT} tokens`),
  tokens(
    "SGLang, Together",
    `input \\(${USED} tokens\\) is longer than the model'?s context length \\(${LIMIT} tokens\\)`,
  ),
  tokens(
    "SGLang, LiteLLM, OpenRouter, LM Studio",
    `input length \\(?${USED}( tokens)?\\)? exceeds (the )?(model'?s )?(maximum )?(allowed )?(context |input )?length (of )?\\(?${LIMIT}`,
  ),
  tokens("Gemini", `input token count \\(?${USED}\\)? exceeds the maximum number of tokens allowed \\(?${LIMIT}`),
  tokens("Gemini", `input token count exceeds the maximum number of tokens allowed \\(?${LIMIT}`),
  tokens("Vertex AI", `input token count is ${USED} but (the )?model only supports up to ${LIMIT}`),
  tokens("xAI", `maximum prompt length is ${LIMIT}.*contains ${USED}`),
  tokens("xAI", `maximum prompt length is ${LIMIT}`),
  tokens("GitHub Copilot", `prompt token count of ${USED} exceeds the limit of ${LIMIT}`),
  tokens("llama.cpp", `request \\(${USED} tokens\\) exceeds the available context size \\(${LIMIT} tokens\\)`),
  tokens("llama.cpp", "exceeds the available context size"),
  tokens("llama-cpp-python", `requested tokens \\(${USED}\\) exceed context window of ${LIMIT}`),
  tokens("LM Studio", `greater than the context length \\(n_keep: ${USED}\\s*>=\\s*n_ctx: ${LIMIT}`),
  tokens("LM Studio", "greater than the context length"),
  tokens(
    "LM Studio",
    `keep the first ${USED} tokens when context the overflows.*context length of only ${LIMIT} tokens`,
  ),
  tokens("Mistral", `prompt contains ${USED} tokens.*too large for model with ${LIMIT} maximum context length`),
  tokens("Mistral", `too large for model with ${LIMIT} maximum context length`),
  tokens("Kimi", `exceeded model token limit: ${LIMIT} \\(requested: ${USED}\\)`),
  tokens("Kimi", "exceeded model token limit"),
  tokens(
    "text-generation-inference",
    `max_new_tokens.{0,2} must be <= ${LIMIT}\\. given: ${USED} .{0,10}inputs.{0,10} tokens and ${OUTPUT}`,
  ),
  tokens("text-generation-inference", `inputs.{0,2} must have less than ${LIMIT} tokens\\. given: ${USED}`),
  tokens("Cohere", `total number of tokens in the prompt cannot exceed ${LIMIT} - received ${USED}`),
  tokens("Cohere", `too many tokens: size limit exceeded by .*limit for this model is ${LIMIT} tokens`),
  tokens(
    "Cloudflare",
    `input and maximum output tokens \\(${TOTAL}\\) exceeded this model context window limit \\(${LIMIT}\\)`,
  ),
  tokens("Cerebras", `current length is ${USED} while limit is ${LIMIT}`),
  tokens("SiliconFlow", `prompt_tokens \\(${USED}\\) must be less than max_seq_len \\(${LIMIT}\\)`),
  tokens("SiliconFlow", `max_total_tokens \\(${TOTAL}\\) must be less than or equal to max_seq_len \\(${LIMIT}\\)`),
  tokens("watsonx", `number of input tokens ${USED} cannot exceed the total tokens limit ${LIMIT}`),
  tokens("Bedrock, Titan", `max input tokens: ${LIMIT}, request input token count: ${USED}`),
  tokens("Bedrock, Nova", "number of input tokens exceeds maximum length"),
  tokens("Bedrock", "input is too long for (the )?requested model"),
  tokens("DashScope, Xunfei", `range of input length should be \\[\\d+, ${LIMIT}\\]`),
  tokens("Ark", "total tokens of image and text exceed max message tokens"),
  tokens("Z.ai", "prompt exceeds max length|tokens in request more than max tokens allowed"),
  tokens("Ollama", "prompt too long; exceeded (max )?context length"),
  tokens("MiniMax", "context window exceeds limit"),
  tokens("OpenAI", "exceeds? the (model'?s )?context window"),
  tokens("Groq, vLLM", "reduce the length of the (input )?(messages|prompt)"),
  tokens(
    "several, LiteLLM",
    "prompt is too long|message exceeds token limit|context[_ ]length[_ ]exceeded|ContextWindowExceeded",
  ),
  // Wordings of unknown servers.
  tokens("others", "(exceed|longer than|larger than|too long for).{0,60}context (length|size|window)"),
  tokens("others", "(input|prompt) (is|has|length|tokens?|token count)\\b.{0,60}exceeds?\\b.{0,40}(context|tokens)"),
  {
    code: "context_length",
    kind: "tokens",
    providerCode:
      /^(context_length_exceeded|model_max_prompt_tokens_exceeded|exceed_context_size_error|(model_)?context_window_exceeded|tokens_limit_reached)$/,
  },
];

/** The rest is decided by the provider's code and the status. */
const REST: readonly RefusalRule[] = [
  {
    code: "auth",
    kind: "billing",
    pattern: /credit balance is too low|insufficient (credits|balance)/i,
    from: "Anthropic, OpenRouter, DeepSeek",
  },
  { code: "auth", kind: "billing", status: 402 },
  { code: "content_filter", pattern: /content management policy|content[_ ]filter/i, status: 400, from: "Azure" },
  { code: "content_filter", providerCode: /^(content_filter|content_policy_violation|ResponsibleAIPolicyViolation)$/ },
  {
    code: "content_filter",
    providerCode: /^Blocked$/,
    pattern: /filter|content (management )?polic|policy/i,
    from: "VS Code",
  },
  // "Quota limits exceeded", says its documentation; most models send it for any 429.
  { code: "rate_limited", kind: "quota", providerCode: /^(Blocked|ChatQuotaExceeded)$/, final: true, from: "VS Code" },
  { code: "rate_limited", kind: "requests", providerCode: /^ChatRateLimited$/, from: "GitHub Copilot" },
  { code: "auth", kind: "key", providerCode: /^(invalid_api_key|authentication_error|UNAUTHENTICATED|NoPermissions)$/ },
  { code: "auth", kind: "key", pattern: /api key not valid|invalid api key|incorrect api key/i, from: "Gemini (400)" },
  { code: "auth", kind: "permission", providerCode: /^(permission_error|PERMISSION_DENIED)$/ },
  { code: "auth", kind: "key", status: 401 },
  { code: "auth", kind: "permission", status: 403 },
  {
    code: "overloaded",
    providerCode:
      /^(overloaded_error|api_error|server_error|internal_server_error|service_unavailable|server_is_overloaded|UNAVAILABLE|INTERNAL|timeout_error|DEADLINE_EXCEEDED)$/,
  },
  { code: "timeout", kind: "server", status: 408 },
  { code: "bad_request", kind: "not_found", status: 404 },
  { code: "bad_request", kind: "not_found", providerCode: /^(not_found_error|model_not_found|NOT_FOUND|NotFound)$/ },
];

/** All rules, in the order in which they are tried. */
export const REFUSALS: readonly RefusalRule[] = [...RATE, ...RESERVE, ...BYTES, ...CONTEXT, ...REST];
