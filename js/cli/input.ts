/** Parses a file of the command line: JSON, or JSON Lines with one message a line. */

import { EspalierError } from "../entries/verbs.ts";
import { isJson } from "../sessions/unknown.ts";

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** A message by itself, in any format; a request has a list of them. */
const isMessage = (value: unknown): boolean => isFields(value) && "role" in value && !("messages" in value);
const isRequest = (value: unknown): boolean =>
  isFields(value) &&
  ["messages", "contents", "input"].some((name) => typeof value[name] === "object" && value[name] !== null) &&
  !("role" in value);

/** Returns the request in a line of a batch file: OpenAI's have it in `body`, Anthropic's in `params`. */
function unwrapped(value: unknown): unknown {
  if (!isFields(value) || "role" in value || isRequest(value)) return value;
  return [value["body"], value["params"]].find(isRequest) ?? value;
}

/** @throws EspalierError `bad_json`, or `bad_input` if each line holds a request of its own */
export function parseInput(text: string, path: string): unknown {
  const file = path === "-" ? "standard input" : path;
  // PowerShell 5 begins files with a byte order mark.
  const bare = text.replace(/^\uFEFF/, "");
  let whole: unknown;
  try {
    whole = JSON.parse(bare);
  } catch (cause) {
    const lines = bare.split("\n").filter((line) => line.trim() !== "");
    const [first] = lines;
    if (lines.length < 2 || first === undefined || !isJson(first)) {
      throw new EspalierError({
        code: "bad_json",
        message: `${file} is neither JSON nor JSON Lines: ${(cause as Error).message}`,
        path,
        cause,
      });
    }
    const values = bare
      .split("\n")
      .flatMap((line, at) => (line.trim() === "" ? [] : [ofLine(line, `line ${at + 1} of ${file}`)]));
    if (values.every((value) => isRequest(unwrapped(value)))) {
      const message =
        `${file} contains ${values.length} requests, one a line, as files for batches and fine-tuning do; pass ` +
        `one of them: head -n 1 ${path === "-" ? "FILE" : path} | espalier … -`;
      throw new EspalierError({ code: "bad_input", message, path });
    }
    return values;
  }
  // JSON Lines of one line is JSON as well.
  return isMessage(whole) ? [whole] : unwrapped(whole);
}

/** Parses one line of JSON Lines; the last line of a growing log may be torn. */
function ofLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const message =
      `${where} is not JSON: ${(cause as Error).message}. Each line of JSON Lines must be one JSON value; ` +
      "remove the line if it is incomplete.";
    throw new EspalierError({ code: "bad_json", message, path: where, cause });
  }
}
