/** Finds the code blocks of a document, and makes tests of them. */

const LANGUAGES = ["js", "ts", "tsx", "sh"];

/**
 * The blocks of a Markdown document.
 *
 * @returns {{ language: string, before: string, code: string, place: string, skipped?: string }[]}
 */
export function blocksOf(file, text) {
  const blocks = [];
  const lines = text.split("\n");
  let [before, skipped] = ["", undefined];
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at].startsWith("<!-- before")) {
      const end = lines.findIndex((line, index) => index >= at && line.includes("-->"));
      before = lines.slice(at + 1, end).join("\n");
      at = end;
      continue;
    }
    const reason = /^<!-- not run: (.*) -->$/.exec(lines[at]);
    if (reason) [, skipped] = reason;
    const fence = /^```(\w*)$/.exec(lines[at]);
    if (!fence) continue;
    const end = lines.indexOf("```", at + 1);
    if (LANGUAGES.includes(fence[1])) {
      blocks.push({ language: fence[1], before, code: lines.slice(at + 1, end).join("\n"), place: `${file}:${at + 1}`, ...(skipped && { skipped }) });
    }
    [before, skipped] = ["", undefined];
    at = end;
  }
  return blocks;
}

/** The blocks of doc comments; those without an import are fragments of a call that the text above them describes. */
export function commentsOf(file, text) {
  const blocks = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^\s*\* ```(js|ts|tsx)$/.exec(lines[at]);
    if (!fence) continue;
    const end = lines.findIndex((line, index) => index > at && /^\s*\* ```$/.test(line));
    const code = lines.slice(at + 1, end).map((line) => line.replace(/^\s*\* ?/, "")).join("\n");
    blocks.push({ language: fence[1], before: "", code, place: `${file}:${at + 1}`, ...(!/^import .* from "espalier/m.test(code) && { skipped: "fragment" }) });
    at = end;
  }
  return blocks;
}

const CHECK = 'import { check as $check } from "../check.mjs";';

/** The block with its `// =>` comments as assertions. */
export function tested({ before, code, place }) {
  const [file, first] = place.split(":");
  const body = code.split("\n").map((line, at) => {
    const found = /^(\s*)(.+?);?\s+\/\/ => (.+)$/.exec(line);
    if (!found) return line;
    const [, indent, expression, value] = found;
    return `${indent}$check(${expression}, ${value}, ${JSON.stringify(`${file}:${Number(first) + at + 1}`)});`;
  });
  // A pragma must come first.
  const pragma = /^\/\*\*.*@jsx.*\*\/$/.test(body[0]) ? body.shift() : "";
  return [pragma, CHECK, before, ...body].join("\n");
}
