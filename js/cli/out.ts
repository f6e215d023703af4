/** Writes results and reports: to standard output or a file, and to standard error. */

import type { CompactReport } from "../types/compact-report.ts";
import type { CountReport } from "../types/count.ts";
import type { PruneReport } from "../types/prune.ts";
import { base64Of } from "../formats/media.ts";
import { isBytes } from "../files/bytes.ts";
import { shownConversion } from "./convert.ts";
import type { Written } from "./convert.ts";
import { EXIT } from "./exit.ts";
import { writeText } from "./files.ts";
import { printable } from "./printable.ts";
import { painted, shown } from "./report.ts";

/** Writes the result to standard output and the report to standard error; with --json one object with both. */
export function finish(
  result: { messages?: unknown; report: CountReport | PruneReport | CompactReport; edits?: unknown; text?: string },
  { json, output, quiet }: To,
): number {
  const { messages, report, text } = result;
  const write = (text: string) => (output === undefined ? print(text) : writeText(output, `${text}\n`));
  if (json) {
    const { text: _, ...fields } = result;
    write(jsonOf(fields));
  } else if (messages === undefined) {
    write(text ?? shown(report));
  } else {
    tell(shown(report), { quiet });
    write(jsonOf(messages));
  }
  return EXIT.ok;
}

/** The destinations of results and reports. */
export interface To {
  json?: boolean | undefined;
  output?: string | undefined;
  quiet?: boolean | undefined;
}

/** Writes a report for people to standard error. */
export function tell(text: string, { quiet }: To): void {
  if (!quiet) process.stderr.write(`${painted(printable(text), process.stderr)}\n`);
}

/** Writes text to the requested destination. */
export function finishText(text: string, { output }: { output?: string | undefined }): number {
  if (output === undefined) return print(text);
  writeText(output, text.endsWith("\n") ? text : `${text}\n`);
  return EXIT.ok;
}

export function print(text: string): number {
  const shown = process.stdout.isTTY ? printable(text) : text;
  process.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  return EXIT.ok;
}

/**
 * Writes a file in its tool's layout, byte for byte, or messages; reports losses and repairs. With --json one object,
 * with the fields of `result` as well.
 */
export function finishWritten({ messages, file, conversion }: Written, to: To, result: object = {}): number {
  if (to.json)
    return finishText(jsonOf({ ...result, ...(file === undefined ? { messages } : { file }), conversion }), to);
  for (const note of shownConversion(conversion)) tell(note, to);
  const text = file ?? jsonOf(messages);
  if (to.output === undefined) process.stdout.write(text);
  else writeText(to.output, text);
  return EXIT.ok;
}

/** Returns the JSON text of messages, with bytes in the form in which formats store them. */
export function jsonOf(value: unknown): string {
  const stored = (_: string, inner: unknown) => (isBytes(inner) ? { $bytes: base64Of(inner) } : inner);
  return JSON.stringify(value, stored, 2);
}
