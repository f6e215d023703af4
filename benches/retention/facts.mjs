/** Facts of a history by kind, and which of them a view shows, word for word. */

import { decoded, parsed, strings, textOf } from "./transcripts.mjs";

const READ = /^(read|read_file|read_files|view|cat|open|open_file)$/i;
const WRITE = /^(edit|write|write_file|editor|str_replace_editor|apply_patch|create|replace|multi_?edit)$/i;
const SHELL = /^(bash|execute_bash|run_commands?|shell|exec|terminal|run_shell_command)$/i;
const CHANGES_WORLD = /^(book|cancel|update|send|modify|return|exchange|transfer|pay|delete|create_order)_/i;
const FAILED = /exit(?:ed with)?(?: code| status)?:? [1-9]\d*\b|command failed|returncode[=:] ?[1-9]|non-zero exit/i;
const ERROR_LINE =
  /\b(error|errors|failed|failure|fail|exception|panic|assert\w*|traceback|not found|cannot|undefined)\b/i;
const IDENTIFIER = /\b(?:[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w+|[a-z]+_[a-z_0-9]+)\b/g;

/** `{ kind: predicate[] }`: each predicate returns whether a view (see `viewOf`) shows the fact. */
export function facts(history) {
  const results = new Map(
    history.filter(({ role }) => role === "tool").map((message) => [message.tool_call_id, textOf(message)]),
  );
  const modified = new Set(),
    read = new Set(),
    commands = new Set(),
    errors = new Set(),
    identifiers = new Set();
  const actions = [];
  for (const {
    id,
    function: { name, arguments: given },
  } of history.flatMap(({ tool_calls: calls = [] }) => calls)) {
    const args = parsed(given);
    const isView = args?.command === "view";
    for (const path of pathsOf(args))
      (WRITE.test(name) && !isView ? modified : READ.test(name) || isView ? read : new Set()).add(end(path));
    if (WRITE.test(name) && !isView) for (const found of decoded(given).match(IDENTIFIER) ?? []) identifiers.add(found);
    if (SHELL.test(name)) {
      for (const command of strings(args)) commands.add(firstLine(command));
      const result = results.get(id) ?? "";
      if (FAILED.test(result))
        for (const line of result.split("\n").map((line) => line.trim())) if (isError(line)) errors.add(line);
    }
    if (CHANGES_WORLD.test(name))
      actions.push({ name, given, ids: strings(args).filter((value) => /^[A-Z0-9]{6}$|_\d{3,}$/.test(value)) });
  }
  commands.delete("");
  const literal = (set) =>
    [...set].map(
      (item) =>
        ({ text }) =>
          text.includes(item),
    );
  return {
    "user messages": history
      .filter(({ role }) => role === "user")
      .map(textOf)
      .filter((text) => text.trim() !== "")
      .map(quoted),
    "files modified": literal(modified),
    "files read": literal(read),
    commands: literal(commands),
    "error lines": literal(errors),
    identifiers: literal(identifiers),
    actions: actions.map(done),
  };
}

/** Returns the data for predicates. */
export function viewOf(messages) {
  const text = messages.map(textOf).join("\n");
  return {
    text,
    words: ` ${wordsOf(text).join(" ")} `,
    lines: text.split("\n"),
    calls: new Set(
      messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ function: call }) => call.name + call.arguments)),
    ),
  };
}

/** Returns true if at least 80 % of its runs of four words are in the view, in their order. */
function quoted(text) {
  const words = wordsOf(text);
  const size = Math.min(4, words.length);
  const runs = words.slice(0, words.length - size + 1).map((_, at) => ` ${words.slice(at, at + size).join(" ")} `);
  return (view) => runs.filter((run) => view.words.includes(run)).length >= 0.8 * runs.length;
}

/** Returns true if the call itself is in the view, or a line with its name and its object. */
function done({ name, given, ids }) {
  return (view) =>
    view.calls.has(name + given) ||
    view.lines.some((line) => line.includes(name) && ids.some((id) => line.includes(id)));
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const isError = (line) => line.length >= 12 && line.length <= 200 && ERROR_LINE.test(line) && !/^[+-]/.test(line);
const end = (path) => path.split("/").slice(-2).join("/");
const firstLine = (command) =>
  (
    command
      .replace(/^cd \S+ && /, "")
      .split("\n")
      .find((line) => line.trim() !== "") ?? ""
  )
    .trim()
    .slice(0, 120);

function pathsOf(args) {
  if (typeof args !== "object" || args === null) return [];
  const own = [args.path, args.file_path, args.filePath, args.filename].filter((path) => typeof path === "string");
  return [...own, ...(Array.isArray(args.files) ? args.files.flatMap(pathsOf) : [])];
}
