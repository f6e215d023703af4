/** `nodeFiles` in builds without the files of Node. */

import { EspalierError } from "../../errors/errors.ts";
import type { FileSource } from "../types.ts";
import type { NodeFilesOptions } from "./node-options.ts";

/**
 * Refuses: only the entry for Node reads folders. It is here because all entries share one set of declarations.
 *
 * @throws EspalierError `unsupported`
 */
export function nodeFiles(_roots: string | readonly string[], _options?: NodeFilesOptions): FileSource {
  const message =
    "nodeFiles needs the files of Node, and this build of espalier is for browsers, workers or any runtime. " +
    'Import it from "espalier/search" in a build for Node, or use vscodeFiles, browserFiles or memoryFiles.';
  throw new EspalierError({ code: "unsupported", message });
}
