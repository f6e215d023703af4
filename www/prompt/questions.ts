/** What the page asks the worker that runs prompts. */

import type { PageCut, PageNode } from "../../js/prompt/html-tracer-data.ts";
import type { ITraceEpoch } from "../../js/prompt/tracer.ts";
import type { RenderFormat } from "../../js/prompt/output/request.ts";
import type { EncodingName } from "../../js/types/count.ts";

export interface Asked {
  /** Typed TSX, or a tree as JSON (`renderElementJSON`). */
  code: string;
  isJSON: boolean;
  format: RenderFormat;
  backfill: boolean;
  /** The budget that elements receive; a prompt may be larger. */
  room: number;
}

/** A prompt, rendered with room for everything. */
export interface Whole {
  nodes: PageNode[];
  /** Tokens of each node. */
  sizes: number[];
  tokens: number;
  epochs: ITraceEpoch[];
}

export type Questions = {
  /** Loads the engine and this encoding, then confines the worker. */
  ready: [{ encoding: EncodingName }, undefined];
  /** Replaces the prompt. */
  run: [Asked, Whole];
  cut: [{ budget: number }, PageCut];
  /** The request at the budget of the newest cut, as JSON. */
  request: [{ budget: number }, { text: string }];
  /** The explained prompt, as JSON: what `trace()` returns. */
  trace: [{ budget: number }, { text: string }];
  /** The prompt as one HTML file: what `HTMLTracer` makes. */
  page: [{}, { text: string }];
};
