/** What a conversation asks the host's model: messages of its own format, which the host's SDK takes as they are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Format, ToolList } from "../../../js/types/messages.ts";
import type { LlmRequest } from "../../../js/types/llm.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { HOSTS, SUMMARY, begin, round } from "./support.ts";

const schema = { type: "object", properties: { path: { type: "string" } } };
const FORMATS: { format: Format; provider?: ProviderName; tools: ToolList }[] = [
  {
    format: "openai-chat",
    provider: "openai-chat",
    tools: [{ type: "function", function: { name: "read_file", parameters: schema } }],
  },
  {
    format: "openai-responses",
    provider: "openai-responses",
    tools: [{ type: "function", name: "read_file", parameters: schema, strict: false }],
  },
  { format: "anthropic", provider: "anthropic", tools: [{ name: "read_file", input_schema: schema }] },
  {
    format: "gemini",
    provider: "gemini",
    tools: [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: schema }] }],
  },
  { format: "ai-sdk", tools: { read_file: { inputSchema: schema } } },
];

/** Messages of a format: two beginnings and rounds of calls. */
function listOf(format: Format): object[] {
  const messages = [...begin(5), ...Array.from({ length: 60 }, (_, at) => round(20 + at, 40)).flat()];
  const { messages: list } = espalier.convert(messages, format, { from: "openai-chat" });
  return list as object[];
}

async function asked(format: Format, tools: ToolList, options: object = {}, maxPromptTokens = 4_000) {
  const requests: LlmRequest[] = [];
  const list = listOf(format);
  const conversation = await espalier.openConversation<any>({
    format,
    model: { name: "gpt-4o", maxPromptTokens },
    entropy: 7,
    compact: { verify: "never", ...options },
    llm: async (request) => {
      requests.push(request);
      return SUMMARY;
    },
  });
  return { conversation, list, requests, tools };
}

for (const { format, provider, tools } of FORMATS)
  for (const shape of ["full", "fork", "simple"] as const)
    test(`${format}: a request of shape ${shape} is one of the host's format`, async () => {
      const { conversation, list, requests } = await asked(format, tools, { shape });
      const half = Math.floor(list.length / 2) & ~1;
      conversation.append(list.slice(0, half));
      await conversation.prepare({ tools });
      // The second one covers a record of the first.
      conversation.append(list.slice(half));
      await conversation.prepare({ tools });
      assert.ok(requests.length >= 2, `${requests.length} requests`);
      for (const { format: said, messages, shape: made, tools: sent } of requests) {
        assert.equal(said, format);
        assert.ok(messages.every((message) => !("parts" in message && "id" in message) || format === "gemini"));
        if (provider) assert.deepEqual(espalier.validate(messages, provider), []);
        if (made === "simple") continue;
        const own = messages.filter((message) => list.includes(message));
        assert.ok(own.length >= 10, `${own.length} of ${messages.length} are the host's own objects`);
        assert.equal(JSON.stringify(sent).includes(JSON.stringify(schema)), true);
      }
      assert.equal(requests[0]!.shape, shape === "fork" ? "full" : shape);
      await conversation.dispose();
    });

test("a fork is the running request with one more message", async () => {
  const { format, tools } = FORMATS[0]!;
  const { conversation, list, requests } = await asked(format, tools, {}, 8_000);
  for (let at = 0; at < list.length; at += 2) {
    conversation.append(list.slice(at, at + 2));
    const before = requests.length;
    const { messages: sent } = await conversation.prepare({ tools });
    while (conversation.usage().job === "running") await new Promise((done) => setTimeout(done, 0));
    if (requests.length === before) continue;
    const { shape, messages } = requests[before]!;
    assert.deepEqual([shape, messages.slice(0, -1)], ["fork", sent]);
    assert.ok(sent.every((message, number) => message === messages[number] || !list.includes(message)));
  }
  assert.ok(requests.length >= 2, "one of them begins with a record");
  await conversation.dispose();
});

test("MCP's annotations say what changes the world in a conversation too", async () => {
  const { user, round: of } = HOSTS["openai-chat"];
  const rounds = Array.from({ length: 60 }, (_, at) =>
    of({ id: `c${at}`, name: "rooms", args: { room: at }, text: `room ${at} `.repeat(60) }),
  );
  const actions = async (readOnlyHint: boolean) => {
    const tools = [
      { type: "function", function: { name: "rooms", parameters: schema, annotations: { readOnlyHint } } },
    ];
    const { conversation } = await asked("openai-chat", tools);
    conversation.append([user("Which rooms are there?"), ...rounds.flat()]);
    const { messages } = await conversation.prepare({ tools });
    await conversation.dispose();
    return JSON.stringify(messages).includes("<actions>");
  };
  assert.deepEqual([await actions(true), await actions(false)], [false, true]);
});

const OPENED = { format: "openai-chat", model: { name: "gpt-4o", maxPromptTokens: 4_000 }, entropy: 7 } as const;

test("a request that waits for the model is made by rules at once after cancel()", async () => {
  let asked = () => {};
  const isAsked = new Promise<void>((done) => (asked = done));
  const conversation = await espalier.openConversation<any>({
    ...OPENED,
    llm: (_request, { signal }) => {
      asked();
      return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    },
  });
  conversation.append(listOf("openai-chat"));
  const prepared = conversation.prepare();
  await isAsked;
  assert.equal(conversation.cancel(), true);
  const { messages, report } = await prepared;
  assert.deepEqual(
    report.compactions.map(({ status }) => status),
    ["cancelled", "applied"],
  );
  assert.ok(espalier.countMessages(messages, { model: "gpt-4o" }).total <= 4_000);
  assert.equal(conversation.cancel(), false);
  await conversation.dispose();
});

test("a model that keeps failing is one warning, until it writes a summary", async () => {
  const warnings: unknown[] = [];
  let isDown = true;
  const conversation = await espalier.openConversation<any>({
    ...OPENED,
    llm: async () => {
      if (isDown) throw new Error("the key is wrong");
      return SUMMARY;
    },
  });
  conversation.on("warning", ({ code, message }) => warnings.push([code, message]));
  const goOn = async (rounds: number) => {
    for (let at = 0; at < rounds; at += 1) {
      conversation.append(round(900 + at, 60));
      await conversation.prepare();
      while (conversation.usage().job === "running") await new Promise((done) => setTimeout(done, 0));
    }
  };
  conversation.append(begin(5));
  await goOn(60);
  const message = "twice in a row no summary of the model could be used, so that rules write them: the key is wrong";
  assert.deepEqual(warnings, [["model_failed", message]]);
  isDown = false;
  await goOn(120);
  isDown = true;
  await goOn(60);
  assert.deepEqual(warnings, [
    ["model_failed", message],
    ["model_failed", message],
  ]);
  await conversation.dispose();
});
