/** Checks the options of inline context, and converts them for the engine. */

import { encodingOf } from "../tokens/count.ts";
import { hostTokenizer } from "../tokens/host-tokenizer.ts";
import type { HostTokenizer } from "../tokens/host-tokenizer.ts";
import { badOption as bad } from "../errors/errors.ts";

import { need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { MODES } from "../options/schemas/inline-context.ts";
import type { EncodingName } from "../types/count.ts";
import type { InlineSessionOptions } from "./types.ts";

/** The engine's options: limits as JSON, and the encoding or tokenizer. */
export interface Settings {
  json: string;
  encoding: EncodingName;
  tokenizer: HostTokenizer | undefined;
  secrets: boolean;
  providerMs: number;
  buildingMs: number;
}

const OUTPUT_RESERVE = 500;
const PROVIDER_MS = 150;
const BUILDING_MS = 1_200;
/** Offsets, counts and times cross as numbers; a larger value means no limit. */
const MAX_COUNT = 2 ** 31 - 1;

/** Limits of requests and of a session's memory. */
type Limits = Omit<InlineSessionOptions, "clock" | "providers" | "maxCachedDocuments">;

/** The engine's names of options, if they differ from the host's. */
const NAMES: Readonly<Record<string, string>> = {
  similarLimits: "similar",
  neighbourLimits: "neighbours",
  editLimits: "edits",
  maxCacheBytes: "maxBytes",
  maxRecentFiles: "maxRecent",
  moveDebounceMs: "debounceMs",
};

/** Returns a value as it crosses: `Infinity` as the largest count, a table of names as a list of pairs. */
function crossing(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (typeof value === "number") return Math.min(value, MAX_COUNT);
  if (name === "aliases") return Object.entries(value as object);
  if (name === "cascade" && typeof value === "boolean") return value ? {} : undefined;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, held]) => [inner, crossing(inner, held)]));
}

/**
 * Returns the limits of a request or session, whose types were checked, in the engine's form.
 *
 * @throws EspalierError `bad_option` with the path of a limit that contradicts the others
 */
export function limitsOf(options: Limits, within = "options"): Settings {
  const { budget, encoding, model, tokenizer: own, secrets = false, ...limits } = options;
  const { mode, profile, window, outputReserve = OUTPUT_RESERVE, providerMs, buildingMs } = limits;
  // This profile reads an unknown mode as `minimal`, as Copilot Chat does.
  need(mode, profile === "copilot-chat" ? kinds.text : MODES, `${within}.mode`);
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(limits)) fields[NAMES[name] ?? name] = crossing(name, value);
  if (budget !== undefined) {
    if (window !== undefined)
      throw bad("budget", "absent beside window: a budget is a window less outputReserve", budget, within);
    fields.window = Math.min(budget + outputReserve, MAX_COUNT);
  }
  const tokenizer = hostTokenizer(own);
  return {
    json: JSON.stringify(fields),
    encoding: tokenizer ? "o200k_base" : encodingOf({ encoding, model }),
    tokenizer,
    secrets,
    providerMs: Math.min(providerMs ?? PROVIDER_MS, MAX_COUNT),
    buildingMs: Math.min(buildingMs ?? BUILDING_MS, MAX_COUNT),
  };
}

/** Returns a count of an option that the engine does not receive. */
export function countOf(value: number | undefined, usual: number): number {
  return Math.min(value ?? usual, MAX_COUNT);
}
