/**
 * The public types of `espalier/inline-context`.
 *
 * A path names a file in prompts and reports, and is its identity. Offsets are UTF-16 code units, lines count from 0,
 * budgets are tokens, times are milliseconds.
 */

import type { HostTokenizer } from "../tokens/host-tokenizer.ts";
import type { Clock } from "../providers/types.ts";
import type { EncodingName } from "../types/count.ts";

/** A file of the editor. */
export interface InlineFile {
  path: string;
  text: string;
  /** The editor's identifier: `typescript`. Only neighbours of the document's language are compared. Default: none. */
  language?: string | undefined;
  /** Of its address: `file`, `vscode-vfs`. Default `file`. */
  scheme?: string | undefined;
  /** When it last had the focus, by any clock; files focused last are compared first. Default: never. */
  focusedMs?: number | undefined;
}

/** Context that a provider found: a language server, a search, a linter. */
export interface InlineItem {
  /** Items of one id are one item; the first counts. */
  id: string;
  text: string;
  /** Default `snippet`. */
  kind?: "snippet" | "trait" | "diagnostic" | undefined;
  /** The file of a snippet, which its headline names. */
  path?: string | undefined;
  /** From 0 to 1. Items from 0.7 on are mandatory, others have the optional pool. Default 0.7. */
  priority?: number | undefined;
  /** Multiplies the weight of its kind, from 0 to 1: lighter items are dropped first. Default 1. */
  weight?: number | undefined;
  /** When it arrived, since the request began; `pending` if it has not. Default 0. */
  arrivedMs?: number | "pending" | undefined;
  /**
   * A cached item waits while a request for its document runs, which may replace it. Only {@link InlineContext} caches.
   */
  isForTimeout?: boolean | undefined;
}

/** A change of a file: its whole text before and after it. */
export interface InlineEdit {
  path: string;
  before: string;
  after: string;
  /**
   * By any clock. Changes of a file within `editLimits.debounceMs` are one edit. Default: long after the edit before
   * it.
   */
  atMs?: number | undefined;
}

/** Shares of a prompt's parts, of 1. Stable context is all context but recent edits, which are volatile. */
export interface InlineShares {
  /** Default 0.35. */
  prefix?: number | undefined;
  /** Default 0.15. */
  suffix?: number | undefined;
  /** Default 0.35. */
  stable?: number | undefined;
  /** Default 0.15. */
  volatile?: number | undefined;
}

/** Limits of similar snippets. Each default depends on profile and language. */
export interface SimilarLimits {
  /** Lines of a window, and of the text before the cursor that it is compared with. Default 60. */
  window?: number | undefined;
  /** Scores must be above it. Default 0. */
  threshold?: number | undefined;
  /** Default 4; 16 for C and C++. */
  maxSnippets?: number | undefined;
  /** Default 1; 4 for C and C++. */
  maxPerFile?: number | undefined;
  /** Files that are compared. Default 20; 200 for C and C++. */
  maxFiles?: number | undefined;
  /**
   * Longer files are not compared. Default: no limit; 9,999 in the profile `copilot-chat`, 99,999 there for C and C++.
   */
  maxChars?: number | undefined;
  /** `jaccard`: words shared ÷ words of both. `shared`: words shared. Default `jaccard`. */
  score?: "jaccard" | "shared" | undefined;
  /**
   * `unicode`: words of every script, the default. `ascii`: ASCII letters and digits, the default of `copilot-chat`.
   */
  words?: "unicode" | "ascii" | undefined;
}

/** Limits of neighbour files. */
export interface NeighbourLimits {
  /** Default 20. */
  maxFiles?: number | undefined;
  /** Of all of them; a file that would pass the limit is skipped. Default 200,000. */
  maxChars?: number | undefined;
  /** Files whose focus times count. Default: all; 10 in the profile `copilot-chat`. */
  focusEntries?: number | undefined;
  /** Looks at files of the scheme `file` only. Default false; true in the profile `copilot-chat`. */
  fileSchemeOnly?: boolean | undefined;
  /** Languages that count as another: `{ typescriptreact: "typescript" }`. Replaces the defaults. */
  aliases?: Readonly<Record<string, string>> | undefined;
}

