/** `nodeStorage` where there are no files of Node. */

import { EspalierError } from "../errors/errors.ts";
import type { HostStorage } from "./storage.ts";

/**
 * Refuses: only the entry for Node keeps a conversation in a folder. It is here because all entries share one set of
 * declarations.
 *
 * @throws EspalierError `unsupported`
 */
export function nodeStorage(_folder: string): HostStorage {
  const message =
    'nodeStorage needs the files of Node, and this build of espalier is for browsers, workers or any runtime. Import it from "espalier/storage" in a build ' +
    "for Node, or use indexedDbStorage, memoryStorage, mementoStorage or workspaceStorage.";
  throw new EspalierError({ code: "unsupported", message });
}
