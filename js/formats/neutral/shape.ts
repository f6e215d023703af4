/** How neutral messages are recognised. */

import type { Shape } from "../shape.ts";

const TYPES: ReadonlySet<unknown> = new Set([
  "toolCall",
  "toolResult",
  "opaque",
  "cacheMark",
  "boundary",
  "document",
  "image",
]);

export const shape: Shape = {
  isPart: ({ type }) => TYPES.has(type),
  partRoles: ["tool", "developer"],
};
