/** Converts a host's events to the paths of changed files: collects them for a moment and compares the files. */

import { EspalierError } from "../../errors/errors.ts";
import type { TreeSource } from "./source.ts";

/** Number of delays after which events are handled even if they continue. */
const MAX_DELAYS = 10;

export interface Watching {
  /** Reports an event at a path: a file, a whole folder, or everything if it is "". */
  touch(path: string): void;
  /** Reports that a part of the watching failed. The rest continues. */
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
  // Changes are collected meanwhile until the files are listed.
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
