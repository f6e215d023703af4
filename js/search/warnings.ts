/**
 * Failures after which the index continued: passed to the host as they occur, to the reports of running calls, and to
 * states.
 */

import type { IndexWarning } from "./types.ts";

/** Max warnings of a state. */
const NEWEST = 20;
/** Max warnings of a report: a storage that refuses everything refuses every segment. */
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
      // A failing listener must not stop the work that it watches.
    }
  }

  /** Collects warnings into `report` until the returned function is called. */
  collect(report: IndexWarning[]): () => void {
    this.reports.add(report);
    return () => void this.reports.delete(report);
  }
}

/** Returns the text of an error, for messages. */
export function errorText(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : String(error);
}
