/** Finds the list of messages in a parsed file, and replaces it. */

import { readConversation } from "../formats/index.ts";
import type { Format } from "../types/messages.ts";

export function sourceOf(
  input: unknown,
  given: Format | undefined,
): { list: readonly unknown[]; name: string; format: Format; put: (messages: unknown) => unknown } {
  const {
    format,
    source: { list, name, request },
  } = readConversation(input, { format: given });
  return { list, name, format, put: (messages) => (request ? { ...request, [name]: messages } : messages) };
}
