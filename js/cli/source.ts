/** The list of messages in what a file holds, and how to put another one in its place. */

import { readConversation } from "../formats/index.ts";
import type { Format } from "../types/messages.ts";

export function sourceOf(
  input: unknown,
  given: Format | undefined,
): { list: readonly unknown[]; name: string; format: Format; put: (messages: unknown) => unknown } {
  const {
    format,
    source: { list, name, request },
  } = readConversation(input, { ...(given && { format: given }) });
  return { list, name, format, put: (messages) => (request ? { ...request, [name]: messages } : messages) };
}
