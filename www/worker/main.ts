/** The one worker of the page: it reads, counts, prunes, compacts and edits. It keeps the open conversation. */

import { init } from "../../js/entries/verbs.ts";
import type { EspalierError } from "../../js/entries/verbs.ts";
import { keepFetched } from "../offline.ts";
import type { Progress } from "../protocol.ts";
import { factsOf, firstView, openFile } from "../session.ts";
import { answering, moving, tell } from "../talk.ts";
import { detail, find, peeks, result } from "./asked.ts";
import { applyRun, edited, logText, pin, recorded, redo, restoreLog, undo } from "./edits.ts";
import { held, hold } from "./held.ts";
import type { Held } from "./held.ts";
import { forgetRuns, nextOf, run, runAhead, stepFrom } from "./runs.ts";
import type { OpenedConversation, Questions } from "./questions.ts";

async function load(encoding: Questions["open"][0]["encoding"]): Promise<void> {
  await init({ encodings: [encoding] });
  void keepFetched();
}

async function open({ source, encoding, conversation, log }: Questions["open"][0]): Promise<OpenedConversation> {
  const loading = load(encoding);
  loading.catch(() => undefined);
  // A saved log is read by the engine.
  if (source instanceof File) await loading;
  const opened = await openFile(source, conversation);
  await loading;
  if (source instanceof File)
    tell({ name: source.name, bytes: source.size, size: source.size, isRead: true } satisfies Progress);
  try {
    const of = hold(opened, firstView(opened), encoding);
    forgetRuns();
    const edits = "log" in opened && opened.log ? opened.log : log;
    const lost = edits ? tryRestore(of, edits) : undefined;
    return { ...answerOf(of), ...(lost && { lost }) };
  } catch (error) {
    if ("unknown" in opened && opened.unknown && (error as EspalierError).code === "unknown_format")
      throw opened.unknown;
    throw error;
  }
}

/** Edits that do not match the messages any more do not keep the file from opening. */
function tryRestore(of: Held, edits: string): string | undefined {
  try {
    restoreLog(of, edits);
    return undefined;
  } catch (error) {
    return (error as EspalierError).message;
  }
}

async function show({ part, encoding }: Questions["show"][0]): Promise<OpenedConversation> {
  await load(encoding);
  const before = held();
  const of = hold(before.open, part, encoding);
  forgetRuns();
  return answerOf(of);
}

function answerOf({ open, part, reading, total, origin, encoding }: Held): OpenedConversation {
  const { format, messages } = reading;
  const session = "session" in open ? { session: factsOf(open, encoding) } : {};
  return { name: open.name, format, count: messages.length, total, origin, part, ...session };
}

/** Compaction has no single order of removal: a step is one in a hundred of the conversation. */
function compactStep(budget: number, up: boolean): number {
  const step = Math.max(1, Math.round(held().total / 100));
  return Math.max(0, budget + (up ? step : -step));
}

function handOver({ port }: Questions["handOver"][0]): undefined {
  const { reading, encoding } = held();
  port.postMessage({ messages: reading.messages, tools: reading.tools, format: "espalier", encoding });
  port.close();
}

answering<Questions>(
  {
    open,
    show,
    run: ({ mode, budget, anew }) => run(mode, budget, anew),
    peeks,
    detail,
    next: ({ run }) => nextOf(run),
    step: ({ mode, budget, up }) => ({ budget: mode === "prune" ? stepFrom(budget, up) : compactStep(budget, up) }),
    find: (asked) => {
      const found = find(asked);
      return moving(found, [found.buffer as ArrayBuffer]);
    },
    result,
    edited: () => edited(),
    pin,
    recorded,
    apply: applyRun,
    undo: () => undo(),
    redo: () => redo(),
    log: () => logText(),
    handOver,
  },
  ["run", "peeks", "detail", "next", "recorded", "find"],
  runAhead,
);
