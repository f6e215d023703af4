/** Logs, conversations and their storage. */

import { espalier as e } from "../built.ts";
import { chat, COUNTING, methods, tool, using } from "./entry.ts";
import type { Entry } from "./entry.ts";

const log = () => e.ConversationLog.from(chat(), { now: () => 0 });
const opened = () =>
  e.openConversation({
    messages: chat(),
    entropy: 1,
    clock: { now: () => 0 },
    model: { name: "gpt-4o", maxPromptTokens: 2_000 },
  });

const onNewLog = (use: (made: ReturnType<typeof log>) => unknown) => using(log(), use);

const onLog = methods("log", (name, args) =>
  onNewLog(async (made) => {
    const before = made.hash();
    try {
      const answer = await (made as any)[name](...args);
      return [answer, made.view().messages];
    } catch (error) {
      if (made.hash() !== before) throw new Error(`log.${name} was refused, and changed the log`, { cause: error });
      throw error;
    }
  }),
);

const onConversation = methods("conversation", async (name, args) =>
  using((await opened()) as any, async (made) => [await made[name](...args), made.log.view().messages.length]),
);

export const CONVERSATIONS: readonly Entry[] = [
  {
    name: "new ConversationLog",
    args: () => [{ format: "openai-chat" }],
    run: (options) => new e.ConversationLog(options).view(),
    options: "encoding model costModel tools now",
  },
  {
    name: "ConversationLog.from",
    args: () => [chat(), { now: () => 0 }],
    run: (messages, options) => e.ConversationLog.from(messages, options).view().messages,
    options: "format encoding model costModel tools",
  },
  {
    name: "ConversationLog.import",
    args: () => [log().export(), { messages: chat(), now: () => 0 }],
    run: (text, options) => e.ConversationLog.import(text, options).report,
    options: "format encoding model costModel tools exact salvage",
  },
  onLog("append", () => [[{ role: "user", content: "More." }]]),
  onLog("record", () => ["note", { a: 1 }]),
  onLog(
    "edit",
    () => [
      { kind: "truncate", rule: "mine", targets: [{ message: "m3", part: 0, to: { type: "text", text: "short" } }] },
    ],
    "range data consumed id",
  ),
  onLog(
    "preview",
    () => [
      { kind: "truncate", rule: "mine", targets: [{ message: "m3", part: 0, to: { type: "text", text: "short" } }] },
    ],
    "range data",
  ),
  onLog("undo", () => [undefined]),
  onLog("redo", () => [undefined]),
  onLog("rewind", () => ["m4"]),
  onLog("pin", () => [{ message: "m3" }], "part range text"),
  onLog("unpin", () => ["e1"]),
  onLog("checkpoint", () => [{ title: "t", edits: [] }], "path"),
  onLog("adopt", () => [[], {}], "since trigger planId data"),
  onLog("previewAdopted", () => [[], {}], "since trigger planId data"),
  onLog("compact", () => [{ budget: 250 }], "llm keep signal trigger planId profile"),
  onLog("setCounting", () => [{}], "encoding model costModel"),
  onLog("setTools", () => [[tool()]]),
  onLog("counts", () => ["m1"]),
  onLog("recall", () => ["m1"]),
  onLog("search", () => ["make part 1", {}], "maxResults onlyHidden"),
  onLog("compare", () => [0, 1]),
  onLog("fingerprint", () => [["m1"]]),
  onLog("originalsFrom", () => [1]),
  onLog("original", () => ["m1"]),
  onLog("export", () => [0]),

  {
    name: "openConversation",
    args: () => [{ messages: chat(), entropy: 1 }],
    run: async (options) => using(await e.openConversation(options), (made) => made.opened),
    options: `${COUNTING} log storage profile system llm threshold maxContextTokens automatic background clock timeoutsMs checkpoints hooks compact onEvent eventProfile`,
  },
  onConversation("append", () => [[{ role: "user", content: "More." }]]),
  onConversation("prepare", () => [{}], "tools model system signal"),
  onConversation("reportUsage", () => [{ prompt_tokens: 100 }]),
  onConversation("contextRefused", () => [new Error("prompt is too long: 213462 tokens > 200000 maximum")]),
  onConversation("compact", () => [{}], "focus signal"),
  onConversation("compactRange", () => ["m2", "m5", {}], "focus signal"),
  onConversation("preview", () => [{}], "focus summary model signal from to"),
  onConversation("apply", () => [{ edits: [], since: 1, trigger: "manual" }]),
  onConversation("modelSwitch", () => ["gpt-4.1", {}], "signal"),
  onConversation("agentRequest", () => [undefined]),
  onConversation("memoryPressure", () => [{}], "model"),
  onConversation("pin", () => [{ message: "m3" }]),
  onConversation("unpin", () => ["e1"]),
  onConversation("undo", () => [undefined]),
  onConversation("rewind", () => ["m4"]),
  onConversation("recall", () => ["m1"]),
  onConversation("search", () => ["make part 1", {}], "maxResults onlyHidden"),
  onConversation("redo", () => [undefined]),
  onConversation("compare", () => [0, 1]),
  onConversation("setThreshold", () => [0.9]),
  onConversation("setMaxContextTokens", () => [1_500]),
  {
    name: "conversation.on",
    args: () => ["*", () => undefined],
    run: async (type, listener) => using(await opened(), (made) => made.on(type, listener)()),
  },
  { name: "memoryStorage", args: () => [new Map([["a", "text"]])], run: (texts) => e.memoryStorage(texts).list("") },
  { name: "nodeStorage", args: () => ["/nowhere/at/all"], run: (folder) => typeof e.nodeStorage(folder) },
  {
    name: "mementoStorage",
    args: () => [{ get: () => undefined, update: async () => undefined, keys: () => [] }, "a"],
    run: (memento, name) => typeof e.mementoStorage(memento, name),
  },
  { name: "indexedDbStorage", args: () => ["a", {}], run: (name, options) => typeof e.indexedDbStorage(name, options) },
  {
    name: "recallTool",
    args: () => [{ limit: 500 }],
    options: "name format",
    run: (options) =>
      onNewLog(async (made) => {
        const { name, definition, handle } = e.recallTool(made, options);
        return [name, definition, await handle({ id: "m1" })];
      }),
  },
  {
    name: "recallTool (handle)",
    args: () => [{ id: "m1" }],
    run: (input) => onNewLog((made) => e.recallTool(made).handle(input)),
  },
];
