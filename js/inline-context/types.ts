/**
 * The public types of `espalier/inline-context`.
 *
 * A path names a file in prompts and reports, and is its identity. Offsets are UTF-16 code units, lines count from 0,
 * budgets are tokens, times are milliseconds.
 */

import type { HostTokenizer } from "../tokens/host-tokenizer.ts";
import type { Clock } from "../providers/types.ts";
import type { EncodingName } from "../types/count.ts";
import type { InlineTokens } from "../types/generated/search.ts";

export type { InlineTokens } from "../types/generated/search.ts";

/** A file of the editor. */
export interface InlineFile {
  path: string;
  text: string;
  /** The editor's identifier: `typescript`. Only neighbours of the document's language are compared. Default: none. */
  language?: string | undefined;
  /** The scheme of its address: `file`, `vscode-vfs`. Default `file`. */
  scheme?: string | undefined;
  /** Time of its last focus, by any clock; files focused last are compared first. Default: never. */
  focusedMs?: number | undefined;
}

/** Context from a provider: a language server, a search, a linter. */
export interface InlineItem {
  /** Items with the same id are one item; the first counts. */
  id: string;
  text: string;
  /** Default `snippet`. */
  kind?: "snippet" | "trait" | "diagnostic" | undefined;
  /** The file of a snippet, named in its headline. */
  path?: string | undefined;
  /** From 0 to 1. Items from 0.7 on are mandatory, others use the optional pool. Default 0.7. */
  priority?: number | undefined;
  /** Multiplies the weight of its kind, from 0 to 1: lighter items are dropped first. Default 1. */
  weight?: number | undefined;
  /** Time of its arrival, since the request began; `pending` if it has not arrived. Default 0. */
  arrivedMs?: number | "pending" | undefined;
  /**
   * True if a cached item waits while a request for its document runs, which may replace it. Only {@link InlineContext}
   * caches.
   */
  isForTimeout?: boolean | undefined;
}

/** A change of a file: its whole text before and after it. */
export interface InlineEdit {
  path: string;
  before: string;
  after: string;
  /**
   * Time by any clock. Changes of a file within `editLimits.debounceMs` are one edit. Default: long after the previous
   * edit.
   */
  atMs?: number | undefined;
}

/** Shares of a prompt's parts, of 1. Stable context is all context except recent edits, which are volatile. */
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
  /** Scores must exceed it. Default 0. */
  threshold?: number | undefined;
  /** Default 4; 16 for C and C++. */
  maxSnippets?: number | undefined;
  /** Default 1; 4 for C and C++. */
  maxPerFile?: number | undefined;
  /** Max files that are compared. Default 20; 200 for C and C++. */
  maxFiles?: number | undefined;
  /**
   * Max characters of a compared file. Default: no limit; 9,999 in the profile `copilot-chat`, 99,999 there for C and
   * C++.
   */
  maxChars?: number | undefined;
  /** `jaccard`: shared words ÷ words of both. `shared`: shared words. Default `jaccard`. */
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
  /** Max characters of all files together; a file that would exceed the limit is skipped. Default 200,000. */
  maxChars?: number | undefined;
  /** Number of files whose focus times count. Default: all; 10 in the profile `copilot-chat`. */
  focusEntries?: number | undefined;
  /** Uses only files of the scheme `file`. Default false; true in the profile `copilot-chat`. */
  fileSchemeOnly?: boolean | undefined;
  /** Languages that count as another: `{ typescriptreact: "typescript" }`. Replaces the defaults. */
  aliases?: Readonly<Record<string, string>> | undefined;
}

