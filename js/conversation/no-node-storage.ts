/** `nodeStorage` for platforms without Node's files. */

import { EspalierError } from "../errors/errors.ts";
import type { HostStorage } from "./storage.ts";

/**
 * Throws: only the entry for Node stores a conversation in a folder. It exists because all entries share one set of
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
