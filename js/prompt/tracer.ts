/** What can be watched while a prompt is rendered. */

import type { PromptMetadata } from "./results.ts";
import type { ITokenizer } from "./tokenizer.ts";

/** A node of the final tree, to be looked at. */
export interface MaterializedView {
  type: "container" | "message" | "text" | "image" | "document" | "opaque" | "breakpoint";
  id: number;
  name?: string | undefined;
  /** Of messages. */
  role?: string | undefined;
  priority: number;
  /** Of its own text or part, or of everything in it. */
  tokens: number;
  text?: string | undefined;
  metadata: readonly PromptMetadata[];
  children?: MaterializedView[];
}

export interface ITraceRenderData {
  budget: number;
  container: MaterializedView;
  /** Nodes that were removed, not counting what was in them. */
  removed: number;
}

export interface ITraceData {
  /** The budget of the render. */
  budget: number;
  renderedTree: ITraceRenderData;
  tokenizer: ITokenizer;
  /** The same tree at another budget; may be called often and changes nothing. */
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
  /** What the parent had left. */
  tokenBudget: number;
  /** What of it was held back for later groups. */
  reservedTokens: number;
  elements: IElementEpochData[];
}

export interface ITracer {
  addRenderEpoch?(epoch: ITraceEpoch): void;
  /** An element came in from elsewhere during the last epoch. */
  includeInEpoch?(data: IElementEpochData): void;
  didMaterializeTree?(traceData: ITraceData): void;
}
