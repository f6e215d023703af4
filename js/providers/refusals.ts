/**
 * How providers refuse requests, as data: wordings, codes, statuses, and their meanings. Hosts can put their own rules
 * first.
 *
 * The wordings were collected from public error reports of the services and servers named beside them. The named groups
 * `used`, `limit` and `output` extract numbers.
 */

import { badOption, EspalierError } from "../errors/errors.ts";
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

/** The meaning of a refusal. */
export interface Refusal {
  code: ProviderErrorCode;
  kind?: string;
  used?: number;
  limit?: number;
  output?: number;
  /** Input and output, if the provider named only their sum. */
  total?: number;
  final?: boolean;
}

/** The known facts of a refusal. */
export interface Refused {
  /** HTTP status; absent for errors within a stream and for models that are called without HTTP. */
  status?: number | undefined;
  /** The provider's sentence, or the text of the body. */
  text: string;
  /** The provider's own code and type. */
  codes?: readonly string[];
  /** True if the body was empty. */
  empty?: boolean;
}

const N = String.raw`(\d[\d,._]*)`;
const named = (name: string) => N.replace("(", `(?<${name}>`);
const USED = named("used");
const LIMIT = named("limit");
const OUTPUT = named("output");
const TOTAL = named("total");
const rule = (source: string) => new RegExp(source, "i");

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
  {
    code: "context_length",
    kind: "rate",
    pattern: rule(`request too large for .*tokens per \\w+.*limit ${LIMIT}, requested ${TOTAL}`),
    from: "OpenAI (429), Groq (413)",
  },
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
  {
    code: "output_reserve",
    kind: "reserve",
    pattern: rule(
      `input length and \`?max_tokens\`? exceed context limit:? ${USED}\\s*\\+\\s*${OUTPUT}\\s*>\\s*${LIMIT}`,
    ),
    from: "Anthropic",
  },
  {
    code: "output_reserve",
    kind: "reserve",
    pattern: /input length and `?max_tokens`? exceed context limit/i,
    from: "Anthropic",
  },
  {
    code: "output_reserve",
    kind: "reserve",
    pattern: rule(
      `is too large: ${OUTPUT}\\W+this model'?s maximum context length is ${LIMIT} tokens and your request has ${USED} input tokens`,
    ),
    from: "vLLM",
  },
  // The number in these two is the max size of an answer. It says nothing about the window, so it is no `limit`.
  {
    code: "output_reserve",
    kind: "output_limit",
    pattern: rule(`max_(completion_)?tokens.{0,20} is too large: ${OUTPUT}\\. this model supports at most`),
    from: "OpenAI",
  },
  {
    code: "output_reserve",
    kind: "output_limit",
    pattern: rule(`max_tokens: ${OUTPUT} > \\d+, which is the maximum allowed number of output tokens`),
    from: "Anthropic",
  },
];

/** Bytes rather than tokens. */
const BYTES: readonly RefusalRule[] = [
  {
    code: "body_size",
    kind: "bytes",
    pattern: rule(`payload size exceeds the limit: ${LIMIT} bytes`),
    from: "Gemini (400)",
  },
  {
    code: "body_size",
    kind: "bytes",
    pattern: rule(`maximum content size limit \\(?${LIMIT}\\)? exceeded \\(?${USED} bytes`),
    from: "OpenAI",
  },
  {
    code: "body_size",
    kind: "characters",
    pattern: rule(
      `string too long\\. expected a string with maximum length (?<limit>\\d{6,}), but got a string with length ${USED}`,
    ),
    from: "OpenAI",
  },
  { code: "body_size", kind: "bytes", providerCode: /^request_too_large$/, from: "Anthropic" },
  {
    code: "body_size",
    kind: "bytes",
    pattern: rule(`image exceeds \\S+ MB maximum: ${USED} bytes > ${LIMIT} bytes`),
    from: "Anthropic",
  },
  {
    code: "body_size",
    kind: "bytes",
    status: 413,
    pattern:
      /entity too large|(payload|content|body) too large|maximum (request )?size|maximum allowed number of bytes|\d\s*(bytes|[KMG]i?B)\b/i,
    from: "gateways",
  },
];