/** Limits of recent edits. */
export interface EditLimits {
  /** Changes of a file within this time are one edit. Default 500. */
  debounceMs?: number | undefined;
  /** Files with a history. Default 20. */
  maxFiles?: number | undefined;
  /** Edits kept of a file, and edits shown in all. Default 8. */
  maxEdits?: number | undefined;
  /** Unchanged lines shown around an edit. Default 3. */
  contextLines?: number | undefined;
  /** An edit at most this many lines from the file's last one merges with it. Default 1. */
  mergeLines?: number | undefined;
  /** An edit that is longer, with its context, resets its file's history. Default 2,000. */
  maxEditChars?: number | undefined;
  /** Edits with more added or more removed lines are not shown. Default 10. */
  maxLines?: number | undefined;
  /** Longer files are not followed. Default 2,097,152. */
  maxFileChars?: number | undefined;
  /** Edits of the document within this many lines of the cursor are not shown. Default 100. */
  nearLines?: number | undefined;
  /**
   * Added to an edit's lines before they are compared with the cursor's. Default 0; 1 in the profile `copilot-chat`.
   */
  lineOffset?: number | undefined;
}

/** Limits and switches of a request. */
export interface InlineOptions {
  /** `espalier` (the default): exact tokens. `copilot-chat`: the constants and switches of Copilot Chat 0.37.9. */
  profile?: "espalier" | "copilot-chat" | undefined;
  /** Tokens of the prompt: context, prefix and suffix. Default `window` − `outputReserve`. */
  budget?: number | undefined;
  /** Tokens of prompt and completion together. Default 8,192. */
  window?: number | undefined;
  /** Tokens of the window that are kept for the completion. Default 500. */
  outputReserve?: number | undefined;
  /** Default `o200k_base`. */
  encoding?: EncodingName | undefined;
  /** The model whose encoding counts. */
  model?: string | undefined;
  /** Counts instead of an encoding. */
  tokenizer?: HostTokenizer | undefined;
  /**
   * The suffix's share of the budget, if there is a suffix; unused budget goes to the other side. Default 0.15; 0 for
   * no suffix.
   */
  suffixShare?: number | undefined;
  /** Tokens that are kept back if there is a suffix. Default 5. */
  suffixReserve?: number | undefined;
  /** Shorter documents get no completion. Default 10. */
  minChars?: number | undefined;
  /** Text considered on each side of the cursor, for each token of the budget. Default 4.1. */
  charsPerToken?: number | undefined;
  /** Of the prefix's budget, what a long document leaves to context. Default 0.35; 0 in the profile `copilot-chat`. */
  contextShare?: number | undefined;
  /**
   * Tokens by which a long prefix is cut shorter, so that the next requests can begin at the same line. Default 256; 0
   * in the profile `copilot-chat`.
   */
  stableSlack?: number | undefined;
  /** Cuts the prompt by shares instead of weights; true for their defaults. Default false. */
  cascade?: boolean | InlineShares | undefined;
  /**
   * Counts the whole prompt, not line by line; pools count tokens, not characters. Default true; false in the profile
   * `copilot-chat`.
   */
  exact?: boolean | undefined;
  /**
   * How much of the mandatory pool optional items may use: none, half, as much as the document is long, all. Default
   * `double`.
   */
  mode?: "minimal" | "fillHalf" | "double" | "fill" | undefined;
  /**
   * The item that does not fit in its pool: `skip` it uncharged, the default, or `charge` it and all behind it, the
   * default of `copilot-chat`.
   */
  crossing?: "skip" | "charge" | undefined;
  /**
   * Looks for similar snippets although providers have snippets. Default true; false in the profile `copilot-chat` but
   * for C and C++.
   */
  similarBesideSnippets?: boolean | undefined;
  /** How recent edits are written. Default `unified`. */
  editForm?: "unified" | "searchReplace" | "plain" | undefined;
  /** Limits of similar snippets. */
  similarLimits?: SimilarLimits | undefined;
  /** Limits of neighbour files. */
  neighbourLimits?: NeighbourLimits | undefined;
  /** Limits of recent edits. */
  editLimits?: EditLimits | undefined;
  /** Items that arrive later are not used. Default 150. */
  providerMs?: number | undefined;
  /** From then on nothing new is read. Default 1,200. */
  buildingMs?: number | undefined;
}

