/**
 * gemini-cli's checkpoints: `checkpoint-*.json` written by `/chat save`, and those written before a tool changes files,
 * which hold the contents as `clientHistory` beside a copy for the screen. (Before 0.16 the file was a bare list of
 * contents: a plain request.)
 */

import { Draft, fields, isFields, objects, text, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { isInjected } from "./gemini-records.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const geminiCheckpoint: Reader = {
  layout: "gemini-checkpoint",
  tool: "gemini-cli",
  shapes: ["value"],
  marks: ["history", "authType"],
  recognise,
  read: () => new GeminiCheckpoint(),
};

function recognise({ records: [value] }: Sample): Match | undefined {
  if (!isFields(value)) return undefined;
  const list = contents(value);
  // Gemini's SDK also takes objects with a history, beside its own settings.
  const isOwn =
    "authType" in value ||
    Array.isArray(value["clientHistory"]) ||
    Object.keys(value).length === 1 ||
    isInjected(fields(list[0]));
  if (
    !isOwn ||
    list.length === 0 ||
    !list.every(
      (item) => isFields(item) && Array.isArray(item["parts"]) && /^(user|model|function)$/.test(word(item["role"])),
    )
  )
    return undefined;
  const name = Array.isArray(value["clientHistory"]) ? "clientHistory" : "history";
  return {
    count: list.length + 1,
    evidence: `an object with contents of the Gemini API as ${name}${"authType" in value ? ", and authType" : ""}`,
  };
}

function contents(value: Fields): readonly unknown[] {
  const list = Array.isArray(value["clientHistory"]) ? value["clientHistory"] : value["history"];
  return Array.isArray(list) ? (list as unknown[]) : [];
}

class GeminiCheckpoint implements Reading {
  readonly #draft = new Draft("gemini");

  add(value: unknown): void {
    const draft = this.#draft;
    const record = fields(value);
    objects(contents(record)).forEach((content, at) =>
      draft.push(content, at, isInjected(content) ? { injected: true } : {}),
    );
    if (Array.isArray(record["clientHistory"]) && "history" in record) draft.skip("history", "the same for the screen");
    if (isFields(record["toolCall"])) draft.skip("toolCall", "the call that waited when the checkpoint was made");
    draft.tell({ id: text(record["messageId"]) });
  }

  end(): Draft {
    return this.#draft;
  }
}
