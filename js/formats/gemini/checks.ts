/** Gemini: signatures of thoughts, names of results, and fields of parts that its server does not know. */

import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { looked, REMOVE } from "../checks.ts";
import type { WireCheck } from "../checks.ts";

/** Stands for a signature that was lost or never made; its documentation names it for calls of other models. */
export const NO_SIGNATURE = "skip_thought_signature_validator";

/** Field names in both spellings, which the interface takes. */
const both = (names: readonly string[]) =>
  names.flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);

/** The fields of which a part has exactly one, in the interface's reference. */
const DATA = both([
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
]);
/** All fields of a part. */
const FIELDS = new Set([
  ...DATA,
  ...both(["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"]),
]);

/** What a result is called that has no name where it comes from; see the adapter. */
const NAMELESS = "unknown";

export const check: WireCheck = (request, find) => {
  // Calls of the newest round, by their ids.
  let calls = new Map<string, unknown>();
  let before: unknown;
  for (const [index, { role, parts }] of looked(request)) {
    if (!Array.isArray(parts)) continue;
    if (role === "model" && before !== "model") calls = new Map();
    before = role;
    let first = request.signatures && role === "model";
    for (const [at, part] of (parts as unknown[]).entries()) {
      if (!isFields(part)) continue;
      if (DATA.every((name) => part[name] === undefined || part[name] === null)) {
        find({
          rule: "part-data",
          index,
          place: ["parts", at],
          message: "a part without data is refused",
          fix: REMOVE,
        });
        continue;
      }
      for (const key in part) {
        if (!FIELDS.has(key))
          find({
            rule: "part-field",
            index,
            place: ["parts", at, key],
            message: `the server knows no field ${JSON.stringify(key)} of a part`,
            fix: REMOVE,
          });
      }
      const [call, result] = [
        inner(part, "functionCall", "function_call"),
        inner(part, "functionResponse", "function_response"),
      ];
      if (call && typeof call["id"] === "string") calls.set(call["id"], call["name"]);
      const name = typeof result?.["id"] === "string" ? calls.get(result["id"]) : undefined;
      // Of one without a name the id says whose it is; by no name it would answer nothing.
      if (
        result &&
        typeof name === "string" &&
        name !== "" &&
        (result["name"] ?? NAMELESS) === NAMELESS &&
        name !== NAMELESS
      ) {
        const field = "functionResponse" in part ? "functionResponse" : "function_response";
        find({
          rule: "result-name",
          index,
          place: ["parts", at, field, "name"],
          message: `the result of a call of ${JSON.stringify(name)} goes by that name`,
          fix: { set: name },
        });
      }
      if (!first || !(isFields(part["functionCall"]) || isFields(part["function_call"]))) continue;
      first = false;
      if (part["thoughtSignature"] || part["thought_signature"]) continue;
      find({
        rule: "thought-signature",
        index,
        place: ["parts", at, "thoughtSignature"],
        message: "the first call of a turn carries the signature of its thought",
        fix: { set: NO_SIGNATURE },
      });
    }
  }
};

function inner(part: Fields, ...names: readonly string[]): Fields | undefined {
  return names.map((name) => part[name]).find(isFields);
}
