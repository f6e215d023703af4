/** The channel between a page and its worker: numbered questions, one answer each, and unsolicited news. */

import { EspalierError } from "../js/errors/errors.ts";

/** Questions by name, with the types of question and answer. */
export type Talk = Record<string, [asked: object, answer: unknown]>;

export interface Failed {
  code: string;
  message: string;
  path?: string | undefined;
  /** For `budget_exceeded`: content that must stay. */
  largest?: { id: string; tokens: number; why: string }[] | undefined;
  /** For `budget_exceeded`: the smallest possible budget. */
  needed?: number | undefined;
  /** For `several_sessions`: the conversations of the file. */
  conversations?: { number: number; label: string; messages: number }[] | undefined;
}

type Question = { id: number; type: string; asked: object };

/** The code of a question that a newer one of its kind replaced before it was answered. */
export const SUPERSEDED = "superseded";

/** True for what a network that drops out leaves behind. The messages are for those who build a page. */
export const isUnreachable = (code: string) => /^(unreachable|not_loaded|(wasm|vocab)_not_found)$/.test(code);
/** What the engines say of a failed `fetch` or `import()`: Chromium, Firefox, Safari. */
const NO_NETWORK = /^(Failed to fetch|NetworkError|error loading|Load failed|Importing a)/;

/** Buffers that move to the page with an answer instead of being copied. */
const moved = new WeakMap<object, Transferable[]>();

/** Marks buffers of an answer: they move to the page, and are empty here afterwards. */
export function moving<A extends object>(answer: A, buffers: Transferable[]): A {
  moved.set(answer, buffers);
  return answer;
}
type Reply = { id: number } & ({ ok: unknown } | { failed: Failed });
type News = { news: unknown };

/**
 * The page's side. Restarts a worker that dies; its pending questions fail with a sentence. Answers reject with {@link
 * Failed}. `file` is the name of the worker's script beside the page's.
 */
export function asking<T extends Talk, N = never>(file: string, hear?: (news: N) => void) {
  let worker: Worker | undefined;
  let last = 0;
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Failed) => void }>();

  function live(): Worker {
    if (worker) return worker;
    const started = new Worker(new URL(file, import.meta.url), { type: "module" });
    started.onmessage = ({ data }: MessageEvent<Reply | News>) => {
      if ("news" in data) return hear?.(data.news as N);
      const question = open.get(data.id);
      open.delete(data.id);
      if ("failed" in data) question?.reject(data.failed);
      else question?.resolve(data.ok as never);
    };
    started.onerror = (event) => {
      worker = undefined;
      started.terminate();
      for (const { reject } of open.values())
        reject({
          code: event.message ? "worker_died" : "unreachable",
          message: `The worker stopped: ${event.message}`,
        });
      open.clear();
    };
    return (worker = started);
  }

  const ask = <K extends keyof T & string>(type: K, asked: T[K][0], transfer: Transferable[] = []): Promise<T[K][1]> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      open.set(id, { resolve, reject });
      live().postMessage({ id, type, asked } satisfies Question, transfer);
    });
  /** Ends the worker, whatever it does; its pending questions fail. */
  const stop = () => {
    worker?.terminate();
    worker = undefined;
    for (const { reject } of open.values()) reject({ code: "stopped", message: "It was stopped." });
    open.clear();
  };
  /** Starts the worker before the first question. */
  const start = () => void live();
  return Object.assign(ask, { stop, start });
}

/**
 * The worker's side. Answers questions one after the other; of the waiting ones in `newest`, only the last is answered.
 * Without questions it calls `idle` again and again until that returns false: a small piece of work ahead each time.
 */
export function answering<T extends Talk>(
  answers: { [K in keyof T]: (asked: T[K][0]) => T[K][1] | Promise<T[K][1]> },
  newest: readonly (keyof T & string)[] = [],
  idle?: () => boolean | Promise<boolean>,
): void {
  const waiting: Question[] = [];
  let busy = false;

  self.onmessage = ({ data }: MessageEvent<Question>) => {
    if (newest.includes(data.type)) {
      const stale = waiting.findIndex(({ type }) => type === data.type);
      const [dropped] = stale >= 0 ? waiting.splice(stale, 1) : [];
      if (dropped) {
        const superseded = { code: SUPERSEDED, message: "A newer question replaced this one." };
        self.postMessage({ id: dropped.id, failed: superseded } satisfies Reply);
      }
    }
    waiting.push(data);
    if (!busy) void work();
  };

  async function work(): Promise<void> {
    busy = true;
    for (let question = waiting.shift(); question; question = waiting.shift()) {
      const { id, type, asked } = question;
      let reply: Reply;
      try {
        reply = { id, ok: await answers[type]!(asked) };
      } catch (error) {
        reply = { id, failed: failed(error) };
      }
      const ok = "ok" in reply ? reply.ok : undefined;
      self.postMessage(reply, typeof ok === "object" && ok !== null ? { transfer: moved.get(ok) ?? [] } : {});
      // Lets newer questions replace stale ones.
      await turn();
      while (waiting.length === 0 && (await idle?.())) await turn();
    }
    busy = false;
  }
}

/** Ends the current task: what follows is a task of its own. */
export const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Sends news to the page. */
export function tell(news: unknown): void {
  self.postMessage({ news } satisfies News);
}

export function failed(error: unknown): Failed {
  if (error instanceof EspalierError) {
    const { largest, needed, conversations } = (error.details ?? {}) as Pick<
      Failed,
      "largest" | "needed" | "conversations"
    >;
    return { code: error.code, message: error.message, path: error.path, largest, needed, conversations };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: NO_NETWORK.test(message) ? "unreachable" : "unexpected", message };
}
