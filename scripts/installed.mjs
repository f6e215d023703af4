/** Packages of one script or check, installed once for each version of its manifest, outside of the repository. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tools } from "./lib.mjs";

/**
 * Installs the dependencies of a package.json below `name` in the cache, without scripts. Returns their folder, and how
 * long the installation took; 0 if they were there.
 */
export function installed(manifestFile, name) {
  const manifest = readFileSync(manifestFile, "utf8");
  const version = createHash("sha256").update(manifest).digest("hex").slice(0, 16);
  const folder = join(dirname(tools), name, version);
  const modules = join(folder, "node_modules");
  if (existsSync(folder)) return { modules, ms: 0 };
  const start = Date.now();
  // Two checks may install at the same time, and an installation may be interrupted: a folder is whole from the moment
  // at which it has its name.
  const made = `${folder}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  try {
    writeFileSync(join(made, "package.json"), manifest);
    const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefer-offline"];
    execFileSync("npm", ["install", ...quiet, "--loglevel=error"], {
      cwd: made,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (!existsSync(folder)) renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return { modules, ms: Date.now() - start };
}
