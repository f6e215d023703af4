/** `espalier/fetch` in the clients of SDKs that have no part in it. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { run } from "@openai/agents";
import { createFetch } from "espalier/fetch";
import { aiSdk, anthropicRunner, openaiAgents } from "./agents.mjs";
import { checkRequests, open, REQUEST, taskServer } from "./task.mjs";

let server;
before(async () => (server = await taskServer()));
after(() => server.close());

/** By the format of the conversation: how an agent does the task with a `fetch`. */
const WAYS = {
  "openai-chat": (fetch) => {
    const { sdk, options } = aiSdk(server, 7, { fetch });
    return sdk.streamText(options).text;
  },
  "openai-responses": (fetch) => run(openaiAgents(server, { fetch }), REQUEST, { maxTurns: 50 }),
  anthropic: (fetch) => anthropicRunner(server, { fetch }).runUntilDone(),
};

for (const [format, work] of Object.entries(WAYS)) {
  test(`${format}: the requests of an agent fit, and compactions persist`, async () => {
    const conversation = await open(format);
    server.clear();
    server.script();
    await work(createFetch(conversation));
    checkRequests(server.seen, format);
    assert.ok(conversation.usage().tools > 10, "the tools are counted");
    assert.ok(conversation.usage().reported.promptTotal > 0);
    assert.ok(conversation.undo());
    await conversation.dispose();
  });
}
