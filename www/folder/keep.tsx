/** @jsxImportSource preact */
/** Keeps folders in this browser as the texts of their files, so that they survive a reload. */

import { opened } from "../app/state.ts";
import { keptFile, notKept, saveFile } from "../app/store.ts";
import { asking } from "../talk.ts";
import type { Given } from "./given.ts";
import type { Questions } from "./protocol.ts";

/** Max bytes of a kept folder: its texts are in memory while it is open. */
const MAX_BYTES = 50_000_000;

/** The name under which a folder is kept beside files, whose names have no slash. */
const keyOf = (name: string) => `${name}/`;

export async function keepFolder({ name, folder }: Given): Promise<void> {
  const ask = asking<Questions>("./folder-worker.js");
  const packed = await ask("pack", { folder, maxBytes: MAX_BYTES }).catch(() => "unreadable" as const);
  ask.stop();
  const key = keyOf(name);
  if (packed instanceof Blob) await saveFile({ name: key, file: new File([packed], key) });
  // A folder that cannot be read has raised an alert of its view.
  else if (packed === undefined)
    notKept(
      key,
      `The folder ${name} will not be here after a reload: its texts take more than ${MAX_BYTES / 1e6} MB. Open it again then.`,
    );
}

export async function keptFolder(name: string): Promise<Given | undefined> {
  const kept = await keptFile(keyOf(name));
  return kept && { name, folder: { kind: "kept", file: kept.file, time: kept.time } };
}

/** Says that the shown folder is a kept one, and how old it is. */
export function KeptNote() {
  const thing = opened.value;
  if (thing?.kind !== "folder" || thing.folder.kind !== "kept") return null;
  const when = new Date(thing.folder.time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  return (
    <p id="kept-note" class="note">
      This is {thing.name} as it was when you opened it, {when}. Open it again to read it anew.
    </p>
  );
}
