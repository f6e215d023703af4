/**
 * The one worker of the page: it reads, counts, prunes, compacts and edits. It keeps the open conversation. This file
 * has what the first view needs, an estimate; the rest is loaded beside it or by its questions.
 */

import type { Progress } from "../protocol.ts";
import { read } from "../reading.ts";
import type { Open } from "../session.ts";
import { answering, moving, tell } from "../talk.ts";
import { tellEstimate } from "./estimate.ts";
import type { OpenedConversation, Questions } from "./questions.ts";

const counting = import("./counting.ts");
const later = () => import("./later.ts");

// Most conversations are counted with it, and loading takes longest.
let isLoaded = false;
counting
  .then(({ load }) => load("o200k_base"))
  .then(
    () => (isLoaded = true),
    () => undefined,
  );

async function open({
  source,
  encoding,
  conversation,
  log,
  link,
  estimate,
}: Questions["open"][0]): Promise<OpenedConversation> {
  const loading = counting.then(({ load }) => load(encoding));
  loading.catch(() => undefined);
  // A saved log is read by the engine.
  if (source instanceof File || link) await loading;
  let opened: Open;
  if (link) opened = await (await later()).openLink(source as { text: string }, link, encoding);
  else if (source instanceof File) opened = await (await later()).openFile(source, conversation);
  else {
    const input = await read(source);
    opened = { name: source.name, input };
    if (estimate !== undefined && !isLoaded) tellEstimate(source.name, input, estimate);
  }
  await loading;
  if (source instanceof File)
    tell({ name: source.name, bytes: source.size, size: source.size, isRead: true } satisfies Progress);
  return (await counting).take(opened, encoding, log);
}

answering<Questions>(
  {
    open,
    show: async (asked) => (await counting).show(asked),
    run: async ({ mode, budget, anew, profile }) => (await counting).run(mode, budget, anew, profile),
    profile: async (asked) => (await later()).readTyped(asked),
    peeks: async (asked) => (await counting).peeks(asked),
    detail: async (asked) => (await counting).detail(asked),
    next: async ({ run }) => (await counting).nextOf(run),
    step: async ({ mode, budget, up }) => {
      const { stepFrom, compactStep } = await counting;
      return { budget: mode === "prune" ? stepFrom(budget, up) : compactStep(budget, up) };
    },
    find: async (asked) => {
      const found = (await counting).find(asked);
      return moving(found, [found.buffer as ArrayBuffer]);
    },
    result: async (asked) => (await later()).result(asked),
    page: async (asked) => (await later()).savedPage(asked),
    link: async (asked) => (await later()).linkOf(asked),
    edited: async () => (await counting).editedNow(),
    pin: async (asked) => (await later()).pin(asked),
    recorded: async (asked) => (await later()).recorded(asked),
    apply: async (asked) => (await later()).applyRun(asked),
    undo: async () => (await later()).undo(),
    redo: async () => (await later()).redo(),
    takeUp: async (asked) => (await later()).takeUp(asked),
    log: async () => (await later()).logText(),
    handOver: async (asked) => (await counting).handOver(asked),
    handRows: async (asked) => (await later()).handRows(asked),
  },
  ["run", "profile", "peeks", "detail", "next", "recorded", "find", "handRows"],
  async () => (await counting).runAhead(),
);
