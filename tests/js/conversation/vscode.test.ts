/** Conversations in VS Code's format, with classes as the editor has them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  a as Message,
  b as TextPart,
  c as CallPart,
  d as ResultPart,
  e as DataPart,
  editor,
} from "../formats/editor.ts";
import { espalier } from "../built.ts";

const { memoryStorage, openConversation, setVSCode } = espalier;

const PARTS = [TextPart, DataPart, CallPart, ResultPart];

const given = (rounds: number) => [
  new Message(1, [new TextPart("Fix the parser."), new DataPart(new Uint8Array([137, 80]), "image/png")]),
  ...Array.from({ length: rounds }, (_, at) => [
    new Message(2, [new TextPart("I build."), new CallPart(`c${at}`, "bash", { command: `make part${at}` })]),
    new Message(1, [new ResultPart(`c${at}`, [new TextPart(`building part${at}\n`.repeat(30))])]),
  ]).flat(),
];

for (const inEditor of [true, false]) {
  test(`stored and opened again ${inEditor ? "in the editor" : "elsewhere"}: pictures and calls are there, and nothing has to be made again`, async () => {
    if (inEditor) setVSCode(editor as never);
    try {
      const texts = new Map<string, string>();
      const complaints: unknown[] = [];
      const open = () =>
        openConversation<Message>({
          format: "vscode",
          model: { name: "gpt-4o", maxInputTokens: 4_000 },
          storage: memoryStorage(texts),
          entropy: 7,
          background: false,
          onEvent: (event) => void (event.type === "warning" && complaints.push(event)),
        });
      const first = await open();
      first.append(given(30));
      const before = (await first.prepare()).messages;
      await first.dispose();
      const second = await open();
      assert.equal(second.log.originals, 61);
      const after = (await second.prepare()).messages;
      const shown = (messages: readonly Message[]) =>
        JSON.stringify(
          messages.map(({ role, content }) => [role, content.map((part) => ({ ...(part as object) }))]),
        ).replaceAll('"$mid":21,', "");
      assert.equal(shown(after), shown(before));
      const data = second.recall("m0")[0]!.message.content[1] as DataPart;
      assert.deepEqual([...data.data], [137, 80]);
      if (inEditor)
        assert.ok(
          after.every(
            (message) =>
              message instanceof Message &&
              message.content.every((part) => PARTS.some((known) => part instanceof known)),
          ),
        );
      assert.deepEqual(complaints, []);
      await second.dispose();
    } finally {
      setVSCode();
    }
  });
}