/** Limits of recent edits. */
export interface EditLimits {
  /** Changes of a file within this time are one edit. Default 500. */
  debounceMs?: number | undefined;
  /** Max files with a history. Default 20. */
  maxFiles?: number | undefined;
  /** Max edits kept of a file, and max edits shown in all. Default 8. */
  maxEdits?: number | undefined;
  /** Unchanged lines shown around an edit. Default 3. */
  contextLines?: number | undefined;
  /** Max distance in lines at which an edit merges with the file's last one. Default 1. */
  mergeLines?: number | undefined;
  /** A longer edit, with its context, resets its file's history. Default 2,000. */
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
  /**
   * Max tokens of the prompt: context, prefix, rest of the line and suffix. At least 8, and absent beside `window`.
   * Default `window` − `outputReserve`.
   */
  budget?: number | undefined;
  /** Max tokens of prompt and completion together. Default 8,192. */
  window?: number | undefined;
  /** Tokens of the window that are reserved for the completion. Default 500. */
  outputReserve?: number | undefined;
  /** Default `o200k_base`. */
  encoding?: EncodingName | undefined;
  /** The model whose encoding counts. */
  model?: string | undefined;
  /** A function that counts instead of an encoding. */
  tokenizer?: HostTokenizer | undefined;
  /**
   * The suffix's share of the budget, if there is a suffix; unused budget goes to the other side. Default 0.15; 0 for
   * no suffix.
   */
  suffixShare?: number | undefined;
  /** Tokens that are reserved if there is a suffix. Default 5. */
  suffixReserve?: number | undefined;
  /** Min characters of a document for a completion. Default 10. */
  minChars?: number | undefined;
  /** Characters considered on each side of the cursor, for each token of the budget. Default 4.1. */
  charsPerToken?: number | undefined;
  /**
   * Share of the prefix's budget that a long document leaves to context. Default 0.35; 0 in the profile `copilot-chat`.
   */
  contextShare?: number | undefined;
  /**
   * Tokens by which a long prefix is cut shorter, so that the next requests can begin at the same line. Default 256; 0
   * in the profile `copilot-chat`.
   */
  stableSlack?: number | undefined;
  /** Cuts the prompt by shares instead of weights; true for the default shares. Default false. */
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
   * The treatment of an item that does not fit in its pool: `skip` it uncharged, the default, or `charge` it and all
   * later ones, the default of `copilot-chat`.
   */
  crossing?: "skip" | "charge" | undefined;
  /**
   * Looks for similar snippets even if providers have snippets. Default true; false in the profile `copilot-chat`
   * except for C and C++.
   */
  similarBesideSnippets?: boolean | undefined;
  /** The form of recent edits. Default `unified`. */
  editForm?: "unified" | "searchReplace" | "plain" | undefined;
  /** Limits of similar snippets. */
  similarLimits?: SimilarLimits | undefined;
  /** Limits of neighbour files. */
  neighbourLimits?: NeighbourLimits | undefined;
  /** Limits of recent edits. */
  editLimits?: EditLimits | undefined;
  /**
   * Sends files that probably contain secrets, by their names (`.env`, `.npmrc`, `id_rsa`, `*.pem`), as others. Default
   * false: they are excluded, as document, neighbour, item and edit.
   */
  secrets?: boolean | undefined;
  /** Items that arrive later are not used. Default 150. */
  providerMs?: number | undefined;
  /** After this time nothing more is read. Default 1,200. */
  buildingMs?: number | undefined;
}

/** A request for the context of one completion. */
export interface InlineRequest extends InlineOptions {
  /** The document with the cursor. */
  file: InlineFile;
  /**
   * An offset of the file's text. An offset beyond the end means the end; one inside a surrogate pair means before it.
   */
  cursor: number;
  /** Files that are open beside the document. Default: none. */
  neighbours?: readonly InlineFile[] | undefined;
  /** What providers of context found. Default: none. */
  items?: readonly InlineItem[] | undefined;
  /** Recent edits, oldest first. Default: none. */
  edits?: readonly InlineEdit[] | undefined;
  /** Paths of files whose text must not be sent. If `file` is one of them, the result has `isExcluded` and no text. */
  excluded?: readonly string[] | undefined;
  /** Time since the request began: decides which pending items are late. Default 0. */
  elapsedMs?: number | undefined;
}

/** Why an item is not part of the prompt. */
export type InlineReason =
  /** Heavier items and the document used the budget. */
  | "noRoom"
  /** Earlier provider items used the pool. */
  | "poolUsedUp"
  | "duplicate"
  | "empty"
  | "excluded"
  /** It has not arrived, and there is time left. */
  | "pending"
  /** It arrived too late, or not at all. */
  | "late"
  /** It is the document itself. */
  | "currentFile"
  | "otherScheme"
  | "otherLanguage"
  /** The file would exceed the limit of characters. */
  | "tooLarge"
  /** Enough files precede it. */
  | "tooMany"
  /** The file is empty or too large to be compared, or too many precede it. */
  | "notCompared"
  /** No part of the file is similar to the text before the cursor. */
  | "notSimilar"
  /** There was no time to read the file. */
  | "notReached"
  /** Providers have snippets, which the profile prefers. */
  | "snippetsInstead";

/** A candidate of the prompt's context, and its outcome. */
export interface InlineContextItem {
  kind: "marker" | "trait" | "diagnostic" | "snippet" | "similarSnippet" | "recentEdits" | "neighbour";
  /** The id of a provider item, the path of any other. */
  id: string;
  /** The text in the prompt; empty if it is not sent. */
  text: string;
  /** From 0 to 1; lighter items are dropped first. */
  weight: number;
  /** Tokens of the whole item, counted alone; 0 if it was not counted. */
  tokens: number;
  /** True if the prompt contains only the end of it. */
  isCut: boolean;
  /** Lines of a similar snippet; `endLine` is not part of it. */
  firstLine?: number | undefined;
  endLine?: number | undefined;
  /** Score of a similar snippet, from 0 to 1. */
  score?: number | undefined;
  /** Absent if it is sent. */
  dropped?: InlineReason | undefined;
}

