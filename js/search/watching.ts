/** Follows a source: collects changes while a refresh runs, and saves after a quiet period. */

import type { FileSource, IndexReport, WorkspaceIndex } from "./types.ts";
import { errorText } from "./warnings.ts";
import type { Warnings } from "./warnings.ts";

/** Milliseconds for collecting changes: editors write a file several times in a row. */
const COLLECT = 50;
/** Milliseconds without a change after which the index is saved. */
const QUIET = 2_000;

interface Listeners {
  onChange?: (report: IndexReport) => void;
  onError?: (error: unknown) => void;
}

/** Follows a source until the returned function is called; until then that function is in `running`. */
export function follow(
  index: Pick<WorkspaceIndex, "refresh" | "save">,
  source: FileSource,
  warnings: Warnings,
  running: Set<() => void>,
  { onChange, onError }: Listeners,
): () => void {
  let changed = new Set<string>();
  let isRunning = false;
  let isEnded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const failed = (error: unknown) => {
    if (isEnded) return;
    warnings.add("watch", `Changes could not be followed: ${errorText(error)}`, error);
    onError?.(error);
  };
  const after = (ms: number, work: () => Promise<void>) => {
    clearTimeout(timer);
    timer = setTimeout(() => void work().catch(failed), ms);
    // The timer must not keep a process of Node alive.
    (timer as { unref?: () => void }).unref?.();
  };
  const run = async () => {
    if (isRunning || isEnded) return;
    isRunning = true;
    try {
      while (changed.size > 0 && !isEnded) {
        const paths = [...changed];
        changed = new Set();
        const report = await index.refresh(paths).catch((error: unknown) => {
          // They are tried again with the next change.
          for (const path of paths) changed.add(path);
          throw error;
        });
        if (!isEnded) onChange?.(report);
      }
    } finally {
      isRunning = false;
    }
    if (!isEnded) after(QUIET, async () => void (await index.save()));
  };
  const end = source.watch?.((paths) => {
    for (const path of paths) changed.add(path);
    if (!isRunning && !isEnded) after(COLLECT, run);
  }, failed);
  const stop = () => {
    running.delete(stop);
    isEnded = true;
    clearTimeout(timer);
    end?.();
  };
  running.add(stop);
  return stop;
}
