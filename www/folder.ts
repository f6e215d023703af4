/** A folder that a person dropped. */

import { element } from "./dom.ts";

/** What a drop holds. A handle can be read again later, and not every browser has them. */
export interface Dropped {
  name: string;
  what: FileSystemDirectoryHandle | FileSystemEntry[] | File[];
  canReadAgain: boolean;
}

/** Takes a folder that is dropped anywhere on the page. */
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

/** Items can only be asked during the event: all are asked before the first answer is awaited. */
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
