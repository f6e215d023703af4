/** Helpers for the DOM of all pages. */

export const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
export const made = <K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = "") =>
  Object.assign(document.createElement(tag), { className, textContent: text });
export { number } from "../js/cli/report.ts";

/** Formats a time for people: `1.4 ms`, `230 ms`, `12.3 s`. */
export const milliseconds = (ms: number) =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** Accepts a file that is dropped anywhere on the page; text that is dragged into a field goes to the field. */
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

/** Milliseconds of rest: browsers complain about addresses that change more often. */
const REST = 250;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Writes the state that should survive a reload or a shared link into the address, after a rest. */
export function remember(state: () => Record<string, string>): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const hash = `#${new URLSearchParams(state())}`;
    if (hash !== location.hash) history.replaceState(null, "", hash);
  }, REST);
}

/** Returns the state in the address. */
export const remembered = () => new URLSearchParams(location.hash.slice(1));
