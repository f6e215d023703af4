/**
 * The files of the pages of search and inline context: the library's own sources. The build puts them into one file.
 */

import type { FileSource } from "../js/search/types.ts";
import type { Failed } from "./talk.ts";

export interface RepositoryFile {
  path: string;
  text: string;
  version: string;
}

/** The build puts it there, beside the page. */
const FILE = "repository/files.json";

let loading: Promise<RepositoryFile[]> | undefined;

/** Rejects with {@link Failed}; after a failure it can be retried. */
export function repository(): Promise<RepositoryFile[]> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<RepositoryFile[]> {
  const response = await fetch(FILE);
  if (!response.ok) throw { code: "file_not_found", message: `${FILE} answered ${response.status}` } satisfies Failed;
  return (await response.json()) as RepositoryFile[];
}

export function repositoryFiles(files: readonly RepositoryFile[]): FileSource {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    list: () => files.map(({ path, text, version }) => ({ path, version, size: text.length })),
    read: async (path) => byPath.get(path) ?? { path, reason: "gone" },
  };
}
