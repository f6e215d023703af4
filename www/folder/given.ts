/** Folders that a reader gives to the page, in a form that can be passed to workers. */

/** A file with its path, which begins with the name of its folder; files without a folder have no slash. */
export interface FolderFile {
  path: string;
  file: File;
}

/**
 * The library's own sources, a folder that can be read again, files as they were when they were given, or a folder that
 * was kept at a `time`, as `pack.ts` writes it.
 */
export type Folder =
  | { kind: "repository" }
  | { kind: "handle"; handle: FileSystemDirectoryHandle }
  | FileList
  | { kind: "kept"; file: File; time: number };
interface FileList {
  kind: "files";
  files: readonly FolderFile[];
}

export interface Given {
  name: string;
  folder: Folder;
}

/** Folders that are not entered where the browser has no handles: the rules leave them out anyway. */
const LEFT_OUT = /^(?:node_modules|\.git)$/;

/** What a drop has: files, and what they are in newer and in older browsers. */
export interface Dropped {
  files: readonly File[];
  entries: readonly FileSystemEntry[];
  handles: readonly (Promise<FileSystemHandle | null> | undefined)[];
}

/** Returns what was dropped: one file, or a folder. */
export async function givenBy({ files, entries, ...dropped }: Dropped): Promise<File | Given | undefined> {
  const handles = await Promise.all(dropped.handles);
  const [handle] = handles;
  if (handles.length === 1 && handle?.kind === "directory")
    return { name: handle.name, folder: { kind: "handle", handle: handle as FileSystemDirectoryHandle } };
  if (files.length === 1 && !entries[0]?.isDirectory) return files[0];
  const found = entries.length > 0 ? await Promise.all(entries.map((entry) => filesIn(entry))) : [];
  const all = entries.length > 0 ? found.flat() : files.map((file) => ({ path: file.name, file }));
  const name = entries.length === 1 ? entries[0]!.name : `${all.length} files`;
  return all.length > 0 ? { name, folder: { kind: "files", files: all } } : undefined;
}

/** Returns the folder that was chosen with a field. */
export function chosenFolder(files: Iterable<File>): Given | undefined {
  const all = [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  const name = all[0]?.path.split("/")[0];
  return name === undefined ? undefined : { name, folder: { kind: "files", files: all } };
}

/** Asks for a folder that can be read again; undefined if the reader chooses none. */
export async function pickFolder(): Promise<Given | undefined> {
  const picker = globalThis as unknown as {
    showDirectoryPicker(options: { mode: "read" }): Promise<FileSystemDirectoryHandle>;
  };
  try {
    const handle = await picker.showDirectoryPicker({ mode: "read" });
    return { name: handle.name, folder: { kind: "handle", handle } };
  } catch (error) {
    // An aborted choice is not an error.
    if ((error as Error).name === "AbortError") return undefined;
    throw { code: "file_not_found", message: `The folder cannot be read: ${(error as Error).message}` };
  }
}

async function filesIn(entry: FileSystemEntry): Promise<FolderFile[]> {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  if (LEFT_OUT.test(entry.name)) return [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FolderFile[] = [];
  // A reader returns its entries in batches.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return found;
    for (const one of batch) found.push(...(await filesIn(one)));
  }
}
