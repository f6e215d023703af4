/** The package as npm packs it, for all checks. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, hash, root } from "./lib.mjs";

/** Packs pkg/, once for each content of it; returns the file. */
export function packed() {
  const folder = join(build, "packed");
  const name = `espalier-${hash(["pkg"]).slice(0, 16)}.tgz`;
  const file = join(folder, name);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  // Two checks may pack at the same time, so a file gets its name when it is whole.
  const made = mkdtempSync(`${folder}-`);
  try {
    execFileSync("npm", ["pack", "--silent", "--pack-destination", made], { cwd: join(root, "pkg"), stdio: "pipe" });
    for (const old of readdirSync(folder)) if (old !== name) rmSync(join(folder, old));
    renameSync(join(made, readdirSync(made)[0]), file);
  } finally {
    rmSync(made, { recursive: true });
  }
  return file;
}
