/** What the record of a conversation with several requests says about each, and what of the user's words it keeps. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { HOSTS } from "./support.ts";
import type { Fields } from "./support.ts";

const { user, round } = HOSTS["openai-chat"];
const answer = (content: string): Fields => ({ role: "assistant", content });
let number = 0;
/** Returns a round that reads `lines` lines of 20 tokens. */
function reads(lines: number): Fields[] {
  number += 1;
  const path = `src/f${number}.ts`;
  const text = Array.from({ length: lines }, (_, at) => `${at + 1}\tconst v${number}_${at} = load("${path}", ${at});`);
  return round({ id: `r${number}`, name: "read_file", args: { path }, text: text.join("\n") });
}
const edits = (path: string): Fields[] =>
  round({
    id: `e${path}`,
    name: "edit_file",
    args: { path, old_string: "a", new_string: "b" },
    text: "1 replacement.",
  });

const opened = (maxPromptTokens: number) =>
  espalier.openConversation<Fields>({
    format: "openai-chat",
    model: { name: "gpt-4o", maxPromptTokens },
    entropy: 7,
  });

const recordOf = (messages: readonly Fields[]) =>
  messages.map(({ content }) => String(content)).find((text) => text.startsWith("<conversation-summary")) ?? "";

test("a finished request keeps its outcome, whatever the next one changes", async () => {
  const conversation = await opened(8_000);
  conversation.append([user("Fix the retry helper."), ...edits("src/retry.ts"), answer("All 12 tests pass.")]);
  conversation.append(user("Now add a timeout option."));
  let records = 0;
  for (let at = 0; at < 12; at += 1) {
    conversation.append(at === 4 ? edits("src/timeout.ts") : reads(130));
    const { messages } = await conversation.prepare();
    const record = recordOf(messages);
    if (record === "") continue;
    records += 1;
    assert.match(record, /\[m0\] Fix the retry helper\.\n=> (All 12 tests pass\.( \| changed retry\.ts)?|see m3)\n/);
  }
  assert.ok(records >= 5, `${records} records`);
  await conversation.dispose();
});

test("a request that was worked on through several records has its own outcome", async () => {
  const conversation = await opened(8_000);
  const asks = ["Fix the parser.", "Add the Dutch names.", "Write the release notes."];
  let last = "";
  for (const [at, ask] of asks.entries()) {
    conversation.append(user(ask));
    for (let step = 0; step < 8; step += 1) {
      conversation.append(step === 2 ? edits(`src/part${at}.ts`) : reads(120));
      const { messages } = await conversation.prepare();
      last = recordOf(messages);
    }
    conversation.append(answer(`Done with part ${at}.`));
  }
  assert.match(
    last,
    /Fix the parser\.\n=> Done with part 0\..*\n\[m\d+\] Add the Dutch names\.\n=> Done with part 1\./,
  );
  assert.doesNotMatch(last, /=> (open|interrupted)/);
  await conversation.dispose();
});

test("the user's short sentences stay, however long the newest result is", async () => {
  const conversation = await opened(14_000);
  const asks = {
    "Make the retry helper respect Retry-After. The staging port is 48317.": "48317",
    "Add a timeout option. Its default is 7450.": "7450",
    "The parser drops the last event. The report is at docs/reports/ev-9917.md. Fix it.": "ev-9917",
    "Raise the upload limit. It should be 73 MiB.": "73 MiB",
  };
  const said: string[] = [];
  for (const [ask, fact] of Object.entries(asks)) {
    conversation.append(user(ask));
    said.push(fact);
    for (let step = 0; step < 8; step += 1) {
      conversation.append(reads(step % 4 === 3 ? 350 : 110));
      const { messages } = await conversation.prepare();
      const text = JSON.stringify(messages);
      assert.deepEqual(
        said.filter((one) => !text.includes(one)),
        [],
        `after ${number} rounds`,
      );
    }
    conversation.append(answer("Done."));
  }
  await conversation.dispose();
});

test("answers of the recall tool are neither files nor errors", async () => {
  const conversation = await opened(8_000);
  const recall = espalier.recallTool(conversation);
  conversation.append(user("Look at the files."));
  const goOn = async (rounds: number) => {
    let text = "";
    for (let at = 0; at < rounds; at += 1) {
      conversation.append(reads(110));
      text = recordOf((await conversation.prepare()).messages);
    }
    return text;
  };
  await goOn(6);
  const text = await recall.handle({ id: "m1" });
  conversation.append(round({ id: "q", name: "recall", args: { id: "m1" }, text }));
  assert.doesNotMatch(await goOn(6), /^m1$|m1 \(read|Quoted word for word/m);
  await conversation.dispose();
});
