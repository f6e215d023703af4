/** Finds the code blocks of a document, and makes tests of them. */

const LANGUAGES = ["js", "jsx", "ts", "tsx", "sh"];

/**
 * The blocks of a Markdown document.
 *
 * @returns {{ language: string, before: string, code: string, after: string, place: string, skipped?: string }[]}
 */
export function blocksOf(file, text) {
  const blocks = [];
  const lines = text.split("\n");
  const around = { before: "", after: "" };
  let skipped;
  for (let at = 0; at < lines.length; at += 1) {
    const hidden = /^<!-- (before|after)$/.exec(lines[at]);
    if (hidden) {
      const end = lines.indexOf("-->", at);
      around[hidden[1]] = lines.slice(at + 1, end).join("\n");
      at = end;
      continue;
    }
    const reason = /^<!-- not run: (.*) -->$/.exec(lines[at]);
    if (reason) [, skipped] = reason;
    const fence = /^```(\w*)$/.exec(lines[at]);
    if (!fence) continue;
    const end = lines.indexOf("```", at + 1);
    if (LANGUAGES.includes(fence[1])) {
      const code = lines.slice(at + 1, end).join("\n");
      blocks.push({ language: fence[1], ...around, code, place: `${file}:${at + 1}`, ...(skipped && { skipped }) });
    }
    Object.assign(around, { before: "", after: "" });
    skipped = undefined;
    at = end;
  }
  return blocks;
}

/** Returns the code blocks of the doc comments of a source file. */
export function commentsOf(file, text) {
  const blocks = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^\s*\* ```(\w*)$/.exec(lines[at]);
    if (!fence) continue;
    const end = lines.findIndex((line, index) => index > at && /^\s*\* ```$/.test(line));
    const code = lines
      .slice(at + 1, end)
      .map((line) => line.replace(/^\s*\* ?/, ""))
      .join("\n");
    if (LANGUAGES.includes(fence[1])) {
      blocks.push({ language: fence[1], before: "", code, after: "", place: `${file}:${at + 1}`, isComment: true });
    }
    at = end;
  }
  return blocks;
}

/** Returns why a reader could not rely on a block, or `undefined`: it must import what it uses, and assert a result. */
export function fault({ code, after, language, isComment }) {
  if (language === "sh") return undefined;
  if (isComment && !/from "espalier[/"]/.test(code))
    return "imports nothing from the package, so it does not run when pasted";
  if (!/\/\/ => |\bassert\b/.test(`${code}\n${after}`)) return "asserts no result: write `expression; // => value`";
  return undefined;
}

const CHECK = 'import { check as $check } from "../check.mjs";';

/**
 * Returns the block with its `// =>` comments as assertions. A comment on a line of its own belongs to the line before
 * it; an incomplete value continues in the comments that follow.
 */
export function tested({ before, code, after, place }) {
  const [file, first] = place.split(":");
  const lines = `${code}\n${after}`.split("\n");
  const body = [];
  for (let at = 0; at < lines.length; at += 1) {
    const found = /^(\s*)(.*?)\s*\/\/ => (.+)$/.exec(lines[at]);
    if (!found) {
      body.push(lines[at]);
      continue;
    }
    const [, indent, written] = found;
    const expression = written === "" ? body.pop() : written;
    const line = Number(first) + at + 1;
    let value = found[3];
    while (!isExpression(value)) {
      const more = /^\s*\/\/(.*)$/.exec(lines[at + 1] ?? "");
      if (!more) throw new SyntaxError(`${file}:${line}: ${value} is no value`);
      value += `\n${more[1]}`;
      at += 1;
    }
    body.push(
      `${indent}$check(${expression.trim().replace(/;$/, "")}, ${value}, ${JSON.stringify(`${file}:${line}`)});`,
    );
  }
  // A pragma must come first.
  const pragma = /^\/\*\*.*@jsx.*\*\/$/.test(body[0]) ? body.shift() : "";
  return [pragma, CHECK, before, ...body].join("\n");
}

function isExpression(text) {
  try {
    new Function(`return (${text}\n);`);
    return true;
  } catch {
    return false;
  }
}
