/** `espalier search DIR QUERY`: the lines of a folder's files that answer a query, within a number of tokens. */

import { relative, resolve, sep } from "node:path";
import { languageOf, outline } from "../entries/documents.ts";
import type { Definition } from "../documents/outline.ts";
import type {
  FileNote,
  IndexProgress,
  IndexReport,
  SearchAnswer,
  SearchDefinition,
  SearchHit,
} from "../search/types.ts";
import { prefixes } from "../search/sources/source.ts";
import { joined } from "../search/sources/tree.ts";
import type { EncodingName } from "../types/count.ts";
import { oneOf, UsageError, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { EXIT } from "./exit.ts";
import { finishText, tell } from "./out.ts";
import { printable } from "./printable.ts";
import { number, plural, words } from "./report.ts";
import { readText } from "./text.ts";

interface SearchValues {
  budget?: number | undefined;
  maxResults?: number | undefined;
  encoding?: string | undefined;
  profile?: string | undefined;
  /** The folder of the stored index. */
  index?: string | undefined;
  contributions?: boolean | undefined;
  structure?: boolean | undefined;
}

/** Searches folders. `onProgress` reports the work on the index. */
async function searchFolders(
  roots: readonly string[],
  query: string,
  { budget, maxResults, encoding, profile, index: folder, contributions, structure }: SearchValues,
  onProgress: (progress: IndexProgress) => void,
): Promise<{ answer: SearchAnswer; report: IndexReport }> {
  const { nodeFiles, nodeStorage, openIndex } = await import("../entries/search.ts");
  const index = await openIndex({
    source: nodeFiles(roots, folder === undefined ? {} : { rules: { ignore: isIndex(roots, folder) } }),
    ...(folder !== undefined && { storage: nodeStorage(folder) }),
    ...(encoding !== undefined && { encoding: encoding as EncodingName }),
    ...(profile !== undefined && { profile: profile as "espalier" | "copilot-chat" }),
    ...(structure && { definitions }),
  });
  try {
    const report = await index.sync({ onProgress });
    // Searches even a small folder, instead of returning it whole: the user has its files anyway.
    const answer = await index.search(query, {
      fullWorkspace: false,
      contributions: contributions ?? false,
      ...(budget !== undefined && { budget }),
      ...(maxResults !== undefined && { maxResults }),
    });
    return { answer, report };
  } finally {
    await index.dispose();
  }
}

/** Returns a test for paths of the index, which may be stored in a searched folder. */
function isIndex(roots: readonly string[], folder: string): (path: string) => boolean {
  const names = prefixes(roots.map((root) => resolve(root).split(sep).at(-1)!));
  const paths = new Set(
    roots.map((root, at) =>
      joined(names[at]!, relative(resolve(root), resolve(folder, "search")).split(sep).join("/")),
    ),
  );
  return (path) => paths.has(path);
}

/** Returns the definitions of a file in a language with a grammar, including nested ones. */
async function definitions({
  path,
  text,
}: {
  path: string;
  text: string;
}): Promise<readonly SearchDefinition[] | undefined> {
  if (languageOf(path) === undefined) return undefined;
  const found = await outline(text, { path, budget: 0 });
  const flat = (list: readonly Definition[]): SearchDefinition[] =>
    list.flatMap(({ name, start, end, local, children }) => [
      ...(local ? [] : [{ name, start, end }]),
      ...flat(children),
    ]);
  return found.basis.path === "syntax" ? flat(found.definitions) : undefined;
}

/** Returns the hits for people and for models: a headline for each, then the lines of the file. */
function shownHits({ hits }: SearchAnswer): string {
  return hits.map((hit) => `${headOf(hit)}\n${hit.text.endsWith("\n") ? hit.text : `${hit.text}\n`}`).join("\n");
}

function headOf({ path, firstLine, lastLine, header, score, tokens, terms, isCut }: SearchHit): string {
  const lines = firstLine === lastLine ? `${firstLine + 1}` : `${firstLine + 1}-${lastLine + 1}`;
  const parts = [
    `${oneLine(path)}:${lines}`,
    oneLine(header),
    `score ${rounded(score)}`,
    `${number(tokens)} tokens${isCut ? ", cut" : ""}`,
  ];
  const by = terms === undefined ? [] : [`  ${terms.map((term) => `${term.term} ${rounded(term.score)}`).join(", ")}`];
  return [parts.filter((part) => part !== "").join("  "), ...by].join("\n");
}

/** A name with a line end would look like a line of the file. */
const oneLine = (text: string) => text.replace(/[\r\n]/g, (letter) => JSON.stringify(letter).slice(1, -1));
const rounded = (score: number) => (Math.abs(score) >= 100 ? score.toFixed(0) : score.toPrecision(3));

/** Returns what was searched, what was skipped, and why. */
function shownSearch(
  { hits, tokens, strategy, tried, leftOut, state }: SearchAnswer,
  report: IndexReport,
  budget: number | undefined,
): string {
  const of = budget === undefined ? "" : ` of ${number(budget)}`;
  const found = hits.length === 0 ? "nothing found" : `${plural(hits.length, "hit")}, ${number(tokens)}${of} tokens`;
  const lines = [
    `${found}; strategy ${words(strategy)}; ${plural(state.files, "file")}, ${plural(state.chunks, "chunk")}`,
  ];
  const { added, changed, unchanged, removed } = report;
  if (unchanged + removed + changed > 0)
    lines.push(
      `  index: ${number(added)} added, ${number(changed)} changed, ${number(removed)} removed, ` +
        `${number(unchanged)} unchanged`,
    );
  const failed = tried.filter(({ outcome }) => outcome === "failed" || outcome === "timedOut");
  for (const { strategy: tried, outcome, why } of failed)
    lines.push(`  ${words(tried)}: ${words(outcome)}${why === undefined ? "" : ` (${why})`}`);
  const without = new Map<string, number>();
  for (const { why } of leftOut) without.set(why, (without.get(why) ?? 0) + 1);
  const reasons: Record<string, string> = {
    budget: "no room",
    gone: "the file is gone",
    spread: "far below the best",
    unknown: "not in the index",
    range: "not in the file",
  };
  for (const [why, some] of without) lines.push(`  ${plural(some, "hit")} left out: ${reasons[why] ?? why}`);
  const skipped = Object.entries(state.skipped).map(([reason, some]) => `${number(some)} ${words(reason)}`);
  if (skipped.length > 0) lines.push(`  not searched: ${skipped.join(", ")}`);
  for (const note of report.notes.filter(({ reason }) => TOLD.has(reason)).slice(0, NOTES))
    lines.push(
      `  ${oneLine(note.path)}: ${words(note.reason)}${note.detail === undefined ? "" : ` (${oneLine(note.detail)})`}`,
    );
  for (const { message } of state.warnings) lines.push(`  ${oneLine(message)}`);
  return lines.join("\n");
}

/** Reasons for which the files are named, because the user did not ask for skipping them. */
const TOLD: ReadonlySet<FileNote["reason"]> = new Set(["unreadable", "encoding", "tooLarge", "refused"]);
/** Max files that are named. */
const NOTES = 10;

/** Shows the work on the index on a terminal. */
function indexProgress(
  stream: NodeJS.WriteStream,
  isQuiet: boolean,
): { event: (progress: IndexProgress) => void; end: () => void } {
  if (isQuiet || !stream.isTTY) return { event: () => undefined, end: () => undefined };
  let shownAt = 0;
  return {
    event({ phase, done, total }) {
      const now = Date.now();
      if (now - shownAt < 100) return;
      shownAt = now;
      const what = {
        load: "reading the index",
        list: "listing files",
        index: "indexing",
        embed: "embedding",
        save: "saving the index",
      }[phase];
      stream.write(`\r\x1b[K${what}: ${number(done)}${total === undefined ? "" : ` of ${number(total)}`}`);
    },
    end: () => void (shownAt > 0 && stream.write("\r\x1b[K")),
  };
}

/** Returns the output of `--json`. */
function asJson({ answer, report }: { answer: SearchAnswer; report: IndexReport }): string {
  return JSON.stringify({ ...answer, notes: report.notes }, null, 2);
}

/** Runs `search`. `given` are its operands. */
export async function searchCommand(given: readonly string[], values: Values): Promise<number> {
  const [folder, typed, extra] = given;
  if (folder === undefined || typed === undefined)
    throw new UsageError('espalier search needs a DIR and a QUERY ("-" reads it from standard input)');
  if (extra !== undefined)
    throw new UsageError(
      `only one QUERY is accepted, in quotation marks if it has spaces; ${JSON.stringify(extra)} is one too many`,
    );
  const budget = whole(values.budget, "--budget");
  const profile = oneOf(values.profile, "--profile", ["espalier", "copilot-chat"]);
  const maxResults = whole(values["max-results"], "--max-results");
  const bar = indexProgress(process.stderr, values.quiet ?? false);
  const { root = [], encoding, index, contributions, structure } = values;
  const query = typed === "-" ? readText("-") : typed;
  if (query.trim() === "") throw new UsageError("the QUERY is empty");
  const options = { budget, maxResults, encoding, profile, index, contributions, structure };
  const found = await searchFolders([folder, ...root], query, options, bar.event).finally(bar.end);
  const text = values.json ? asJson(found) : printable(shownHits(found.answer));
  if (!values.json) tell(shownSearch(found.answer, found.report, budget), values);
  return text === "" && values.output === undefined ? EXIT.ok : finishText(text, values);
}
