/**
 * Records which files the example reads later than its manifest and its main file: by way of `fs`, which extensions and
 * VS Code share in Node.
 */

declare const require: (name: string) => any;

const fs = require("node:fs") as Record<string, unknown> & { promises: Record<string, unknown> };
const { syncBuiltinESMExports } = require("node:module") as { syncBuiltinESMExports(): void };

const LATER = /[/\\]example[/\\](?:assets[/\\]([^/\\]+)|dist[/\\](days\.js))$/;

/** Begins to record; the returned function lists the names so far. */
export function recordReads(): () => string[] {
  const names = new Set<string>();
  const watch = (owner: Record<string, unknown>, name: string) => {
    const before = owner[name] as (...args: unknown[]) => unknown;
    owner[name] = function (this: unknown, path: unknown, ...rest: unknown[]) {
      const found = LATER.exec(String(path));
      if (found) names.add((found[1] ?? found[2])!);
      return before.call(this, path, ...rest);
    };
  };
  for (const name of ["open", "openSync", "readFile", "readFileSync", "createReadStream"]) watch(fs, name);
  for (const name of ["open", "readFile"]) watch(fs.promises, name);
  syncBuiltinESMExports();
  return () => [...names].toSorted();
}
