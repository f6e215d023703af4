/** The run view's worker: replays the open conversation, and answers questions about the replay meanwhile. */

import "../../js/entries/engines/core-web.ts";
import { placeMarks, stablePrefix } from "../../js/cache/cache.ts";
import { explainProfile, profile } from "../../js/calls/profile.ts";
import { EspalierError, countMessages, init, openConversation } from "../../js/entries/verbs.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { NeutralMessage, ToolList } from "../../js/types/messages.ts";
import { givenProfile } from "../parts/profile-text.ts";
import { textOf } from "../reading.ts";
import { answering, tell } from "../talk.ts";
import { readTyped } from "../worker/profiles.ts";
import { turn } from "./clock.ts";
import { EndpointError, askOf, sayError, tryOut } from "./endpoint.ts";
import type { CallTexts, Questions } from "./questions.ts";
import { Replay } from "./replay.ts";
import type { Source } from "./replay.ts";
import { rowsOf, shownAt, stepOf } from "./step.ts";
import { requestEnds } from "../../js/bill/requests.ts";
import type { Progress, Settings } from "./types.ts";
import type { Ask } from "./writers.ts";

const pack = { openConversation, countMessages, profile, placeMarks, stablePrefix };

/** Milliseconds between two messages to the page: it draws no faster. */
const NEWS_MS = 60;

let source: Source | undefined;
let replays: Replay[] = [];
let running: AbortController | undefined;

async function load({ port }: Questions["load"][0]): Promise<Questions["load"][1]> {
  stop();
  const given = await new Promise<{ messages: NeutralMessage[]; tools?: ToolList; encoding: EncodingName }>(
    (resolve) => (port.onmessage = ({ data }) => resolve(data)),
  );
  port.close();
  source = { messages: given.messages, tools: given.tools };
  return { messages: given.messages.length, requests: requestEnds(given.messages).length };
}

function stop(): undefined {
  running?.abort(new EspalierError({ code: "aborted", message: "The run was stopped." }));
  running = undefined;
  return undefined;
}

async function start({ run, sides, endpoint }: Questions["start"][0]): Promise<Questions["start"][1]> {
  stop();
  const own = source;
  if (!own) throw new EspalierError({ code: "bad_input", message: "No conversation is open." });
  await init({ encodings: [...new Set(sides.map(({ encoding }) => encoding))] });
  let ask: Ask | undefined;
  try {
    ask = endpoint && askOf(endpoint);
  } catch (error) {
    return { said: sayError(error) };
  }
  const controller = new AbortController();
  running = controller;
  const kept = new Set(replays.filter((replay) => replay.source === own && replay.isRepeatable));
  const before: ((side: number, call: number, text: string) => void)[] = [];
  const next = sides.map(
    (settings, side) =>
      takeEqual(kept, settings) ??
      new Replay(pack, own, settings, {
        ...(ask && {
          ask: async (request, signal, write) => {
            try {
              return await ask(request, signal, write);
            } catch (error) {
              // Without a first answer no other can be expected: the person mends the address or the key.
              const isFirst = replays.every(({ calls }) => calls.every(({ outcome }) => outcome !== "answered"));
              if (isFirst && error instanceof EndpointError && error.isLasting) controller.abort(error);
              throw error;
            }
          },
        }),
        say: sayError,
        wrote: (call, text) => before[0]?.(side, call, text),
      }),
  );
  for (const replay of replays) if (!next.includes(replay)) void replay.dispose();
  replays = next;
  const teller = new Teller(run, replays, controller.signal);
  before.push((side, call, text) => teller.writes(side, call, text));
  void play(replays, teller, controller);
  return {};
}

/** Takes the replay with these settings out of `kept`: a change of B need not replay A, nor the other way around. */
function takeEqual(kept: Set<Replay>, settings: Settings): Replay | undefined {
  const wanted = JSON.stringify(settings);
  const found = [...kept].find((replay) => JSON.stringify(replay.settings) === wanted);
  if (!found) return undefined;
  kept.delete(found);
  found.retell();
  return found;
}

