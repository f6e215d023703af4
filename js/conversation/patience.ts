/** When to try again by itself, after a compaction that failed or gained nothing. */

import { call, wasm } from "../engine/engine.ts";

/** `offline`: by rules. `cutOnly`: results are cut, nothing is summarised. */
export type Verdict = "try" | "offline" | "cutOnly" | "notYet" | "blocked";

export type Author = "rule" | "model" | "user";

/**
 * The conversation now: requests so far, tokens of everything that was ever added, what messages may have, and what is
 * tried.
 */
export interface Now {
  requests: number;
  tokens: number;
  available: number;
  fingerprint: number;
}

export class Patience {
  /** Plain data, kept in the log. */
  state: string | undefined;
  /** JSON text. */
  private readonly profile: string;

  constructor(profile: string) {
    this.profile = profile;
  }

  mayTry(now: Now): Verdict {
    return this.step({ type: "mayTry", now }).verdict!;
  }

  /** How one ended, and who wrote the summary that was put in place. */
  note(status: string, summary: Author | undefined, now: Now): void {
    try {
      this.step({ type: "note", status, ...(summary !== undefined && { summary }), now });
    } catch {
      // Ours alone, or one that says nothing about the next try.
    }
  }

  /** Goes on where an earlier session was left. */
  reload(state: unknown): void {
    this.state = JSON.stringify(state);
    try {
      this.step({ type: "reload" });
    } catch {
      // Not what was written: nothing is known.
      this.state = undefined;
    }
  }

  private step(event: object): { verdict?: Verdict } {
    const { state, verdict } = JSON.parse(
      call(() => wasm().backoffStep(this.state, this.profile, JSON.stringify(event))),
    ) as { state: unknown; verdict?: Verdict };
    this.state = JSON.stringify(state);
    return verdict === undefined ? {} : { verdict };
  }
}
