/** The lower-case elements. */

import type { ChatDocumentContextLike, UriComponents } from "../prompt/host-types.ts";
import type { PromptElementJSON } from "../prompt/json-tree.ts";
import type { PromptMetadata, PromptReference } from "../prompt/results.ts";

export interface PromptIntrinsics {
  /** A line break. */
  br: {};
  /** Attaches metadata to the result. */
  meta: {
    value: PromptMetadata;
    /** Ties it to the enclosing element: if that is pruned, the metadata is removed too. */
    local?: boolean;
  };
  /** Names the sources of the prompt; pruned ones are reported separately. */
  references: { value: readonly PromptReference[] };
  /** Names the documents that were used. */
  usedContext: { value: readonly ChatDocumentContextLike[] };
  /** Names files that were left out. */
  ignoredFiles: { value: readonly UriComponents[] };
  /** Inserts a tree that `renderElementJSON` rendered elsewhere. */
  elementJSON: { data: PromptElementJSON };
  /** Inserts any value, unchanged, for the provider. */
  opaque: {
    value: unknown;
    /** Min tokens of the value in its message. Default 0. */
    tokenUsage?: number;
    priority?: number;
  };
  /** Marks the end of what the provider may cache. Allowed directly in a message only. */
  cacheBreakpoint: { type?: string };
}
