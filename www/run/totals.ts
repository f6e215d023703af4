/** The sums of a run, for its foot. */

import type { RunCall, RunCompaction, RunRequest, Totals } from "./types.ts";

export interface Played {
  requests: readonly RunRequest[];
  compactions: readonly RunCompaction[];
  calls: readonly RunCall[];
}

export function totalsOf({ requests, compactions, calls }: Played): Totals {
  const sum = (of: (row: RunRequest) => number) => requests.reduce((all, row) => all + of(row), 0);
  return {
    requests: requests.length,
    sent: sum(({ sent = 0 }) => sent),
    cached: sum(({ cached }) => cached),
    lost: sum(({ lost }) => lost),
    compactions: compactions.length,
    summaries: compactions.filter(({ outcome }) => outcome === "applied").length,
    calls: calls.length,
    waits: requests.filter(({ waited }) => waited > 0).length,
    waited: sum(({ waited }) => waited),
    trimmed: requests.filter(({ trimmed }) => trimmed > 0).length,
    failed: requests.filter(({ error }) => error !== undefined).length,
    whole: requests.at(-1)?.whole ?? 0,
  };
}
