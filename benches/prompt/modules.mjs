// The two modules, under the names in the tables.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";

const ours = new URL("../../pkg/dist/prompt-tsx-node.js", import.meta.url);

export const modules = {
  "prompt-tsx": () => createRequire(import.meta.url)("@vscode/prompt-tsx"),
  espalier: () => import(ours.href),
};

export const built = existsSync(ours);
