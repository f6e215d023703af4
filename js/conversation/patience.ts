/** When to try again by itself, after a compaction that failed or gained nothing. */

import { call, wasm } from "../engine.ts";

export { draw, hash32 } from "./draw.ts";

export type Verdict = "try" | "offline" | "notYet" | "blocked";
/** The conversation now: requests so far, tokens of everything that was ever added, what messages may have, and what is tried. */
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

  note(status: string, now: Now): void {
    try {
      this.step({ type: "note", status, now });
    } catch {
      // Ours alone, or one that says nothing about the next try.
    }
  }

  private step(event: object): { verdict?: Verdict } {
    const { state, verdict } = JSON.parse(call(() => wasm().backoffStep(this.state, this.profile, JSON.stringify(event)))) as { state: unknown; verdict?: Verdict };
    this.state = JSON.stringify(state);
    return verdict === undefined ? {} : { verdict };
  }
}
