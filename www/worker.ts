/** The engine's side of the page: reads, counts, prunes, compacts. Keeps the open conversation. */

import "../js/entries/engines/core-web.ts";
import { readConversation } from "../js/formats/index.ts";
import type { Reading } from "../js/formats/adapter.ts";
import { EspalierError, compact, countMessages, init, prune } from "../js/entries/verbs.ts";
import type { EncodingName } from "../js/types/count.ts";
import type { NeutralMessage } from "../js/types/messages.ts";
import type { Opened, Progress, Questions, Ran, Row, View } from "./protocol.ts";
import { keepFetched } from "./offline.ts";
import { peekOf, textOf } from "./reading.ts";
import { factsOf, firstView, openFile, viewOf } from "./session.ts";
import type { Open } from "./session.ts";
import { answering, tell } from "./talk.ts";

let current: Open | undefined;
let reading: Reading | undefined;
let results = new Map<string, NeutralMessage>();

async function load(encoding: EncodingName): Promise<void> {
  await init({ encodings: [encoding] });
  void keepFetched();
}

async function open({ source, encoding, conversation }: Questions["open"][0]): Promise<Opened> {
  await load(encoding);
  const opened = await openFile(source, conversation);
  if (source instanceof File)
    tell({ name: source.name, bytes: source.size, size: source.size, isRead: true } satisfies Progress);
  try {
    return display(opened, firstView(opened), encoding);
  } catch (error) {
    if ("unknown" in opened && opened.unknown && (error as EspalierError).code === "unknown_format")
      throw opened.unknown;
    throw error;
  }
}

async function show({ view, encoding }: Questions["show"][0]): Promise<Opened> {
  if (!current) throw nothingOpen();
  await load(encoding);
  return display(current, view, encoding);
}

/** Changes the page's state only once everything succeeded. */
function display(opened: Open, view: View, encoding: EncodingName): Opened {
  const { input, options } = viewOf(opened, view);
  const next = readConversation(input, options);
  const { total, origin } = countMessages(input, { ...options, encoding });
  const session = "session" in opened ? { session: factsOf(opened, encoding) } : {};
  current = opened;
  reading = next;
  results = new Map();
  return { name: opened.name, format: next.format, total, origin, rows: next.messages.map(row), view, ...session };
}

async function run({ mode, budget, encoding }: Questions["run"][0]): Promise<Ran> {
  if (!reading) throw nothingOpen();
  await load(encoding);
  // The neutral form is a format of its own, so nothing is read twice and inserted messages can be shown directly.
  const options = { budget, encoding, format: "espalier" as const, tools: reading.tools };
  const { messages, report } =
    mode === "prune" ? prune(reading.messages, options) : await compact(reading.messages, { ...options, force: true });
  const known = new Set(reading.messages.map(({ id }) => id));
  const inserted = messages.filter(({ id }) => !known.has(id));
  results = new Map(messages.map((message) => [message.id, message]));
  return { mode, report, inserted: inserted.map(row) };
}

const nothingOpen = () => new EspalierError({ code: "bad_input", message: "No conversation is open." });

function row(message: NeutralMessage): Row {
  return { id: message.id, role: message.role, peek: peekOf(message, 200) };
}

answering<Questions>(
  {
    open,
    show,
    run,
    read: ({ message }) => ({
      text: textOf(results.get(message) ?? reading?.messages.find(({ id }) => id === message)),
    }),
  },
  ["run"],
);
