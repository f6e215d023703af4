/** How Gemini's contents are recognised. */

import type { Shape } from "../shape.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

export const shape: Shape = {
  list: {
    name: "contents",
    // The SDK takes the parts of a single turn of the user, too: texts and parts without a turn around them.
    read(contents) {
      if (Array.isArray(contents))
        return contents.length > 0 && contents.every(isLoose) ? [turn(contents)] : (contents as unknown[]);
      if (typeof contents === "string") return [turn([contents])];
      if (!isFields(contents)) return undefined;
      return [isLoose(contents) ? turn([contents]) : contents];
    },
  },
  isPart: ({ type }) => type === undefined,
  partRoles: ["model"],
};

function isLoose(item: unknown): boolean {
  return typeof item === "string" || (isFields(item) && !("role" in item) && !("parts" in item));
}

function turn(parts: readonly unknown[]): Fields {
  return { role: "user", parts: parts.map((part) => (typeof part === "string" ? { text: part } : part)) };
}
