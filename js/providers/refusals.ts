/** Classifies refusals of providers. Hosts can put their own rules first. */

import { badOption, EspalierError } from "../errors/errors.ts";
import { REFUSALS } from "./refusal-rules.ts";
import type { RefusalRule } from "./refusal-rules.ts";
import type { ProviderErrorCode } from "./types.ts";

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
