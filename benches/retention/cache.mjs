/** Caches scores in `build/retention`: keyed by the scorers, their data and the contender's code. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const pathOf = (relative) => new URL(relative, import.meta.url).pathname;
const HOME = pathOf("../../build/retention/scores/");
/** Files of this folder that do not affect scores. */
const REPORTING = /^(?:board\.(?:md|json)|run|tables|goals|cache|tune)/;
const PEERS = ["@langchain/core", "ai-sdk", "gpt-tokenizer"];

/**
 * Returns the versions that decide a score besides the view's name: hashes of the scorers with their data, and of the
 * package in `dist`.
 */
export function versions(dist) {
  const folders = ["./", "./labels/", "./transcripts/", "../../tests/fixtures/transcripts/"].map(pathOf);
  const peers = PEERS.map((name) => readFileSync(pathOf(`../node_modules/${name}/package.json`)));
  return {
    scorers: hash([...folders.flatMap((folder) => contents(folder, /\.(?:mjs|json|py)$/)), ...peers]),
    engine: hash(contents(dist, /\.(?:js|wasm)$/)),
  };
}

/** Returns the stored value of `key`, or calls `make` and stores its result. */
export async function cached(key, make) {
  const file = join(HOME, `${hash([JSON.stringify(key)])}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const made = await make();
  mkdirSync(HOME, { recursive: true });
  writeFileSync(file, JSON.stringify(made));
  return made;
}

function contents(folder, kind) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && kind.test(entry.name) && !REPORTING.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => readFileSync(join(folder, name)));
}

function hash(texts) {
  const sum = createHash("sha256");
  for (const text of texts) sum.update(text).update("\0");
  return sum.digest("hex").slice(0, 32);
}
