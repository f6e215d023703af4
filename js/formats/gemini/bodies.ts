/** What Gemini's function responses hold beyond one text. */

import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

/** Returns the bodies of a turn's responses, with the indices of their parts; none for a body of one text. */
export function resultBodies({ parts }: Fields): [part: number, body: unknown][] {
  if (!Array.isArray(parts)) return [];
  return (parts as unknown[]).flatMap((part, index): [number, unknown][] => {
    const response = isFields(part) ? (part["functionResponse"] ?? part["function_response"]) : undefined;
    const body = isFields(response) ? response["response"] : undefined;
    if (body === undefined || body === null) return [];
    const isOne = isFields(body) && Object.keys(body).length === 1 && typeof body["output"] === "string";
    return isOne ? [] : [[index, body]];
  });
}
