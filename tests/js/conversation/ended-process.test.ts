/** A process that ends between two writes, or a file that could not be written: the session opens again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import type { Format } from "../../../js/types/messages.ts";
import { HOSTS } from "./support.ts";
import type { Fields } from "./support.ts";

const { memoryStorage, openConversation } = espalier;
const LOG = "log.jsonl";
const MESSAGES = "messages.jsonl";

/** Answers that the log alone cannot make again as they were. */
const ANSWERS: [string, Format, Fields][] = [
  [
    "a signed thought",
    "anthropic",
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "S1" },
        { type: "text", text: "Yes." },
      ],
    },
  ],
  [
    "a sealed thought",
    "anthropic",
    {
      role: "assistant",
      content: [
        { type: "redacted_thinking", data: "R" },
        { type: "text", text: "Yes." },
      ],
    },
  ],
  [
    "a tool of the server",
    "anthropic",
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
        { type: "text", text: "Yes." },
      ],
    },
  ],
  [
    "a thought and a signed call",
    "gemini",
    {
      role: "model",
      parts: [
        { text: "Hm.", thought: true },
        { functionCall: { id: "a", name: "ls", args: {} }, thoughtSignature: "S" },
      ],
    },
  ],
  ["a reasoning item", "openai-responses", { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" }],
  ["words alone", "openai-chat", { role: "assistant", content: "Yes." }],
];

/** Storage whose process ends before this write to `file`, counted from 1. */
function endsBefore(texts: Map<string, string>, file: string, number: number): ConversationStorage {
  const disk = memoryStorage(texts);
  let count = 0;
  let hasEnded = false;
  const may = (name: string) => {
    if (name === file) count += 1;
    hasEnded ||= count >= number;
    return !hasEnded;
  };
  return {
    ...disk,
    append: (name, text) => (may(name) ? disk.append(name, text) : undefined),
    write: (name, text) => (may(name) ? disk.write(name, text) : undefined),
  };
}

async function reopened(format: Format, texts: Map<string, string>) {
  const warnings: string[] = [];
  const storage = memoryStorage(new Map(texts));
  const onEvent = (event: { type: string; code?: string }) => {
    if (event.type === "warning") warnings.push(event.code ?? "");
  };
  const conversation = await openConversation<Fields>({ format, storage, onEvent });
  return { conversation, warnings, storage };
}

for (const [name, format, answer] of ANSWERS)
  for (const file of [MESSAGES, LOG])
    test(`${format}: the process ends before ${name} is in ${file}`, async () => {
      const texts = new Map<string, string>();
      const first = await openConversation<Fields>({ format, storage: endsBefore(texts, file, 2) });
      first.append(HOSTS[format].user("Go."));
      await first.flush();
      first.append(answer);
      await first.flush();
      const { conversation, warnings } = await reopened(format, texts);
      assert.deepEqual(warnings, []);
      const all = conversation.log.originalsFrom(0);
      // Messages are stored first: one of them that the log lacks is added to it.
      assert.deepEqual(all, file === MESSAGES ? [HOSTS[format].user("Go.")] : [HOSTS[format].user("Go."), answer]);
      await conversation.dispose();
    });

for (const [name, format, answer] of ANSWERS)
  test(`${format}: the log has ${name}, and ${MESSAGES} lost it`, async () => {
    const texts = new Map<string, string>();
    const first = await openConversation<Fields>({ format, storage: memoryStorage(texts) });
    first.append([HOSTS[format].user("Go."), answer, HOSTS[format].user("On.")]);
    await first.dispose();
    const [line] = texts.get(MESSAGES)!.split("\n");
    texts.set(MESSAGES, `${line}\n`);
    const { conversation, warnings, storage } = await reopened(format, texts);
    const all = conversation.log.originalsFrom(0);
    // Words that the log makes again may have a type more than the host gave them.
    assert.deepEqual(all[0], HOSTS[format].user("Go."));
    assert.deepEqual({ ...(all.at(-1) as Fields), type: 0 }, { ...HOSTS[format].user("On."), type: 0 });
    await conversation.dispose();
    const isWhole = format === "openai-chat";
    assert.deepEqual(warnings, isWhole ? [] : ["bad_log"]);
    const aside = (await storage.list("")).filter((name) => name.startsWith("damaged-"));
    assert.equal(aside.length, isWhole ? 0 : 1, "the lines that could not be used are kept");
    const third = await reopened(format, new Map(await copied(storage)));
    assert.deepEqual([third.warnings, third.conversation.log.originalsFrom(0)], [[], all]);
  });

async function copied(storage: ConversationStorage): Promise<[string, string][]> {
  const names = await storage.list("");
  return Promise.all(names.map(async (name): Promise<[string, string]> => [name, (await storage.read(name)) ?? ""]));
}

test("after a write that failed, each text is the one that was appended", async () => {
  const texts = new Map<string, string>();
  const format = "openai-chat";
  const { user } = HOSTS[format];
  const first = await openConversation<Fields>({ format, storage: endsBefore(texts, LOG, 2) });
  first.append(user("Fix the parser."));
  await first.flush();
  first.append(user("And the lexer."));
  await first.flush();
  const second = await openConversation<Fields>({ format, storage: memoryStorage(texts) });
  second.append(user("Run the tests."));
  assert.ok((await second.flush()).isStored);
  const { conversation } = await reopened(format, texts);
  const said = conversation.log.originalsFrom(0).map(({ content }) => content);
  assert.deepEqual(said, ["Fix the parser.", "And the lexer.", "Run the tests."]);
  const inLog = conversation.log.neutral().map(({ parts }) => (parts[0] as { text: string }).text);
  assert.deepEqual(inLog, said);
});

test("the stored conversation decides the format", async () => {
  const storage = memoryStorage();
  const first = await openConversation<Fields>({ format: "anthropic", storage });
  first.append(HOSTS.anthropic.user("Go."));
  await first.dispose();
  await assert.rejects(openConversation({ format: "openai-chat", storage }), {
    code: "bad_option",
    path: "options.format",
  });
  const again = await openConversation<Fields>({ format: "anthropic", storage });
  assert.equal(again.log.originals, 1);
});

test("messages that are added while others are written reach the log no earlier than their own file", async () => {
  const texts = new Map<string, string>();
  const disk = memoryStorage(texts);
  let added = () => {};
  let isFirst = true;
  const storage: ConversationStorage = {
    ...disk,
    async append(name, text) {
      if (name === MESSAGES && isFirst) {
        isFirst = false;
        added();
      }
      await disk.append(name, text);
      if (name !== LOG) return;
      // The process could end here.
      const logged = (texts.get(LOG) ?? "").split("\n").filter((line) => line.includes('"type":"message"'));
      const stored = (texts.get(MESSAGES) ?? "").split("\n").length - 1;
      counts.push([logged.length, stored]);
    },
  };
  const counts: [number, number][] = [];
  const conversation = await openConversation<Fields>({ format: "openai-responses", storage });
  added = () => {
    conversation.append({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" });
  };
  conversation.append(HOSTS["openai-responses"].user("Go."));
  await conversation.flush();
  assert.deepEqual(counts, [
    [1, 1],
    [2, 2],
  ]);
  await conversation.dispose();
});
