/** Recognises files that show a prompt, by their name and first characters. */

const PAGE = /<title>Prompt trace<\/title>/;
const IMPORT = /\bfrom\s*["'](?:espalier(?:\/prompt(?:-tsx)?)?|@vscode\/prompt-tsx)["']/;
const ELEMENT = /<(?:System|User|Assistant|Tool|Base)(?:Chat)?Message\b/;

export function isPrompt(name: string, head: string): boolean {
  const start = head.trimStart();
  if (start.startsWith("{") || start.startsWith("[")) return isTrace(start) || isInspected(start);
  if (/^<!doctype html>/i.test(start)) return PAGE.test(head);
  return IMPORT.test(head) || (ELEMENT.test(head) && (/\.[jt]sx$/.test(name) || /^(?:<|export default)/.test(start)));
}

/** A trace, the data of `HTMLTracer`, or a tree of `renderElementJSON`. */
const isTrace = (head: string) =>
  /^\{\s*"budget"\s*:\s*[\d.e+]+\s*,\s*"(?:tokens|whole)"\s*:/.test(head) ||
  /^\{\s*"node"\s*:\s*\{\s*"type"\s*:/.test(head);

/** What `console.log` prints of a trace. */
export const isInspected = (head: string) => /^\{\s*budget: \d+,\s*tokens: \d+,\s*nodes: \[/.test(head);
