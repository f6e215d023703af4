/**
 * An extension as an author would write it: the engine from the bundle, vocabularies and grammars from the extension's
 * own files.
 */

import { count, isReady, loadEncodingSync } from "espalier/inline";
import * as vscode from "vscode";
import { run } from "./check.ts";
import type { Host, Outcome } from "./check.ts";
import { activation } from "./cases/activation.ts";
import { conversations } from "./cases/conversations.ts";
import { documents } from "./cases/documents.ts";
import { engine } from "./cases/engine.ts";
import { example } from "./cases/example.ts";
import { messages } from "./cases/messages.ts";
import { models } from "./cases/models.ts";
import { prompts } from "./cases/prompts.tsx";
import { reopened } from "./cases/reopened.ts";
import { stored } from "./cases/stored.ts";
import { windows } from "./cases/windows.ts";
import { registered } from "./model.ts";

const SUITES = {
  first: {
    ...engine,
    ...messages,
    ...prompts,
    ...models,
    ...conversations,
    ...documents,
    ...activation,
    ...example,
    ...stored,
    ...windows,
  },
  second: reopened,
};

export interface Api {
  /** Start time of the engine, in ms: its bytes from the bundle, and the vocabulary from a file. */
  cold: { compiled: number; counting: number };
  check(suite: keyof typeof SUITES, reads: Host["reads"]): Promise<Outcome[]>;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const vocabulary = await vscode.workspace.fs.readFile(
    vscode.Uri.joinPath(context.extensionUri, "assets", "o200k_base.vocab"),
  );
  if (isReady()) throw new Error("the engine was started before anybody used it");
  const start = performance.now();
  loadEncodingSync("o200k_base", vocabulary);
  const compiled = performance.now() - start;
  if (count("Hello world!") !== 3) throw new Error("counts are wrong");
  const cold = { compiled, counting: performance.now() - start - compiled };
  const check: Api["check"] = async (suite, reads) =>
    run(SUITES[suite], { context, reads, ...(await registered(context)) });
  return { cold, check };
}
