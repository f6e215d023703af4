/** Makes the errors of providers in one place, so that all of them have the same details and none contains a secret. */

import { EspalierError } from "../errors/errors.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import { classify } from "./refusals.ts";
import type { RefusalRule } from "./refusal-rules.ts";
import type { ProviderErrorCode, ProviderErrorDetails } from "./types.ts";

/** Max length of a provider's sentence in a message, in UTF-16 units. */
const SENTENCE = 500;

/** The details of a failure besides its code. */
export type Detail = Partial<Omit<ProviderErrorDetails, "provider" | "model" | "attempts">>;

/** Foreign text at the end of a message, of which the host sees the first `max` UTF-16 units. */
export interface Quote {
  text: string;
  max: number;
}

interface FailureOptions {
  final?: boolean;
  cause?: unknown;
  quote?: Quote | undefined;
}

/** A failure on its way to the host. The caller that retries decides whether to send again. */
export class Failure extends Error {
  readonly code: ProviderErrorCode;
  readonly detail: Detail;
  /** True if sending the same request again cannot help, whatever the code. */
  readonly final: boolean;
  /** Separate from `message` and uncut: a key that the cut splits would not be recognised. */
  readonly quote: Quote | undefined;

  constructor(
    code: ProviderErrorCode,
    message: string,
    detail: Detail = {},
    { final = false, cause, quote }: FailureOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
    this.final = final;
    this.quote = quote;
  }

  /** Returns a copy of this failure with the given fields replaced. */
  with({
    code = this.code,
    message = this.message,
    detail = this.detail,
    final = this.final,
    cause = this.cause,
  }: {
    code?: ProviderErrorCode;
    message?: string;
    detail?: Detail;
    final?: boolean;
    cause?: unknown;
  }): Failure {
    return new Failure(code, message, detail, { final, cause, quote: this.quote });
  }

  /** Returns the message with its quotation. Secrets are hidden before the quotation is cut. */
  sentence(hide: Hide): string {
    const message = hide(this.message);
    if (this.quote === undefined) return message;
    const text = hide(this.quote.text);
    return `${message}${text.length > this.quote.max ? `${text.slice(0, this.quote.max)} …` : text}`;
  }

  /** Returns the error for the host. */
  for(who: { provider: string; model: string; attempts: number }, hide: Hide): EspalierError {
    const detail = Object.fromEntries(
      Object.entries(this.detail).map(([name, value]) => [name, typeof value === "string" ? hide(value) : value]),
    );
    const details: ProviderErrorDetails = {
      provider: who.provider,
      model: who.model,
      ...detail,
      attempts: who.attempts,
    };
    return new EspalierError({
      code: this.code,
      message: this.sentence(hide),
      details,
      ...(this.cause !== undefined && safe(this.cause, hide)),
    });
  }
}

/** Removes secrets from a text. */
export type Hide = (text: string) => string;

/** For providers that know no secret, because their SDK keeps it. */
export const NO_SECRETS: Hide = (text) => text;

/** Names of headers and of query parameters whose values are secrets. */
export const SECRET =
  /auth|key|token|secret|cookie|passw|pwd|signature|credential|session|(?:^|[-_])(?:sig|sas|code)$/i;

/**
 * Returns a function that removes these secrets from a text. Short secrets are only removed if they stand alone,
 * because otherwise half the words would go.
 */
export function hider(secrets: readonly string[]): Hide {
  const spellings = secrets.flatMap((secret) => {
    const bare = secret.replace(/^(Bearer|Basic)\s+/i, "");
    return [secret, bare, encodeURIComponent(wellFormed(bare)), JSON.stringify(bare).slice(1, -1)];
  });
  // Longest first: one secret may contain another.
  const all = [...new Set(spellings)].filter((text) => text !== "").sort((a, b) => b.length - a.length);
  if (all.length === 0) return NO_SECRETS;
  const escaped = all.map((text) => {
    const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    return text.length >= 6 ? literal : `(?<![\\w-])${literal}(?![\\w-])`;
  });
  const pattern = new RegExp(escaped.join("|"), "g");
  return (text) => text.replace(pattern, "[hidden]");
}

/** `encodeURIComponent` throws for a lone surrogate. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** Max number of a cause's values that are checked. A larger cause is not passed on. */
const CAUSE_VALUES = 2_000;

/** Passes a cause on only if no text in it, in its causes and in its other fields contains a secret. */
function safe(cause: unknown, hide: Hide): { cause?: unknown } {
  if (hide === NO_SECRETS) return { cause };
  const seen = new Set<unknown>([cause]);
  // Iterating a set includes values that are added meanwhile.
  for (const value of seen) {
    if (seen.size > CAUSE_VALUES) return {};
    try {
      if (typeof value === "string" && hide(value) !== value) return {};
      if (typeof value !== "object" || value === null) continue;
      if (value instanceof Map || value instanceof Set || value instanceof Headers) seen.add([...value]);
      for (const name of Reflect.ownKeys(value)) seen.add(name).add((value as Record<PropertyKey, unknown>)[name]);
    } catch {
      // A getter or a proxy threw: its content is unknown.
      return {};
    }
  }
  return { cause };
}

/** The content of an error body, whichever provider wrote it. */
export interface ErrorBody {
  text: string;
  codes: string[];
  code?: string;
  type?: string;
  /** Milliseconds. */
  retryAfterMs?: number;
  used?: number;
  limit?: number;
  requestId?: string;
  /** True if the body was an error in the shape of some provider; otherwise `text` is the body itself. */
  known: boolean;
}

