/** The ways back to tools that a request leaves out: a tool of ours, or the search of the provider's server. */

import { badValue } from "../errors/errors.ts";
import type { Reading } from "../formats/adapter.ts";
import { FORMATS, RULES } from "../formats/table.ts";
import { tool } from "../formats/tools.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import type { Format } from "../types/messages.ts";
import type { Definition } from "../formats/definitions.ts";

/** Name of the tool that loads others. */
export const LOADER = "load_tools";

/** Max characters of what a tool does, beside its name in the list of those that can be loaded. */
const SUMMARY = 60;
/** More tools than this are listed by name alone. */
const SUMMARIZED = 60;

const SCHEMA = {
  type: "object",
  properties: { names: { type: "array", items: { type: "string" }, description: "Names from the list above." } },
  required: ["names"],
  additionalProperties: false,
};

/** A tool with which the model gets definitions that the request leaves out. */
export interface ToolLoader {
  name: string;
  /** Answers a call: what can be called from the next request on, and names that do not exist. */
  call(input: unknown): string;
}

/** Returns the definition of the tool that loads others. */
export function loaderDefinition(format: Format, deferred: readonly Definition[], loader: ToolLoader): Fields {
  const list = deferred.map(({ name, value }) => {
    const words = deferred.length > SUMMARIZED ? "" : summaryOf(value);
    return words === "" ? name : `${name}: ${words}`;
  });
  const description = `Loads the definitions of more tools, which can be called after that. There are:\n${list.join("\n")}`;
  const execute = (input: unknown) => Promise.resolve(loader.call(input));
  return RULES[format].writeTool({ name: LOADER, description }, structuredClone(SCHEMA), execute) as Fields;
}

/** Returns the beginning of a tool's description: its first sentence, if that is short. */
function summaryOf(value: Fields): string {
  const said = (tool(value, 0).description ?? "").replace(/\s+/g, " ").trim();
  const first = /^.*?[.!?](?= |$)/.exec(said)?.[0] ?? said;
  return first.length <= SUMMARY ? first : `${first.slice(0, first.lastIndexOf(" ", SUMMARY))} …`;
}

/** Returns a loader for these names. */
export function loaderOf(deferred: readonly string[], offered: readonly string[]): ToolLoader {
  return {
    name: LOADER,
    call(input) {
      const names = namesIn(input);
      if (!names) throw badValue("input", "an object with a list of names, or its JSON", input, "bad_input");
      const known = names.filter((name) => deferred.includes(name) || offered.includes(name));
      const unknown = names.filter((name) => !known.includes(name));
      const lines = [
        ...(known.length > 0 ? [`You can call now: ${known.join(", ")}.`] : []),
        ...(unknown.length > 0 ? [`There is no tool ${unknown.join(", ")}. There are: ${deferred.join(", ")}.`] : []),
      ];
      return lines.join("\n") || `Name at least one of: ${deferred.join(", ")}.`;
    },
  };
}

/** Returns the names in the arguments of a call of the loader; nothing if they are something else. */
function namesIn(input: unknown): string[] | undefined {
  try {
    const value: unknown = typeof input === "string" ? JSON.parse(input) : input;
    const names = isFields(value) ? value["names"] : undefined;
    return Array.isArray(names) ? names.filter((name): name is string => typeof name === "string") : undefined;
  } catch {
    return undefined;
  }
}

/** The tools that a conversation called or loaded, with the index of the newest message that did. */
export function usesOf({ messages }: Pick<Reading, "messages">): Map<string, number> {
  const uses = new Map<string, number>();
  messages.forEach(({ parts }, at) => {
    for (const part of parts) {
      if (part.type !== "toolCall") continue;
      uses.set(part.name, at);
      if (part.name === LOADER) for (const name of namesIn(part.arguments) ?? []) uses.set(name, at);
    }
  });
  return uses;
}

/** Returns the tool with which the server of a format searches deferred tools. */
export function serverSearch(format: Format, path = "options.search"): Fields {
  const search = RULES[format].toolSearch;
  const formats = FORMATS.filter((name) => RULES[name as Format].toolSearch).join(" or ");
  if (!search) throw badValue(path, `"loader" or "none" for ${format}; only ${formats} search`, "provider");
  return { ...search };
}
