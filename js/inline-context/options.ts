/** Options of inline context: checked, and as the engine reads them. */

import { encodingOf } from "../tokens/count.ts";
import { hostTokenizer } from "../tokens/host-tokenizer.ts";
import type { HostTokenizer } from "../tokens/host-tokenizer.ts";
import { badOption as bad } from "../errors/errors.ts";
import { knownIn } from "../options/known.ts";
import { INLINE_EDITS, INLINE_NEIGHBOURS, INLINE_SHARES, INLINE_SIMILAR } from "../options/names/inline-context.ts";
import type { EncodingName } from "../types/count.ts";
import type { InlineOptions, InlineSessionOptions } from "./types.ts";

/** What the engine gets: limits as JSON, and what counts. */
export interface Settings {
  json: string;
  encoding: EncodingName;
  tokenizer: HostTokenizer | undefined;
  providerMs: number;
  buildingMs: number;
}

const OUTPUT_RESERVE = 500;
const PROVIDER_MS = 150;
const BUILDING_MS = 1_200;
/** Offsets, counts and times cross as numbers; anything above this is no limit. */
const MAX_COUNT = 2 ** 31 - 1;

type Fields = Record<string, unknown>;
type Check = (value: unknown, name: string, within: string) => unknown;

/** A number that must be whole and not negative; `Infinity` is no limit. */
const count: Check = (value, name, within) => {
  if (typeof value !== "number" || !(value >= 0) || (value !== Infinity && !Number.isInteger(value))) {
    throw bad(name, "a whole number, 0 or more", value, within);
  }
  return Math.min(value, MAX_COUNT);
};

const number: Check = (value, name, within) => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw bad(name, "a number", value, within);
  return value;
};

const flag: Check = (value, name, within) => {
  if (typeof value !== "boolean") throw bad(name, "true or false", value, within);
  return value;
};

const oneOf =
  (...names: string[]): Check =>
  (value, name, within) => {
    if (!names.includes(value as string))
      throw bad(name, names.join(", ").replace(/, ([^,]*)$/, " or $1"), value, within);
    return value;
  };

const group =
  (known: object, checks: Record<string, Check>): Check =>
  (value, name, within) => {
    const path = `${within}.${name}`;
    if (typeof value !== "object" || value === null) throw bad(name, "an object", value, within);
    knownIn(value, known, path);
    return checked(value as Fields, checks, path);
  };

const aliases: Check = (value, name, within) => {
  if (typeof value !== "object" || value === null)
    throw bad(name, "an object from language to language", value, within);
  const pairs = Object.entries(value);
  const wrong = pairs.find(([, other]) => typeof other !== "string");
  if (wrong) throw bad(wrong[0], "a language", wrong[1], `${within}.${name}`);
  return pairs;
};

const SHARES = group(INLINE_SHARES, { prefix: number, suffix: number, stable: number, volatile: number });

const LIMITS: Record<string, Check> = {
  profile: oneOf("espalier", "copilot-chat"),
  window: count,
  outputReserve: count,
  suffixShare: number,
  suffixReserve: count,
  minChars: count,
  charsPerToken: number,
  contextShare: number,
  stableSlack: count,
  cascade: (value, name, within) =>
    typeof value === "boolean" ? (value ? {} : undefined) : SHARES(value, name, within),
  exact: flag,
  crossing: oneOf("skip", "charge"),
  similarBesideSnippets: flag,
  editForm: oneOf("unified", "searchReplace", "plain"),
  providerMs: count,
  buildingMs: count,
};

const GROUPS: Record<string, [as: string, Check]> = {
  similarLimits: [
    "similar",
    group(INLINE_SIMILAR, {
      window: count,
      threshold: number,
      maxSnippets: count,
      maxPerFile: count,
      maxFiles: count,
      maxChars: count,
      score: oneOf("jaccard", "shared"),
      words: oneOf("unicode", "ascii"),
    }),
  ],
  neighbourLimits: [
    "neighbours",
    group(INLINE_NEIGHBOURS, {
      maxFiles: count,
      maxChars: count,
      focusEntries: count,
      fileSchemeOnly: flag,
      aliases,
    }),
  ],
  editLimits: [
    "edits",
    group(INLINE_EDITS, {
      debounceMs: count,
      maxFiles: count,
      maxEdits: count,
      contextLines: count,
      mergeLines: count,
      maxEditChars: count,
      maxLines: count,
      maxFileChars: count,
      nearLines: count,
      lineOffset: count,
    }),
  ],
};

const SESSION: Record<string, [as: string, Check]> = {
  maxCacheBytes: ["maxBytes", count],
  maxCompletions: ["maxCompletions", count],
  maxPlaces: ["maxPlaces", count],
  nearPlaceLines: ["nearPlaceLines", count],
  maxRecentFiles: ["maxRecent", count],
  moveDebounceMs: ["debounceMs", count],
};

const MODES = oneOf("minimal", "fillHalf", "double", "fill");

function checked(value: Fields, checks: Record<string, Check>, within: string): Fields {
  const out: Fields = {};
  for (const name in checks) if (value[name] !== undefined) out[name] = checks[name]!(value[name], name, within);
  return out;
}

/**
 * Checks the limits of a request or session.
 *
 * @throws EspalierError `bad_option` with the path of the first that makes no sense
 */
export function limitsOf(options: InlineOptions | InlineSessionOptions, within = "options"): Settings {
  const given = options as Fields;
  const fields = checked(given, LIMITS, within);
  for (const [name, [as, check]] of Object.entries({ ...GROUPS, ...SESSION })) {
    if (given[name] !== undefined) fields[as] = check(given[name], name, within);
  }
  if (options.mode !== undefined) {
    // The profile takes an unknown mode for `minimal`, as Copilot Chat does.
    fields.mode =
      options.profile === "copilot-chat" && typeof options.mode === "string"
        ? options.mode
        : MODES(options.mode, "mode", within);
  }
  if (options.budget !== undefined) {
    const budget = count(options.budget, "budget", within) as number;
    if (options.window !== undefined)
      throw bad("budget", "absent beside window: a budget is a window less outputReserve", options.budget, within);
    if (budget < 8) throw bad("budget", "at least 8 tokens", budget, within);
    fields.window = budget + ((fields.outputReserve as number | undefined) ?? OUTPUT_RESERVE);
  }
  if (typeof fields.window === "number") fields.window = Math.min(fields.window, MAX_COUNT);
  const tokenizer = hostTokenizer(options.tokenizer);
  return {
    json: JSON.stringify(fields),
    encoding: tokenizer ? "o200k_base" : encodingOf(options),
    tokenizer,
    providerMs: (fields.providerMs as number | undefined) ?? PROVIDER_MS,
    buildingMs: (fields.buildingMs as number | undefined) ?? BUILDING_MS,
  };
}

/**
 * Checks a count of an option that the engine does not see.
 *
 * @throws EspalierError `bad_option`
 */
export function countOf(value: unknown, name: string, usual: number, within = "options"): number {
  return value === undefined ? usual : (count(value, name, within) as number);
}
