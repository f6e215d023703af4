/** Loads the style sheet of a view once, with the view. */
export function useStyle(file: string): void {
  if (document.querySelector(`link[href="${file}"]`)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: file }));
}
