/** The events of a render that a tracer sees. */

import type { PromptTrace } from "./explain.ts";
import type { PromptMetadata } from "./results.ts";
import type { ITokenizer } from "./tokenizer.ts";

/** A node of the final tree. */
export interface MaterializedView {
  type: "container" | "message" | "text" | "image" | "document" | "opaque" | "breakpoint";
  id: number;
  name?: string | undefined;
  /** For messages. */
  role?: string | undefined;
  priority: number;
  /** Of its own text or part, or of its whole content. */
  tokens: number;
  text?: string | undefined;
  metadata: readonly PromptMetadata[];
  children?: MaterializedView[];
}

export interface ITraceRenderData {
  budget: number;
  container: MaterializedView;
  /** Number of removed nodes, without those inside them. */
  removed: number;
  /** What happened to every node, removed ones included, with whole texts. Renderers of other packages have none. */
  trace?: PromptTrace;
}

export interface ITraceData {
  /** The budget of the render. */
  budget: number;
  renderedTree: ITraceRenderData;
  tokenizer: ITokenizer;
  /** Returns the same tree at another budget; it may be called often and changes nothing. */
  renderTree(tokenBudget: number): Promise<ITraceRenderData>;
}

export interface IElementEpochData {
  id: number;
  tokenBudget: number;
}

/** A group of elements that were rendered together. */
export interface ITraceEpoch {
  inNode: number | undefined;
  flexValue: number;
  /** The tokens that the parent had left. */
  tokenBudget: number;
  /** The part of it that was held back for later groups. */
  reservedTokens: number;
  elements: IElementEpochData[];
}

export interface ITracer {
  addRenderEpoch?(epoch: ITraceEpoch): void;
  /** Called when an element came in from elsewhere during the last epoch. */
  includeInEpoch?(data: IElementEpochData): void;
  didMaterializeTree?(traceData: ITraceData): void;
}
