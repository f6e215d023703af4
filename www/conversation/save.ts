/** Gives texts to the reader: as a file, or into the clipboard. */

import { failure, say } from "../app/state.ts";

export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Copies a text; returns false if the browser does not allow that, and says so. */
export async function copyText(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}.`);
    return true;
  } catch {
    failure.value = { code: "no_clipboard", message: `This browser did not allow copying ${what}.` };
    return false;
  }
}
