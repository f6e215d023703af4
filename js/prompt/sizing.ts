/** The sizing that an element receives when it renders. */

import { EspalierError } from "../errors/errors.ts";
import type { HistoryHost } from "./request/host.ts";
import type { BasePromptSizing, PromptSizing } from "./piece.ts";

/** Key of an element's render, for elements of the package. */
const HOST = Symbol("espalier.historyHost");

/** Returns a sizing with its own tally. */
export function trackedSizing(
  { tokenBudget, endpoint, countTokens }: BasePromptSizing,
  host: HistoryHost | undefined,
): PromptSizing {
  let consumed = 0;
  const sizing: PromptSizing & { [HOST]?: HistoryHost | undefined } = {
    tokenBudget,
    endpoint,
    countTokens,
    get remainingTokenBudget() {
      return Math.max(0, tokenBudget - consumed);
    },
    consume(tokens) {
      if (typeof tokens !== "number" || !Number.isFinite(tokens)) {
        throw new EspalierError({
          code: "bad_input",
          message: `consume needs a finite number of tokens, not ${String(tokens)}`,
          path: "tokens",
        });
      }
      consumed += tokens;
    },
    [HOST]: host,
  };
  return sizing;
}

/**
 * Returns the render that passed a sizing; `undefined` for renderers other than {@link render} and those built on it.
 */
export function hostOf(sizing: BasePromptSizing | undefined): HistoryHost | undefined {
  return (sizing as { [HOST]?: HistoryHost } | undefined)?.[HOST];
}
