/**
 * `espalier/sessions`: session files that other agents wrote.
 *
 * In: a file. Out: a {@link Session} with its messages in a format of the package. Start with `open.ts`; `readers.ts`
 * lists the layouts, one file each.
 */

export { EspalierError, isEspalierError } from "../errors/errors.ts";
export { openSession, readSession } from "./open.ts";
export { sessionLayouts, sessionRequest, writeSession } from "./write.ts";
export type { KnownLayout, SessionView } from "./write.ts";
export type {
  ReadSessionOptions,
  Session,
  SessionCompaction,
  SessionEntry,
  SessionLayout,
  SessionPlace,
  SessionProblem,
  SessionSource,
  SessionUsage,
  SideChain,
  SkippedKind,
} from "./types.ts";
