// Finds doc comments and their definitions, by lines and indentation alone: it shares nothing with the index that it
// evaluates.

const READERS = { ts: script, tsx: script, js: script, jsx: script, mjs: script, cjs: script, rs: rust, py: python };

/**
 * Returns the documented definitions of a file: `{ name, prose, comment: [first, behind], definition: [first, behind]
 * }`, in lines. A comment on the whole file has no `definition`.
 */
export function documented(path, text) {
  const reader = READERS[path.slice(path.lastIndexOf(".") + 1)];
  return reader ? reader(text.split("\n")) : [];
}

const indentOf = (line) => line.length - line.trimStart().length;

const SCRIPT_HEADS = [
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|enum)\s+([\w$]+)/,
  /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::.*)?=/,
  /^(?:exports|module\.exports|[\w$]+\.prototype|[\w$]+)\.([\w$]+)\s*=\s*(?:async\s+)?(?:function|\()/,
  /^(?:(?:public|protected|private|static|override|async|readonly|get|set)\s+)*\*?#?([\w$]+)\s*(?:<.*>)?\(/,
];

function script(lines) {
  const found = [];
  for (let first = 0; first < lines.length; first++) {
    if (!lines[first].trimStart().startsWith("/**")) continue;
    let behind = first;
    while (behind < lines.length && !lines[behind].includes("*/")) behind++;
    const comment = [first, ++behind];
    const text = lines.slice(...comment).map((line) => line.replace(/^\s*\/?\*+\/?/, "").replace(/\*+\/\s*$/, ""));
    first = behind - 1;
    while (lines[behind]?.trimStart().startsWith("@")) behind++;
    const head = lines[behind]?.trim() ?? "";
    const name = SCRIPT_HEADS.map((pattern) => pattern.exec(head)?.[1]).find((one) => one !== undefined);
    const end = name === undefined ? 0 : endOfBlock(lines, behind);
    if (end > 0) found.push({ name, prose: text, comment, definition: [behind, end] });
  }
  return found;
}

const RUST_HEAD =
  /^(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?(?:extern\s+"[^"]*"\s+)?(?:fn|struct|enum|trait|union|macro_rules!)\s*(\w+)/;

function rust(lines) {
  const found = [];
  const start = lines.findIndex((line) => line.trim() !== "" && !/^\/\/(?!!)/.test(line));
  let behind = Math.max(start, 0);
  while (lines[behind]?.startsWith("//!")) behind++;
  if (behind > start)
    found.push({
      name: "",
      prose: lines.slice(start, behind).map((line) => line.slice(3)),
      comment: [start, behind],
    });
  for (let first = behind; first < lines.length; first++) {
    if (!/^\s*\/\/\/(?!\/)/.test(lines[first])) continue;
    let next = first;
    while (/^\s*\/\/\/(?!\/)/.test(lines[next] ?? "")) next++;
    const comment = [first, next];
    const prose = lines.slice(...comment).map((line) => line.trimStart().slice(3));
    first = next - 1;
    while (/^\s*#\[.*\]\s*$/.test(lines[next] ?? "")) next++;
    const name = RUST_HEAD.exec(lines[next]?.trim() ?? "")?.[1];
    const end = name === undefined ? 0 : endOfBlock(lines, next);
    if (end > 0) found.push({ name, prose, comment, definition: [next, end] });
  }
  return found;
}

function python(lines) {
  const found = [];
  const start = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"));
  const whole = start < 0 ? undefined : docstring(lines, start);
  if (whole) found.push({ name: "", ...whole });
  for (let first = 0; first < lines.length; first++) {
    const name = /^\s*(?:async\s+)?(?:def|class)\s+(\w+)/.exec(lines[first])?.[1];
    if (name === undefined) continue;
    let body = first;
    while (body < lines.length && body - first < 40 && !/:\s*(?:#.*)?$/.test(lines[body])) body++;
    const text = docstring(lines, body + 1);
    if (!text || indentOf(lines[body + 1]) <= indentOf(lines[first])) continue;
    let end = text.comment[1];
    while (end < lines.length && (lines[end].trim() === "" || indentOf(lines[end]) > indentOf(lines[first]))) end++;
    while (end > first && lines[end - 1].trim() === "") end--;
    // The definition contains only its docstring.
    if (end > text.comment[1]) found.push({ name, ...text, definition: [first, end] });
  }
  return found;
}

function docstring(lines, first) {
  const mark = /^\s*[rRuU]?("""|''')/.exec(lines[first] ?? "");
  if (!mark) return undefined;
  const opened = lines[first].slice(mark[0].length);
  let behind = first + 1;
  if (!opened.includes(mark[1])) {
    while (behind < lines.length && !lines[behind].includes(mark[1])) behind++;
    behind++;
  }
  const prose = [opened, ...lines.slice(first + 1, behind)].map((line) => line.replace(mark[1], ""));
  return { prose, comment: [first, behind] };
}

/** Returns the line after a definition that begins in line `first`: its closing line has the same indentation. */
function endOfBlock(lines, first) {
  const indent = indentOf(lines[first]);
  if (/(;|\}|,)\s*$/.test(lines[first]) && !/[{(]\s*$/.test(lines[first])) return first + 1;
  for (let at = first + 1; at < lines.length; at++) {
    const line = lines[at].trim();
    if (line === "" || indentOf(lines[at]) > indent) continue;
    if (/^(\}|\)\s*;|\);?$|\]\)?;?)/.test(line) && !/\{\s*$/.test(line)) return at + 1;
    if (indentOf(lines[at]) < indent || !/^([)\]}]|where\b|\{)/.test(line)) return 0;
  }
  return 0;
}
