/** `nodeFiles` for builds without Node's files. */

import { EspalierError } from "../../errors/errors.ts";
import type { FileSource } from "../types.ts";
import type { NodeFilesOptions } from "./node-options.ts";

/**
 * Throws: only the entry for Node reads folders. It exists because all entries share one set of declarations.
 *
 * @throws EspalierError `unsupported`
 */
export function nodeFiles(_roots: string | readonly string[], _options?: NodeFilesOptions): FileSource {
  const message =
    "nodeFiles needs the files of Node, and this build of espalier is for browsers, workers or any runtime. " +
    'Import it from "espalier/search" in a build for Node, or use vscodeFiles, browserFiles or memoryFiles.';
  throw new EspalierError({ code: "unsupported", message });
}
