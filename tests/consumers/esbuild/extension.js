// An extension as it is usually written: ES modules that esbuild turns into CommonJS. One of its libraries requires the
// package.
import { count, EspalierError } from "espalier";
import { nodeStorage } from "espalier/storage";
import { PromptElement } from "espalier/prompt-tsx";
import { use } from "./use.js";
import * as espalier from "espalier";

const library = require("espalier");
const promptTsx = require("espalier/prompt-tsx");

export async function activate(folder) {
  await nodeStorage(folder).append("log", "one line\n");
  return [
    await use(espalier),
    library.EspalierError === EspalierError,
    promptTsx.PromptElement === PromptElement,
    library.count === count,
  ].join(" ");
}
