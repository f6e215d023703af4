/** Renders a described tree once, and returns everything observable in a form that can be compared across modules. */

import type { Description, Heard } from "./description.ts";
import { siblings, workshop } from "./description.ts";
import { component, fragment, h } from "./pieces.ts";
import type { Case } from "./random-tree.ts";
import type { Subject } from "./subject.ts";
import { reference } from "./subject.ts";
import { tokenizerOf } from "./tokenizers.ts";

export interface Rendered {
  messages: unknown[];
  tokenCount: number;
  hasIgnoredFiles: boolean;
  references: unknown[];
  omittedReferences: unknown[];
  metadata: string[];
  usedContext: unknown[];
  ignoredFiles: unknown[];
  /** Number of removed nodes. */
  removed: number | undefined;
}

export interface Failed {
  /** `budget`, or the text of the error. */
  error: string;
  kind: string;
  /** The content of a budget error. */
  messages: unknown[] | undefined;
  metadata: string[] | undefined;
}

export interface Outcome {
  result: Rendered | Failed;
  /** The budgets that components received, by component. */
  heard: Record<string, string[]>;
  epochs: unknown[];
  /** The characters that the tokenizer was asked about. */
  characters: number;
  /** Tokens of the returned messages, counted again; 0 if it threw. */
  fresh: number;
}

export interface RunOptions {
  budget: number;
  /** A renderer class that replaces the module's own. */
  Renderer?: any;
  /** If false, no tracer is attached, as for most users; epochs and removed nodes are unknown then. */
  isTraced?: boolean;
}

/** Of several faults, ours names the first in source order, the reference the first intrinsic. */
const NO_CHILD = /^(Unknown intrinsic element|Invalid ChatMessage child!).*/;

/** The reference names no element here, and quotes the text of elements that have none. */
const NOT_IN_A_MESSAGE =
  /^Cannot have (?:a text node outside a ChatMessage. Text: "undefined"|\w+ content outside a ChatMessage\.)$/;
const PATH_OUTSIDE = /^(Cannot have .* outside a ChatMessage.*) \(at tsx element [^()]*\)$/s;

/** Renders a case with one module. Call `makeSplices` first. */
export async function run(
  s: Subject,
  { tree, tokenizer: options }: Case,
  { budget, Renderer = s.PromptRenderer, isTraced = true }: RunOptions,
): Promise<Outcome> {
  const shop = workshop(s);
  const tokenizer = tokenizerOf(s, options);
  const epochs = new Epochs();
  let removed: number | undefined;
  const Root = component(s, "Root", () => h(fragment, {}, ...tree.map(shop.build)));
  const renderer = new Renderer({ modelMaxPromptTokens: budget }, Root, {}, tokenizer);
  if (isTraced) {
    renderer.tracer = {
      addRenderEpoch: (epoch: any) => epochs.add(epoch),
      includeInEpoch: (element: any) => epochs.include(element),
      didMaterializeTree: (trace: any) => (removed = trace.renderedTree.removed),
    };
  }
  const tags = (metadata: any): string[] => metadata.getAll(shop.Tag).map(({ tag }: any) => tag);
  const seen = (): Pick<Outcome, "heard" | "epochs" | "characters"> => ({
    heard: byId(shop.heard),
    epochs: epochs.list,
    characters: tokenizer.tally.characters,
  });
  try {
    const result = await renderer.render();
    const characters = seen();
    let fresh = 0;
    for (const message of result.messages) fresh += await tokenizer.countMessageTokens(message);
    return {
      ...characters,
      fresh,
      result: {
        messages: plain(result.messages),
        tokenCount: result.tokenCount,
        hasIgnoredFiles: result.hasIgnoredFiles,
        references: plain(result.references),
        omittedReferences: plain(result.omittedReferences),
        metadata: tags(result.metadata),
        usedContext: renderer.getUsedContext(),
        ignoredFiles: renderer.getIgnoredFiles(),
        removed: keeps(tree) ? undefined : removed,
      },
    };
  } catch (error: any) {
    const text = String(error?.message ?? error);
    const budget = text.startsWith("No lowest priority node found");
    return {
      ...seen(),
      fresh: 0,
      result: {
        error: budget
          ? "budget"
          : text
              .replace(PATH_OUTSIDE, "$1")
              .replace(NOT_IN_A_MESSAGE, "something outside a message")
              .replace(NO_CHILD, "no child"),
        // The caller's own class keeps its name; below LegacyPrioritization the reference throws a plain Error for a
        // budget failure.
        kind: budget ? "budget" : String(error?.constructor?.name).replace("EspalierError", "Error"),
        messages: budget && error.messages ? plain(error.messages) : undefined,
        metadata: budget && error.metadata ? tags(error.metadata) : undefined,
      },
    };
  }
}

/**
 * Returns true if any elements are kept together: which one the reference then removes first, and so counts as removed
 * by itself, is arbitrary.
 */
function keeps(tree: readonly Description[]): boolean {
  return tree.some((each) => each.kind === "keepWith" || ("children" in each && keeps(each.children as Description[])));
}

/** Renders the spliced trees with the reference: both must be able to read its output. */
export async function makeSplices(tree: Description[]): Promise<void> {
  for (const list of [...siblings(tree)].reverse()) {
    for (const each of list) {
      if (each.kind !== "json") continue;
      const shop = workshop(reference);
      const Tool = component(reference, "Tool", () => h(fragment, {}, ...each.children.map(shop.build)));
      const made = reference.renderElementJSON(
        Tool,
        {},
        { tokenBudget: 60, countTokens: (text: string) => Promise.resolve(text.length) },
      );
      each.data = await made.then(plain, () => ({
        node: { type: 1, ctor: 2, ctorName: "Tool", children: [], props: {}, references: [] },
      }));
    }
  }
}

/** Returns what JSON keeps of a value: own data, without `undefined` and without classes. */
function plain(value: unknown): any {
  return JSON.parse(JSON.stringify(value, (_key, inner) => (Number.isNaN(inner) ? "NaN" : inner)));
}

function byId(heard: Heard[]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const { id, phase, budget } of heard) (all[id] ??= []).push(`${phase} ${budget}`);
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Epochs with the numbers of elements in the order of their first appearance, since each module numbers differently.
 */
class Epochs {
  readonly list: unknown[] = [];
  readonly #numbers = new Map<number, number>();

  add({ inNode, elements, ...rest }: any): void {
    const epoch = {
      ...rest,
      inNode: inNode === undefined ? undefined : this.#number(inNode),
      elements: elements.map(({ id, tokenBudget }: any) => ({ id: this.#number(id), tokenBudget })),
    };
    this.list.push(plain(epoch));
  }

  include({ id, tokenBudget }: any): void {
    this.list.push({ spliced: this.#number(id), tokenBudget });
  }

  #number(id: number): number {
    if (!this.#numbers.has(id)) this.#numbers.set(id, this.#numbers.size);
    return this.#numbers.get(id) as number;
  }
}
