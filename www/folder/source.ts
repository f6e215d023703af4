/** The files of a folder, for the workers that search them. */

import { browserFiles } from "../../js/search/sources/browser.ts";
import type { BrowserFile } from "../../js/search/sources/browser.ts";
import type { FileSource } from "../../js/search/types.ts";
import type { Failed } from "../talk.ts";
import type { Folder, FolderFile } from "./given.ts";
import { storedSource, unpacked } from "./pack.ts";

/** The library's own sources in one file; the build puts it beside the page. */
const REPOSITORY = "repository/files.json";

/** Rejects with {@link Failed}. */
export async function sourceOf(folder: Folder): Promise<FileSource> {
  if (folder.kind === "handle") return browserFiles(folder.handle);
  if (folder.kind === "files") return browserFiles(folder.files.map(withPath));
  if (folder.kind === "kept") return unpacked(folder.file);
  const response = await fetch(new URL(REPOSITORY, import.meta.url));
  if (!response.ok)
    throw { code: "file_not_found", message: `${REPOSITORY} answered ${response.status}` } satisfies Failed;
  return storedSource(await response.json());
}

/** A file that was passed to a worker has lost the path of its folder. */
function withPath({ path, file }: FolderFile): BrowserFile {
  return {
    name: path.slice(path.lastIndexOf("/") + 1),
    webkitRelativePath: path.includes("/") ? path : "",
    // Reading them accesses the disk.
    get size() {
      return file.size;
    },
    get lastModified() {
      return file.lastModified;
    },
    slice: (start, end) => file.slice(start, end),
    arrayBuffer: () => file.arrayBuffer(),
  };
}
