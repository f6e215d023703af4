/** The elements that are written in lower case. */

import type { ChatDocumentContextLike, UriComponents } from "../prompt/host-types.ts";
import type { PromptElementJSON } from "../prompt/json-tree.ts";
import type { PromptMetadata, PromptReference } from "../prompt/results.ts";

export interface PromptIntrinsics {
  /** A line break. */
  br: {};
  /** Attaches metadata to the result. */
  meta: {
    value: PromptMetadata;
    /** Ties it to the element that it stands in: if that is pruned, the metadata goes too. */
    local?: boolean;
  };
  /** Names what the prompt was made from; what was pruned is reported apart. */
  references: { value: readonly PromptReference[] };
  /** Names the documents that were used. */
  usedContext: { value: readonly ChatDocumentContextLike[] };
  /** Names files that had to be left out. */
  ignoredFiles: { value: readonly UriComponents[] };
  /** Puts in a tree that was rendered elsewhere, by `renderElementJSON`. */
  elementJSON: { data: PromptElementJSON };
  /** Puts in any value, as it is, for the provider. */
  opaque: {
    value: unknown;
    /** At least what the value costs in its message; 0 if not given. */
    tokenUsage?: number;
    priority?: number;
  };
  /** Ends what the provider may keep in its cache. Directly in a message, nowhere else. */
  cacheBreakpoint: { type?: string };
}
