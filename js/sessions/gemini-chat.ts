/**
 * gemini-cli: `~/.gemini/tmp/<project>/chats/session-*.json`, and from 0.40 on `.jsonl`.
 *
 * Old files are one object with `messages`. New ones are a log: a header, records (a later record with the same id
 * replaces the earlier one), `$set` for fields of the header, and `$rewindTo`. `$set.messages` replaces the list; a
 * compression appears this way.
 */

import { isFields, objects } from "./draft.ts";
import { GeminiChat, isHeader, isRecord } from "./gemini-chat-log.ts";
import { writeGeminiChat } from "./gemini-chat-write.ts";
import type { Match, Reader, Sample } from "./reader.ts";

export const geminiChat: Reader = {
  layout: "gemini-chat",
  tool: "gemini-cli",
  shapes: ["lines", "value"],
  marks: ["sessionId", "projectHash", "startTime", "lastUpdated", "messages"],
  recognise,
  read: (_, { keepsHistory }) => new GeminiChat(keepsHistory),
  write: writeGeminiChat,
};

function recognise({ shape, records }: Sample): Match | undefined {
  if (shape === "value") {
    const [value] = records;
    if (!isFields(value) || typeof value["sessionId"] !== "string" || !Array.isArray(value["messages"]))
      return undefined;
    const count = objects(value["messages"]).filter(isRecord).length;
    const isOwn =
      typeof value["projectHash"] === "string" || objects(value["messages"]).some(({ type }) => type === "gemini");
    if (!isOwn || (count === 0 && value["messages"].length > 0)) return undefined;
    return {
      count: count + 1,
      evidence: "an object with sessionId, projectHash and messages of the types user and gemini",
    };
  }
  let [count, own] = [0, 0];
  for (const record of records) {
    if (!isFields(record)) continue;
    if (isHeader(record)) own += 1;
    else if (isRecord(record)) own += record["type"] === "gemini" ? 1 : 0;
    else if (!isFields(record["$set"]) && typeof record["$rewindTo"] !== "string") continue;
    count += 1;
  }
  return own === 0
    ? undefined
    : {
        count,
        evidence: `a header with sessionId and projectHash, and ${count - 1} records with an id and the types user and gemini`,
      };
}
