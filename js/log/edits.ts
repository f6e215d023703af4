/**
 * The edits of a log, held until one is made or taken back: a conversation asks for them several times in each request.
 */

import type { LogEditRow } from "./types.ts";

export class HeldEdits {
  private held: { rows: readonly LogEditRow[]; standing: string } | undefined;
  private readonly fetch: () => LogEditRow[];

  constructor(fetch: () => LogEditRow[]) {
    this.fetch = fetch;
  }

  /** An edit was made, or one was taken back. */
  changed(): void {
    this.held = undefined;
  }

  /** All edits, in log order. */
  get rows(): readonly LogEditRow[] {
    return this.known().rows;
  }

  /** Ids of the edits in force, as one text. */
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
