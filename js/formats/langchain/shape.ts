/** How LangChain's messages are recognised: class instances, what they write as JSON, and stored ones. */

import type { Shape } from "../shape.ts";
import { isFields } from "../values.ts";
import { isInstance } from "./form.ts";

const TYPES = /^(human|ai|system|developer|tool|function|generic|remove)$/;

export const shape: Shape = {
  isMessage(message) {
    const { type, role, lc, kwargs, data } = message;
    if (isInstance(message) || (lc !== undefined && isFields(kwargs))) return true;
    const holder = isFields(data) ? data : message;
    // Lines of Claude Code have such a type, and an id.
    const hasContent = "content" in holder || "content_blocks" in holder;
    return role === undefined && !("uuid" in message) && typeof type === "string" && TYPES.test(type) && hasContent;
  },
};
