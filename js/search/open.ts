/** Opening an index: options are checked, engine and vocabulary loaded, what was stored is read. */

import { needFunction, needText } from "../options/checks.ts";
import { ready } from "../engine/engine.ts";
import { badOption } from "../errors/errors.ts";
import { known, knownIn } from "../options/known.ts";
import { EMBED, INDEX } from "../options/names/search.ts";
import { loadNeeded, notFound, vocabularyOf } from "../engine/vocabulary.ts";
import { LocalIndex } from "./local.ts";
import type { IndexOptions, WorkspaceIndex } from "./types.ts";
import { WorkerIndex } from "./worker-index.ts";

/**
 * Opens an index over the files of a workspace, and reads what its storage has. Call {@link WorkspaceIndex.sync} to
 * bring it up to date.
 *
 * ```ts
 * import { openIndex } from "espalier/search";
 *
 * const index = await openIndex();
 * await index.put([
 *   { path: "src/retry.ts", text: "export function retry(times: number) {}" },
 *   { path: "docs/tea.md", text: "Boil the water, then wait." },
 * ]);
 * const { hits } = await index.search("how often do we retry?");
 * hits[0]?.path; // => "src/retry.ts"
 * await index.dispose();
 * ```
 *
 * @throws EspalierError `bad_option`, `unknown_encoding`, or as `init` if engine or vocabulary cannot be loaded. A
 * storage that fails is no error but a warning.
 */
export async function openIndex(options: IndexOptions = {}): Promise<WorkspaceIndex> {
  const { encoding = "o200k_base", worker, vocabulary } = checkedOptions(options);
  if (worker) {
    const from = vocabulary ?? vocabularyOf(encoding);
    if (from === undefined)
      throw notFound(
        encoding,
        "options.vocabulary is missing",
        undefined,
        `Pass its bytes or URL as options.vocabulary.`,
      );
    const index = new WorkerIndex(options, from instanceof Uint8Array ? from : String(from));
    await index.open();
    return index;
  }
  await ready();
  await loadNeeded(encoding);
  const index = new LocalIndex(options);
  await index.load();
  return index;
}

/** @throws EspalierError `bad_option` naming what is wrong */
export function checkedOptions(options: IndexOptions): IndexOptions {
  const { encoding, chunkBudget, sliceMs, profile, storage, source, embeddings } = known(options, INDEX);
  needText(encoding, "encoding", "the name of an encoding");
  needText(profile, "profile", '"espalier" or "copilot-chat"');
  if (chunkBudget !== undefined && typeof chunkBudget !== "number")
    throw badOption("chunkBudget", "a number of tokens", chunkBudget);
  if (sliceMs !== undefined && !(typeof sliceMs === "number" && sliceMs > 0))
    throw badOption("sliceMs", "a number of milliseconds above 0", sliceMs);
  for (const name of ["definitions", "worker", "onWarning"] as const) needFunction(options[name], name);
  const { vocabulary } = options;
  if (
    vocabulary !== undefined &&
    typeof vocabulary !== "string" &&
    !(vocabulary instanceof URL) &&
    !(vocabulary instanceof Uint8Array)
  ) {
    throw badOption("vocabulary", "the bytes or the URL of a vocabulary", vocabulary);
  }
  needMethods(storage, "storage", ["readBytes", "writeBytes", "list", "delete"]);
  needMethods(source, "source", ["list", "read"]);
  knownIn(embeddings, EMBED, "options.embeddings");
  if (embeddings !== undefined) {
    if (typeof embeddings !== "object" || embeddings === null)
      throw badOption("embeddings", "an object with embed and model", embeddings);
    if (typeof embeddings.embed !== "function") throw badOption("embeddings.embed", "a function", embeddings.embed);
    if (typeof embeddings.model !== "string" || embeddings.model === "")
      throw badOption("embeddings.model", "the name of the model", embeddings.model);
  }
  return options;
}

function needMethods(value: unknown, name: string, methods: readonly string[]): void {
  if (value === undefined) return;
  if (typeof value !== "object" || value === null) throw badOption(name, `an object with ${methods.join(", ")}`, value);
  for (const method of methods) {
    const found = (value as Record<string, unknown>)[method];
    if (typeof found !== "function") throw badOption(`${name}.${method}`, "a function", found);
  }
}
