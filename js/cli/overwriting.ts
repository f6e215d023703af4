/** Refuses command lines whose result would replace a file that they read. */

import { fstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "./arguments.ts";

/** A file and the flag that names it; an operand has none. */
export interface NamedFile {
  flag?: string;
  path: string;
}

/**
 * Two files are the same by device and number, which also finds other spellings, links, and `-` for `< FILE`.
 *
 * @throws UsageError if an output is an input or another output
 */
export function refuseOverwriting(inputs: readonly NamedFile[], outputs: readonly NamedFile[]): void {
  const known = new Map(inputs.map((input) => [identityOf(input.path), input]));
  for (const output of outputs) {
    const id = identityOf(output.path);
    const same = known.get(id);
    if (id !== undefined && same) {
      const what = same.flag === undefined ? "FILE" : `the file of ${same.flag}`;
      throw new UsageError(
        `${output.flag} ${output.path} is ${what}, which would be overwritten; choose another file for ${output.flag}`,
      );
    }
    known.set(id, output);
  }
}

/** Returns the identity of a file, or nothing for pipes, devices and folders. */
function identityOf(path: string): string | undefined {
  try {
    const stat = path === "-" ? fstatSync(0, { bigint: true }) : statSync(path, { bigint: true });
    return stat.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    // A file that does not exist yet.
    return path === "-" ? undefined : resolve(path);
  }
}
