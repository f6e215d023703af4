/** The definitions of a list of tools, wherever a format puts them, and the texts in them that may be shortened. */

import { SCHEMAS, fieldsOf, holderOf, tool } from "./tools.ts";
import { copy, isFields } from "./values.ts";
import type { Fields } from "./values.ts";
import type { ToolList } from "../types/messages.ts";

/** One definition of a list. */
export interface Definition {
  name: string;
  /** The host's own object. */
  value: Fields;
  /** Index in the list, and index among the declarations of that item (Gemini). */
  item: number;
  declaration?: number;
}

/** A description in a definition: of the tool, or of one of its parameters. */
export interface Description {
  path: readonly string[];
  text: string;
}

/** Returns the definitions of a list, or of an object by name (AI SDK). */
export function definitionsOf(tools: ToolList): Definition[] {
  const items = Array.isArray(tools)
    ? (tools as unknown[]).map((item) => [undefined, item] as const)
    : Object.entries(tools);
  return items.flatMap(([key, value], item): Definition[] => {
    const declarations = isFields(value) ? value["functionDeclarations"] : undefined;
    if (!Array.isArray(declarations)) return [{ name: key ?? tool(value, item).name, value: value as Fields, item }];
    return declarations.map((held: Fields, declaration) => ({
      name: tool(held, item).name,
      value: held,
      item,
      declaration,
    }));
  });
}

/**
 * Returns the list with other definitions: `change` returns the definition itself, a changed one, or nothing for one
 * that goes. The result has the shape of the list.
 */
export function withDefinitions<T extends ToolList>(
  tools: T,
  definitions: readonly Definition[],
  change: (definition: Definition) => Fields | undefined,
): T {
  const byItem = new Map<number, Definition[]>();
  for (const definition of definitions)
    byItem.set(definition.item, [...(byItem.get(definition.item) ?? []), definition]);
  const changed = (value: unknown, item: number): unknown => {
    const own = byItem.get(item) ?? [];
    if (own[0]?.declaration === undefined) return own[0] && change(own[0]);
    const functionDeclarations = own.flatMap((definition) => change(definition) ?? []);
    if (functionDeclarations.every((held, at) => held === own[at]?.value) && functionDeclarations.length === own.length)
      return value;
    return functionDeclarations.length === 0 ? undefined : copy(value as Fields, { functionDeclarations });
  };
  if (Array.isArray(tools)) return tools.flatMap((value: unknown, item) => changed(value, item) ?? []) as unknown as T;
  const entries = Object.entries(tools).map(([key, value], item) => [key, changed(value, item)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
}

/** Descriptions that are nested deeper stay as they are. */
const DEEPEST = 100;
/** Parts of a schema that are values of the host, not words for the model. */
const VALUES = new Set(["default", "const", "enum", "examples"]);

/** Returns the descriptions in a definition. A schema that is no plain object stays as it is. */
export function descriptionsOf({ value }: Definition): Description[] {
  const found: Description[] = [];
  const around = new Set<unknown>();
  const walk = (held: unknown, path: readonly string[]): void => {
    // A schema that holds itself has been walked.
    if ((!Array.isArray(held) && !isPlain(held)) || around.has(held) || path.length > DEEPEST) return;
    around.add(held);
    for (const [key, inner] of Object.entries(held)) {
      if (key === "description" && typeof inner === "string") found.push({ path: [...path, key], text: inner });
      else if (!VALUES.has(key)) walk(inner, [...path, key]);
    }
    around.delete(held);
  };
  const from = fieldsOf(value);
  const holder = holderOf(value);
  const start = holder === undefined ? [] : [holder];
  const { description } = from;
  if (typeof description === "string") found.push({ path: [...start, "description"], text: description });
  for (const name of SCHEMAS) walk(from[name], [...start, name]);
  return found;
}

const isPlain = (value: unknown): value is Fields =>
  isFields(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/** Returns a definition with other texts at these paths; the definition itself stays as it is. */
export function withTexts(value: Fields, texts: readonly Description[]): Fields {
  const set = (held: unknown, path: readonly string[], text: string): unknown => {
    const [key, ...rest] = path;
    if (key === undefined) return text;
    if (Array.isArray(held))
      return held.map((item: unknown, at) => (String(at) === key ? set(item, rest, text) : item));
    return copy(held as Fields, { [key]: set((held as Fields)[key], rest, text) });
  };
  return texts.reduce<Fields>((done, { path, text }) => set(done, path, text) as Fields, value);
}

/** Marks a definition as deferred: the server keeps it from the model until a search finds it. */
export const deferredOf = (value: Fields): Fields => copy(value, { defer_loading: true });
