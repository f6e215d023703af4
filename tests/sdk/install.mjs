/**
 * Installs the SDKs of package.json once for each version of it, outside of the repository: 361 MB (Mastra 132, the
 * Agents SDK 85, LangChain 71) in 30 s on two idle cores.
 */

import { lstatSync, mkdirSync, readdirSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "../../scripts/installed.mjs";

/** Returns the folder with the SDKs' modules, and how long the installation took; 0 if they were there. */
export const installSdks = () => installed(fileURLToPath(new URL("package.json", import.meta.url)), "sdks");

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
