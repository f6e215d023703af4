/** Gemini: signatures of thoughts, and fields of parts that its server does not know. */

import { isFields } from "../adapters/adapter.ts";
import { REMOVE } from "./wire.ts";
import type { WireCheck } from "./wire.ts";

/** Stands for a signature that was lost or never made; its documentation names it for calls of other models. */
export const NO_SIGNATURE = "skip_thought_signature_validator";

/** The fields of a part, in the interface's reference; it takes both spellings. */
const FIELDS = new Set([
  "text", "thought", "thoughtSignature", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult", "toolCall", "toolResponse",
  "videoMetadata", "mediaResolution", "partMetadata",
].flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]));

export const geminiWire: WireCheck = ({ list, signatures }, find) => {
  for (const [index, { role, parts }] of list.entries()) {
    if (!Array.isArray(parts)) continue;
    let first = signatures && role === "model";
    for (const [at, part] of (parts as unknown[]).entries()) {
      if (!isFields(part)) continue;
      for (const key in part) {
        if (!FIELDS.has(key)) find({ rule: "part-field", index, place: ["parts", at, key], message: `the server knows no field ${JSON.stringify(key)} of a part`, fix: REMOVE });
      }
      if (!first || !(isFields(part["functionCall"]) || isFields(part["function_call"]))) continue;
      first = false;
      if (part["thoughtSignature"] || part["thought_signature"]) continue;
      find({ rule: "thought-signature", index, place: ["parts", at, "thoughtSignature"], message: "the first call of a turn carries the signature of its thought", fix: { set: NO_SIGNATURE } });
    }
  }
};
