/** Shows progress of long work on a terminal. */

import type { ReplayProgress, WayName } from "../bill/types.ts";
import type { CompactProgress } from "../types/compact-report.ts";
import { number } from "./report.ts";

export function progress(stream: NodeJS.WriteStream): { event: (event: CompactProgress) => void; end: () => void } {
  if (!stream.isTTY) return { event: () => undefined, end: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    clearInterval(timer);
    timer = undefined;
    stream.write("\r\x1b[K");
  };
  return {
    event(event) {
      if (event.type === "model") {
        const start = Date.now();
        const show = () =>
          stream.write(
            `\r\x1b[Kwaiting for the model (${event.promptTokens} tokens sent, ` +
              `${Math.round((Date.now() - start) / 1000)} s)`,
          );
        show();
        timer = setInterval(show, 1000);
      } else {
        clear();
      }
    },
    end: () => timer && clear(),
  };
}

/** The ways of `bill`, as its table names them. */
export const WAYS: Readonly<Record<WayName, string>> = {
  whole: "without",
  prune: "prune",
  conversation: "conversation",
};

/** Shows which request `bill` replays, ten times a second at most. */
export function replayProgress(
  stream: NodeJS.WriteStream,
  isQuiet: boolean,
): { event: (progress: ReplayProgress) => void; end: () => void } {
  if (isQuiet || !stream.isTTY) return { event: () => undefined, end: () => undefined };
  let shownAt = 0;
  return {
    event({ way, request, requests }) {
      const now = Date.now();
      if (now - shownAt < 100) return;
      shownAt = now;
      stream.write(`\r\x1b[Kreplaying ${WAYS[way]}: request ${number(request)} of ${number(requests)}`);
    },
    end: () => void (shownAt > 0 && stream.write("\r\x1b[K")),
  };
}
