/** Asserts what the package refuses, by the code of the error and the path of the wrong field. */

import assert from "node:assert/strict";
import { espalier } from "./built.ts";

const refusal = (code: string, path?: string) => (error: unknown) => {
  assert.ok(error instanceof espalier.EspalierError, String(error));
  assert.deepEqual([error.code, error.path], [code, path], error.message);
  return true;
};

export function refused(run: () => unknown, code: string, path?: string): void {
  assert.throws(run, refusal(code, path));
}

/** The same of a function that may throw or reject. */
export async function rejected(run: () => unknown, code: string, path?: string): Promise<void> {
  await assert.rejects(async () => run(), refusal(code, path));
}
