/** The edits of a log, cached until one is made or revoked: a conversation reads them several times in each request. */

import type { LogEditRow } from "./types.ts";

export class HeldEdits {
  private held: { rows: readonly LogEditRow[]; standing: string } | undefined;
  private readonly fetch: () => LogEditRow[];

  constructor(fetch: () => LogEditRow[]) {
    this.fetch = fetch;
  }

  /** Clears the cache after an edit was made or revoked. */
  changed(): void {
    this.held = undefined;
  }

  /** All edits, in log order. */
  get rows(): readonly LogEditRow[] {
    return this.known().rows;
  }

  /** Ids of the active edits, as one text. */
  get standing(): string {
    return this.known().standing;
  }

  private known(): { rows: readonly LogEditRow[]; standing: string } {
    if (!this.held) {
      const rows = this.fetch();
      this.held = { rows, standing: rows.flatMap(({ id, revokedBy }) => (revokedBy === undefined ? [id] : [])).join() };
    }
    return this.held;
  }
}
