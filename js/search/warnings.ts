/**
 * What failed while the index went on: passed to the host as it occurs, to the reports of calls under way, and to
 * states.
 */

import type { IndexWarning } from "./types.ts";

/** Warnings of a state at most. */
const NEWEST = 20;
/** Warnings of a report at most: a storage that refuses everything refuses every segment. */
const OF_REPORT = 100;

export class Warnings {
  readonly newest: IndexWarning[] = [];
  private readonly reports = new Set<IndexWarning[]>();
  private readonly onWarning: ((warning: IndexWarning) => void) | undefined;

  constructor(onWarning: ((warning: IndexWarning) => void) | undefined) {
    this.onWarning = onWarning;
  }

  add(code: IndexWarning["code"], message: string, cause?: unknown): void {
    const warning: IndexWarning = { code, message, ...(cause !== undefined && { cause }) };
    this.newest.push(warning);
    if (this.newest.length > NEWEST) this.newest.shift();
    for (const report of this.reports) if (report.length < OF_REPORT) report.push(warning);
    try {
      this.onWarning?.(warning);
    } catch {
      // A listener that fails must not stop the work that it is informed of.
    }
  }

  /** Collects into `report` until the function that it returns is called. */
  collect(report: IndexWarning[]): () => void {
    this.reports.add(report);
    return () => void this.reports.delete(report);
  }
}

/** The words of an error, for messages. */
export function said(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : String(error);
}
