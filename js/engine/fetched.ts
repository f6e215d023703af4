/** Files of the package by their address: over HTTP everywhere, from the disk in Node. */

import type { EspalierError } from "../errors/errors.ts";

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

/**
 * Reads a response to its end.
 *
 * @param refusal makes the error for a status other than 2xx and for a download that was cut
 * @throws that error; the reason of the host's own signal, if that ended the download
 */
export async function bodyOf(
  response: Response,
  refusal: (what: string, cause?: unknown) => EspalierError,
): Promise<ArrayBuffer> {
  const { ok, status, url } = response;
  if (!ok) throw refusal(`${url || "the server"} answered ${status}`);
  try {
    return await response.arrayBuffer();
  } catch (cause) {
    // A network error is a TypeError.
    throw cause instanceof TypeError ? refusal(`the download ${url && `of ${url} `}was cut`, cause) : cause;
  }
}
