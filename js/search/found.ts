/** The hits of one search, numbered for the core, and the texts of their files. */

import type { Chunk } from "./held.ts";

/** A hit. Lines and header are only known for chunks of the index, not for hits of a remote search. */
export interface Found {
  path: string;
  start: number;
  end: number;
  score: number | undefined;
  firstLine: number;
  lastLine: number;
  header: string;
  /** The version of the file when it was indexed, and the id of the chunk. */
  version?: string;
  id?: bigint;
  terms?: { term: string; score: number }[] | undefined;
}

export class FoundHits {
  private readonly hits: Found[] = [];
  private readonly numbers = new Map<string, number>();
  /** By path; undefined for files that cannot be read. */
  readonly texts = new Map<string, string | undefined>();

  /** Returns the number of a hit; the same for the same range of a file. */
  add(hit: Found): number {
    const key = `${hit.start} ${hit.end} ${hit.path}`;
    const known = this.numbers.get(key);
    if (known !== undefined) {
      this.hits[known]!.terms ??= hit.terms;
      return known;
    }
    this.numbers.set(key, this.hits.length);
    return this.hits.push(hit) - 1;
  }

  get(number: number): Found {
    return this.hits[number]!;
  }

  /** Returns the text of a hit, once its file was read. */
  textOf(number: number): string | undefined {
    const { path, start, end } = this.get(number);
    return this.texts.get(path)?.slice(start, end);
  }

  /**
   * Moves hits of a file that changed since it was indexed to the current places of their chunks; if a chunk is gone,
   * to the chunk at its place.
   */
  move(path: string, numbers: readonly number[], chunks: readonly Chunk[]): void {
    const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
    for (const number of numbers) {
      const hit = this.get(number);
      const now = (hit.id !== undefined && byId.get(hit.id)) || chunks.find(({ end }) => hit.start < end);
      if (hit.path !== path || !now) continue;
      const { start, end, firstLine, lastLine, header } = now;
      Object.assign(hit, { start, end, firstLine, lastLine, header });
    }
  }
}

export function fromChunk({ path, start, end, score, firstLine, lastLine, header, version, id, terms }: Chunk): Found {
  return { path, start, end, score, firstLine, lastLine, header, version, id, terms };
}
