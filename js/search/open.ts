/** Opens an index: checks options, loads engine and vocabulary, reads the storage. */

import { isBytes } from "../files/bytes.ts";
import { ready } from "../engine/engine.ts";
import { check } from "../options/check.ts";
import { INDEX } from "../options/schemas/search.ts";
import { loadNeeded, vocabularyNotFound, vocabularyOf } from "../engine/vocabulary.ts";
import { LocalIndex } from "./local.ts";
import type { IndexOptions, WorkspaceIndex } from "./types.ts";
import { WorkerIndex } from "./worker-index.ts";

/**
 * Opens an index over the files of a workspace, and loads the stored index. Call {@link WorkspaceIndex.sync} to bring
 * it up to date.
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
 *   failing storage is not an error but a warning.
 */
export async function openIndex(options: IndexOptions = {}): Promise<WorkspaceIndex> {
  const { encoding = "o200k_base", worker, vocabulary } = check(options, INDEX);
  if (worker) {
    const from = vocabulary ?? vocabularyOf(encoding);
    if (from === undefined)
      throw vocabularyNotFound(
        encoding,
        "options.vocabulary is missing",
        undefined,
        `Pass its bytes or URL as options.vocabulary.`,
      );
    const index = new WorkerIndex(options, isBytes(from) ? from : String(from));
    await index.open();
    return index;
  }
  await ready();
  await loadNeeded(encoding);
  const index = new LocalIndex(options);
  await index.load();
  return index;
}
