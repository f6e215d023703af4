/**
 * When a provider reads a prompt from its cache: data, each row with its source and date. Prices are in the table of
 * models.
 */

/** The rules of one provider's prompt cache. */
export interface CacheRule {
  /** The company, as {@link ModelFacts.provider} names it. */
  provider: string;
  /** The models of the row; absent for all others of the provider. */
  models?: RegExp;
  /**
   * `marks`: a prefix is written up to each mark of a request, and read if a later request has the same prefix.
   * `automatic`: every request is written, and any prefix of it can be read.
   */
  kind: "marks" | "automatic";
  /** Min tokens of a prefix that is cached; absent for marks, whose minimum depends on the model. */
  minTokens?: number;
  /** Automatic caches read multiples of this number of tokens. */
  step: number;
  /** Max blocks between a mark and the earlier prefix that it finds; absent for no limit. */
  lookback?: number;
  /** Milliseconds that a prefix stays in the cache after its last use. */
  lifetimeMs: number;
  /** True if the provider publishes no lifetime, or only a range, whose lower end this is. */
  isAssumed?: true;
  /** The page that says so. */
  source: string;
}

const MINUTE = 60_000;

/** The date on which the sources were read. */
export const CACHE_RULES_DATE = "2026-11-26";

export const CACHE_RULES: readonly CacheRule[] = [
  {
    provider: "anthropic",
    kind: "marks",
    step: 1,
    lookback: 20,
    lifetimeMs: 5 * MINUTE,
    source: "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
  },
  {
    // From this family on a prefix is found at a breakpoint only, and writing costs extra.
    provider: "openai",
    models: /gpt-(?:5[.-](?:[6-9]|\d\d)|[6-9])/,
    kind: "marks",
    minTokens: 1_024,
    step: 1,
    lifetimeMs: 30 * MINUTE,
    source: "https://developers.openai.com/api/docs/guides/prompt-caching",
  },
  {
    provider: "openai",
    kind: "automatic",
    minTokens: 1_024,
    step: 128,
    // "5 to 10 minutes of inactivity, at most one hour".
    lifetimeMs: 5 * MINUTE,
    isAssumed: true,
    source: "https://developers.openai.com/api/docs/guides/prompt-caching",
  },
  {
    provider: "google",
    models: /gemini-2/,
    kind: "automatic",
    minTokens: 2_048,
    step: 1,
    lifetimeMs: 5 * MINUTE,
    isAssumed: true,
    source: "https://ai.google.dev/gemini-api/docs/caching",
  },
  {
    provider: "google",
    kind: "automatic",
    minTokens: 4_096,
    step: 1,
    lifetimeMs: 5 * MINUTE,
    isAssumed: true,
    source: "https://ai.google.dev/gemini-api/docs/caching",
  },
  {
    // "Hours to days".
    provider: "deepseek",
    kind: "automatic",
    minTokens: 64,
    step: 64,
    lifetimeMs: 60 * MINUTE,
    isAssumed: true,
    source: "https://api-docs.deepseek.com/guides/kv_cache",
  },
];

/** The rule of companies that publish a price for cached tokens, but no rule. */
const UNKNOWN: Omit<CacheRule, "provider"> = {
  kind: "automatic",
  minTokens: 1_024,
  step: 1,
  lifetimeMs: 5 * MINUTE,
  isAssumed: true,
  source: "assumed: the provider publishes a price of cached tokens only",
};

/** Returns the rule for a model. */
export function cacheRule(provider: string, model: string): CacheRule {
  const name = model.toLowerCase();
  const known = CACHE_RULES.find((rule) => rule.provider === provider && (rule.models?.test(name) ?? true));
  return known ?? { provider, ...UNKNOWN };
}
