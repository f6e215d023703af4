/** Writes the hits of a search as text for a model, within a token limit. */

import type { DocumentSummary, SummaryEdit } from "../documents/summarize.ts";
import { badOption as bad } from "../errors/errors.ts";
import { shortened } from "../prompt/shortened.ts";
import { focus } from "./excerpt.ts";
import type { SearchAnswer, SearchHit } from "./types.ts";

/** The fields of a search's answer that are shown. */
export type FoundHits = {
  hits: readonly Pick<SearchHit, "path" | "text" | "firstLine" | "lastLine" | "header">[];
} & Partial<Pick<SearchAnswer, "query">>;
type Found = FoundHits["hits"][number];

/** @throws EspalierError `bad_option` with the path of an invalid hit */
export function needHits(answer: unknown, path: string): asserts answer is FoundHits {
  const { hits, query } = (typeof answer === "object" && answer !== null ? answer : {}) as Partial<FoundHits>;
  if (!Array.isArray(hits)) throw bad("", "the answer of a search", answer, path);
  if (query !== undefined && typeof query !== "string") throw bad("query", "a text", query, path);
  for (const [at, hit] of hits.entries()) {
    const fields = (typeof hit === "object" && hit !== null ? hit : {}) as Partial<Found>;
    for (const name of ["path", "text"] as const)
      if (typeof fields[name] !== "string") throw bad(name, "a text", fields[name], `${path}.hits[${at}]`);
    for (const name of ["firstLine", "lastLine"] as const) {
      if (!Number.isSafeInteger(fields[name]) || fields[name]! < 0)
        throw bad(name, "a whole number, 0 or more", fields[name], `${path}.hits[${at}]`);
    }
    if (fields.header !== undefined && typeof fields.header !== "string")
      throw bad("header", "a text", fields.header, `${path}.hits[${at}]`);
  }
}

/** Min tokens for summarising a hit. With fewer it is little more than its tags. */
const FEWEST = 40;

/**
 * Returns the texts of the most relevant hits that fit together, most relevant first. A hit that is too large for the
 * room is shortened to it, or to half of it if the next hit fits into the other half. The shortened hits then take the
 * remaining room.
 */
export async function fittingHits(
  { hits, query = "" }: FoundHits,
  sizing: { tokenBudget: number; countTokens: (text: string) => Promise<number> | number },
): Promise<string[]> {
  let left = Number.isNaN(sizing.tokenBudget) ? Infinity : sizing.tokenBudget;
  // Includes a line end after each text.
  const cost = async (text: string) => (text === "" ? Infinity : await sizing.countTokens(`${text}\n`));
  const shown: { text: string; tokens: number; hit: Found; isShort: boolean }[] = [];
  let whole = hits[0] && inTags(hits[0], hits[0].text);
  let tokens = whole === undefined ? 0 : await cost(whole);
  for (const [rank, hit] of hits.entries()) {
    const next = hits[rank + 1];
    const following = next && inTags(next, next.text);
    const nextTokens = following === undefined ? Infinity : await cost(following);
    if (tokens <= left) {
      shown.push({ text: whole!, tokens, hit, isShort: false });
    } else {
      const half = nextTokens <= left / 2 ? await shortenHit(hit, query, Math.floor(left / 2), cost) : undefined;
      const made = half ?? (await shortenHit(hit, query, left, cost));
      if (!made) break;
      tokens = made.tokens;
      shown.push({ ...made, hit, isShort: true });
    }
    left -= tokens;
    [whole, tokens] = [following, nextTokens];
  }
  for (const one of shown) {
    const made = one.isShort && left > 0 ? await shortenHit(one.hit, query, one.tokens + left, cost) : undefined;
    if (!made || made.tokens <= one.tokens) continue;
    left -= made.tokens - one.tokens;
    [one.text, one.tokens] = [made.text, made.tokens];
  }
  return shown.map(({ text }) => text);
}

/** Returns a hit between its tags. Lines count from 1, as editors show them. */
function inTags({ path, firstLine, lastLine, header }: Found, text: string): string {
  const lines = firstLine === lastLine ? `${firstLine + 1}` : `${firstLine + 1}-${lastLine + 1}`;
  const within = header ? ` in=${JSON.stringify(header)}` : "";
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `<file path=${JSON.stringify(path)} lines="${lines}"${within}>\n${body}\n</file>`;
}

/** Shortens a hit to at most `most` tokens with its tags; returns nothing if too little would be left. */
async function shortenHit(
  hit: Found,
  query: string,
  most: number,
  cost: (text: string) => Promise<number>,
): Promise<{ text: string; tokens: number } | undefined> {
  if (!(most >= FEWEST)) return undefined;
  const frame = await cost(inTags(hit, ""));
  const { path, firstLine, text: whole } = hit;
  // Keeps the place of the query's words; if that is too large by itself, the outermost lines.
  for (const selection of [focus(whole, query), undefined]) {
    let made = { text: "", tokens: Infinity };
    const countTokens = async (text: string) =>
      (made = { text: inTags(hit, text), tokens: await cost(inTags(hit, text)) }).tokens - frame;
    const show = ({ edits }: DocumentSummary) => summaryOfPart(whole, edits, firstLine);
    const text = await shortened(
      whole,
      { path, ...(selection !== undefined && { selection }) },
      { most: most - frame, countTokens, show },
    );
    if (text !== "") return made;
    if (selection === undefined) break;
  }
  return undefined;
}

/** Returns a summary of a part of a file, whose markers name lines of the file. Empty if all of the text is missing. */
function summaryOfPart(text: string, edits: readonly SummaryEdit[], firstLine: number): string {
  let [end, out, isBlank] = [0, "", true];
  for (const edit of [...edits, { start: text.length, end: text.length, text: "" }]) {
    const kept = text.slice(end, edit.start);
    isBlank &&= kept.trim() === "";
    const moved = (_: string, from: string, to?: string) =>
      `${firstLine + Number(from)}${to === undefined ? "" : `-${firstLine + Number(to)}`} omitted`;
    out += kept + edit.text.replace(/(\d+)(?:-(\d+))? omitted/, moved);
    end = edit.end;
  }
  return isBlank ? "" : out;
}
