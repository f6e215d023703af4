/** Parses the command line, and the values of its flags. */

import { parseArgs } from "node:util";
import { nearest } from "../options/nearest.ts";
import { OPTIONS } from "./table.ts";

/** The user typed an invalid command line. */
export class UsageError extends Error {}

/** The flags as they were typed. */
export type Values = ReturnType<typeof parseCommandLine>["values"];

export function parseCommandLine(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(explained(error as Error));
  }
}

/** Replaces Node's advice for an unknown flag, which is to pass it as a file. */
function explained({ message }: Error): string {
  const unknown = /^Unknown option '(--?[^']+)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  const close = nearest(unknown, Object.keys(OPTIONS));
  return `${unknown} is unknown${close === undefined ? "" : `; did you mean --${close}?`}`;
}

/** Parses a number; users write budgets as 32k, 1.5k and 32_000. */
export function whole(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const match = /^([0-9][0-9_,]*(?:\.[0-9]+(?=[km]))?)(k|m)?$/i.exec(text);
  if (!match)
    throw new UsageError(`${name} must be a whole number such as 32000, 32k or 1.5k, and is ${JSON.stringify(text)}`);
  const factor = { k: 1000, m: 1_000_000 }[match[2]?.toLowerCase() as "k" | "m"] ?? 1;
  return Math.round(Number(match[1]!.replace(/[_,]/g, "")) * factor);
}

export function oneOf(value: string | undefined, flag: string, values: readonly string[]): string | undefined {
  if (value !== undefined && !values.includes(value))
    throw new UsageError(`${flag} must be one of ${values.join(", ")}, and is ${JSON.stringify(value)}`);
  return value;
}

/** Returns ids given one by one or separated by commas. */
export function ids(given: readonly string[] | undefined): string[] {
  return (given ?? [])
    .flatMap((some) => some.split(","))
    .map((id) => id.trim())
    .filter((id) => id !== "");
}