/** A request for the context of one completion. */
export interface InlineRequest extends InlineOptions {
  file: InlineFile;
  /** An offset of the file's text. Beyond the end means the end; inside a surrogate pair means before it. */
  cursor: number;
  neighbours?: readonly InlineFile[] | undefined;
  items?: readonly InlineItem[] | undefined;
  /** Oldest first. */
  edits?: readonly InlineEdit[] | undefined;
  /** Paths of files whose text must not be sent. */
  excluded?: readonly string[] | undefined;
  /** Time since the request began: decides which pending items are late. Default 0. */
  elapsedMs?: number | undefined;
}

/** Why an item is not part of the prompt. */
export type InlineReason =
  /** Heavier items and the document used the budget. */
  | "noRoom"
  /** The provider items before it used the pool. */
  | "poolUsedUp"
  | "duplicate"
  | "empty"
  | "excluded"
  /** It has not arrived, and there is time left. */
  | "pending"
  /** It arrived after its time, or not at all. */
  | "late"
  /** It is the document itself. */
  | "currentFile"
  | "otherScheme"
  | "otherLanguage"
  /** The file would pass the limit of characters. */
  | "tooLarge"
  /** Enough files come before it. */
  | "tooMany"
  /** The file is empty or too large to be compared, or too many are before it. */
  | "notCompared"
  /** Nothing in the file is like the text before the cursor. */
  | "notSimilar"
  /** The file was not read for want of time. */
  | "notReached"
  /** Providers have snippets, which the profile prefers. */
  | "snippetsInstead";

/** A candidate of the prompt's context, and what became of it. */
export interface InlineContextItem {
  kind: "marker" | "trait" | "diagnostic" | "snippet" | "similarSnippet" | "recentEdits" | "neighbour";
  /** The id of a provider item, the path of anything else. */
  id: string;
  /** What the prompt has of it; empty if it is not sent. */
  text: string;
  /** From 0 to 1; lighter items are dropped first. */
  weight: number;
  /** Of the whole item, counted on its own; 0 if it was not counted. */
  tokens: number;
  /** The prompt has the end of it only. */
  isCut: boolean;
  /** Lines of a similar snippet; `endLine` is not part of it. */
  firstLine?: number | undefined;
  endLine?: number | undefined;
  /** Of a similar snippet, from 0 to 1. */
  score?: number | undefined;
  /** Absent if it is sent. */
  dropped?: InlineReason | undefined;
}

/** Tokens of a prompt: `context + prefix + suffix + free` is `budget`. */
export interface InlineTokens {
  budget: number;
  context: number;
  prefix: number;
  suffix: number;
  free: number;
  /** Tokens of context and prefix with which the request before began, too; of {@link InlineContext} only. */
  shared: number;
}

/** The context of a completion. */
export interface InlineContextResult {
  /** The text of the sent items in prompt order; goes before the prefix, or apart from it. */
  context: string;
  /** Text of the document up to the cursor, but for `trailing`. */
  prefix: string;
  /**
   * White space of a blank last line, between `prefix` and the cursor. A completion is inserted behind it, see
   * {@link insertion}.
   */
  trailing: string;
  /** Text of the document from the line after the cursor's on, or that of the request before. */
  suffix: string;
  /** The suffix is that of the request before: prompt caches pay for it. */
  isSuffixReused: boolean;
  /** Sent items in prompt order, then the others with their reasons. */
  items: InlineContextItem[];
  tokens: InlineTokens;
  /** The document is too short for a completion; nothing else is set. */
  isTooShort: boolean;
  /** A later call may have more: items are pending, providers are late, or files were not read. */
  isPartial: boolean;
  /** When that call is due at the latest, since the request began. */
  nextMs?: number | undefined;
}

