/** The engine's half of an index: rebuilt in the live instance after a crash. */

import { call } from "../engine/engine.ts";
import { workspace } from "../engine/workspace.ts";
import type { WorkspaceWasm } from "../engine/workspace.ts";

export type Handle = InstanceType<WorkspaceWasm["SearchIndex"]>;

/** The options that decide the contents of an index. */
export interface Rules {
  /** The profile of words and scores. */
  profile: string;
  /** The encoding of the tokens. */
  encoding: string;
  /** Max tokens of a chunk. */
  maxChunkTokens: number;
  /** True if files are cut at definitions. */
  hasDefinitions: boolean;
  /** The model of the embeddings; empty without them. */
  model: string;
}

/** A chunk of a file. Offsets are UTF-16 code units. */
export interface Chunk {
  path: string;
  /** The version of the file when it was indexed. */
  version: string;
  /** The number of the chunk in its file, from 0. */
  position: number;
  start: number;
  end: number;
  firstLine: number;
  lastLine: number;
  tokens: number;
  /** Stays the same as long as the text of the chunk stays in its file. */
  id: bigint;
  header: string;
  score: number;
  terms?: { term: string; score: number }[];
}

/** The engine's description of chunks: see `described` in workspace/src/index.rs. */
export interface Described {
  paths: string[];
  versions: string[];
  places: Uint32Array;
  ids: BigUint64Array;
  headers: string[];
  scores: Float64Array;
  terms?: string[];
  parts?: Uint32Array;
  partScores?: Float64Array;
}

export class Held {
  private readonly rules: Rules;
  private instance: WorkspaceWasm | undefined;
  private handle: Handle | undefined;

  constructor(rules: Rules) {
    this.rules = rules;
    this.renew();
  }

  /** False after a crash: the index is then empty, or belongs to a dead instance. */
  get isCurrent(): boolean {
    return this.handle !== undefined && this.instance === workspace();
  }

  /** Makes an empty index. */
  renew(): void {
    this.free();
    const { profile, encoding, maxChunkTokens, hasDefinitions, model } = this.rules;
    const instance = workspace();
    this.handle = call(() => new instance.SearchIndex(profile, encoding, maxChunkTokens, hasDefinitions, model));
    this.instance = instance;
  }

  /** Runs one call of the engine. */
  use<T>(run: (handle: Handle) => T): T {
    return call(() => {
      if (!this.handle) throw new Error("the index is disposed");
      return run(this.handle);
    });
  }

  chunks(run: (handle: Handle) => unknown): Chunk[] {
    return chunksOf(this.use(run) as Described);
  }

  free(): void {
    // The memory of a crashed instance must not be touched.
    if (this.isCurrent) this.handle?.free();
    this.handle = undefined;
  }
}

/** Count of numbers per chunk in `places`. */
const PLACE = 7;

function chunksOf({ paths, versions, places, ids, headers, scores, terms, parts, partScores }: Described): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < ids.length; at += 1) {
    const [file = 0, position = 0, start = 0, end = 0, firstLine = 0, lastLine = 0, tokens = 0] = places.subarray(
      at * PLACE,
      (at + 1) * PLACE,
    );
    const found = { path: paths[file]!, version: versions[file]!, position, start, end, firstLine, lastLine, tokens };
    chunks.push({ ...found, id: ids[at]!, header: headers[at]!, score: scores[at] ?? 0 });
  }
  if (!terms || !parts || !partScores) return chunks;
  for (const chunk of chunks) chunk.terms = [];
  for (let at = 0; at < partScores.length; at += 1) {
    chunks[parts[2 * at]!]?.terms?.push({ term: terms[parts[2 * at + 1]!]!, score: partScores[at]! });
  }
  return chunks;
}
