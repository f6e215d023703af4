/** Appends that end after the time limit: the storage adds lines that were written again meanwhile. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Format } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";
import type { Fields } from "./support.ts";

const { memoryStorage, openConversation } = espalier;
const said = (at: number, text: string, format: Format): Fields => {
  const role = at % 2 === 0 ? "user" : "assistant";
  return format === "espalier" ? { id: `n${at}`, role, parts: [{ type: "text", text }] } : { role, content: text };
};

/** A storage whose appends to these texts wait for `land` while `isSlow`. */
function slowStorage(texts: Map<string, string>, names: readonly string[]) {
  const storage = memoryStorage(texts);
  const waiting: (() => void)[] = [];
  const state = { isSlow: false };
  const append = (name: string, text: string) =>
    state.isSlow && names.includes(name)
      ? new Promise<void>((resolve) => waiting.push(() => resolve(storage.append(name, text))))
      : storage.append(name, text);
  const land = () => waiting.splice(0).forEach((one) => void one());
  return { storage: { ...storage, append }, state, land };
}

const PLACES = { messages: ["messages.jsonl"], log: ["log.jsonl"], both: ["messages.jsonl", "log.jsonl"] };
for (const format of ["openai-chat", "espalier"] as const)
  for (const [place, names] of Object.entries(PLACES))
    test(`${format}: lines of ${place} that are added late are there once`, async () => {
      for (const [late, later] of [
        [["Go on."], []],
        [["Go on."], ["Done."]],
        [["Go on.", "Done."], ["Go on."]],
      ] as const) {
        const texts = new Map<string, string>();
        const { storage, state, land } = slowStorage(texts, names);
        const open = () =>
          openConversation<Fields>({ format, model: "gpt-4o", storage, timeoutsMs: { storage: 20 }, entropy: 1 });
        const conversation = await open();
        const all = ["Hello.", "Yes.", ...late, ...later].map((text, at) => said(at, text, format));
        conversation.append(all.slice(0, 2));
        await conversation.flush();
        state.isSlow = true;
        conversation.append(all.slice(2, 2 + late.length));
        await conversation.flush();
        state.isSlow = false;
        conversation.append(all.slice(2 + late.length));
        await conversation.flush();
        land();
        // The process ends here.
        const again = await open();
        assert.deepEqual(again.log.originalsFrom(0), all);
        await again.dispose();
        const third = await open();
        assert.deepEqual([third.opened.log?.problems, third.log.originalsFrom(0)], [[], all]);
        await third.dispose();
      }
    });
