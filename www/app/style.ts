/** Style sheets of views, each loaded once. Only those of the shown view apply: views use the same short names. */

/** Loads a style sheet of a view; resolves when it applies. One that cannot be loaded is asked for again next time. */
export function loadStyle(file: string): Promise<void> {
  if (document.querySelector(`link[href="${file}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: file });
    link.dataset.view = "";
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject();
    };
    document.head.append(link);
  });
}

/** Turns off the style sheets of views that are not among these. */
export function applyOnly(files: readonly string[]) {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[data-view]"))
    if (link.sheet) link.sheet.disabled = !files.includes(link.getAttribute("href")!);
}
