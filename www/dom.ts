/** What all pages need of the document they are. */

export const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
export const made = <K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = "") =>
  Object.assign(document.createElement(tag), { className, textContent: text });
export { number } from "../js/cli/report.ts";

/** A time for people: `1.4 ms`, `230 ms`, `12.3 s`. */
export const milliseconds = (ms: number) =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** A file dropped anywhere is taken; text that is dragged into a field is the field's own business. */
export function takeDrops(take: (file: File) => void): void {
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
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.hidden = true;
    const [file] = event.dataTransfer?.files ?? [];
    if (file) take(file);
  });
}

/** Milliseconds: browsers complain of addresses that change more often. */
const REST = 250;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Writes into the address what is worth keeping when the page is reloaded or passed on, once things have come to rest.
 */
export function remember(state: () => Record<string, string>): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const hash = `#${new URLSearchParams(state())}`;
    if (hash !== location.hash) history.replaceState(null, "", hash);
  }, REST);
}

/** What the address says. */
export const remembered = () => new URLSearchParams(location.hash.slice(1));
