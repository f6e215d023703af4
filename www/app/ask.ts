/** The page's connection to its one worker. */

import type { Progress } from "../protocol.ts";
import { SUPERSEDED, asking } from "../talk.ts";
import type { Failed } from "../talk.ts";
import type { Estimate, Questions } from "../worker/questions.ts";
import { estimate, failure, opened, progress } from "./state.ts";

type Connection = ReturnType<typeof connect>;

/** Smaller files are read at once; a line for them would only flicker. */
const SMALL = 2_000_000;

const connect = () =>
  asking<Questions, Progress | { estimate: Estimate }>("./worker.js", (news) => {
    if ("estimate" in news) {
      if (!opened.value) estimate.value = news.estimate;
      return;
    }
    const { name, bytes, size, isRead } = news;
    if (size < SMALL || !progress.value) return;
    const { cancel } = progress.value;
    const megabytes = (count: number) => (count / 1e6).toFixed(0);
    const label = isRead
      ? `Counting ${name} …`
      : `Reading ${name}: ${megabytes(bytes)} of ${megabytes(size)} MB. It stays on this computer.`;
    progress.value = { label, share: bytes / size, ...(cancel && { cancel }) };
  });

let current: Connection = connect();
// It loads the engine while the page finds out what to open.
let unused: Connection | undefined = current;
current.start();

/** Asks the worker that holds what is open. */
export function ask<K extends keyof Questions & string>(
  type: K,
  asked: Questions[K][0],
  transfer: Transferable[] = [],
): Promise<Questions[K][1]> {
  return current(type, asked, transfer);
}

/**
 * Opens in a worker of its own, which replaces the present one once it has succeeded. So opening can be cancelled, and
 * what was open stays open until then.
 */
export async function openAside(asked: Questions["open"][0]): Promise<Questions["open"][1]> {
  const next = unused ?? connect();
  unused = undefined;
  progress.value = { label: `Opening ${asked.source.name} …`, cancel: () => next.stop() };
  try {
    const answer = await next("open", asked);
    if (current !== next) current.stop();
    current = next;
    return answer;
  } catch (error) {
    next.stop();
    throw error;
  } finally {
    progress.value = undefined;
  }
}

/** Asks questions of one kind of the worker that holds what is open, as {@link newestOf} does. */
export const latest = <K extends keyof Questions & string>(type: K) =>
  newestOf((question: Questions[K][0]) => ask(type, question));

/**
 * Returns a function that asks questions of one kind while the newest one changes quickly. Every answer that is newer
 * than the drawn one is drawn, so that something moves even if answers are slower than questions.
 */
export function newestOf<Q, A>(answerTo: (question: Q) => Promise<A>) {
  let asked = 0;
  let drawn = 0;
  return async (
    question: Q,
    draw: (answer: A, isNewest: boolean) => void,
    fail: (error: Failed) => void = (error) => (failure.value = error),
  ): Promise<void> => {
    const number = ++asked;
    try {
      const answer = await answerTo(question);
      if (number < drawn) return;
      drawn = number;
      draw(answer, number === asked);
    } catch (error) {
      const { code } = error as Failed;
      if (code !== SUPERSEDED && code !== "stopped" && number === asked) fail(error as Failed);
    }
  };
}
