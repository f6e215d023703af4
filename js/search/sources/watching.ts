/**
 * From the events of a host to the paths of files that changed: gathers them for a moment and looks at what is there.
 */

import { EspalierError } from "../../errors/errors.ts";
import type { TreeSource } from "./source.ts";

/** Delays after which events that do not stop are looked at. */
const MAX_DELAYS = 10;

export interface Watching {
  /** Something happened at a path; to a whole folder, or to everything if it is "". */
  touch(path: string): void;
  /** A part of the watching failed. The rest goes on. */
  failed(what: string, cause: unknown): void;
  end(): void;
}

export function watching(
  source: TreeSource,
  delayMs: number,
  onChange: (paths: readonly string[]) => void,
  onError: (error: unknown) => void,
): Watching {
  const touched = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = 0;
  // What changes until the files are listed is touched meanwhile.
  let isBusy = true;
  let isEnded = false;
  let known = new Map<string, string>();
  const failed = (what: string, cause: unknown) => {
    if (isEnded) return;
    const message = `${what}: ${cause instanceof Error ? cause.message : String(cause)}`;
    onError(new EspalierError({ code: "watch_failed", message, cause }));
  };
  const flush = async () => {
    timer = undefined;
    isBusy = true;
    const paths = [...touched];
    touched.clear();
    try {
      const changed = await (paths.includes("") ? source.compare(known) : source.changed(known, paths));
      if (!isEnded && changed.length > 0) onChange(changed);
    } catch (cause) {
      failed("Changes cannot be read", cause);
    } finally {
      isBusy = false;
      if (touched.size > 0) plan();
    }
  };
  const plan = () => {
    if (isEnded || isBusy) return;
    if (timer === undefined) first = Date.now();
    else if (Date.now() - first >= delayMs * MAX_DELAYS) return;
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), delayMs);
    (timer as { unref?: () => void }).unref?.();
  };
  source
    .versions()
    .then((versions) => {
      known = versions;
      if (isEnded) source.forget(known);
    })
    .catch((cause: unknown) => failed("The files cannot be listed", cause))
    .finally(() => {
      isBusy = false;
      if (touched.size > 0) plan();
    });
  return {
    touch(path) {
      touched.add(path);
      plan();
    },
    failed,
    end() {
      isEnded = true;
      source.forget(known);
      clearTimeout(timer);
    },
  };
}
