/** What an element is passed when it renders. */

import { EspalierError } from "../errors/errors.ts";
import type { HistoryHost } from "./request/host.ts";
import type { BasePromptSizing, PromptSizing } from "./piece.ts";

/** Key of the render that an element belongs to, for elements of ours. */
const HOST = Symbol("espalier.historyHost");

/** A sizing that keeps a tally of its own. */
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
          message: `consume needs a finite number of tokens, and got ${String(tokens)}`,
          path: "tokens",
        });
      }
      consumed += tokens;
    },
    [HOST]: host,
  };
  return sizing;
}

/** The render that passed a sizing; nothing for renderers other than {@link render} and what is built on it. */
export function hostOf(sizing: BasePromptSizing | undefined): HistoryHost | undefined {
  return (sizing as { [HOST]?: HistoryHost } | undefined)?.[HOST];
}
