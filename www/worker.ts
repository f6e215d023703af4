/** The engine's side of the page: reads, counts, prunes, compacts. Keeps the opened conversation. */

import { readConversation } from "../js/adapters/index.ts";
import type { Reading } from "../js/adapters/adapter.ts";
import { EspalierError, compact, countMessages, init, prune } from "../js/entries/web.ts";
import type { EncodingName, NeutralMessage } from "../js/types.ts";
import type { Failed, Opened, Question, Ran, Reply, Row } from "./protocol.ts";
import { read, textOf } from "./reading.ts";
import type { Source } from "./reading.ts";

let reading: Reading | undefined;
let results = new Map<string, NeutralMessage>();

/** Questions are answered one after the other; of runs that wait, only the newest is worth the work. */
const waiting: Question[] = [];
let busy = false;

self.onmessage = ({ data }: MessageEvent<Question>) => {
  if (data.type === "run") {
    const stale = waiting.findIndex(({ type }) => type === "run");
    if (stale >= 0) waiting.splice(stale, 1);
  }
  waiting.push(data);
  if (!busy) void work();
};

async function work(): Promise<void> {
  busy = true;
  for (let question = waiting.shift(); question; question = waiting.shift()) {
    let reply: Reply;
    try {
      reply = { id: question.id, ok: await answer(question) };
    } catch (error) {
      reply = { id: question.id, failed: failed(error) };
    }
    self.postMessage(reply);
    // Lets questions that came meanwhile take the place of stale ones.
    await new Promise((resolve) => setTimeout(resolve));
  }
  busy = false;
}

async function answer(question: Question): Promise<Opened | Ran | { text: string }> {
  switch (question.type) {
    case "open":
      return open(question.source, question.encoding);
    case "run":
      return run(question);
    case "read":
      return { text: textOf(results.get(question.message) ?? reading?.messages.find(({ id }) => id === question.message)) };
  }
}

async function load(encoding: EncodingName): Promise<void> {
  await init({ encodings: [encoding] });
}

async function open(source: Source, encoding: EncodingName): Promise<Opened> {
  await load(encoding);
  const input = await read(source);
  const opened = readConversation(input, {});
  const report = countMessages(input, { encoding });
  reading = opened;
  results = new Map();
  return { name: source.name, format: opened.format, total: report.total, origin: report.origin, rows: opened.messages.map(row) };
}

async function run({ mode, budget, encoding }: Question & { type: "run" }): Promise<Ran> {
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

function failed(error: unknown): Failed {
  if (error instanceof EspalierError) {
    const { largest, needed } = (error.details ?? {}) as Pick<Failed, "largest" | "needed">;
    return { code: error.code, message: error.message, path: error.path, largest, needed };
  }
  return { code: "unexpected", message: error instanceof Error ? error.message : String(error) };
}

