/** Opens a conversation: checks the host's options, reads what was stored, and assembles the parts. */

import { dataText, readProfile } from "../calls/profile.ts";
import { modelOf } from "../calls/limits.ts";
import { defined } from "../options/data.ts";
import { Conversation } from "./conversation.ts";
import { ready } from "../engine/engine.ts";
import { badOption as bad } from "../errors/errors.ts";
import { CLOCK } from "../providers/clock.ts";
import { listedTools } from "../formats/tools.ts";
import { providerOf } from "../validity/providers.ts";
import type { Format } from "../types/messages.ts";
import type { ContextFields, ReadProfile } from "./context.ts";
import { Events } from "./events.ts";
import { recordOf, withSession } from "./from-session.ts";
import { guardClock } from "./guarded-clock.ts";
import type { ConversationStorage } from "./storage.ts";
import type { Session } from "../sessions/types.ts";
import type { MessageOf } from "../formats/messages.ts";
import { Inside } from "./inside.ts";
import { Machine, settingsOf } from "./machine.ts";
import { loadEncodingOf } from "./models.ts";
import type { ConversationLog } from "../log/log.ts";
import { LOG, MESSAGES, reopen } from "./reopen.ts";
import type { Given, Header, Kept, Warn } from "./reopen.ts";
import { Saving } from "./saving.ts";
import { lateNote, messageLine } from "./stored-messages.ts";
import type { ConversationOptions } from "./types.ts";
import { check } from "../options/check.ts";
import { CONVERSATION } from "../options/schemas/conversation.ts";

/** Timeout of one storage operation, in milliseconds. */
const STORAGE = 5_000;
const CHECKPOINTS = 20;

/**
 * Opens a conversation: a new one, one without a log, or a stored one.
 *
 * ```ts
 * import OpenAI from "openai";
 * import { openConversation } from "espalier";
 * import { nodeStorage } from "espalier/storage";
 *
 * type Message = OpenAI.ChatCompletionMessageParam;
 * const client = new OpenAI();
 * const conversation = await openConversation<Message>({
 *   format: "openai-chat", model: "gpt-4o", storage: nodeStorage("sessions/7"),
 * });
 * conversation.append({ role: "user", content: "Fix the parser." });
 * for (;;) {
 *   const { messages } = await conversation.prepare(); // fits the model's window
 *   const reply = await client.chat.completions.create({ model: "gpt-4o", messages });
 *   conversation.reportUsage(reply.usage);
 *   const answer = reply.choices[0]!.message;
 *   conversation.append(answer);
 *   if (!answer.tool_calls) break; // else run the tools, and append their results
 * }
 * conversation.view().messages.length; // => 2
 * await conversation.dispose();
 * ```
 *
 * Messages have the type of those passed, else the type of `format`: the messages of the provider's SDK.
 *
 * @throws EspalierError `bad_option` with the path of the field, `bad_threshold`, `unknown_format`, `bad_message`;
 *   `log_version` if the log is of a newer version; `bad_log` if messages of a stored log cannot be restored in their
 *   format
 */
