/**
 * What counts and fits: everything that needs the engine. The worker loads it beside the engine's wasm, while it reads
 * the first conversation; the parts that most readers never ask for are loaded by their questions.
 */

import { init } from "../../js/engine/init.ts";
import type { EspalierError } from "../../js/errors/errors.ts";
import type { EncodingName } from "../../js/types/count.ts";
import { keepFetched } from "../offline.ts";
import { firstView } from "../session.ts";
import type { Open } from "../session.ts";
import { held, hold } from "./held.ts";
import type { Held } from "./held.ts";
import { forgetRuns } from "./runs.ts";
import type { Edited, OpenedConversation, Questions } from "./questions.ts";

export { detail, find, peeks } from "./asked.ts";
export { nextOf, run, runAhead, stepFrom } from "./runs.ts";
export { held };

export async function load(encoding: EncodingName): Promise<void> {
  await init({ encodings: [encoding] });
  void keepFetched();
}

/** Takes up what was opened, with the edits of an earlier visit. */
export async function take(opened: Open, encoding: EncodingName, log?: string): Promise<OpenedConversation> {
  try {
    return await holdWith("log" in opened && opened.log ? opened.log : log, opened, firstView(opened), encoding);
  } catch (error) {
    if ("unknown" in opened && opened.unknown && (error as EspalierError).code === "unknown_format")
      throw opened.unknown;
    throw error;
  }
}

async function holdWith(
  log: string | undefined,
  ...[open, part, encoding]: Parameters<typeof hold>
): Promise<OpenedConversation> {
  const of = hold(open, part, encoding);
  forgetRuns();
  const lost = log ? await tryRestore(of, log) : undefined;
  return { ...(await answerOf(of)), ...(lost && { lost }) };
}

/** Edits that do not match the messages any more do not keep the file from opening. */
async function tryRestore(of: Held, edits: string): Promise<string | undefined> {
  const { restoreLog } = await import("./later.ts");
  try {
    restoreLog(of, edits);
    return undefined;
  } catch (error) {
    return (error as EspalierError).message;
  }
}

export async function show({ part, encoding, log }: Questions["show"][0]): Promise<OpenedConversation> {
  await load(encoding);
  return holdWith(log, held().open, part, encoding);
}

async function answerOf({ open, part, reading, total, origin, encoding }: Held): Promise<OpenedConversation> {
  const { format, messages } = reading;
  const session = "session" in open ? { session: (await import("./later.ts")).factsOf(open, encoding) } : undefined;
  return { name: open.name, format, count: messages.length, total, origin, part, first: firstView(open), ...session };
}

/** Compaction has no single order of removal: a step is one in a hundred of the conversation. */
export function compactStep(budget: number, up: boolean): number {
  const step = Math.max(1, Math.round(held().total / 100));
  return Math.max(0, budget + (up ? step : -step));
}

const UNEDITED: Edited = { canUndo: false, canRedo: false, pins: [], edits: [], events: [], entries: 0 };

/** Without a log there are no edits, and nothing is loaded to say so. */
export async function editedNow(): Promise<Edited> {
  return held().log ? (await import("./later.ts")).edited() : UNEDITED;
}

export function handOver({ port }: Questions["handOver"][0]): undefined {
  const { reading, encoding } = held();
  port.postMessage({ messages: reading.messages, tools: reading.tools, format: "espalier", encoding });
  port.close();
}
