/** Files of the package by their address: over HTTP everywhere, from the disk in Node. */

/** The part of Node's `process` that reads a file without an import, which bundles for browsers refuse. */
interface Scope {
  location?: unknown;
  process?: {
    getBuiltinModule?(name: "fs/promises"): { readFile(path: string | URL): Promise<Uint8Array> } | undefined;
  };
}

/**
 * Fetches an address. Node's `fetch` refuses `file:` URLs and has no base for paths, so they are read from the disk.
 *
 * @throws the error of `fetch`, or of the disk
 */
export async function fetched(source: string | URL): Promise<Response | Uint8Array> {
  const { location, process } = globalThis as Scope;
  const address = String(source);
  const isFile = address.startsWith("file:");
  // Pages and their workers have a location, which is the base of addresses without a scheme. `C:` is a path.
  const isPath = location === undefined && !/^[a-z][a-z\d+.-]+:/i.test(address);
  const disk = isFile || isPath ? process?.getBuiltinModule?.("fs/promises") : undefined;
  return disk ? disk.readFile(isFile ? new URL(address) : address) : fetch(source);
}
