/** The definition of the recall tool, in each format of tool definitions. */

import type { Format, NeutralTool } from "../types/messages.ts";

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

interface Named {
  name: string;
  description: string;
}

/** One tool definition, by format. */
export interface RecallDefinitions {
  "openai-chat": { type: "function"; function: Named & { parameters: RecallParameters } };
  "openai-responses": Named & { type: "function"; parameters: RecallParameters; strict: false };
  anthropic: Named & { input_schema: RecallParameters };
  gemini: { functionDeclarations: (Named & { parametersJsonSchema: RecallParameters })[] };
  vscode: Named & { inputSchema: RecallParameters };
  /** A value of the SDK's object of tools. */
  "ai-sdk": { description: string; inputSchema: any; execute: (input: any) => Promise<string> };
  raw: RecallDefinitions["openai-chat"];
  espalier: NeutralTool;
}

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

/** The keys under which the AI SDK looks for its own kind of schema, so the SDK need not be imported. */
const SCHEMA = Symbol.for("vercel.ai.schema");
const VALIDATOR = Symbol.for("vercel.ai.validator");

/** Returns the definition of a tool of this name. The AI SDK calls `execute`. */
export function definitions(
  name: string,
  execute: (input: unknown) => Promise<string>,
): { readonly [F in Format]: () => RecallDefinitions[F] } {
  const named = { name, description: DESCRIPTION };
  // A copy, because the host may change its definition.
  const parameters = (): RecallParameters => structuredClone(PARAMETERS);
  const chat = () => ({ type: "function" as const, function: { ...named, parameters: parameters() } });
  return {
    "openai-chat": chat,
    raw: chat,
    "openai-responses": () => ({ type: "function", ...named, parameters: parameters(), strict: false }),
    anthropic: () => ({ ...named, input_schema: parameters() }),
    gemini: () => ({ functionDeclarations: [{ ...named, parametersJsonSchema: parameters() }] }),
    vscode: () => ({ ...named, inputSchema: parameters() }),
    "ai-sdk": () => ({ description: DESCRIPTION, inputSchema: aiSdkSchema(parameters()), execute }),
    espalier: () => ({ ...named, schema: JSON.stringify(PARAMETERS) }),
  };
}

/** Returns the same as `jsonSchema` of the AI SDK. It accepts every input: the handler answers bad ones itself. */
function aiSdkSchema(jsonSchema: RecallParameters): object {
  return {
    [SCHEMA]: true,
    [VALIDATOR]: true,
    _type: undefined,
    jsonSchema,
    validate: (value: unknown) => ({ success: true, value }),
  };
}
