/** Random valid conversations, which providers must accept after conversion. */

import fc from "fast-check";
import type { NeutralMessage, Part } from "../../../js/types/messages.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const word = fc
  .oneof(fc.string({ minLength: 1, maxLength: 10 }), fc.constantFrom("é漢🙂", " ", "\n", "a\ud800", '"}]'))
  .filter((text) => text !== "");
const solid = word.filter((text) => text.trim() !== "").map((text) => `${text}.`);
const callId = fc.oneof(
  fc.uuid(),
  fc.constantFrom("call|x", "ü", "x".repeat(90), "functions.read:0"),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const args = fc.oneof(fc.json(), fc.constantFrom("", "{}", '{"a":1}', "not json", "[1]", "7"));
const image: Part = { type: "image", mediaType: "image/png", data: PIXEL };

type Round = {
  text: string | undefined;
  calls: { id: string; args: string; result: string; isError: boolean }[];
  user: string;
  picture: boolean;
};
const round: fc.Arbitrary<Round> = fc.record({
  text: fc.option(word, { nil: undefined }),
  calls: fc.array(fc.record({ id: callId, args, result: fc.oneof(word, fc.constant("")), isError: fc.boolean() }), {
    maxLength: 3,
  }),
  user: solid,
  picture: fc.boolean(),
});

/** Returns a valid conversation: ids are made unique, as required. */
function conversationOf(
  system: string | undefined,
  rounds: readonly Round[],
  endsInResults: boolean,
): NeutralMessage[] {
  const out: NeutralMessage[] =
    system === undefined ? [] : [{ id: "s", role: "system", parts: [{ type: "text", text: system }] }];
  let number = 0;
  const add = (role: NeutralMessage["role"], parts: Part[]) =>
    parts.length > 0 && out.push({ id: `n${out.length}`, role, parts });
  add("user", [{ type: "text", text: "Begin." }]);
  rounds.forEach(({ text, calls, user, picture }, at) => {
    const own = calls.map((call) => ({ ...call, id: `${call.id}~${number++}` }));
    add("assistant", [
      ...(text === undefined ? [] : [{ type: "text" as const, text }]),
      ...own.map(({ id, args }): Part => ({ type: "toolCall", callId: id, name: "read", arguments: args })),
    ]);
    if (own.length > 0)
      add(
        "tool",
        own.map(
          ({ id, result, isError }): Part => ({
            type: "toolResult",
            callId: id,
            name: "read",
            content: [{ type: "text", text: result }],
            ...(isError && { isError }),
          }),
        ),
      );
    if (at < rounds.length - 1 || own.length === 0 || !endsInResults)
      add("user", [{ type: "text", text: user }, ...(picture ? [image] : [])]);
  });
  return out;
}
/** Any valid conversation. */
export const conversation = fc
  .tuple(fc.option(solid, { nil: undefined }), fc.array(round, { maxLength: 6 }), fc.boolean())
  .map(([system, rounds, end]) => conversationOf(system, rounds, end));
