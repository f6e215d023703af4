/** Turns TSX that somebody typed into a prompt. Errors name the line. */

import { transform } from "sucrase";
import { EspalierError } from "../../js/errors/errors.ts";
import * as jsxRuntime from "../../js/jsx/jsx-runtime.ts";
import * as promptTsx from "../../js/prompt-tsx/index.ts";
import * as prompt from "../../js/prompt/index.ts";
import type { PromptChildren } from "../../js/prompt/piece.ts";
import { foreign, lineOf, mismatch } from "./check-tags.ts";

/** The name of the typed code in stacks. */
const NAME = "prompt.tsx";

/** Lines on which elements are written, by name: errors of the engine name elements, not lines. */
export type Lines = ReadonlyMap<string, readonly number[]>;

/** @throws EspalierError `bad_input`, whose path is `line:column` */
export function evaluate(code: string, run: (code: string) => unknown): { prompt: PromptChildren; lines: Lines } {
  const lines = new Map<string, number[]>();
  const runtime = {
    ...jsxRuntime,
    jsxDEV(
      ctor: unknown,
      props: { children?: unknown },
      key: unknown,
      several: boolean,
      source?: { lineNumber?: number },
    ) {
      const name = typeof ctor === "string" ? ctor : ((ctor as { name?: string } | undefined)?.name ?? "");
      if (source?.lineNumber !== undefined) lines.set(name, [...(lines.get(name) ?? []), source.lineNumber]);
      return several ? jsxRuntime.jsxs(ctor, props, key) : jsxRuntime.jsx(ctor, props, key);
    },
  };
  const modules: Record<string, object> = {
    "espalier/jsx-runtime": runtime,
    "espalier/jsx-dev-runtime": runtime,
    "espalier/prompt": prompt,
    espalier: prompt,
    "espalier/prompt-tsx": promptTsx,
    "@vscode/prompt-tsx": promptTsx,
  };
  const require = (name: string) => {
    const found = modules[name];
    if (found) return found;
    const line = code.split("\n").findIndex((text) => text.includes(`"${name}"`) || text.includes(`'${name}'`)) + 1;
    throw badCode(`“${name}” cannot be imported here; espalier/prompt can.`, line || undefined);
  };
  const exports: Record<string, unknown> = {};
  const compiled = compile(code);
  try {
    // The code begins on the first line, so that lines in stacks are those of the editor.
    const module = run(`(function(exports,require,module){${compiled}\n})\n//# sourceURL=${NAME}`) as Function;
    module(exports, require, { exports });
  } catch (error) {
    throw withLine(error, lines);
  }
  return { prompt: promptIn(exports), lines };
}

function compile(code: string): string {
  let wrong: ReturnType<typeof mismatch>;
  let compiled = code;
  try {
    wrong = mismatch(code);
    if (!wrong)
      compiled = transform(code, {
        transforms: ["typescript", "jsx", "imports"],
        jsxRuntime: "automatic",
        jsxImportSource: "espalier",
        production: false,
        filePath: NAME,
      }).code;
    wrong ??= foreign(compiled);
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } };
    // `Error transforming prompt.tsx: Unexpected token (3:5)`
    const said = message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
    throw badCode(`${said}.`, loc?.line, loc?.column);
  }
  if (!wrong) return compiled;
  throw badCode(wrong.message, lineOf(compiled, wrong.offset));
}

function promptIn(exports: Record<string, unknown>): PromptChildren {
  const made = exports["default"] ?? exports["prompt"] ?? exports["Prompt"];
  if (made === undefined)
    throw badCode(
      "Nothing is exported. Begin the prompt with `export default function Prompt() {`, and return its messages.",
    );
  return typeof made === "function" ? prompt.createPiece(made as never, null) : (made as PromptChildren);
}

export function badCode(message: string, line?: number, column?: number): EspalierError {
  const place = line === undefined ? undefined : `${line}:${column ?? 1}`;
  return new EspalierError({
    code: "bad_input",
    message: line === undefined ? message : `Line ${line}: ${message}`,
    ...(place !== undefined && { path: place }),
  });
}

/** Adds the line of the typed code to an error: from its stack, or from the last element of its path. */
export function withLine(error: unknown, lines: Lines): unknown {
  if (error instanceof EspalierError && /^\d+:\d+$/.test(error.path ?? "")) return error;
  const { message, stack, path, name } = Object(error) as {
    message?: string;
    stack?: string;
    path?: string;
    name?: string;
  };
  const said = (typeof message === "string" ? message : String(error)).replaceAll("LogicalWrapper > ", "");
  const frame = new RegExp(`${NAME.replace(".", "\\.")}:(\\d+):(\\d+)`).exec(stack ?? "");
  if (frame) return badCode(isPlain(name) ? said : `${name}: ${said}`, Number(frame[1]), Number(frame[2]));
  const element = (path ?? /\(at tsx element ([^)]*)\)/.exec(said)?.[1])?.split(/ > | -> /).at(-1);
  // Names in the message come first: the error of an unknown element has the path of the one around it.
  for (const word of [...(said.replace(/\(at .*/, "").match(/[\w$]+/g) ?? []), element]) {
    const unique = new Set(word === undefined ? [] : lines.get(word));
    if (unique.size === 1) return badCode(said, [...unique][0]);
  }
  return error;
}

const isPlain = (name: string | undefined) => name === undefined || name === "Error" || name === "EspalierError";
