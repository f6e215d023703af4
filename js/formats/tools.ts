/** Tool definitions, wherever a provider puts their three fields. */

import { EspalierError } from "../errors/errors.ts";
import type { NeutralTool } from "../types/messages.ts";
import { isFields, json, NO_JSON, withFields } from "./values.ts";
import type { Fields } from "./values.ts";

interface Named {
  name: string;
  description: string;
}

/** A tool definition with a description, by format. */
export interface ToolDefinitions<Parameters> {
  "openai-chat": { type: "function"; function: Named & { parameters: Parameters } };
  "openai-responses": Named & { type: "function"; parameters: Parameters; strict: false };
  anthropic: Named & { input_schema: Parameters };
  gemini: { functionDeclarations: (Named & { parametersJsonSchema: Parameters })[] };
  vscode: Named & { inputSchema: Parameters };
  /** A value of the SDK's object of tools. */
  "ai-sdk": { description: string; inputSchema: any; execute: (input: any) => Promise<string> };
  langchain: ToolDefinitions<Parameters>["openai-chat"];
  "openai-agents": ToolDefinitions<Parameters>["openai-responses"];
  raw: ToolDefinitions<Parameters>["openai-chat"];
  espalier: NeutralTool;
}

/** Writes a tool definition as an item of a request's list. `execute` is for formats whose SDK runs tools. */
export type ToolWriter = (tool: NeutralTool, schema: Fields, execute?: (input: unknown) => Promise<unknown>) => unknown;

/** The tool definitions in a request: a list, or (AI SDK) an object by name; the Gemini SDK keeps them in `config`. */
export function requestTools(request: Fields): readonly unknown[] | undefined {
  const config = request["config"];
  const tools = request["tools"] ?? (isFields(config) ? config["tools"] : undefined);
  return tools === undefined ? undefined : listedTools(tools);
}

/** The tool definitions in the options, else those in the request. */
export function toolsOf(given: unknown, request: Fields | undefined): readonly unknown[] {
  return (given ? listedTools(given) : undefined) ?? (request && requestTools(request)) ?? [];
}

/** Tool definitions as a list: one, or (AI SDK) an object by name; nothing for anything else. */
export function listedTools(tools: unknown): readonly unknown[] | undefined {
  if (Array.isArray(tools)) return tools;
  if (!isFields(tools)) return undefined;
  return Object.entries(tools).map(([name, definition]) =>
    isFields(definition)
      ? withFields(Object.getPrototypeOf(definition) as object | null, definition, { name })
      : definition,
  );
}

/** Names of a definition's schema, by format. */
export const SCHEMAS = [
  "parameters",
  "input_schema",
  "inputSchema",
  "parametersJsonSchema",
  "parameters_json_schema",
  "schema",
];

/** Returns the object with name, description and schema of a definition. */
export const fieldsOf = (definition: Fields): Fields => {
  const holder = holderOf(definition);
  return holder === undefined ? definition : (definition[holder] as Fields);
};

/** Returns the field that holds them; nothing if it is the definition itself. */
export const holderOf = (definition: Fields): string | undefined =>
  ["function", "custom"].find((name) => isFields(definition[name]));

/** Names of a list of definitions in one item, which is Gemini's. */
const GROUPS = ["functionDeclarations", "function_declarations"];

/** Returns the tools of a list. Their provider need not be that of the messages. */
export function neutralTools(tools: readonly unknown[]): NeutralTool[] {
  const all = tools.flatMap((item) => {
    const group = isFields(item) ? GROUPS.map((name) => item[name]).find(Array.isArray) : undefined;
    return group ? (group as unknown[]) : [item];
  });
  return all.map(tool);
}

/** A tool definition, wherever a provider puts its three fields. */
export function tool(fields: unknown, at: number): NeutralTool {
  const path = `tools[${at}]`;
  if (!isFields(fields)) throw new EspalierError({ code: "bad_option", message: `${path} must be an object`, path });
  const from = fieldsOf(fields);
  const given = SCHEMAS.map((name) => from[name]).find((schema) => schema !== undefined && schema !== null);
  const schema = jsonSchemaOf(given, path);
  // The server keeps a deferred tool from the model: only its name matters here.
  const isDeferred = fields["defer_loading"] === true || from["defer_loading"] === true;
  // Tools that the provider runs itself have a type and settings instead of a schema.
  const name =
    typeof from["name"] === "string" ? from["name"] : typeof from["type"] === "string" ? from["type"] : `tool ${at}`;
  if (isDeferred) return { name };
  const description = [from["description"], ...sentBeside(from)].filter((said) => typeof said === "string").join("\n");
  return {
    name,
    ...(description && { description }),
    ...(schema !== undefined && { schema: schemaText(schema, path) }),
  };
}

