/** How the AI SDK's model messages and UI messages are recognised. */

import type { Shape } from "../shape.ts";

const PART_TYPE = /^(tool-|data-|source|(step-start|dynamic-tool|file)$)/;
const CONTENT_TYPES: ReadonlySet<unknown> = new Set([
  "tool-call",
  "tool-result",
  "step-start",
  "dynamic-tool",
  "reasoning",
  "file",
]);

export const shape: Shape = {
  isMessage: ({ parts, toolInvocations }) => !Array.isArray(parts) && Array.isArray(toolInvocations),
  // Thoughts look as neutral ones.
  isPart: ({ type }) => typeof type === "string" && PART_TYPE.test(type),
  isContent: (item) =>
    // Files of chat completions have a field of that name.
    (CONTENT_TYPES.has(item["type"]) && !("file" in item)) ||
    (item["type"] === "image" && "image" in item && !("source" in item)),
};
