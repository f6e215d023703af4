/**
 * Installs the SDKs of package.json once for each version of it, outside of the repository: 361 MB (Mastra 132, the
 * Agents SDK 85, LangChain 71) in 30 s on two idle cores.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tools } from "../../scripts/lib.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Returns the folder with the SDKs' modules, and how long the installation took; 0 if they were there. */
export function installSdks() {
  const manifest = readFileSync(join(here, "package.json"), "utf8");
  const name = createHash("sha256").update(manifest).digest("hex").slice(0, 16);
  const folder = join(dirname(tools), "sdks", name);
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

/** Links every package of `modules` into another folder of modules, unless it has one of that name. */
export function linkPackages(modules, into) {
  for (const name of readdirSync(modules)) {
    if (name.startsWith(".")) continue;
    if (name.startsWith("@")) {
      mkdirSync(join(into, name), { recursive: true });
      linkPackages(join(modules, name), join(into, name));
    } else {
      const link = join(into, name);
      const is = lstatSync(link, { throwIfNoEntry: false });
      // A link is of an earlier call, whose versions may have been others.
      if (is?.isSymbolicLink()) unlinkSync(link);
      if (!is || is.isSymbolicLink()) symlinkSync(join(modules, name), link, "dir");
    }
  }
}
