/** Folders that a person drops or picks. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes a folder into `home`, and returns its path. */
export function folderIn(home, name, files) {
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return join(home, name);
}
