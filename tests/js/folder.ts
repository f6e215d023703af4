import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

process.on("exit", () => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Makes a temporary folder, which is removed when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "espalier-"));
  made.push(folder);
  return folder;
}
