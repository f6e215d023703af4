/** The steps of a search over a workspace, and inline context. Written by `npm run types`: do not edit. */

/** The origin of a result. */
export type Strategy =
  | "fullWorkspace"
  | "remote"
  | "embeddings"
  | "lexical"
  /** Embeddings and words, joined by reciprocal rank. */
  | "fused";

/** A stage that began or was skipped. */
export interface Attempt {
  /** A part of a search that takes time or can fail. */
  strategy: "fullWorkspace" | "remote" | "embeddings" | "keywords" | "lexical" | "read" | "rerank";
  /**
   * The ending of a stage.
   * - `won`: The result comes from it.
   * - `done`: It completed, or found nothing.
   * - `skipped`: It never began.
   */
  outcome: "won" | "done" | "failed" | "timedOut" | "cancelled" | "skipped";
  /** Time since the search began. */
  startMs: number;
  endMs: number;
  why?: string;
}

/** The result of a search. */
export interface PlanOutcome {
  /** `null` if there are no hits. */
  strategy: Strategy | null;
  /** Best first. */
  hits: { hit: number; score: number }[];
  /** Hits that score too far below the best. */
  spread: number[];
  /** Hits whose text could not be read. */
  missing: number[];
  tried: Attempt[];
  /** The search words of the lexical index, if it was searched. */
  words?: string;
  /** The reasons why nothing could be searched, if every strategy failed. */
  failure?: string;
}

/** The result of filling. */
export interface Filled {
  /** Best first. */
  passages: {
    file: number;
    /** In UTF-16 code units; blank lines at both ends are left out. */
    start: number;
    end: number;
    /** From 0; the last line is included. */
    firstLine: number;
    lastLine: number;
    /** Tokens of the rendered passage. */
    tokens: number;
    /** The best score of its hits. */
    score: number;
    /** Indexes of its hits, best first. */
    hits: number[];
    /** True if parts of its hits are missing. */
    isCut: boolean;
    /** The hit whose summary is its text. */
    summary?: number;
    /** Path, lines and text, fenced. Passages are joined without separators. */
    rendered: string;
  }[];
  /** Tokens of all rendered passages together. */
  tokens: number;
  /** A hit that is left out completely. */
  leftOut: {
    hit: number;
    firstLine: number;
    lastLine: number;
    /**
     * The reason why a hit is left out.
     * - `range`: Its range is outside the file, or blank.
     */
    why: "budget" | "range";
  }[];
}

/** Tokens of a prompt: `context + prefix + restOfLine + suffix + free` is `budget`. */
export interface InlineTokens {
  budget: number;
  context: number;
  prefix: number;
  restOfLine: number;
  suffix: number;
  free: number;
  /**
   * Tokens of context and prefix that this request shares with the previous one's beginning; only set by
   * `InlineContext`.
   */
  shared: number;
}

/** A request to the host. Hits are numbers that the host assigns: one for each path and range. */
export type SearchEffect =
  /** Read all files. Answer: `Whole`. */
  | { type: "readWorkspace" }
  /** Run the remote search. Answer: `Hits`, best first. */
  | { type: "remote"; query: string; maxResults: number }
  /** Embed the query and store the vector. Answer: `Done`. */
  | { type: "embed"; query: string }
  /** Find the chunks nearest to the vector of that effect. Answer: `Hits`, scored by similarity. */
  | { type: "nearest"; embedding: number; maxResults: number }
  /** Ask a model for keywords. Answer: `Keywords`. */
  | { type: "keywords"; query: string }
  /** Search the lexical index. Answer: `Hits`, best first. */
  | { type: "lexical"; query: string; maxResults: number }
  /** Read the texts of hits and store them. Answer: `Read`. */
  | { type: "read"; hits: number[] }
  /** Rerank hits. Answer: `Order`. */
  | { type: "rerank"; query: string; hits: number[] };

/** The state of a search. */
export type SearchStep =
  /**
   * Carry these effects out, and cancel running ones that are no longer in the list. Poll after each answer, and at
   * `nextMs` if there is none before.
   */
  | {
      type: "ask";
      /** A numbered effect. Numbers count up from 0 within one search and are never reused. */
      effects: { id: number; effect: SearchEffect }[];
      nextMs?: number;
    }
  /** The result. Cancel all running effects. */
  | { type: "done"; result: PlanOutcome };
