/** Shows how far a large file has been read. */

import { element } from "./dom.ts";
import type { Progress } from "./protocol.ts";

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);

/** Smaller files are read at once; a line for them would only flicker. */
const SMALL = 2_000_000;

export function showProgress({ name, bytes, size, isRead }: Progress): void {
  if (size < SMALL) return;
  const line = element("progress");
  line.hidden = false;
  const share = `${megabytes(bytes)} of ${megabytes(size)} MB`;
  line.textContent = isRead ? `Counting ${name} …` : `Reading ${name}: ${share}. It stays on this computer.`;
}

export function endProgress(): void {
  element("progress").hidden = true;
}
