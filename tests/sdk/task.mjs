/** One task for the agents of all SDKs: a model that reads twelve files, one for each step, and then answers. */

import assert from "node:assert/strict";
import { convert, countMessages, openConversation } from "espalier";
import { answer, modelServer } from "../server/model.mjs";

export const STEPS = 12;
export const SYSTEM = "You read files.";
export const REQUEST = "Read all parts and tell me which of them has the word heron. Never write a file.";
export const DONE = "Part 7 has it.";
export const TOOL = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
/** Tokens that a request may have. The whole task has more than twice as many. */
export const LIMIT = 6_000;

/** Returns the content of a file: about 1,000 tokens. */
export function read({ path }) {
  const part = Number(/\d+/.exec(path)?.[0]);
  return Array.from({ length: 60 }, (_, line) =>
    part === 7 && line === 30 ? "A heron stands in line 30." : `${path} line ${line}: the river flows to the sea.`,
  ).join("\n");
}

/** Opens the conversation of a task. The same entropy makes the same decisions. */
export const open = (format, options = {}) =>
  openConversation({ format, model: { name: "gpt-4o", maxPromptTokens: LIMIT }, entropy: 1, ...options });

/** Starts a model that does the task, and refuses invalid requests in the provider's words. */
export async function taskServer() {
  const server = await modelServer({ strict: true });
  /** `says`: whether answers with calls have words, too; `before`: the number of answers of earlier runs. */
  const script = (steps = STEPS, { says = true, before = 0 } = {}) =>
    server.queue(
      ...Array.from({ length: steps }, (_, at) =>
        answer({
          number: before + at + 1,
          text: says ? `Reading part ${at + 1}.` : "",
          calls: [{ id: `c${at + 1}`, name: TOOL.name, input: { path: `part${at + 1}.txt` } }],
        }),
      ),
      answer({ number: before + steps + 1, text: DONE }),
    );
  return { ...server, seen: server.seen, script };
}

/** Checks the requests of a task that reached the model: all fit, and one compaction serves several of them. */
export function checkRequests(seen, format) {
  assert.deepEqual(seen.map(({ refused }) => refused).filter(Boolean), []);
  assert.equal(seen.length, STEPS + 1);
  const list = format === "openai-responses" ? "input" : "messages";
  for (const { body } of seen) {
    const { total } = countMessages(body, { format });
    assert.ok(total <= LIMIT, `${total} tokens`);
    assert.match(JSON.stringify(body), /Never write a file/);
  }
  // A request begins with the whole request before it, unless something was compacted in between.
  const texts = seen.map(({ body }) => body[list].map((message) => JSON.stringify(message)));
  const isContinued = texts.slice(1).map((text, at) => texts[at].every((message, index) => message === text[index]));
  const compactions = isContinued.filter((is) => !is).length;
  assert.ok(compactions > 0 && compactions < STEPS / 2, `${compactions} of ${STEPS} steps change what was sent`);
  const last = JSON.stringify(seen.at(-1).body);
  assert.match(last, /part12\.txt line 59/);
  assert.doesNotMatch(last, /part1\.txt line 59/);
}

/** Returns the view of a conversation in the neutral form, without what formats differ in. */
export function neutralView(conversation) {
  const { messages } = convert(conversation.view().messages, "espalier", { from: conversation.log.format });
  return messages.flatMap(({ role, parts }) =>
    parts.map((part) => {
      if (part.type === "toolCall") return ["call", part.callId, part.name, JSON.parse(part.arguments)];
      if (part.type === "toolResult") return ["result", part.callId, part.content.map(({ text }) => text).join("")];
      return [role, withoutPlaces(part.text)];
    }),
  );
}

/**
 * Returns a summary without ids, and without numbers of messages and tokens: an answer with a call is one message here
 * and two items there, and LangChain names its messages.
 */
function withoutPlaces(text) {
  return text
    .replace(/\b(m\d+|e\d+:summary)\b/g, "(id)")
    .replace(/(covers|followed|seal)="[^"]*"/g, "$1")
    .replace(/\d+ (earlier messages|tokens)/g, "$1");
}
