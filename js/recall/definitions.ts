/** The definition of the recall tool, in each format of tool definitions. */

import { RULES } from "../formats/table.ts";
import type { ToolDefinitions } from "../formats/tools.ts";
import type { Format } from "../types/messages.ts";

/** Arguments of the recall tool as a JSON schema. */
export interface RecallParameters {
  type: "object";
  properties: Record<"id" | "query", { type: "string"; description: string }> & {
    offset: { type: "integer"; description: string };
  };
  additionalProperties: false;
  // SDKs type a schema as an object with any fields.
  [field: string]: unknown;
}

/** One tool definition, by format. */
export type RecallDefinitions = ToolDefinitions<RecallParameters>;

const PARAMETERS: RecallParameters = {
  type: "object",
  properties: {
    id: {
      type: "string",
      description: "The id of a message (m17), a range (m10..m20), or several of both, separated by commas.",
    },
    query: {
      type: "string",
      description: "Words to search all messages for; with an id, the words to begin at in that message.",
    },
    offset: {
      type: "integer",
      description: "With the id of a long message: the character to begin at, as an earlier answer said.",
    },
  },
  additionalProperties: false,
};

const DESCRIPTION =
  "Returns messages of this conversation word for word, also those that a summary replaced, results that were cleared, and texts that " +
  "were shortened. Give an id, or words to search for. Use it before you ask the user again or repeat work.";

/** Returns the definition of a tool of this name. The AI SDK calls `execute`. */
export function definition<F extends Format>(
  format: F,
  name: string,
  execute: (input: unknown) => Promise<string>,
): RecallDefinitions[F] {
  // The host may change its definition.
  const schema = structuredClone(PARAMETERS);
  return RULES[format].writeTool({ name, description: DESCRIPTION }, schema, execute) as RecallDefinitions[F];
}