/** The context of a completion. */
export interface InlineContextResult {
  /** The text of the sent items in prompt order; goes before the prefix, or separate from it. */
  context: string;
  /** Text of the document up to the cursor, without `trailing`. */
  prefix: string;
  /**
   * White space of a blank last line, between `prefix` and the cursor. A completion is inserted after it, see {@link
   * insertion}.
   */
  trailing: string;
  /**
   * Text between the cursor and the end of its line, without the line end: the suffix does not have it. Of a line that
   * exceeds the suffix's share of the budget, and what the prompt leaves, only the beginning.
   */
  restOfLine: string;
  /** Text of the document from the line after the cursor's on, or the previous request's suffix. */
  suffix: string;
  /** True if the suffix is that of the previous request, so that prompt caches apply. */
  isSuffixReused: boolean;
  /** Sent items in prompt order, then the others with their reasons. */
  items: InlineContextItem[];
  tokens: InlineTokens;
  /** True if the document is too short for a completion; nothing else is set then. */
  isTooShort: boolean;
  /** True if the document is one of `excluded`, or may contain secrets; nothing else is set then. */
  isExcluded: boolean;
  /** True if a later call may find more: items are pending, providers are late, or files were not read. */
  isPartial: boolean;
  /** Latest time of that call, since the request began. */
  nextMs?: number | undefined;
}

/** The request to a provider. */
export interface InlineProviderRequest {
  file: InlineFile;
  version: number;
  cursor: number;
  /** Paths of recently used files: visible ones first, newest first. */
  neighbours: string[];
  /** Tokens for items beside the document, and the characters of the two budgets that a language server has. */
  budget: { available: number; primaryChars: number; secondaryChars: number };
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal;
}

type Some<T> = readonly T[] | undefined | void;

/** Finds context: asks a language server, a search. */
export interface InlineProvider {
  /** Unique among the session's providers. */
  name: string;
  /** Returns items: at once, later, or one after the other. */
  provide(request: InlineProviderRequest): Some<InlineItem> | Promise<Some<InlineItem>> | AsyncIterable<InlineItem>;
}

/** The outcome of a provider in {@link InlineContext.contextFor}. */
export interface InlineProviderReport {
  name: string;
  /** `answered` in time, `late` (`items` counts the items until then, or the cached ones), `failed`. */
  status: "answered" | "late" | "failed";
  /** Number of items that were used. */
  items: number;
  /** True if items of an earlier request are among them. */
  isCached: boolean;
  /** The error of a failed provider. */
  error?: unknown;
}

export interface InlineContextAnswer extends InlineContextResult {
  providers: InlineProviderReport[];
  /** The duration. */
  ms: number;
}

/** The options of a session. The limits of requests apply to all of its requests. */
export interface InlineSessionOptions extends InlineOptions {
  /** The providers that `contextFor` asks, and cursor moves to warm the cache. */
  providers?: readonly InlineProvider[] | undefined;
  /** Max bytes of the words of files that are kept. Default 8,388,608. */
  maxCacheBytes?: number | undefined;
  /** Max completions kept for typing ahead. Default 100. */
  maxCompletions?: number | undefined;
  /** Max places of the cursor that are kept. Default 32. */
  maxPlaces?: number | undefined;
  /** Moves within this many lines are one place. Default 10. */
  nearPlaceLines?: number | undefined;
  /** Max visible files that are kept as recent, and the same number of hidden ones. Default 12. */
  maxRecentFiles?: number | undefined;
  /** Max documents whose provider items are kept. Default 20. */
  maxCachedDocuments?: number | undefined;
  /** Cursor moves by keyboard count when none follows for this time. Default 200. */
  moveDebounceMs?: number | undefined;
  /** The clock, for tests. */
  clock?: Partial<Pick<Clock, "now" | "after">> | undefined;
}

/** A request of a session. */
export interface InlineSessionRequest {
  /** The path of an open file, or a file. */
  file: string | InlineFile;
  cursor: number;
  items?: readonly InlineItem[] | undefined;
  /** Paths of files whose text must not be sent. If `file` is one of them, the result has `isExcluded` and no text. */
  excluded?: readonly string[] | undefined;
  /** Time since the request began. Default 0. */
  elapsedMs?: number | undefined;
  /**
   * Max UTF-16 code units of neighbours that are read for this request; other files are read at the next one. Default:
   * no limit.
   */
  maxFreshChars?: number | undefined;
}

/** A request that asks providers. */
export interface InlineAsyncRequest extends Omit<InlineSessionRequest, "elapsedMs"> {
  /** Default: those of the session. */
  providers?: readonly InlineProvider[] | undefined;
  /** Max time of the whole call; `providerMs` ends the wait for providers in any case. Default `buildingMs`. */
  timeoutMs?: number | undefined;
  /** Called at once with the available context, if there is something to wait for. */
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
  /** True if there is one selection, and it is empty. Default true. */
  isOneCursor?: boolean | undefined;
}

/** Statistics of a session. */
export interface InlineState {
  files: number;
  completions: number;
  /** Documents whose provider items are kept. */
  cachedDocuments: number;
  /** Approximate bytes of the engine's caches. */
  cacheBytes: number;
  /** True while a request to providers runs. */
  isAsking: boolean;
}
