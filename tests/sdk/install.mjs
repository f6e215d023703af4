/** Installs the SDKs of package.json once for each version of it, outside of the repository. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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
  const stamp = join(folder, "installed");
  if (existsSync(stamp)) return { modules, ms: 0 };
  const start = Date.now();
  // An installation that was interrupted.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), manifest);
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefer-offline"];
  execFileSync("npm", ["install", ...quiet, "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(stamp, "");
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