const CONTEXT: readonly RefusalRule[] = [
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`prompt is too long: ${USED} tokens > ${LIMIT} maximum`),
    from: "Anthropic",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(
      `maximum context length is ${LIMIT} tokens.{0,20}you requested (about )?${TOTAL} tokens \\(.{0,120}?${OUTPUT} (in|for) the (completion|output)`,
    ),
    from: "OpenAI, Azure, DeepSeek, OpenRouter, vLLM",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(
      `maximum context length is ${LIMIT} tokens.{0,40}(resulted in|requested( about)?|request has|contains) ${USED}`,
    ),
    from: "OpenAI, OpenRouter, vLLM",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`maximum context length is ${LIMIT} tokens`),
    from: "OpenAI, OpenRouter, vLLM",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`input token count \\(?${USED}\\)? exceeds the maximum number of tokens allowed \\(?${LIMIT}`),
    from: "Gemini",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`input token count exceeds the maximum number of tokens allowed \\(?${LIMIT}`),
    from: "Gemini",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`maximum prompt length is ${LIMIT}.*contains ${USED}`),
    from: "xAI",
  },
  { code: "context_length", kind: "tokens", pattern: rule(`maximum prompt length is ${LIMIT}`), from: "xAI" },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`prompt token count of ${USED} exceeds the limit of ${LIMIT}`),
    from: "GitHub Copilot",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`request \\(${USED} tokens\\) exceeds the available context size \\(${LIMIT} tokens\\)`),
    from: "llama.cpp",
  },
  { code: "context_length", kind: "tokens", pattern: /exceeds the available context size/i, from: "llama.cpp" },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`greater than the context length \\(n_keep: ${USED}\\s*>=\\s*n_ctx: ${LIMIT}`),
    from: "LM Studio",
  },
  { code: "context_length", kind: "tokens", pattern: /greater than the context length/i, from: "LM Studio" },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`prompt contains ${USED} tokens.*too large for model with ${LIMIT} maximum context length`),
    from: "Mistral",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`too large for model with ${LIMIT} maximum context length`),
    from: "Mistral",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`exceeded model token limit: ${LIMIT} \\(requested: ${USED}\\)`),
    from: "Kimi",
  },
  { code: "context_length", kind: "tokens", pattern: /exceeded model token limit/i, from: "Kimi" },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(
      `max_new_tokens.{0,2} must be <= ${LIMIT}\\. given: ${USED} .{0,10}inputs.{0,10} tokens and ${OUTPUT}`,
    ),
    from: "text-generation-inference",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: rule(`total number of tokens in the prompt cannot exceed ${LIMIT} - received ${USED}`),
    from: "Cohere",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: /prompt too long; exceeded (max )?context length/i,
    from: "Ollama",
  },
  { code: "context_length", kind: "tokens", pattern: /input is too long for (the )?requested model/i, from: "Bedrock" },
  { code: "context_length", kind: "tokens", pattern: /context window exceeds limit/i, from: "MiniMax" },
  { code: "context_length", kind: "tokens", pattern: /exceeds? the (model'?s )?context window/i, from: "OpenAI" },
  {
    code: "context_length",
    kind: "tokens",
    pattern: /reduce the length of the (input )?(messages|prompt)/i,
    from: "Groq, vLLM",
  },
  {
    code: "context_length",
    kind: "tokens",
    pattern: /prompt is too long|message exceeds token limit|context[_ ]length[_ ]exceeded/i,
  },
  {
    code: "context_length",
    kind: "tokens",
    providerCode:
      /^(context_length_exceeded|model_max_prompt_tokens_exceeded|exceed_context_size_error|context_window_exceeded)$/,
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

/**
 * Max characters of a text that are matched: an HTML page has its sentence at the beginning, and hostile texts have no
 * end.
 */
const LOOKED_AT = 4_000;

/**
 * Returns the meaning of a refusal.
 *
 * ```ts
 * import { classify } from "espalier/providers";
 *
 * const { code, used, limit } = classify({ status: 400, text: "prompt is too long: 213462 tokens > 200000 maximum" });
 * code; // => "context_length"
 * used; // => 213462
 * limit; // => 200000
 * ```
 *
 * @param rules Rules of the host, tried first.
 * @throws EspalierError `bad_option` for an invalid rule, `bad_input` if there is no text
 */
export function classify(refused: Refused, rules: readonly RefusalRule[] = []): Refusal {
  if (typeof refused?.text !== "string")
    throw new EspalierError({
      code: "bad_input",
      message: "classify needs the text of a refusal",
      path: "refused.text",
    });
  checkRules(rules, "rules");
  const text = refused.text.slice(0, LOOKED_AT).replace(/\s+/g, " ");
  for (const rule of [...rules, ...REFUSALS]) {
    const found = match(rule, refused, text);
    if (found) return found;
  }
  const { status, empty } = refused;
  // Cerebras answers an overflow with an empty body.
  if (empty && (status === 400 || status === 413)) return { code: "context_length", kind: "no_body" };
  if (status === 413) return { code: "context_length", kind: "tokens" };
  if (status !== undefined && status >= 500) return { code: "overloaded", kind: "server" };
  return { code: "bad_request" };
}

/** Checks the rules of hosts before they are needed. */
export function checkRules(rules: readonly RefusalRule[] | undefined, path = "options.refusals"): void {
  if (rules === undefined) return;
  if (!Array.isArray(rules)) throw badOption("", "a list of rules", rules, path);
  // `forEach` would skip holes.
  for (const [at, rule] of (rules as readonly (RefusalRule | undefined)[]).entries()) {
    const within = `${path}[${at}]`;
    if (typeof rule !== "object" || rule === null || typeof rule.code !== "string")
      throw badOption("", "a rule with a code", rule, within);
    for (const name of ["pattern", "providerCode"] as const)
      if (rule[name] !== undefined && !(rule[name] instanceof RegExp))
        throw badOption(name, "a regular expression", rule[name], within);
  }
}

function match(rule: RefusalRule, { status, codes = [] }: Refused, text: string): Refusal | undefined {
  const { code, kind, pattern, providerCode, final } = rule;
  // A rule without a condition would match everything.
  if (!pattern && !providerCode && rule.status === undefined) return undefined;
  if (rule.status !== undefined && (status === undefined || ![rule.status].flat().includes(status))) return undefined;
  if (providerCode && !codes.some((given) => matched(providerCode, given))) return undefined;
  const found = pattern && matched(pattern, text);
  if (pattern && !found) return undefined;
  const group = (name: string) => whole(found?.groups?.[name]);
  const [limit, output, total] = [group("limit"), group("output"), group("total")];
  const used =
    group("used") ?? (total !== undefined && output !== undefined && total >= output ? total - output : undefined);
  const numbers = {
    ...(used !== undefined && { used }),
    ...(limit !== undefined && { limit }),
    ...(output !== undefined && { output }),
    ...(total !== undefined && output === undefined && { total }),
  };
  // The sentence itself may show that the input alone would fit.
  if (code === "context_length" && output !== undefined && used !== undefined && limit !== undefined && used < limit) {
    return { code: "output_reserve", kind: "reserve", ...numbers };
  }
  return { code, ...(kind && { kind }), ...numbers, ...(final && { final }) };
}

/** Runs a host's pattern, which may be global and would then remember its last position. */
function matched(pattern: RegExp, text: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(text);
}

/** "131,072", "131_072", "1.048.576" and "131072." are whole numbers. */
function whole(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replace(/[,._]/g, ""));
  return Number.isSafeInteger(number) ? number : undefined;
}
