/** A minimal test runner for a host without modules. */

import type * as vscode from "vscode";
import type { ScriptedModel } from "./model.ts";

/** The argument of a case. */
export interface Host {
  context: vscode.ExtensionContext;
  /** The provider that the extension registered, and the model that VS Code returns for it. */
  scripted: ScriptedModel;
  model: vscode.LanguageModelChat;
  /** Lists which files of the example have been read since its main file, by name. */
  reads(): Promise<string[]>;
  /** Adds a note to the result. */
  note(text: string): void;
}

export type Cases = Record<string, (host: Host) => Promise<void> | void>;

export interface Outcome {
  name: string;
  ms: number;
  notes: string[];
  error?: string;
}

/** Runs the cases one after the other, whatever their outcome. */
export async function run(cases: Cases, host: Omit<Host, "note">): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [name, work] of Object.entries(cases)) {
    const notes: string[] = [];
    const start = performance.now();
    let failed: unknown;
    try {
      await Promise.race([work({ ...host, note: (text) => void notes.push(text) }), late(30_000)]);
    } catch (error) {
      failed = error ?? "nothing was thrown";
    }
    const error =
      failed === undefined
        ? {}
        : {
            error:
              failed instanceof Error
                ? `${failed.stack ?? failed.message}`
                : (JSON.stringify(failed) ?? String(failed)),
          };
    outcomes.push({ name, ms: Math.round(performance.now() - start), notes, ...error });
  }
  return outcomes;
}

function late(ms: number): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error(`still running after ${ms} ms`)), ms));
}

export function ok(value: unknown, what: string): asserts value {
  if (!value) throw new Error(`not so: ${what}`);
}

/** Compares as JSON, which is enough here. */
export function equal(actual: unknown, expected: unknown, what = "value"): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what} is ${a}, expected ${b}`);
}

/** Returns the error of work that must fail. */
export async function failing(work: () => unknown): Promise<Error & { code?: string; details?: any }> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}

/** Waits until a condition holds. */
export async function until(what: string, is: () => boolean): Promise<void> {
  for (let tries = 0; !is(); tries += 1) {
    if (tries > 500) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
