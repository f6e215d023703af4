/** Opens a conversation: checks the host's options, reads what was stored, and assembles the parts. */

import { dataText, readProfile } from "../calls/profile.ts";
import { modelOf } from "../calls/limits.ts";
import { defined } from "../options/data.ts";
import { Conversation } from "./conversation.ts";
import { ready } from "../engine/engine.ts";
import { badOption as bad } from "../errors/errors.ts";
import { CLOCK } from "../providers/clock.ts";
import type { Clock } from "../providers/types.ts";
import { listedTools } from "../formats/tools.ts";
import { providerOf } from "../validity/providers.ts";
import { dialectOf } from "../sessions/dialects.ts";
import type { Format } from "../types/messages.ts";
import type { ContextFields, ReadProfile } from "./context.ts";
import { Events } from "./events.ts";
import type { MessageOf } from "../formats/messages.ts";
import { Inside } from "./inside.ts";
import { Machine, settingsOf } from "./machine.ts";
import { loadEncodingOf } from "./models.ts";
import type { ConversationLog } from "../log/log.ts";
import { LOG, MESSAGES, reopen } from "./reopen.ts";
import type { Header } from "./reopen.ts";
import { Saving } from "./saving.ts";
import { messageLine } from "./stored-messages.ts";
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
export function openConversation<T = unknown>(options: ConversationOptions<T>): Promise<Conversation<T>>;
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
    entropy,
    tools = [],
    system,
    timeoutsMs = {},
  } = options;
  const place = storage;
  const time = guardClock({ now: clock.now ?? CLOCK.now, after: clock.after ?? CLOCK.after });

  await ready();
  const name = modelOf(model).name;
  if (!tokenizer) await loadEncodingOf(name, encoding);
  const text = dataText(profile, "options.profile");
  const known: ReadProfile = {
    ...readProfile(text, "options.profile"),
    text,
  };
  const machine = new Machine<T>(model, known, settingsOf(options));

  if (options.compact?.profile !== undefined) {
    const own = dataText(options.compact.profile, "options.compact.profile");
    readProfile(own, "options.compact.profile");
  }

  const events = new Events(eventProfile);
  if (onEvent) events.on("*", onEvent);
  const all = { ...known.timeoutsMs, storage: STORAGE, ...defined(timeoutsMs) };
  const saving = new Saving(place, time, all.storage, makeSeed(), ({ what, name: file, message, ...more }) =>
    events.emit({
      type: "warning",
      code: "storage",
      message: `${what} ${file}: ${message}`,
      details: { what, name: file, ...more },
    }),
  );
  const { now } = time;
  const { provider, search } = options;
  const counting = { ...defined({ encoding, tokenizer, model: name, costModel, images, provider, search }), now };
  const fresh = entropy ?? makeSeed();
  const begin = (log: ConversationLog<T>) => {
    const earlier = recordOf(given);
    const header: Header = {
      format: log.format,
      entropy: fresh,
      opened: options.messages?.length ?? 0,
      ...(earlier !== undefined && { earlier }),
    };
    log.record("note", header);
  };
  const opening = { text: options.log, messages: given.messages, format: options.format, counting, begin };
  const kept = await reopen<T>(saving, place, opening, (warning) => events.emit({ type: "warning", ...warning })).catch(
    async (error: unknown) => {
      await saving.release();
      throw error;
    },
  );
  const { log } = kept;
  const isNew = kept.report === undefined;
  const seed = entropy ?? kept.header?.entropy ?? fresh;
  if (isNew && options.messages) log.append(options.messages);
  if (listedTools(tools)!.length > 0) log.setTools(tools);
  if (place) {
    if (kept.isUnreadable) saving.unread();
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
        read: kept.read.messages,
        stored: kept.messagesStored ?? 0,
        isUnsure: kept.messagesStored === undefined || kept.isUnreadable,
      });
    }
    saving.keep({
      name: LOG,
      text: (from) => log.export(from),
      length: () => log.length,
      read: kept.read.log,
      stored: kept.isUnreadable ? 0 : (kept.logStored ?? 0),
      isUnsure: kept.logStored === undefined || kept.isUnreadable,
    });
  }
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
    seed,
    inside: new Inside(),
    checkpoints: place ? (options.checkpoints ?? CHECKPOINTS) : 0,
  };
  const { report, sideLogs } = kept;
  const opened = { isNew, ...(report && { log: report }), ...(sideLogs.length > 0 && { sideLogs }) };
  return new Conversation<T>(fields, options, opened, system);
}

/**
 * Fills missing options from a recorded session. Its messages begin a new conversation; a stored one continues
 * unchanged.
 */
function withSession<T>(options: ConversationOptions<T>): ConversationOptions<T> {
  const { session } = options;
  if (!session) return options;
  const { format, messages, system, tools, model, window } = session;
  const limits = model === undefined || window === undefined ? model : { name: model, maxContextWindowTokens: window };
  const { dialect = dialectOf(session.layout), ...ledger } = options.compact?.ledger ?? {};
  const compact = dialect === undefined ? options.compact : { ...options.compact, ledger: { ...ledger, dialect } };
  const recorded = defined({ format, messages: messages as T[], system, tools, model: limits });
  return { ...recorded, ...defined(options), ...defined({ compact }) } as ConversationOptions<T>;
}

/** Returns the id of the message with the summary of the newest compaction in a session's live context. */
function recordOf<T>({ messages, session }: ConversationOptions<T>): string | undefined {
  const newest = session?.compactions.at(-1);
  if (messages !== undefined || newest?.summary === undefined) return undefined;
  const at = newest.context.findIndex((message) => {
    const { role, content, parts } = (typeof message === "object" && message !== null ? message : {}) as Record<
      string,
      unknown
    >;
    return (role === "user" || role === 1) && wordsOf(content ?? parts).includes(newest.summary!);
  });
  return at < 0 || session!.messages[at] !== newest.context[at] ? undefined : `m${at}`;
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part) => String((part as { text?: unknown } | null)?.text ?? "")).join("\n")
    : "";
}

/** The last moment that a JavaScript date can express, in milliseconds. */
const LAST = 8.64e15;

/** Wraps the host's clock so that its errors cannot stop the conversation: a wrong time of entries is harmless. */
function guardClock({ now, after }: Pick<Clock, "now" | "after">): Pick<Clock, "now" | "after"> {
  return {
    now() {
      let value: unknown;
      try {
        value = now();
      } catch {
        return 0;
      }
      return typeof value === "number" && Number.isFinite(value)
        ? Math.min(Math.max(Math.round(value), -LAST), LAST)
        : 0;
    },
    after(ms, done) {
      let stop: unknown;
      try {
        stop = after(ms, done);
      } catch {
        return CLOCK.after(ms, done);
      }
      // A timer that cannot be stopped runs out; nothing waits for it by then.
      return typeof stop === "function" ? (stop as () => void) : () => {};
    },
  };
}

/** Returns a seed for hosts that pass none; it is stored in the log. */
function makeSeed(): string {
  return Math.floor(CLOCK.random() * 2 ** 48).toString(16);
}
