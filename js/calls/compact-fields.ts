/** Checks the options of `compact` and converts them to the core's form. */

import { badOption as bad } from "../errors/errors.ts";
import { isFields } from "../formats/values.ts";
import type { Reading } from "../formats/adapter.ts";
import { check } from "../options/check.ts";
import { COMPACT } from "../options/schemas/compaction.ts";
import { fullPrices } from "../tokens/usage.ts";
import type { CompactOptions } from "../types/compact.ts";
import { asking } from "./asking.ts";
import { limitFields } from "./limits.ts";
import { dataText } from "./profile.ts";
import { rules } from "./tool-rules.ts";

/** Checks the options of {@link compact} and converts them to the core's form, except counting and ids of messages. */
export function compactFields(options: CompactOptions) {
  const {
    budget,
    targetShare,
    focus,
    force = false,
    onFailure = "offline",
    llm,
    keep,
    cover,
  } = check(options, COMPACT);
  return {
    budget,
    targetShare,
    force,
    focus,
    keep,
    cover,
    offlineOnFailure: onFailure === "offline",
    hasModel: llm !== undefined,
    maxLlmTokens: options.maxLlmTokens,
    llmLimits: limitFields(options.llmModel),
    ledger: rules(options.ledger, options.tools),
    profile: profileText(options),
    ladder: options.ladder,
    exempt: options.exempt ?? [],
    recordProfile: options.recordProfile,
    verify: options.verify,
    prices: fullPrices(options.prices),
    asking: asking(options),
  };
}

/** Returns a chosen range by ids. */
export function rangeOfIds(reading: Reading, { from, to }: NonNullable<CompactOptions["cover"]>) {
  const known = new Set(reading.messages.map(({ id }) => id));
  const id = (name: "from" | "to", item: string | number | undefined) => {
    if (item === undefined) return undefined;
    const found = typeof item === "number" ? `m${item}` : item;
    if (typeof found !== "string" || !known.has(found))
      throw bad(`cover.${name}`, "the id or index of a message", item);
    return found;
  };
  return { from: id("from", from), to: id("to", to) };
}

/** Returns the profile of an operation as text, including its protection. */
function profileText({ profile, protect }: CompactOptions): string | undefined {
  if (protect !== undefined && !isFields(protect)) throw bad("protect", "{ results, rounds, tokens, turn }", protect);
  if (profile === undefined && protect === undefined) return undefined;
  const text = dataText(profile ?? "espalier", "options.profile");
  if (protect === undefined) return text;
  // Checked separately first, so that an error in it does not name the profile.
  const given: unknown = JSON.parse(text);
  const fields = (typeof given === "string" ? { name: given } : given) as { protect?: object };
  const named = dataText(protect, "options.protect");
  return JSON.stringify({ ...fields, protect: { ...fields.protect, ...(JSON.parse(named) as object) } });
}
