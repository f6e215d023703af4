/** Edits and pins of the open conversation: recorded in a log, undone, redone, saved. */

import { describeEntry } from "../../js/cli/entry.ts";
import type { Entry } from "../../js/cli/entry.ts";
import { ConversationLog } from "../../js/entries/log.ts";
import { EspalierError } from "../../js/errors/errors.ts";
import { isLasting } from "../../js/log/fields.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import { held } from "./held.ts";
import type { Held } from "./held.ts";
import { forgetRuns, fullRun } from "./runs.ts";
import type { Edited, Questions } from "./questions.ts";

/** One thing that was done at once, and is undone at once. */
type Step = { edits: string[] } | { message: string; isPinned: boolean };

let done: Step[] = [];
let undone: Step[] = [];
let of: Held | undefined;

/** Max lines of the log that are listed. */
const MAX_EVENTS = 200;

/** Returns the log of the open conversation, and makes it if there is none. */
function logOf(of: Held): ConversationLog<NeutralMessage> {
  const { reading, encoding } = of;
  of.log ??= ConversationLog.from(reading.messages, { format: "espalier", tools: reading.tools, encoding });
  return of.log;
}

/** The steps belong to one conversation. */
function follow(): Held {
  const current = held();
  if (of !== current) [of, done, undone] = [current, [], []];
  return current;
}

function changed(current: Held): Edited {
  current.version++;
  forgetRuns();
  return { ...edited(), log: logText() };
}

export function edited(): Edited {
  const { log, indexOf } = follow();
  const base = { canUndo: done.length > 0, canRedo: undone.length > 0 };
  if (!log) return { ...base, pins: [], edits: [], events: [], entries: 0 };
  const pins = log.pins().flatMap(({ message }) => indexOf.get(message ?? "") ?? []);
  const edits = log.edits().map(({ id, kind, rule, author, tokensBefore, tokensAfter, targets, revokedBy }) => {
    const isLong = targets.length > 2 || kind === "replace_range";
    const which = isLong ? `${targets[0]} … ${targets.at(-1)}` : targets.join(", ");
    const tokens = `${tokensBefore.toLocaleString("en")} → ${tokensAfter.toLocaleString("en")} tokens`;
    const end = revokedBy ? `, undone by ${revokedBy}` : "";
    const text = `${id}: ${kind.replace("_", " ")} by ${author} (${rule}), ${which}, ${tokens}${end}`;
    return { text, isUndone: revokedBy !== undefined };
  });
  const lines = log
    .export(Math.max(0, log.length - MAX_EVENTS))
    .split("\n")
    .slice(0, -1);
  const events = lines.toReversed().map((line) => {
    const entry = JSON.parse(line) as Entry;
    return { line, text: `${entry.seq} ${describeEntry(entry)}` };
  });
  return { ...base, pins, edits, events, entries: log.length };
}

export function pin({ message, isPinned }: Questions["pin"][0]): Edited {
  const current = follow();
  const { id } = current.reading.messages[message]!;
  if (setPin(logOf(current), id, isPinned)) {
    done.push({ message: id, isPinned });
    undone = [];
  }
  return changed(current);
}

/** Returns false if it is so already: another tab may have done it. */
function setPin(log: ConversationLog<NeutralMessage>, message: string, isPinned: boolean): boolean {
  const pin = log.pins().find((one) => one.message === message);
  if (isPinned === (pin !== undefined)) return false;
  if (pin) log.unpin(pin.id);
  else log.pin({ message, reason: "chosen on the page" });
  return true;
}

/**
 * Returns the tokens of the view once a plan is recorded. Some of its edits are for this one request only, such as the
 * shortened newest request; the log refuses them, so the view may be larger than the plan's request.
 */
export async function recorded({ run }: Questions["recorded"][0]): Promise<number> {
  const { edits, since } = await fullRun(run);
  const options = since === undefined ? {} : { since };
  return logOf(follow()).previewAdopted(edits.filter(isLasting), options).after.total;
}

/** Records the plan of a run: from then on it is what the next request starts from. */
export async function applyRun({ run }: Questions["apply"][0]): Promise<Edited> {
  const current = follow();
  const { since, report, ...ran } = await fullRun(run);
  const edits = ran.edits.filter(isLasting);
  if (edits.length === 0) throw new EspalierError({ code: "bad_input", message: "There is nothing to apply." });
  const log = logOf(current);
  const status = "status" in report ? report.status : "applied";
  done.push({
    edits: log.adopt(edits, { ...(since !== undefined && { since }), trigger: "manual", data: { status } }),
  });
  undone = [];
  return changed(current);
}

/** Takes the newest step of one list back, or makes it again, and moves it to the other list. */
function move(isUndo: boolean): Edited {
  const current = follow();
  const [from, to] = isUndo ? [done, undone] : [undone, done];
  const step = from.pop();
  if (!step) return edited();
  const log = logOf(current);
  if (!("edits" in step)) setPin(log, step.message, step.isPinned !== isUndo);
  else if (isUndo) for (const id of step.edits.toReversed()) log.undo(id);
  else for (const id of step.edits) log.redo(id);
  to.push(step);
  return changed(current);
}

export const undo = (): Edited => move(true);
export const redo = (): Edited => move(false);

export const logText = (): string => held().log?.export() ?? "";

/** Takes up the log of an earlier visit, or of another tab. Its steps can be undone, the newest first. */
export function restoreLog(current: Held, text: string): void {
  const { reading, encoding } = current;
  const { log } = ConversationLog.import(text, {
    messages: reading.messages,
    format: "espalier",
    tools: reading.tools,
    encoding,
  });
  current.log?.close();
  current.log = log;
  current.version++;
  [of, done, undone] = [current, stepsIn(log), []];
}

export function takeUp({ log }: Questions["takeUp"][0]): Edited {
  restoreLog(held(), log);
  forgetRuns();
  return edited();
}

/** Returns the steps that lead to a log: pins, and the edits that were recorded at once. */
function stepsIn(log: ConversationLog<NeutralMessage>): Step[] {
  const steps: Step[] = [];
  // Ids are numbers of entries.
  const seq = ({ id }: { id: string }) => Number(id.replace(/\D/g, ""));
  for (const entry of [...log.pins(), ...log.edits()].sort((a, b) => seq(a) - seq(b))) {
    const last = steps.at(-1);
    if (!("kind" in entry)) {
      if (entry.message !== undefined) steps.push({ message: entry.message, isPinned: true });
    } else if (entry.revokedBy) continue;
    else if (entry.trigger || !last || !("edits" in last)) steps.push({ edits: [entry.id] });
    else last.edits.push(entry.id);
  }
  return steps;
}
