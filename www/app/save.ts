/** Gives things to the reader: as a file, or into the clipboard. */

import { failure, say } from "./state.ts";

/** Saves a file. A text without a type of its own is never opened by the browser. */
export function save(name: string, content: string | Blob): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "application/octet-stream" }) : content;
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  say(`Saved ${name}.`);
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

/** Returns a name for a file that was made from an opened one. */
export const nameFor = (opened: string, ending: string) =>
  `${opened
    .replace(/\.\w+$/, "")
    .split(/[^\p{L}\p{N}._]+/u)
    .filter(Boolean)
    .join("-")}${ending}`;
