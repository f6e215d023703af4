/** Writes files, and says why a file or folder cannot be read or written, and what to do. */

import {
  accessSync,
  appendFileSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { NamedFile } from "./overwriting.ts";

/** A file that the command line names cannot be written. */
export class UnwritableError extends Error {}

/** Replaces the file, all or nothing: a full disk costs neither an earlier result nor an earlier log. */
export function writeText(path: string, text: string): void {
  written(path, () => {
    const known = statSync(path, { throwIfNoEntry: false });
    const named = known ?? lstatSync(path, { throwIfNoEntry: false });
    // A device, a pipe, a file with other names and a link to no file have to be written themselves.
    if (named && (!known?.isFile() || known.nlink > 1)) return writeFileSync(path, text);
    if (known) accessSync(path, constants.W_OK);
    const target = known ? realpathSync(path) : path;
    const made = `${target}.${process.pid}.new`;
    try {
      writeFileSync(made, text, { flag: "wx", mode: known?.mode ?? 0o666 });
      renameSync(made, target);
    } catch (error) {
      rmSync(made, { force: true });
      // A folder may allow to change this file, and no new one.
      if (!known || !["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      writeFileSync(path, text);
    }
  });
}

/** Adds to the file, all or nothing; `mode` is that of a new one. */
export function appendText(path: string, text: string, mode: number): void {
  written(path, () => {
    const known = statSync(path, { throwIfNoEntry: false });
    try {
      appendFileSync(path, text, { mode });
    } catch (error) {
      if (!known) rmSync(path, { force: true });
      else if (known.isFile()) truncateSync(path, known.size);
      throw error;
    }
  });
}

/**
 * Refuses outputs that have no folder before the work begins: a model's summary costs money.
 *
 * @throws UnwritableError
 */
export function refuseUnwritable(outputs: readonly NamedFile[]): void {
  for (const { path } of outputs)
    written(path, () => {
      if (!statSync(dirname(path)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
      if (/[\\/]$/.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory())
        throw Object.assign(new Error(), { code: "EISDIR" });
    });
}

function written(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    const why = reason(path, cause as NodeJS.ErrnoException, "; name a file");
    throw new UnwritableError(`${path} cannot be written: ${why}`, { cause });
  }
}

/** Says in words why the system refused a path; `forFolder`: what to do with a folder. */
export function reason(path: string, { code, message }: NodeJS.ErrnoException, forFolder = ""): string {
  const folder = dirname(path);
  switch (code) {
    case "ENOENT":
      return isFolder(folder) ? "it does not exist" : `there is no folder ${folder}; create it, or correct the path`;
    case "ENOTDIR":
      return `${folder} is not a folder; correct the path`;
    case "EISDIR":
      return `it is a folder${forFolder}`;
    case "EACCES":
    case "EPERM":
      return "permission denied; change its permissions or those of its folder, or name another file";
    case "EROFS":
      return "its file system is read-only; name a file elsewhere";
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full; free some space, or name a file on another disk";
    default:
      return message;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
