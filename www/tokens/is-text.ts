/** Recognises plain texts: what is no conversation, no session and no binary file. */

const DATA = /\.(?:jsonl?|ndjson|gz|zip|traj|af|sqlite3?|db|vscdb)$/i;
/** A session of aider is Markdown. */
const AIDER = /^\s*# aider chat started at /;

export function isText(name: string, head: string): boolean {
  if (DATA.test(name) || AIDER.test(head)) return false;
  // UTF-16 begins with a mark that is no UTF-8.
  if (head.includes("\0") && !head.startsWith("\uFFFD\uFFFD")) return false;
  return !/^\s*[[{]/.test(head);
}
