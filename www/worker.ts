/** The engine's side of the page: reads, counts, prunes, compacts. Keeps the opened conversation. */

import { readConversation } from "../js/adapters/index.ts";
import type { Reading } from "../js/adapters/adapter.ts";
import { EspalierError, compact, countMessages, init, prune } from "../js/entries/web.ts";
import type { EncodingName, NeutralMessage } from "../js/types.ts";
import type { Opened, Questions, Ran, Row } from "./protocol.ts";
import { keepFetched } from "./offline.ts";
import { read, textOf } from "./reading.ts";
import { answering } from "./talk.ts";

let reading: Reading | undefined;
let results = new Map<string, NeutralMessage>();

async function load(encoding: EncodingName): Promise<void> {
  await init({ encodings: [encoding] });
  void keepFetched();
}

async function open({ source, encoding }: Questions["open"][0]): Promise<Opened> {
  await load(encoding);
  const input = await read(source);
  const opened = readConversation(input, {});
  const report = countMessages(input, { encoding });
  reading = opened;
  results = new Map();
  return { name: source.name, format: opened.format, total: report.total, origin: report.origin, rows: opened.messages.map(row) };
}

async function run({ mode, budget, encoding }: Questions["run"][0]): Promise<Ran> {
  if (!reading) throw new EspalierError({ code: "bad_input", message: "No conversation is open." });
  await load(encoding);
  // The neutral form is a format of its own, so nothing has to be read twice and inserted messages can be shown as they are.
  const options = { budget, encoding, format: "espalier" as const, tools: reading.tools };
  const { messages, report } =
    mode === "prune" ? prune(reading.messages, options) : await compact(reading.messages, { ...options, force: true });
  const known = new Set(reading.messages.map(({ id }) => id));
  const inserted = messages.filter(({ id }) => !known.has(id));
  results = new Map(messages.map((message) => [message.id, message]));
  return { mode, report, inserted: inserted.map(row) };
}

function row(message: NeutralMessage): Row {
  const text = textOf(message, 300);
  return { id: message.id, role: message.role, peek: text.replace(/\s+/g, " ").slice(0, 200) };
}

answering<Questions>({
  open,
  run,
  read: ({ message }) => ({ text: textOf(results.get(message) ?? reading?.messages.find(({ id }) => id === message)) }),
}, ["run"]);
