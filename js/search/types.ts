/**
 * The public types of `espalier/search`.
 *
 * A path names one file of the index, with `/` between its parts. With several roots it begins with the name of its
 * root. Offsets are UTF-16 code units, lines count from 0, times are milliseconds, budgets are tokens.
 */

import type { EncodingName } from "../types/count.ts";
import type { WorkerLike } from "../tokens/worker-like.ts";
import type { Attempt, Strategy } from "../types/generated/search.ts";

export type { Strategy } from "../types/generated/search.ts";

/** A file to put into an index. */
export interface SearchFile {
  path: string;
  text: string;
  /** Identifies the contents: a file of the same version is not read again. Default: a hash of the text. */
  version?: string | undefined;
  /**
   * The places of its definitions, for chunks that begin and end with them. Default: from `definitions` of the index.
   */
  definitions?: readonly SearchDefinition[] | undefined;
}

/** A definition of a file: a function, a class. `outline` of "espalier/documents" finds them. */
export interface SearchDefinition {
  name: string;
  start: number;
  end: number;
}

/** A file that a source lists. */
export interface ListedFile {
  path: string;
  /** Changes whenever the contents do: size and modification time, or an etag. */
  version: string;
  /** Bytes, if they are known without reading. */
  size?: number | undefined;
}

/** A file or folder that is not searched, or not as a whole. */
export interface FileNote {
  path: string;
  /**
   * `ignored` by an ignore file or rule, `binary`, `tooLarge`, `minified`, `encoding` (not UTF-8), `unreadable` (no
   * permission, an I/O error), `gone` (deleted while it was read), `loop` (a link to a folder above it), `duplicate`
   * path, `refused` (the index does not accept it).
   */
  reason:
    | "ignored"
    | "binary"
    | "tooLarge"
    | "minified"
    | "encoding"
    | "unreadable"
    | "gone"
    | "loop"
    | "duplicate"
    | "refused";
  /** The system's message. */
  detail?: string | undefined;
}

/** The files of a workspace: a folder in Node, the workspace of VS Code, a folder that a page was given. */
export interface FileSource {
  /** Lists all files, in any order. Reports files that are left out to `note`. */
  list(options: {
    signal?: AbortSignal | undefined;
    note: (note: FileNote) => void;
  }): AsyncIterable<ListedFile> | Iterable<ListedFile>;
  /** Returns the text of a file, or why there is none. */
  read(path: string): Promise<{ text: string; version: string } | FileNote>;
  /**
   * Reports the paths of created, changed and deleted files; reports to `onError` what ends or limits the watching,
   * such as too many folders for the system. Returns a function that ends it.
   */
  watch?(onChange: (paths: readonly string[]) => void, onError?: (error: unknown) => void): () => void;
}

/** Named blobs: `nodeStorage`, `indexedDbStorage`, `workspaceStorage` and `memoryStorage` implement all of these. */
export interface IndexStorage {
  readBytes(name: string): Promise<Uint8Array | undefined> | Uint8Array | undefined;
  writeBytes(name: string, bytes: Uint8Array): Promise<void> | void;
  list(prefix: string): Promise<string[]> | string[];
  delete(name: string): Promise<void> | void;
}

/** The host's embedding model. */
export interface EmbedOptions {
  /** Returns the vectors of the texts, in their order. */
  embed: (
    texts: readonly string[],
    options: { signal: AbortSignal; kind: "chunks" | "query" },
  ) => Promise<readonly (Float32Array | readonly number[])[]>;
  /** Names the model; vectors of another name are replaced. */
  model: string;
  /** Max texts of one call. Default 64. */
  batchSize?: number | undefined;
  /** Max calls at the same time. Default 2. */
  concurrency?: number | undefined;
  /** Milliseconds after which a call counts as failed. Default 60,000. */
  timeoutMs?: number | undefined;
}

/** A failure after which the index continued. */
export interface IndexWarning {
  /**
   * `storage`: it could not be read or written; the index is in memory only. `damaged`: a part of the stored index was
   * unusable and is rebuilt. `outdated`: the stored index has another version or other options and is rebuilt.
   * `rebuilt`: the engine crashed and the index is rebuilt. `embeddings`: texts have no vector; words find them.
   * `definitions`: the callback failed; files are cut by lines. `watch`: a change could not be followed.
   */
  code: "storage" | "damaged" | "outdated" | "rebuilt" | "embeddings" | "definitions" | "watch";
  message: string;
  cause?: unknown;
}

