/** The one worker of the page: it reads, counts, prunes, compacts and edits. It keeps the open conversation. */

import { init } from "../../js/entries/verbs.ts";
import type { EspalierError } from "../../js/entries/verbs.ts";
import { keepFetched } from "../offline.ts";
import type { Progress } from "../protocol.ts";
import { factsOf, firstView, openFile, viewOf } from "../session.ts";
import type { Open } from "../session.ts";
import type { EncodingName } from "../../js/types/count.ts";
import { answering, moving, tell } from "../talk.ts";
import { detail, find, peeks, result } from "./asked.ts";
import { applyRun, edited, logText, pin, recorded, redo, restoreLog, undo } from "./edits.ts";
import { tellEstimate } from "./estimate.ts";
import { held, hold } from "./held.ts";
import type { Held } from "./held.ts";
import { MAX_LINK, pack, refused, unpack } from "./link.ts";
import { forgetRuns, nextOf, run, runAhead, stepFrom } from "./runs.ts";
import { requestOf, shapeOf } from "./shape.ts";
import type { OpenedConversation, Questions } from "./questions.ts";

async function load(encoding: Questions["open"][0]["encoding"]): Promise<void> {
  await init({ encodings: [encoding] });
  void keepFetched();
}

async function open({
  source,
  encoding,
  conversation,
  log,
  link,
  estimate,
}: Questions["open"][0]): Promise<OpenedConversation> {
  const loading = load(encoding);
  loading.catch(() => undefined);
  // A saved log is read by the engine.
  if (source instanceof File || link) await loading;
  const opened = link
    ? await openLink(source as { text: string }, link, encoding)
    : await openFile(source, conversation);
  if (estimate !== undefined) tellEstimate(opened, encoding, estimate);
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

async function openLink({ text }: { text: string }, link: "words" | "shape", encoding: EncodingName): Promise<Open> {
  const value = await unpack(text);
  if (link === "shape") return { name: "A shared shape", input: requestOf(value, encoding), isShape: true };
  const { name, input } = (value ?? {}) as { name?: unknown; input?: unknown };
  if (typeof name !== "string" || typeof input !== "object") throw refused("This link holds no conversation.");
  return { name, input };
}

async function linkOf({ what }: Questions["link"][0]): Promise<string> {
  const of = held();
  const text = await pack(
    what === "shape" ? shapeOf(of) : { name: of.open.name, input: viewOf(of.open, of.part).input },
  );
  if (text.length <= MAX_LINK) return text;
  const size = `${Math.ceil(text.length / 1_000)} kB; up to ${MAX_LINK / 1_000} kB are possible.`;
  throw refused(
    what === "words"
      ? `With its words this conversation makes a link of ${size} Share its shape, or save the messages as a file.`
      : `The shape of this conversation makes a link of ${size}`,
  );
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

// Most conversations are counted with it, and loading takes longest.
load("o200k_base").catch(() => undefined);

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
    link: linkOf,
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
