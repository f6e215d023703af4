/**
 * `espalier/core` for a host without the package's JavaScript: the built module, the wasm and a vocabulary, nothing
 * else.
 */

import { readFileSync } from "node:fs";
// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../../pkg/dist/functions.js";
import type { CompactResult } from "../../../js/types/compact-report.ts";
import type { Llm } from "../../../js/types/llm.ts";
import type { NeutralMessage } from "../../../js/types/messages.ts";
import type { PruneResult } from "../../../js/types/prune.ts";

const file = (name: string) => readFileSync(new URL(`../../../pkg/dist/${name}`, import.meta.url));

export const core = bundle as {
  initSync(options: { module: Uint8Array }): unknown;
  loadEncoding(name: string, bytes: Uint8Array): void;
  count(text: string, encoding: string): number;
  prune(messages: unknown, options?: unknown): PruneResult<NeutralMessage[]>;
  compact(messages: unknown, options: unknown, llm?: Llm): Promise<CompactResult<NeutralMessage[]>>;
  render(
    tree: unknown,
    options: unknown,
    host?: unknown,
  ): Promise<{ request: { messages: any[] }; tokens: number; budget: number; format: string; removed: number }>;
};
core.initSync({ module: file("espalier.wasm") });
core.loadEncoding("o200k_base", file("vocab/o200k_base.vocab"));
core.loadEncoding("cl100k_base", file("vocab/cl100k_base.vocab"));

/** Returns the outcome of a call: its value, or the code and path of its error. */
export async function outcome(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    const { code, path } = error as { code?: string; path?: string };
    if (code === undefined) throw error;
    return { code, path };
  }
}

const FIXTURES = new URL("../../fixtures/", import.meta.url);

/** Returns a real conversation as neutral messages. */
export function neutral(name: string): NeutralMessage[] {
  return JSON.parse(readFileSync(new URL(`neutral/${name}.json`, FIXTURES), "utf8")) as NeutralMessage[];
}
export const NAMES = ["tau-airline-0", "sweagent-marshmallow-1867", "cline-sidebar"];
