/** Folders that the user drops on the page. */

import { element } from "./dom.ts";

/** The content of a drop. A handle can be read again later, but not every browser has handles. */
export interface Dropped {
  name: string;
  what: FileSystemDirectoryHandle | FileSystemEntry[] | File[];
  canReadAgain: boolean;
}

/** Accepts a folder that is dropped anywhere on the page. */
export function takeFolders(take: (dropped: Promise<Dropped>) => void): void {
  const drop = element("drop");
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.hidden = false;
  });
  addEventListener("dragleave", ({ relatedTarget }) => {
    if (!relatedTarget) drop.hidden = true;
  });
  addEventListener("drop", (event) => {
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    drop.hidden = true;
    take(read(event.dataTransfer));
  });
}

type WithHandle = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/** Items are only readable during the event: all are requested before the first answer is awaited. */
async function read(data: DataTransfer): Promise<Dropped> {
  const items = [...data.items].filter(({ kind }) => kind === "file") as WithHandle[];
  const files = [...data.files];
  const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
  const handles = await Promise.all(items.map((item) => item.getAsFileSystemHandle?.().catch(() => null)));
  const [handle] = handles;
  if (handles.length === 1 && handle?.kind === "directory") {
    return { name: handle.name, what: handle as FileSystemDirectoryHandle, canReadAgain: true };
  }
  const name = entries[0]?.name ?? files[0]?.name ?? "files";
  return { name, what: entries.length > 0 ? entries : files, canReadAgain: false };
}
