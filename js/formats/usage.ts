/** Usage reports of providers: their reader, and the record that all of them become. */

import type { Usage } from "../types/cache.ts";
import type { Warning } from "../providers/types.ts";
import { isFields } from "./values.ts";
import type { Fields } from "./values.ts";

/** A record, and its anomalies. */
export interface Reported {
  usage: Usage;
  /** The usage of each pass, if the provider reports several. */
  passes?: Usage[];
  warnings: Warning[];
}

/** Reads the usage reports of one provider. */
export interface UsageReader {
  /** True for a report with fields that only this provider has. */
  isOwn(raw: Fields): boolean;
  read(raw: Fields): Reported | undefined;
}

/** Makes the record from a whole input and its cached parts. */
export function usageRecord(from: {
  raw: Fields;
  total: unknown;
  cacheRead?: unknown;
  cacheWrite?: unknown;
  output: unknown;
  reasoning?: unknown;
  sum: unknown;
}): Reported | undefined {
  if (tokens(from.total) === undefined && tokens(from.output) === undefined) return undefined;
  const warnings: Warning[] = [];
  const promptTotal = tokens(from.total) ?? 0;
  const reasoning = tokens(from.reasoning) ?? 0;
  const total = tokens(from.sum);
  const written = tokens(from.output) ?? 0;
  // xAI does not count the thoughts as output, but in its sum.
  const output = total === promptTotal + written + reasoning ? written + reasoning : written;
  const said = { read: tokens(from.cacheRead) ?? 0, write: tokens(from.cacheWrite) ?? 0 };
  const cacheRead = Math.min(said.read, promptTotal);
  const cacheWrite = Math.min(said.write, promptTotal - cacheRead);
  if (cacheRead + cacheWrite < said.read + said.write) {
    warnings.push(
      mismatch(`the provider reports ${said.read + said.write} cached tokens of an input of ${promptTotal}`),
    );
  }
  if (reasoning > output)
    warnings.push(mismatch(`the provider reports ${reasoning} tokens of thoughts in an answer of ${output}`));
  if (total !== undefined && total !== promptTotal + output) {
    warnings.push(mismatch(`the provider reports ${total} tokens in all, and ${promptTotal} + ${output} in parts`));
  }
  const usage = {
    input: promptTotal - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(reasoning, output),
    promptTotal,
    raw: from.raw,
  };
  return { usage, warnings };
}

export function mismatch(message: string): Warning {
  return { code: "usage_mismatch", message };
}

/** Returns a number of tokens, or undefined for any other value. `+ 0` turns -0 into 0. */
export function tokens(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? Math.round(value) + 0
    : undefined;
}

export function first(...values: unknown[]): unknown {
  return values.find((value) => tokens(value) !== undefined);
}

export function sum(...values: unknown[]): number | undefined {
  const known = values.flatMap((value) => tokens(value) ?? []);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}

export function within(raw: Fields, name: string): Fields {
  const value = raw[name];
  return isFields(value) ? value : {};
}

/** True if the report has one of these fields. */
export function has(raw: Fields, ...names: string[]): boolean {
  return names.some((name) => raw[name] !== undefined);
}