const said = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

/** Returns the error in a JSON value, if there is one. */
export function errorIn(value: unknown): ErrorBody | undefined {
  // Gemini without an event stream, and some gateways, wrap errors into a list.
  const body = Array.isArray(value) ? (value as unknown[])[0] : value;
  if (!isFields(body)) return undefined;
  const { error, base_resp: status } = body;
  if (isFields(status) && status["status_code"] !== 0 && status["status_code"] !== undefined) {
    return {
      text: said(status["status_msg"]) ?? "",
      codes: [],
      ...named("code", said(status["status_code"])),
      known: true,
    };
  }
  if (typeof error === "string" && error !== "")
    return { text: join(error, said(body["message"])), codes: [error], known: true };
  if (isFields(error)) return errorFields(error, body);
  if (body["type"] === "error" || body["object"] === "error") return errorFields(body, body);
  if (typeof body["message"] === "string" && Object.keys(body).length <= 4) return errorFields(body, body);
  const { detail } = body;
  if (typeof detail === "string") return { text: detail, codes: [], known: true };
  if (Array.isArray(detail))
    return {
      text: detail.flatMap((item: unknown) => (isFields(item) ? (said(item["msg"]) ?? []) : [])).join("; "),
      codes: [],
      known: true,
    };
  return undefined;
}

function errorFields(error: Fields, body: Fields): ErrorBody {
  const metadata = isFields(error["metadata"]) ? error["metadata"] : {};
  // OpenRouter passes on the message of the provider behind it.
  const text = join(said(error["message"]) ?? "", said(metadata["raw"]));
  const code = said(error["code"]);
  const type = said(error["status"]) ?? said(error["type"]) ?? said(error["__type"]);
  const inner = isFields(error["innererror"]) ? said(error["innererror"]["code"]) : undefined;
  const details = Array.isArray(error["details"]) ? (error["details"] as unknown[]).filter(isFields) : [];
  const delay = details.map((detail) => /^([\d.]+)s$/.exec(said(detail["retryDelay"]) ?? "")?.[1]).find(Boolean);
  const reasons = details.flatMap((detail) => said(detail["reason"]) ?? []);
  return {
    text,
    codes: [code, type, inner, ...reasons].filter((item): item is string => item !== undefined),
    ...named("code", code),
    ...named("type", type),
    ...(delay !== undefined && { retryAfterMs: Math.ceil(Number(delay) * 1000) }),
    ...number("used", error["n_prompt_tokens"]),
    ...number("limit", error["n_ctx"]),
    ...named("requestId", said(body["request_id"])),
    known: true,
  };
}

const join = (text: string, more: string | undefined) =>
  more && !text.includes(more) ? `${text} ${more}`.trim() : text;
const named = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [K in Name]?: string };
const number = <Name extends string>(name: Name, value: unknown) =>
  (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? { [name]: value } : {}) as {
    [K in Name]?: number;
  };

/** Reads the body of a refusal: JSON of some provider, an HTML page, text, or nothing. */
export function errorBody(text: string): ErrorBody {
  try {
    const known = errorIn(JSON.parse(text));
    if (known) return known;
  } catch {
    // Not JSON: shown as it is.
  }
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text.slice(0, 10_000))?.[1];
  return { text: (title ?? text).trim(), codes: [], known: false };
}

/** Makes the failure for an error body. `status` is absent for errors within a stream. */
export function refused(
  provider: string,
  body: ErrorBody,
  {
    status,
    empty = false,
    retryAfterMs,
    requestId,
    rules,
  }: {
    status?: number;
    empty?: boolean;
    retryAfterMs?: number | undefined;
    requestId?: string | undefined;
    rules?: readonly RefusalRule[] | undefined;
  },
): Failure {
  // Gateways answer 200, or begin a stream, and put the status into the body.
  const meant =
    status !== undefined && status >= 400 ? status : /^[45]\d\d$/.test(body.code ?? "") ? Number(body.code) : undefined;
  const { code, final, ...found } = classify({ status: meant, text: body.text, codes: body.codes, empty }, rules);
  const where = status === undefined ? "reported an error" : `answered ${status}`;
  const wait = retryAfterMs ?? body.retryAfterMs ?? (code === "rate_limited" ? waitIn(body.text) : undefined);
  const id = requestId ?? body.requestId;
  const detail: Detail = {
    ...number("used", body.used),
    ...number("limit", body.limit),
    ...found,
    ...(meant !== undefined && { status: meant }),
    ...named("providerCode", body.code),
    ...named("providerType", body.type),
    ...(id !== undefined && { requestId: id }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
  const quote = { text: body.text || "(no body)", max: SENTENCE };
  return new Failure(code, `${provider} ${where}: `, detail, { final: final ?? false, quote });
}

/**
 * Reads "Please try again in 1m2.5s", "Please retry after 7 seconds" and the like; returns ms. OpenAI and Groq only say
 * it in words, and so does Azure in errors without headers.
 */
function waitIn(text: string): number | undefined {
  const found = /(?:try again|retry) (?:in|after) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+) ?(ms|s))?/i.exec(
    text.slice(0, 4_000),
  );
  if (!found || !(found[1] ?? found[2] ?? found[3])) return undefined;
  const [, hours = "0", minutes = "0", rest = "0", unit = "s"] = found;
  const wait = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number.parseFloat(rest) * (unit === "ms" ? 1 : 1000);
  return Number.isFinite(wait) ? Math.ceil(wait) : undefined;
}
