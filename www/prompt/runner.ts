/** The page's side of running prompts: one worker, which is ended if code does not end. */

import type { EncodingName } from "../../js/types/count.ts";
import { asking, SUPERSEDED, turn } from "../talk.ts";
import type { Failed } from "../talk.ts";
import type { Asked, Questions, Whole } from "./questions.ts";

/** Milliseconds that typed code may take. */
export const TIME_LIMIT = 3_000;

const ask = asking<Questions>("./prompt-worker.js");
let loaded: EncodingName | undefined;
let last: Asked | undefined;

/** A worker is confined once it is ready, so another encoding needs another worker. */
async function ready(encoding: EncodingName): Promise<void> {
  if (loaded !== undefined && loaded !== encoding) stop();
  await ask("ready", { encoding });
  loaded = encoding;
}

function stop(): void {
  ask.stop();
  loaded = undefined;
}

async function limited<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `The code did not end within ${TIME_LIMIT / 1000} seconds and was stopped. Is there a loop without an end?`;
      reject({ code: "too_slow", message } satisfies Failed);
      // Afterwards: its questions fail, too, and the first failure counts.
      stop();
    }, TIME_LIMIT);
  });
  const answered = await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  // Of 15,000 nodes both reading the answer and drawing it take a while: each is a task of its own.
  await turn();
  return answered;
}

let newest = 0;

export async function run(asked: Asked, encoding: EncodingName): Promise<Whole> {
  const mine = ++newest;
  const attempt = async () => {
    await ready(encoding);
    return limited(ask("run", asked));
  };
  const whole = await attempt().catch((error: Failed) => {
    // Another question took too long, and the worker was ended: this one waited in vain.
    if (error.code === "stopped" && mine === newest) return attempt();
    throw error;
  });
  last = asked;
  return whole;
}

/** Asks about the prompt that ran last; a worker that was ended meanwhile runs it again. */
export async function askPrompt<K extends "cut" | "request" | "page" | "trace">(
  type: K,
  asked: Questions[K][0],
  encoding: EncodingName,
): Promise<Questions[K][1]> {
  if (loaded === undefined && last) await run(last, encoding);
  return limited(ask(type, asked));
}

/** True for a question that needs no answer any more. */
export const isStale = ({ code }: Failed) => code === SUPERSEDED || code === "stopped";
