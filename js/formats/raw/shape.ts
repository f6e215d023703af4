/** How the renderer's own messages are recognised: by numbers as roles and as types. */

import type { Shape } from "../shape.ts";
import { isFields } from "../values.ts";

export const shape: Shape = {
  hasNumbers: true,
  // The editor's messages have no system role 0, no such fields, no numbers as types.
  isMessage(message) {
    const { role, content } = message;
    const isNumbered = (part: unknown) => isFields(part) && typeof part["type"] === "number";
    return (
      role === 0 ||
      "toolCalls" in message ||
      "toolCallId" in message ||
      (Array.isArray(content) && content.some(isNumbered))
    );
  },
};
