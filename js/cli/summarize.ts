/** `espalier summarize FILE…`: source files cut to a budget. */

import { summarizeDocuments } from "../entries/documents.ts";
import { EspalierError } from "../entries/verbs.ts";
import type { Summaries, SummaryDocument, SummaryOptions } from "../documents/summarize.ts";
import type { EncodingName } from "../types/count.ts";
import { UsageError, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { EXIT } from "./exit.ts";
import { writeText } from "./files.ts";
import { print, tell } from "./out.ts";
import { number } from "./report.ts";
import { readSource } from "./text.ts";

/** Parses lines as typed, `12` or `12:48`, from 1 and inclusive; returns nothing if they are invalid. */
function readLines(typed: string): [first: number, last: number] | undefined {
  const match = /^([1-9]\d*)(?::([1-9]\d*))?$/.exec(typed);
  if (!match) return undefined;
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
  return first <= last ? [first, last] : undefined;
}

/** Reads the files and summarises them together; the selection is in the first. */
async function summarizeFiles(
  files: readonly string[],
  options: SummaryOptions & { language?: string },
  lines?: [first: number, last: number],
): Promise<Summaries> {
  const { language, ...rest } = options;
  const documents = files.map((path, at): SummaryDocument & { text: string } => {
    const text = readSource(path);
    return {
      text,
      path,
      ...(language !== undefined && { language }),
      ...(at === 0 && lines && { selection: offsets(path, text, lines) }),
    };
  });
  return summarizeDocuments(documents, rest);
}

/** Returns a cursor for one line, whose surroundings matter, or a selection for several. */
function offsets(path: string, text: string, [first, last]: [number, number]): number | [number, number] {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: { length } }) => index + length)];
  const start = starts[first - 1];
  if (start === undefined) {
    throw new EspalierError({
      code: "bad_option",
      message: `--selection begins in line ${first}, but ${path} has only ${starts.length}`,
      path: "--selection",
    });
  }
  return first === last ? start : [start, starts[last] ?? text.length];
}

/** Returns the summaries for printing; several with their names above them. */
function shownSummaries({ summaries }: Summaries, files: readonly string[]): string {
  if (summaries.length === 1) return summaries[0]!.text;
  return summaries
    .map(({ text }, at) => `==> ${files[at]} <==\n${text.endsWith("\n") ? text : `${text}\n`}`)
    .join("\n");
}

/** Returns the report beside them. */
function shownLosses({ summaries, tokens, lost }: Summaries, budget: number): string {
  const before = summaries.reduce((sum, summary) => sum + summary.before, 0);
  const missing = lost.map(
    ({ path, lines, tokens: gone }) => `  ${path}: ${lines} lines left out, ${number(gone)} tokens`,
  );
  const folded = summaries.flatMap(({ basis, language }) =>
    basis.path === "indentation" && language !== undefined
      ? [`  ${language}: folded by indentation (${basis.why})`]
      : [],
  );
  return [`${number(before)} -> ${number(tokens)} tokens of ${number(budget)}`, ...missing, ...new Set(folded)].join(
    "\n",
  );
}

/** Runs `summarize`, which takes text, not conversations. */
export async function summarizeCommand(files: string[], values: Values): Promise<number> {
  if (files.length === 0) throw new UsageError('espalier summarize needs a FILE ("-" reads standard input)');
  if (files.filter((path) => path === "-").length > 1)
    throw new UsageError('"-" reads standard input, which can be read once');
  const budget = whole(values.budget, "--budget");
  if (budget === undefined) throw new UsageError("espalier summarize needs --budget N");
  const lines = values.selection === undefined ? undefined : readLines(values.selection);
  if (values.selection !== undefined && !lines)
    throw new UsageError(`--selection must be one line or two, A or A:B, and is ${JSON.stringify(values.selection)}`);
  const made = await summarizeFiles(
    files,
    {
      budget,
      lineNumbers: values.lines ?? false,
      ...(values.language !== undefined && { language: values.language }),
      ...(values.encoding !== undefined && { encoding: values.encoding as EncodingName }),
      ...(values.model !== undefined && { model: values.model }),
    },
    lines,
  );
  const text = values.json ? JSON.stringify(made, null, 2) : shownSummaries(made, files);
  if (values.output === undefined) print(text);
  else writeText(values.output, text);
  if (!values.json) tell(shownLosses(made, budget), values);
  return EXIT.ok;
}