export function openConversation<T>(
  options: ConversationOptions<T> & { messages: readonly T[] },
): Promise<Conversation<T>>;
export function openConversation<F extends Format>(
  options: ConversationOptions<MessageOf<F>> & { format: F },
): Promise<Conversation<MessageOf<F>>>;
export function openConversation<T = unknown>(
  options: ConversationOptions<T> &
    ({ format: Format } | { session: Session } | { storage: ConversationStorage } | { log: string }),
): Promise<Conversation<T>>;
export async function openConversation<T>(given: ConversationOptions<T>): Promise<Conversation<T>> {
  check(given, CONVERSATION);
  if (given.tools !== undefined && !listedTools(given.tools))
    throw bad("tools", "a list of tool definitions, or an object of them by name", given.tools);
  const options = withSession(given);
  const {
    storage,
    profile = "espalier",
    model,
    llm,
    eventProfile = "espalier",
    onEvent,
    clock = {},
    encoding,
    tokenizer,
    costModel,
    images,
    imageSize,
    entropy,
    system,
    timeoutsMs = {},
  } = options;
  const time = guardClock({ now: clock.now ?? CLOCK.now, after: clock.after ?? CLOCK.after });

  await ready();
  const name = modelOf(model).name;
  if (!tokenizer) await loadEncodingOf(name, encoding);
  const text = dataText(profile, "options.profile");
  const known: ReadProfile = { ...readProfile(text, "options.profile"), text };
  const machine = new Machine<T>(model, known, settingsOf(options));
  if (options.compact?.profile !== undefined) {
    const own = dataText(options.compact.profile, "options.compact.profile");
    readProfile(own, "options.compact.profile");
  }

  const events = new Events(eventProfile);
  if (onEvent) events.on("*", onEvent);
  const all = { ...known.timeoutsMs, storage: STORAGE, ...defined(timeoutsMs) };
  const saving = new Saving(storage, time, all.storage, makeSeed(), ({ what, name: file, message, ...more }) =>
    events.emit({
      type: "warning",
      code: "storage",
      message: `${what} ${file}: ${message}`,
      details: { what, name: file, ...more },
    }),
  );
  const { now } = time;
  const { provider, search } = options;
  const counting = {
    ...defined({ encoding, tokenizer, model: name, costModel, images, imageSize, provider, search }),
    now,
  };
  const fresh = entropy ?? makeSeed();
  const begin = (log: ConversationLog<T>) => log.record("note", headerFor(given, options, log.format, fresh));
  const opening = { text: options.log, messages: given.messages, format: options.format, counting, begin };
  const warn: Warn = (warning) => events.emit({ type: "warning", ...warning });
  const kept = await restored<T>(saving, options, opening, warn).catch(async (error: unknown) => {
    await saving.release();
    throw error;
  });
  const { log, report, sideLogs } = kept;
  if (storage) keepTexts(saving, kept);
  const fields: ContextFields<T> = {
    log,
    machine,
    events,
    saving,
    clock: time,
    profile: known,
    llm,
    timeoutsMs: all,
    compaction: { ...defined({ provider: providerOf(log.format, provider) }), ...options.compact },
    hooks: options.hooks,
    seed: entropy ?? kept.header?.entropy ?? fresh,
    inside: new Inside(),
    checkpoints: storage ? (options.checkpoints ?? CHECKPOINTS) : 0,
  };
  const opened = { isNew: !report, ...(report && { log: report }), ...(sideLogs.length > 0 && { sideLogs }) };
  return new Conversation<T>(fields, options, opened, system);
}

/** Returns the first entry of a new log. */
function headerFor<T>(
  given: ConversationOptions<T>,
  { messages }: ConversationOptions<T>,
  format: Format,
  entropy: string | number,
): Header {
  const earlier = recordOf(given);
  return { format, entropy, opened: messages?.length ?? 0, ...(earlier !== undefined && { earlier }) };
}

/** Reads what was stored, or begins with the messages of the options. */
async function restored<T>(
  saving: Saving,
  { storage, messages, tools = [] }: ConversationOptions<T>,
  opening: Given<T>,
  warn: Warn,
): Promise<Kept<T>> {
  const kept = await reopen<T>(saving, storage, opening, warn);
  if (kept.report === undefined && messages) kept.log.append(messages);
  if (listedTools(tools)!.length > 0) kept.log.setTools(tools);
  return kept;
}

/** Registers the texts that are stored from now on. */
function keepTexts<T>(saving: Saving, { log, read, logStored, messagesStored, isUnreadable }: Kept<T>): void {
  if (isUnreadable) saving.unread();
  // Messages are stored before their log: a process that ends in between leaves messages that are added to the log
  // when it is opened, and never a log without the host's messages.
  if (log.format !== "espalier") {
    saving.keep({
      name: MESSAGES,
      text: (from) =>
        log
          .originalsFrom(from)
          .map((message) => `${messageLine(message, log.format)}\n`)
          .join(""),
      length: () => log.originals,
      read: read.messages,
      stored: messagesStored ?? 0,
      isUnsure: messagesStored === undefined || isUnreadable,
      // The lines of the log have positions; those of the messages are recognised by this note.
      late: (from, to) => void log.record("note", lateNote(from, to)),
    });
  }
  saving.keep({
    name: LOG,
    text: (from) => log.export(from),
    length: () => log.length,
    read: read.log,
    stored: isUnreadable ? 0 : (logStored ?? 0),
    isUnsure: logStored === undefined || isUnreadable,
  });
}

/** Returns a seed for hosts that pass none; it is stored in the log. */
function makeSeed(): string {
  return Math.floor(CLOCK.random() * 2 ** 48).toString(16);
}
