/** Reads a record as text, as the model that receives it would. */

import { textOf } from "../transcripts.mjs";

const TAG = "<conversation-summary";
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

/** Returns `{ text, constraints, errors, actions, requests, claims }` of the records of a view. */
export function recordOf(view) {
  const text = view
    .map(textOf)
    .filter((content) => content.includes(TAG))
    .map((content) => content.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity]))
    .join("\n");
  return {
    text,
    constraints: items(text, "constraints"),
    errors: items(text, "errors"),
    actions: items(text, "actions"),
    requests: requests(text),
    // Elsewhere a line claims a state only if it states one itself.
    claims: items(text, "summary").filter(({ line }) => /[([](?:[^\])]*, )?(?:open|solved)\b/.test(line)),
  };
}

/** Returns the messages of a view that are not records. */
export function restOf(view) {
  return view.filter((message) => !textOf(message).includes(TAG));
}

/** Returns only letters and digits, so that quoting, escapes and line breaks do not matter. */
export function plain(text) {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** A line shows a sentence if it contains it, or is at least 60 % of it. */
export function shows(line, sentence) {
  const [shown, wanted] = [plain(line), plain(sentence)];
  return wanted !== "" && (shown.includes(wanted) || (shown.length >= 0.6 * wanted.length && wanted.includes(shown)));
}

function block(text, name) {
  return [...text.matchAll(new RegExp(`<${name}>\n([^]*?)\n</${name}>`, "g"))].map(([, inner]) => inner).join("\n");
}

/**
 * Returns lines that begin with a dash, with the lines below them: `{ ids, line }`. In lists a line that begins with
 * blanks is an item of the message above it.
 */
function items(text, name) {
  const found = [];
  for (const line of block(text, name).split("\n")) {
    if (/^\(\d+ more/.test(line)) continue;
    if (/^(?:- |\[~?m\d)/.test(line) || found.length === 0) found.push(line);
    else if (name !== "summary" && /^ {2}\S/.test(line))
      found.push(line.replace("  ", found.at(-1).match(/^- [^:]*: /)?.[0] ?? "- "));
    else found[found.length - 1] += `\n${line}`;
  }
  return found.filter((line) => line.trim() !== "").map((line) => ({ ids: idsOf(line), line: bare(line) }));
}

/** Returns requests with the lines below them that state their outcome: `{ ids, asked, outcome }`. */
function requests(text) {
  const found = [];
  for (const line of block(text, "user-messages").split("\n")) {
    const current = found.at(-1);
    if (/^\s*=>/.test(line) && current) current.outcome.push(line);
    else if (/^\[~?m\d+/.test(line)) found.push({ ids: idsOf(line), asked: bare(line), outcome: [] });
    else if (current) (current.outcome.length > 0 ? current.outcome : [current.asked]).push(line);
  }
  return found.map(({ outcome, ...rest }) => ({ ...rest, outcome: outcome.join("\n") }));
}

/** Returns ids at the start of a line, or in brackets at its end. */
function idsOf(line) {
  const start = line.match(/^(?:- )?\[?((?:~?m\d+(?:[,\s]|\sand\s|\sto\s)*)+)/)?.[1] ?? "";
  const end = line.match(/\(([^()]*\bm\d+[^()]*)\)\s*$/)?.[1] ?? "";
  return [...`${start} ${end}`.matchAll(/\bm(\d+)/g)].map(([, id]) => Number(id));
}

const bare = (line) => line.replace(/^(?:- )?\[?(?:~?m\d+[,\s]*)*\]?:?\s*/, "");
