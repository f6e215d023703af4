/** Shows progress of long work on a terminal. */

import type { CompactProgress } from "../types/compact-report.ts";

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
            `\r\x1b[Kwaiting for the model (${event.promptTokens} tokens sent, ${Math.round((Date.now() - start) / 1000)} s)`,
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
