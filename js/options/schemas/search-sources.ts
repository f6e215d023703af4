/** The options of public calls: workspace search: where files come from. */

import type { BrowserFilesOptions } from "../../search/sources/browser.ts";
import type { NodeFilesOptions } from "../../search/sources/node-options.ts";
import type { FileRules, SourceOptions } from "../../search/sources/rules.ts";
import type { VsCodeFilesOptions } from "../../search/sources/vscode.ts";
import type { Schema } from "../check.ts";
import { amount, callback, ceiling, flag, texts } from "../kinds.ts";

export const FILE_RULES: Schema<Partial<FileRules>> = {
  binary: texts,
  generated: texts,
  folders: texts,
  names: texts,
  secrets: flag,
  maxBytes: ceiling,
  larger: ["skip", "cut"],
  binaryBytes: ceiling,
  minifiable: texts,
  maxLineLength: ceiling,
  maxAverageLineLength: ceiling,
  ignore: callback,
};

export const SOURCE: Schema<SourceOptions> = { rules: FILE_RULES, ignoreFiles: flag };

export const NODE_FILES: Schema<NodeFilesOptions> = { ...SOURCE, delayMs: amount };

export const VSCODE_FILES: Schema<VsCodeFilesOptions> = { ...NODE_FILES, settings: flag, unsaved: flag };

export const BROWSER_FILES: Schema<BrowserFilesOptions> = { ...SOURCE, pollMs: amount };
