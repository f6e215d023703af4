/** OpenAI: lists of calls that are empty, names of speakers, settings of tools that are not there. */

import { choices, looked, REMOVE } from "../checks.ts";
import type { WireCheck } from "../checks.ts";

const choice = choices(["tool_choice", "parallel_tool_calls"]);

/** "string does not match pattern", says the server of any other name. */
const NAME = /^[^\s<|\\/>]{1,64}$/;

export const checkChat: WireCheck = (request, find) => {
  choice(request, find);
  for (const [index, message] of looked(request)) {
    const { tool_calls: calls, name, role } = message;
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

export const checkResponses: WireCheck = choice;
