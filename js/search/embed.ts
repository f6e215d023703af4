/**
 * Makes vectors of chunks and of queries with the host's model. A failure is only a warning: words find every chunk.
 */

import type { Chunk, Held } from "./held.ts";
import { callWithTimeout } from "./slices.ts";
import type { Slices } from "./slices.ts";
import type { EmbedOptions } from "./types.ts";
import { errorText } from "./warnings.ts";
import type { Warnings } from "./warnings.ts";

/** Max failed calls before the rest waits for the next time. */
const FAILURES = 3;
/** Max queries whose vectors are kept. */
const QUERIES = 64;

export class Embedder {
  private readonly held: Held;
  private readonly warnings: Warnings;
  private readonly embed: EmbedOptions["embed"];
  private readonly batchSize: number;
  private readonly concurrency: number;
  private readonly timeoutMs: number;
  private readonly queries = new Map<string, Float32Array>();

  constructor(options: EmbedOptions, held: Held, warnings: Warnings) {
    const { embed, batchSize = 64, concurrency = 2, timeoutMs = 60_000 } = options;
    this.held = held;
    this.warnings = warnings;
    this.embed = embed;
    this.batchSize = batchSize;
    this.concurrency = concurrency;
    this.timeoutMs = timeoutMs;
  }

  /** Makes the missing vectors. `textOf` returns the text of a file in the version of its chunks. */
  async chunks(
    textOf: (path: string, version: string) => Promise<string | undefined>,
    slices: Slices,
    signal: AbortSignal | undefined,
    progress: (done: number, total?: number) => void,
  ): Promise<void> {
    let [done, failures] = [0, 0];
    const open = new Set<Promise<void>>();
    let batch: { id: bigint; text: string }[] = [];
    const send = async (items: typeof batch) => {
      try {
        const vectors = await this.vectors(
          items.map(({ text }) => text),
          "chunks",
          signal,
        );
        const values = new Float32Array(vectors.length * vectors[0]!.length);
        for (const [at, vector] of vectors.entries()) values.set(vector, at * vector.length);
        this.held.use((handle) =>
          handle.putVectors(
            BigUint64Array.from(items, ({ id }) => id),
            values,
          ),
        );
        progress((done += items.length));
      } catch (error) {
        signal?.throwIfAborted();
        failures += 1;
        this.warnings.add("embeddings", `${items.length} chunks have no embedding: ${errorText(error)}`, error);
      }
    };
    const queue = async () => {
      const sent = send(batch);
      const one: Promise<void> = sent.finally(() => open.delete(one));
      batch = [];
      open.add(one);
      // Handled below, when all are awaited.
      one.catch(() => {});
      if (open.size >= this.concurrency) await Promise.race(open);
    };
    for (const path of this.held.use((handle) => handle.pathsWithoutVectors())) {
      const chunks = this.held.chunks((handle) => handle.withoutVectors(path));
      const text = chunks[0] && (await textOf(path, chunks[0].version));
      if (text === undefined) continue;
      for (const chunk of chunks) {
        batch.push({ id: chunk.id, text: embeddedText(chunk, text) });
        if (batch.length >= this.batchSize) await queue();
      }
      if (failures >= FAILURES) break;
      await slices.next();
    }
    if (batch.length > 0 && failures < FAILURES) await queue();
    await Promise.all(open);
    this.held.use((handle) => handle.evictVectors());
  }

  /** Returns the vector of a query. */
  async query(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const known = this.queries.get(text);
    if (known) return known;
    const [vector] = await this.vectors([text], "query", signal);
    if (this.queries.size >= QUERIES) this.queries.delete(this.queries.keys().next().value!);
    this.queries.set(text, vector!);
    return vector!;
  }

  /** Calls the host's model and checks its vectors. */
  private async vectors(
    texts: string[],
    kind: "chunks" | "query",
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> {
    const made: unknown = await callWithTimeout(this.timeoutMs, signal, "options.embeddings.embed", (own) =>
      this.embed(texts, { signal: own, kind }),
    );
    if (!Array.isArray(made)) throw new TypeError("options.embeddings.embed must return a list of vectors");
    if (made.length !== texts.length)
      throw new TypeError(`options.embeddings.embed returned ${made.length} vectors for ${texts.length} texts`);
    const vectors = made.map((vector: unknown, at) => {
      const values =
        vector instanceof Float32Array ? vector : isNumbers(vector) ? Float32Array.from(vector) : undefined;
      if (!values || values.length === 0)
        throw new TypeError(`options.embeddings.embed returned no vector for text ${at}`);
      if (!values.every(Number.isFinite))
        throw new TypeError(`options.embeddings.embed returned a value that is not a finite number in vector ${at}`);
      return values;
    });
    const dimensions = this.held.use((handle) => handle.dimensions()) || vectors[0]!.length;
    const odd = vectors.findIndex((vector) => vector.length !== dimensions);
    if (odd >= 0) {
      throw new TypeError(
        `options.embeddings.embed returned a vector of ${vectors[odd]!.length} dimensions among those of ${dimensions}; ` +
          "another model needs another options.embeddings.model",
      );
    }
    return vectors;
  }
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  return Array.isArray(value) ? value.every((item) => typeof item === "number") : value instanceof Float64Array;
}

/** Returns the text to embed for a chunk: a line with the path, then the text as a block of code. */
function embeddedText({ path, start, end }: Chunk, text: string): string {
  return `File: \`${path}\`\n\`\`\`\n${text.slice(start, end)}\n\`\`\``;
}
