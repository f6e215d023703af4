/** OpenAI: content that is missing, empty lists of calls, names of speakers, items that occur twice. */

import { choices, looked, REMOVE } from "../checks.ts";
import type { WireCheck, WireFinding } from "../checks.ts";
import type { Place } from "../place.ts";
import { isFields, json } from "../values.ts";
import type { Fields } from "../values.ts";
import { checkServed } from "./served.ts";

type Find = (finding: WireFinding) => void;

const choice = choices(["tool_choice", "parallel_tool_calls"]);

/** "string does not match pattern", says the server of any other name. */
const NAME = /^[^\s<|\\/>]{1,64}$/;

export const checkChat: WireCheck = (request, find) => {
  choice(request, find);
  for (const [index, message] of looked(request)) {
    const { tool_calls: calls, name, role, content } = message;
    parsedField(index, message, [], "parsed", find);
    if (Array.isArray(calls))
      for (const [at, call] of (calls as unknown[]).entries())
        if (isFields(call) && isFields(call["function"]))
          parsedField(index, call["function"], ["tool_calls", at, "function"], "parsed_arguments", find);
    const isMissing = (content === null || content === undefined) && role !== "assistant";
    if (isMissing || (Array.isArray(content) && content.length === 0))
      find({
        rule: "content",
        index,
        place: ["content"],
        message: isMissing ? "content is required here" : "an empty list of parts is refused",
        fix: role === "assistant" ? { set: null } : { set: "" },
      });
    if (Array.isArray(calls) && calls.length === 0)
      find({
        rule: "empty-calls",
        index,
        place: ["tool_calls"],
        message: "an empty list of calls is refused",
        fix: REMOVE,
      });
    if (typeof name !== "string" || NAME.test(name) || role === "tool" || role === "function") continue;
    const nearest = name.replace(/[\s<|\\/>]/g, "_").slice(0, 64);
    find({
      rule: "message-name",
      index,
      place: ["name"],
      message: "the provider takes no such name of a speaker",
      fix: nearest ? { set: nearest } : REMOVE,
    });
  }
};

/**
 * Finds what OpenAI's SDK adds to an answer (`parse`, `finalChatCompletion`): "Additional properties are not allowed
 * ('parsed' was unexpected)", say its servers (openai/openai-node#1161).
 */
function parsedField(index: number, holder: Fields, place: Place, name: string, find: Find): void {
  if (holder[name] === undefined) return;
  const message = `${name} is of the SDK, and refused in a request`;
  find({ rule: "extra-field", index, place: [...place, name], message, fix: REMOVE });
}

/** Items by their ids: "Duplicate item found with id", says the server of a second one. */
export const checkResponses: WireCheck = (request, find) => {
  choice(request, find);
  checkServed(request.list, find);
  const first = new Map<unknown, Fields>();
  for (const [index, item] of looked(request)) {
    const { id, type, content } = item;
    parsedField(index, item, [], "parsed_arguments", find);
    if (Array.isArray(content))
      for (const [at, part] of (content as unknown[]).entries())
        if (isFields(part)) parsedField(index, part, ["content", at], "parsed", find);
    if (typeof id !== "string") continue;
    const other = first.get(id);
    if (!other) {
      first.set(id, item);
      continue;
    }
    // Thoughts and references are nothing without their ids.
    const isCopy = type === "reasoning" || type === "item_reference" || json(other) === json(item);
    find({
      rule: "double-item",
      index,
      place: isCopy ? [] : ["id"],
      message: "another item has this id already, which is refused",
      fix: REMOVE,
    });
  }
};