export interface IndexOptions {
  /** `espalier` (the default): BM25. `copilot-chat`: the words, scores and order of Copilot Chat 0.37.9. */
  profile?: "espalier" | "copilot-chat" | undefined;
  /** Default `o200k_base`. */
  encoding?: EncodingName | undefined;
  /** Max tokens of a chunk. Default 250. */
  maxChunkTokens?: number | undefined;
  /** Where to store the index. Default: nowhere. */
  storage?: IndexStorage | undefined;
  /** The files. Without it, `put` provides texts, which are kept in memory to show hits. */
  source?: FileSource | undefined;
  /** Returns the definitions of a file; nothing for an unknown language. */
  definitions?:
    | ((file: {
        path: string;
        text: string;
      }) => Promise<readonly SearchDefinition[] | undefined> | readonly SearchDefinition[] | undefined)
    | undefined;
  /** The host's embedding model, for searching by meaning as well. Default: words alone. */
  embeddings?: EmbedOptions | undefined;
  /** Makes a worker that runs `espalier/search/worker`. Default: the index runs in this thread. */
  worker?: (() => WorkerLike) | undefined;
  /**
   * Bytes or URL of the encoding's vocabulary, for a worker. Default: that of this entry, if it can be read or fetched.
   */
  vocabulary?: Uint8Array | string | URL | undefined;
  /** Called with every warning as it occurs. Reports and states contain them, too. */
  onWarning?: ((warning: IndexWarning) => void) | undefined;
  /** Milliseconds of work after which other tasks of the thread may run. Default 8. */
  sliceMs?: number | undefined;
}

export interface IndexState {
  files: number;
  chunks: number;
  /** Number of files that are listed but not indexed yet. */
  pending: number;
  /** Number of files that are not searched, by reason. */
  skipped: Partial<Record<FileNote["reason"], number>>;
  terms: number;
  /** Bytes of memory, estimated. */
  memory: number;
  vectors: number;
  /** Increases with every change. */
  revision: number;
  /** The newest 20, oldest first. */
  warnings: IndexWarning[];
}

export interface IndexProgress {
  phase: "load" | "list" | "index" | "embed" | "save";
  done: number;
  /** Absent while it is unknown. */
  total?: number | undefined;
}

