/** Fetches the public probes from PyPI into `build/retention` (not part of the repository). */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

const PACKAGES = { kit: "compaction-conformance-kit==0.8.0", bfcl: "bfcl-eval==2026.3.23" };
const home = new URL("../../build/retention/", import.meta.url).pathname;

/** Returns the folders of both; nothing for one that cannot be fetched, which is printed. */
export function probes() {
  return { kit: fetched("kit"), memory: inside(fetched("bfcl")) };
}

function fetched(name) {
  const folder = join(home, name);
  if (existsSync(folder)) return folder;
  try {
    const wheels = join(home, "wheels", name);
    mkdirSync(wheels, { recursive: true });
    execFileSync("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, PACKAGES[name]], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    for (const wheel of readdirSync(wheels))
      execFileSync("python3", ["-m", "zipfile", "-e", join(wheels, wheel), folder]);
    return folder;
  } catch (error) {
    process.stderr.write(`${PACKAGES[name]} could not be fetched; its rows are left out. ${error.message}\n`);
    return undefined;
  }
}

const inside = (folder) => (folder === undefined ? undefined : join(folder, "bfcl_eval", "data"));
