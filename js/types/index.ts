/**
 * Types of messages, options and reports, as hosts see them.
 *
 * In: nothing; the folder has no code. Out: the types that `js/entries` export. Start with `messages.ts`.
 */

export type * from "./messages.ts";
export type * from "./count.ts";
export type * from "./limits.ts";
export type * from "./prune.ts";
export type * from "./results.ts";
export type * from "./llm.ts";
export type * from "./compact.ts";
export type * from "./profile.ts";
export type * from "./compact-report.ts";
export type * from "./validity.ts";
export type * from "./cache.ts";