/**
 * Returns what the model is shown of a definition beside its description and schema: the grammar of a free-form tool
 * (OpenAI), examples of arguments (Anthropic), and tools within it: those of a namespace (OpenAI), or of an MCP server
 * whose list is part of the request (Anthropic).
 */
function sentBeside(from: Fields): string[] {
  const { format, input_examples: examples, tools } = from;
  const grammar = isFields(format) && isFields(format["grammar"]) ? format["grammar"] : format;
  const definition = isFields(grammar) ? grammar["definition"] : undefined;
  const inner = from["type"] === "namespace" || from["type"] === "mcp_toolset" ? tools : undefined;
  return [
    ...(typeof definition === "string" ? [definition] : []),
    ...(Array.isArray(examples) ? [json(examples)] : []),
    ...(Array.isArray(inner) ? (inner as unknown[]).flatMap((held) => shownOf(held, from)) : []),
  ];
}

/** Returns a tool within a definition as the model is shown it: a deferred one by its name. */
function shownOf(held: unknown, { default_config: usual, configs }: Fields): string[] {
  if (!isFields(held)) return [];
  const name = typeof held["name"] === "string" ? held["name"] : "";
  const own = isFields(configs) ? configs[name] : undefined;
  const setting = (key: string) => (isFields(own) ? own[key] : undefined) ?? (isFields(usual) ? usual[key] : undefined);
  if (setting("enabled") === false) return [];
  return [(held["defer_loading"] ?? setting("defer_loading")) === true ? name : json(held)];
}

function schemaText(schema: unknown, path: string): string {
  const text = typeof schema === "string" ? schema : json(schema);
  if (text !== NO_JSON) return text;
  const message = `${path} has a schema that cannot be written as JSON: it throws, or is nested too deeply`;
  throw new EspalierError({ code: "bad_option", message, path });
}

/**
 * The JSON schema that the model is shown: of a plain schema, of one that the AI SDK wrapped or makes on demand, or of
 * a validation library that can say it (zod's own method; Standard JSON Schema).
 */
function jsonSchemaOf(given: unknown, path: string): unknown {
  const message = `${path} has a schema of a validation library that cannot say what is sent; pass JSON schemas in options.tools`;
  const refuse = (cause?: unknown) =>
    new EspalierError({ code: "bad_option", message, path, ...(cause !== undefined && { cause }) });
  const isHolder = (value: unknown): value is Fields => isFields(value) || typeof value === "function";
  try {
    // The AI SDK makes a schema when it is first needed.
    const made = typeof given === "function" && !("~standard" in given) ? (given as () => unknown)() : given;
    const schema = isHolder(made) && isFields(made["jsonSchema"]) ? made["jsonSchema"] : made;
    if (isHolder(schema) && typeof schema["then"] === "function") throw refuse();
    if (!isHolder(schema) || !("~standard" in schema) || isJsonSchema(schema)) return schema;
    if (typeof schema["toJSONSchema"] === "function") return (schema["toJSONSchema"] as () => unknown).call(schema);
    const standard = schema["~standard"];
    const converter = isHolder(standard) ? standard["jsonSchema"] : undefined;
    if (!isHolder(converter) || typeof converter["input"] !== "function") throw refuse();
    return (converter["input"] as (options: Fields) => unknown).call(converter, { target: "draft-07" });
  } catch (cause) {
    throw cause instanceof EspalierError ? cause : refuse(cause);
  }
}

/** zod hides a `~standard` in the JSON schemas that it makes. */
function isJsonSchema(schema: Fields): boolean {
  return (
    "$schema" in schema ||
    (Object.getPrototypeOf(schema) === Object.prototype && !Object.keys(schema).includes("~standard"))
  );
}

/** Returns a definition's schema as a value. */
export function schemaOf({ schema }: NeutralTool): Fields | undefined {
  if (schema === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(schema);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
