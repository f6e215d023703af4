/** Asks the worker. A worker that dies is started again; what it was asked fails with a sentence. */

import type { Failed, Opened, Question, Ran, Reply } from "./protocol.ts";

type Ask<Q> = Q extends Question ? Omit<Q, "id"> : never;
type AnswerTo<T extends Question["type"]> = T extends "open" ? Opened : T extends "run" ? Ran : { text: string };

let worker: Worker | undefined;
let last = 0;
const open = new Map<number, { resolve: (value: never) => void; reject: (error: Failed) => void }>();

function live(): Worker {
  if (worker) return worker;
  const started = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  started.onmessage = ({ data }: MessageEvent<Reply>) => {
    const question = open.get(data.id);
    open.delete(data.id);
    if ("failed" in data) question?.reject(data.failed);
    else question?.resolve(data.ok as never);
  };
  started.onerror = (event) => {
    worker = undefined;
    started.terminate();
    for (const { reject } of open.values()) reject({ code: "worker_died", message: `The worker stopped: ${event.message || "it could not be loaded"}` });
    open.clear();
  };
  return (worker = started);
}

/** Rejects with {@link Failed}. */
export function ask<Q extends Ask<Question>>(question: Q): Promise<AnswerTo<Q["type"]>> {
  return new Promise((resolve, reject) => {
    const id = ++last;
    open.set(id, { resolve, reject });
    live().postMessage({ ...question, id });
  });
}