/** What a provider is asked for. */
export interface InlineProviderRequest {
  file: InlineFile;
  version: number;
  cursor: number;
  /** Paths of files used recently: visible ones first, newest first. */
  neighbours: string[];
  /**
   * Tokens that items may have beside the document, and the characters of the two budgets that a language server keeps.
   */
  budget: { available: number; primaryChars: number; secondaryChars: number };
  /** Aborted when the answer is no longer wanted. */
  signal: AbortSignal;
}

type Some<T> = readonly T[] | undefined | void;

/** Finds context: asks a language server, a search. */
export interface InlineProvider {
  /** Unique among the session's providers. */
  name: string;
  /** Items, at once, later, or one after the other. */
  provide(request: InlineProviderRequest): Some<InlineItem> | Promise<Some<InlineItem>> | AsyncIterable<InlineItem>;
}

/** What became of a provider in {@link InlineContext.contextFor}. */
export interface InlineProviderReport {
  name: string;
  /** `answered` in time, `late` (`items` counts what it sent until then, or what is cached), `failed`. */
  status: "answered" | "late" | "failed";
  /** Items that were used. */
  items: number;
  /** Items of an earlier request are among them. */
  isCached: boolean;
  /** What a failed provider threw. */
  error?: unknown;
}

export interface InlineContextAnswer extends InlineContextResult {
  providers: InlineProviderReport[];
  /** The time it took. */
  ms: number;
}

/** What a session is made with. The limits of requests hold for all of its requests. */
export interface InlineSessionOptions extends InlineOptions {
  /** Asked by `contextFor`, and on cursor moves to warm the cache. */
  providers?: readonly InlineProvider[] | undefined;
  /** Bytes of the words of files that are kept. Default 8,388,608. */
  maxCacheBytes?: number | undefined;
  /** Completions kept for typing ahead. Default 100. */
  maxCompletions?: number | undefined;
  /** Places of the cursor that are kept. Default 32. */
  maxPlaces?: number | undefined;
  /** Moves within this many lines are one place. Default 10. */
  nearPlaceLines?: number | undefined;
  /** Visible files that are kept as recent, and as many hidden ones. Default 12. */
  maxRecentFiles?: number | undefined;
  /** Documents whose items of providers are kept. Default 20. */
  maxCachedDocuments?: number | undefined;
  /** Cursor moves by keyboard count when none follows for this time. Default 200. */
  moveDebounceMs?: number | undefined;
  /** Time, for tests. */
  clock?: Partial<Pick<Clock, "now" | "after">> | undefined;
}

/** A request of a session. */
export interface InlineSessionRequest {
  /** The path of an open file, or a file. */
  file: string | InlineFile;
  cursor: number;
  items?: readonly InlineItem[] | undefined;
  excluded?: readonly string[] | undefined;
  /** Time since the request began. Default 0. */
  elapsedMs?: number | undefined;
  /**
   * UTF-16 code units of neighbours that are read anew at most; files that are not reached are read at the next
   * request. Default: no limit.
   */
  maxFreshChars?: number | undefined;
}

/** A request that asks providers. */
export interface InlineAsyncRequest extends Omit<InlineSessionRequest, "elapsedMs"> {
  /** Default: those of the session. */
  providers?: readonly InlineProvider[] | undefined;
  /** The caller's whole time; `providerMs` ends the wait for providers in any case. Default `buildingMs`. */
  timeoutMs?: number | undefined;
  /** Gets what is there at once, if there is something to wait for. */
  onPartial?: ((context: InlineContextResult) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A move of the cursor. */
export interface InlineMove {
  path: string;
  cursor: number;
  /** Default `keyboard`. Providers are asked at once after a move by mouse or command. */
  by?: "keyboard" | "mouse" | "command" | undefined;
  /** Default true. */
  isActiveEditor?: boolean | undefined;
  /** There is one selection, and it is empty. Default true. */
  isOneCursor?: boolean | undefined;
}

/** What a session keeps. */
export interface InlineState {
  files: number;
  completions: number;
  /** Documents whose items of providers are kept. */
  cachedDocuments: number;
  /** Bytes of the engine's caches, nearly. */
  cacheBytes: number;
  /** A request to providers runs. */
  isAsking: boolean;
}