/** Makes the requests of all sides in turns, so that their charts grow side by side. */
async function play(all: readonly Replay[], teller: Teller, { signal }: AbortController): Promise<void> {
  const going = new Set(all.filter(({ ends }) => ends.length > 0));
  try {
    while (going.size > 0) {
      for (const replay of going) {
        if (!(await replay.step(signal))) going.delete(replay);
        if (signal.aborted) throw signal.reason;
      }
      teller.tell();
      // Questions about the run come first.
      await turn();
    }
    teller.end();
  } catch (error) {
    teller.end(signal.aborted ? signal.reason : error);
  }
}

/** Tells the page what is new, in pieces that are drawn without a pause. */
class Teller {
  private readonly run: number;
  private readonly replays: readonly Replay[];
  private readonly signal: AbortSignal;
  private readonly told: number[];
  private readonly hasLines: boolean[];
  private last = 0;

  constructor(run: number, replays: readonly Replay[], signal: AbortSignal) {
    this.run = run;
    this.replays = replays;
    this.signal = signal;
    this.told = replays.map(() => 0);
    this.hasLines = replays.map(() => false);
  }

  tell(isDone = false, failed?: Progress["failed"]): void {
    const now = performance.now();
    if (!isDone && now - this.last < NEWS_MS) return;
    this.last = now;
    for (const [side, replay] of this.replays.entries()) {
      const requests = replay.requests.slice(this.told[side]);
      this.told[side] = replay.requests.length;
      const lines = this.hasLines[side] ? undefined : replay.lines;
      if (lines) this.hasLines[side] = true;
      tell({
        run: this.run,
        side,
        requests,
        ...replay.news(),
        ...(lines && { lines }),
        of: replay.ends.length,
        isDone,
        ...(failed && { failed }),
      } satisfies Progress);
    }
  }

  /** Tells what a model is writing; at other times nothing happens while it does. */
  writes(side: number, call: number, text: string): void {
    const now = performance.now();
    if (now - this.last < NEWS_MS || this.signal.aborted) return;
    this.tell();
    tell({
      run: this.run,
      side,
      requests: [],
      ...this.replays[side]!.news(),
      writing: { call, text },
      of: this.replays[side]!.ends.length,
      isDone: false,
    } satisfies Progress);
  }

  end(error?: unknown): void {
    if (error === undefined) return this.tell(true);
    const isStopped = (error as { code?: string }).code === "aborted";
    this.tell(true, { isStopped, said: isStopped ? { what: "The run was stopped." } : sayError(error) });
  }
}

function call({ side, number }: Questions["call"][0]): CallTexts {
  const asked = replays[side]?.calls[number - 1];
  if (!asked) throw new EspalierError({ code: "bad_input", message: "This run has no such request to the model." });
  const { params, messages, system } = asked.request;
  const texts = (messages as (NeutralMessage & { content?: unknown })[]).map((message) => ({
    role: String(message.role),
    text: message.parts ? textOf(message) : contentText(message.content),
  }));
  const hasSystem = texts.some(({ role }) => role === "system");
  return {
    params: Object.entries(params)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join(", "),
    messages: [...(system !== "" && !hasSystem ? [{ role: "system", text: system }] : []), ...texts],
    reply: asked.reply,
  };
}

const contentText = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content, null, 1));

async function trial({ endpoint }: Questions["tryOut"][0]): Promise<Questions["tryOut"][1]> {
  const began = performance.now();
  try {
    await init({ encodings: [] });
    const text = await tryOut(endpoint, new AbortController().signal);
    return { text: text.trim().slice(0, 200), ms: Math.round(performance.now() - began) };
  } catch (error) {
    return { said: sayError(error) };
  }
}

answering<Questions>(
  {
    load,
    start,
    stop,
    step: ({ number }) => replays.map((replay) => stepOf(pack, replay, number)),
    rows: ({ indices }) => (replays[0] ? rowsOf(replays[0], indices) : []),
    text: ({ side, number, id }) => (replays[side] ? shownAt(replays[side], number, id) : {}),
    call,
    differences: async ({ a, b }) => {
      await init({ encodings: [] });
      return explainProfile(givenProfile(a), givenProfile(b));
    },
    profile: async (asked) => {
      await init({ encodings: [] });
      return readTyped(asked);
    },
    tryOut: trial,
  },
  ["step", "rows"],
);
