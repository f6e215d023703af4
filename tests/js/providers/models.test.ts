/** Models that are objects, of every kind: calls stay with their results, and what is no model is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { aiSdk, EspalierError, generator } from "../../../js/providers/index.ts";
import type { AiSdkOptions } from "../../../js/providers/index.ts";
import { conversation } from "./conversations.ts";
import { failure, firing } from "./support.ts";
import { runs } from "../runs.ts";
import {
  type LanguageModelChatMessage,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "../formats/samples.ts";
import { editor, parts, sdk } from "./model-objects.ts";
import type { Fields } from "./model-objects.ts";

/**
 * Calls and results by message: every call is answered by the message right behind it, and nothing else is answered.
 */
function paired(
  messages: readonly unknown[],
  calls: (message: Fields) => unknown[],
  results: (message: Fields) => unknown[],
): void {
  let open: unknown[] = [];
  for (const message of messages as Fields[]) {
    assert.deepEqual([...results(message)].sort(), [...open].sort());
    open = calls(message);
  }
  assert.deepEqual(open, []);
}

test("property: any conversation keeps its calls and results together", () => {
  const { provider: code } = editor(() => parts());
  fc.assert(
    fc.property(conversation, (messages) => {
      const known = messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "toolCall").length;
      const ofType = (type: string) => (message: Fields) =>
        (Array.isArray(message["content"]) ? (message["content"] as Fields[]) : []).flatMap((part) =>
          part["type"] === type ? [part["toolCallId"]] : [],
        );
      for (const version of ["v2", "v3"] as const) {
        const { prompt } = sdk(version).provider.toRequest(messages, { format: "espalier" }) as { prompt: Fields[] };
        paired(prompt, ofType("tool-call"), ofType("tool-result"));
        assert.equal(prompt.flatMap(ofType("tool-call")).length, known);
      }
      const made = code.toRequest(messages, { format: "espalier" })["messages"] as LanguageModelChatMessage[];
      const instances =
        (kind: new (...args: never[]) => { callId: string }) =>
        ({ content }: Fields) =>
          (content as unknown[]).flatMap((part) => (part instanceof kind ? [part.callId] : []));
      paired(made, instances(LanguageModelToolCallPart), instances(LanguageModelToolResultPart));
      for (const { content } of made) {
        assert.ok(content.length > 0);
        const isResult = content.map((part) => part instanceof LanguageModelToolResultPart);
        assert.deepEqual(
          isResult,
          [...isResult].sort((a, b) => Number(b) - Number(a)),
          "results come first",
        );
      }
    }),
    { numRuns: runs(200) },
  );
});

test("objects that are no models, and models that answer rubbish", async () => {
  for (const model of [undefined, {}, { doGenerate() {}, doStream() {}, specificationVersion: "v1" }])
    assert.throws(() => aiSdk({ model } as unknown as AiSdkOptions), EspalierError);
  assert.throws(() => generator({} as never), EspalierError);
  for (const value of [undefined, null, 7, "text", {}, { content: 7 }]) {
    const provider = generator({ generate: async () => value });
    assert.equal((await failure(provider.send({}))).code, "bad_response");
  }
  const stuck = generator({ generate: () => new Promise(() => undefined), clock: firing(20, () => true)! });
  assert.equal((await failure(stuck.send({}, { timeoutMs: 20 }))).code, "timeout");
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  assert.equal((await failure(stuck.send({}, { signal: stop.signal }))).code, "aborted");
});