export interface WorkOptions {
  /** Ends the work between two files; finished files stay. */
  signal?: AbortSignal | undefined;
  /** Called during the work. */
  onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** The effects of a change of the index. */
export interface IndexReport {
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Files that are not searched, each with its reason; at most 1,000 of them, `state().skipped` counts all. */
  notes: FileNote[];
  /** Failures during the change. */
  warnings: IndexWarning[];
  /** The duration. */
  ms: number;
}

/** A hit of a remote search. Unless every hit has a score, only their order counts. */
export interface RemoteHit {
  path: string;
  start: number;
  end: number;
  score?: number | undefined;
}

/** A keyword, alone or with variations. */
export type Keyword = string | { keyword: string; variations?: readonly string[] | undefined };

export interface SearchOptions {
  /** Max tokens of the rendered hits together. Default 32,000. */
  budget?: number | undefined;
  /** Default 128. */
  maxResults?: number | undefined;
  /** Keeps hits of at least best × (1 − `maxSpread`). Default: all; 0.75 in the profile `copilot-chat`. */
  maxSpread?: number | undefined;
  /** Reports what each term contributed to each score. */
  contributions?: boolean | undefined;
  /** Restricts the search to files for which it returns true. */
  filter?: ((path: string) => boolean) | undefined;
  /**
   * A remote search, such as a code search service. Best hits first; hits of files that the index does not have are
   * left out.
   */
  remote?:
    | ((
        query: string,
        options: { signal: AbortSignal; maxResults: number },
      ) => Promise<readonly RemoteHit[]> | readonly RemoteHit[])
    | undefined;
  /** After this time the local search begins beside the remote one; 0 for at once. Default 12,500. */
  remoteTimeoutMs?: number | undefined;
  /** After this time words are searched beside the embeddings; 0 for at once. Default 8,000. */
  embeddingsTimeoutMs?: number | undefined;
  /** Keeps embeddings of at least this share of the best similarity, unless `rerank` orders them. Default 0.65. */
  minSimilarityShare?: number | undefined;
  /** Returns indexes of the chunks in their new order; omitted ones follow in their old order. */
  rerank?:
    | ((
        query: string,
        chunks: readonly { path: string; text: string }[],
        options: { signal: AbortSignal },
      ) => Promise<readonly number[]> | readonly number[])
    | undefined;
  /** Default 8,000. */
  rerankTimeoutMs?: number | undefined;
  /**
   * Returns keywords of the query, each with its variations, for example from a small model. Called when words are
   * searched.
   */
  keywords?:
    | ((query: string, options: { signal: AbortSignal }) => Promise<readonly Keyword[]> | readonly Keyword[])
    | undefined;
  /** Default 8,000. */
  keywordsTimeoutMs?: number | undefined;
  /**
   * Workspaces with fewer files and fewer tokens are returned whole, if that fits into `budget`: the files with words
   * of the query first. Default `{ files: 100, tokens: 32_000 }`; false for never.
   */
  fullWorkspace?: { files: number; tokens: number } | false | undefined;
  /**
   * How to combine embeddings and words: `race` (the default, the first success wins) or `fuse` (by reciprocal rank).
   */
  combine?: "race" | "fuse" | undefined;
  /** The constant of reciprocal rank fusion. Default 60. */
  rrfK?: number | undefined;
  /** Timeout for reading the texts of all hits. Default 8,000. */
  readTimeoutMs?: number | undefined;
  /** Max share of `budget` for one hit (but at least 512 tokens) while others wait for room. Default 0.5. */
  hitShare?: number | undefined;
  /**
   * Shortens a hit that is larger than its share to `budget` tokens. Without it, or if it fails, the hit is cut between
   * lines.
   */
  summarize?:
    | ((
        hit: { path: string; text: string; start: number; end: number; budget: number },
        options: { signal: AbortSignal },
      ) => Promise<string> | string)
    | undefined;
  /** Timeout of each summary. Default 8,000. */
  summarizeTimeoutMs?: number | undefined;
  /** Aborting it cancels every callback and rejects with its reason. */
  signal?: AbortSignal | undefined;
}

/** The found lines of a file; overlapping and touching chunks are joined. */
export interface SearchHit {
  path: string;
  start: number;
  end: number;
  firstLine: number;
  lastLine: number;
  /** The text without blank lines at both ends; a summary, if `summarize` made one. */
  text: string;
  /** Path, lines and text in a fence, for `renderHits`. */
  rendered: string;
  /** Tokens of `rendered`. */
  tokens: number;
  /** The score of its best chunk; comparable within one answer. */
  score: number;
  /** From 0, the most relevant. */
  rank: number;
  /** Names of the definitions around its start, joined with ` > `; empty if there are none. */
  header: string;
  /** Score by term, if requested. */
  terms?: { term: string; score: number }[] | undefined;
  /** True if the text is shortened to its share of the budget. */
  isCut: boolean;
}

/** A step that a search tried. */
export interface Attempted extends Omit<Attempt, "strategy"> {
  strategy: Attempt["strategy"] | "summarize";
}

export interface SearchAnswer {
  query: string;
  strategy: Strategy | "none";
  /** Most relevant first. */
  hits: SearchHit[];
  /** Tokens of all hits as `renderHits` joins them: at most `budget`. */
  tokens: number;
  /** The words that the lexical index was searched for, if it was: the keywords, else the query. */
  words?: string | undefined;
  tried: Attempted[];
  /**
   * Hits without room (`budget`), too far below the best (`spread`), whose file could not be read (`gone`) or is not in
   * the index (`unknown`), or whose range is not in their file (`range`). Unknown lines are 0.
   */
  leftOut: {
    path: string;
    firstLine: number;
    lastLine: number;
    why: "budget" | "gone" | "spread" | "unknown" | "range";
  }[];
  state: IndexState;
}

/** An index over the files of a workspace. */
export interface WorkspaceIndex {
  /** Lists the source, reads new and changed files, removes missing ones, and saves. */
  sync(options?: WorkOptions): Promise<IndexReport>;
  /** Adds or replaces files. */
  put(files: Iterable<SearchFile> | AsyncIterable<SearchFile>, options?: WorkOptions): Promise<IndexReport>;
  /** Reads files of the source again; removes missing ones. */
  refresh(paths: readonly string[], options?: WorkOptions): Promise<IndexReport>;
  remove(paths: readonly string[]): Promise<IndexReport>;
  /** Follows the changes of the source until the returned function is called. */
  watch(options?: { onChange?: (report: IndexReport) => void; onError?: (error: unknown) => void }): () => void;
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
  state(): Promise<IndexState>;
  /** Writes the changes since the last save to the storage. */
  save(options?: WorkOptions): Promise<{ written: number; bytes: number; deleted: number }>;
  /** Ends its worker and frees its memory. Unsaved changes are lost. */
  dispose(): Promise<void>;
}
