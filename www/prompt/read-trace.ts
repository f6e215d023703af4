/** Reads what is dropped or pasted: a trace, a page of `HTMLTracer`, a tree as JSON, or code. */

import { EspalierError } from "../../js/errors/errors.ts";
import { readTrace } from "../../js/prompt/html-tracer-data.ts";
import type { PageCut, PageData } from "../../js/prompt/html-tracer-data.ts";
import { unpack } from "../../js/prompt/html-tracer-pack.ts";
import type { PackedData } from "../../js/prompt/html-tracer-pack.ts";
import type { PromptTrace } from "../../js/prompt/explain.ts";
import { turn } from "../talk.ts";
import { isInspected } from "./is-prompt.ts";
import { isForBudget } from "./model.ts";

export type Read =
  | { kind: "code"; code: string }
  /** A tree that elements were rendered to. */
  | { kind: "json"; code: string }
  | { kind: "trace"; data: PageData };

const PAGE_DATA = /<script[^<>]*>const DATA = (.*);$/m;

/**
 * Reads in tasks that are short for 15,000 nodes: parsing, reading, and then whatever the caller does.
 *
 * @throws EspalierError `bad_input` with a sentence that says what to do
 */
export async function readPrompt(text: string): Promise<Read> {
  try {
    await turn();
    const read = await readText(text);
    await turn();
    return read;
  } catch (error) {
    // Fields of another kind than they should be.
    throw error instanceof EspalierError ? error : bad(DAMAGED);
  }
}

async function readText(text: string): Promise<Read> {
  const start = text.trimStart();
  if (start === "") throw bad("The file is empty.");
  if (isInspected(start))
    throw bad(
      "This is what console.log prints of a trace, which leaves most of it out. Print JSON.stringify(prompt.trace()) instead.",
    );
  if (start.startsWith("<!doctype html>"))
    return { kind: "trace", data: checked(await turnAfter(parsed(PAGE_DATA.exec(text)?.[1] ?? ""))) };
  if (!start.startsWith("{")) return { kind: "code", code: text };
  const value = (await turnAfter(parsed(text))) as Record<string, unknown>;
  if (Array.isArray(value["cuts"])) return { kind: "trace", data: checked(value) };
  if (Array.isArray(value["nodes"])) return { kind: "trace", data: dataOf(value as unknown as PromptTrace) };
  if (typeof value["node"] === "object") return { kind: "json", code: text };
  throw bad("This JSON has neither the nodes of a trace nor a tree of elements.");
}

const turnAfter = async <T>(value: T): Promise<T> => (await turn(), value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message =
      text === ""
        ? "This page has no data of HTMLTracer."
        : `This trace is cut short or damaged: ${(cause as Error).message}`;
    throw bad(message);
  }
}

function dataOf(trace: PromptTrace): PageData {
  const isNode = (node: unknown) => {
    const { id, path, kept } = Object(node) as Record<string, unknown>;
    return typeof id === "number" && typeof path === "string" && typeof kept === "boolean";
  };
  if (trace.nodes.length === 0 || !trace.nodes.every(isNode) || !isNumber(trace.budget) || !isNumber(trace.tokens))
    throw bad("These are not the nodes of a trace: each has an id, a path, and says whether it was kept.");
  const { nodes, cut } = readTrace(trace);
  checkTree(nodes);
  checkCut(cut, nodes.length);
  const { budget, tokens, removals, fates } = cut;
  // Each step is counted once; what meets the limit of an element does not count.
  const steps = new Map(fates.filter((fate) => fate >= 0).map((fate) => [removals[fate]!.step, removals[fate]!]));
  const freed = [...steps.values()].reduce((sum, one) => sum + (isForBudget(one) ? (one.freed ?? 0) : 0), 0);
  return { budget, whole: Math.round(tokens + freed), epochs: [], nodes, cuts: [cut], server: undefined };
}

function checked(value: unknown): PageData {
  const packed = Object(value) as PackedData;
  const { budget, whole, nodes, cuts } = packed;
  const lists = [nodes, cuts, packed.removals, packed.fates, packed.sizes, packed.epochs];
  if (!lists.every(Array.isArray) || cuts.length === 0 || !isNumber(budget))
    throw bad("This page is of another version of HTMLTracer. Make it again with this one.");
  checkTree(nodes);
  const data = unpack(packed);
  for (const cut of data.cuts) {
    if (cut.nodes) checkTree(cut.nodes);
    checkCut(cut, (cut.nodes ?? nodes).length);
  }
  for (const { tokenBudget, elements } of data.epochs)
    if (!isNumber(tokenBudget) || !elements.every(({ id }) => isNumber(id))) throw bad(DAMAGED);
  // The server of the page no longer runs.
  return { ...data, whole: isNumber(whole) ? whole : budget, server: undefined };
}

const DAMAGED = "This trace is damaged.";
const isTextOrNone = (value: unknown) => value === undefined || typeof value === "string";

function checkCut({ budget, tokens, error, removals, fates, sizes }: PageCut, count: number): void {
  const isRemoval = ({ step, limit, node, rival }: (typeof removals)[number]) =>
    isNumber(step) &&
    typeof limit === "string" &&
    isNumber(node) &&
    (rival === undefined || typeof rival.path === "string");
  const isWhole = fates.length === sizes.length && (fates.length === count || fates.length === 0);
  const isRight =
    isNumber(budget) &&
    isNumber(tokens) &&
    isTextOrNone(error) &&
    isWhole &&
    removals.every(isRemoval) &&
    fates.every((fate) => fate === -1 || removals[fate] !== undefined) &&
    sizes.every((size) => isNumber(size) && size >= 0);
  if (!isRight) throw bad(DAMAGED);
}

function checkTree(nodes: PageData["nodes"]): void {
  const isTree = nodes.every(
    ({ parent }, index) => Number.isInteger(parent) && parent < index && parent < 0 === (index === 0),
  );
  if (!isTree) throw bad("The nodes of this trace are no tree.");
  for (const { id, type, name, role, text, priority, metadata = [] } of nodes) {
    const isRight = isNumber(id) && typeof type === "string" && typeof priority === "number";
    if (!isRight || ![name, role, text].every(isTextOrNone) || !Array.isArray(metadata)) throw bad(DAMAGED);
  }
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const bad = (message: string) => new EspalierError({ code: "bad_input", message });
