/**
 * The options of public calls: workspace search: where files come from. The compiler holds each list equal to its type.
 */

import type { BrowserFilesOptions } from "../../search/sources/browser.ts";
import type { NodeFilesOptions } from "../../search/sources/node-options.ts";
import type { FileRules, SourceOptions } from "../../search/sources/rules.ts";
import type { VsCodeFilesOptions } from "../../search/sources/vscode.ts";
import type { Names } from "../known.ts";

export const FILE_RULES: Names<FileRules> = {
  binary: 1,
  generated: 1,
  folders: 1,
  names: 1,
  maxBytes: 1,
  larger: 1,
  binaryBytes: 1,
  minifiable: 1,
  maxLineLength: 1,
  maxAverageLineLength: 1,
  ignore: 1,
};

export const SOURCE: Names<SourceOptions> = { rules: 1, ignoreFiles: 1 };

export const NODE_FILES: Names<NodeFilesOptions> = { rules: 1, ignoreFiles: 1, delayMs: 1 };

export const VSCODE_FILES: Names<VsCodeFilesOptions> = {
  rules: 1,
  ignoreFiles: 1,
  delayMs: 1,
  settings: 1,
  unsaved: 1,
};

export const BROWSER_FILES: Names<BrowserFilesOptions> = { rules: 1, ignoreFiles: 1, pollMs: 1 };
