/** Style sheets of views, each loaded once. */

/** Loads a style sheet; resolves when it applies, or cannot. */
export function loadStyle(file: string): Promise<void> {
  if (document.querySelector(`link[href="${file}"]`)) return Promise.resolve();
  return new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: file });
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}
