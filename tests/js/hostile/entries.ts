/** Every function and method that hosts call, with valid arguments for each, and the names of its options. */

import { CALLS } from "./call-entries.ts";
import { CONVERSATIONS } from "./conversation-entries.ts";
import { COUNTS } from "./count-entries.ts";
import { DOCUMENTS } from "./document-entries.ts";
import type { Entry } from "./entry.ts";
import { INLINE } from "./inline-entries.ts";
import { PROMPTS } from "./prompt-entries.ts";
import { PROVIDERS } from "./provider-entries.ts";
import { SEARCH } from "./search-entries.ts";

export const ENTRIES: readonly Entry[] = [
  ...COUNTS,
  ...CALLS,
  ...CONVERSATIONS,
  ...PROMPTS,
  ...DOCUMENTS,
  ...PROVIDERS,
  ...INLINE,
  ...SEARCH,
];
