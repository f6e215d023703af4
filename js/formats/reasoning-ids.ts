/** Items that a provider accepts only together with the reasoning that led to them, unless they have no id. */

import { copy } from "./values.ts";
import type { Fields } from "./values.ts";

/**
 * What an item is in an answer: the reasoning, or something that it led to. Absent for everything else, which ends the
 * answer.
 */
export type InAnswer = (item: Fields) => "reasoning" | "item" | undefined;

/** Items of an answer that are no calls. */
const OTHERS: ReadonlySet<string> = new Set(["mcp_list_tools", "mcp_approval_request", "program", "program_output"]);

/** What OpenAI returns as the output of one response, in both of its formats of items. */
export const inAnswer: InAnswer = ({ type, role }) => {
  if (type === "reasoning") return "reasoning";
  if (type === undefined || type === "message") return role === "assistant" ? "item" : undefined;
  return typeof type === "string" && (/_call$/.test(type) || OTHERS.has(type)) ? "item" : undefined;
};

/** Items whose id is optional. Those of searches and other tools of the platform are not. */
const hasOptionalId = ({ type }: Fields) =>
  type === undefined || type === "message" || type === "function_call" || type === "custom_tool_call";

/** What the platform called by itself: no item answers it. */
const isOwnCall = (item: Fields) => item["call_id"] === undefined && item["callId"] === undefined;

/**
 * Returns a function that takes the id from a message or call whose reasoning a plan leaves out: "Item 'fc_…' of type
 * 'function_call' was provided without its required 'reasoning' item" (OpenAI, status 400; AI SDK, change log of 2026).
 * It accepts the item without an id. `stays` holds the indices of the items in the result.
 */
export function withoutLostIds(
  inAnswer: InAnswer,
  item: (at: number) => Fields,
  stays: ReadonlySet<number | undefined>,
): (value: unknown, at: number) => unknown {
  const isLost = lost(inAnswer, item, stays);
  return (value, at) => {
    const message = value as Fields;
    if (message["id"] === undefined || !hasOptionalId(message) || !isLost(message, at)) return value;
    return copy(message, { id: undefined });
  };
}

/**
 * Returns whether a plan must leave out the item at an index as well: OpenAI refuses a search without its reasoning in
 * any form ("Item 'ws_…' of type 'web_search_call' was provided without its required 'reasoning' item", reported by
 * mastra-ai/mastra and others).
 */
export function isLostCall(
  inAnswer: InAnswer,
  item: (at: number) => Fields,
  stays: ReadonlySet<number | undefined>,
): (at: number) => boolean {
  const isLost = lost(inAnswer, item, stays);
  return (at) => {
    const call = item(at);
    const isCall = typeof call["type"] === "string" && call["type"].endsWith("_call");
    return isCall && call["id"] !== undefined && !hasOptionalId(call) && isOwnCall(call) && isLost(call, at);
  };
}

/** Returns whether the reasoning that led to an item does not stay. */
function lost(
  inAnswer: InAnswer,
  item: (at: number) => Fields,
  stays: ReadonlySet<number | undefined>,
): (message: Fields, at: number) => boolean {
  // By index: the reasoning before an item of an answer, -1 if there is none. Each index is looked at once.
  const led = new Map<number, number>();
  const ledBy = (at: number): number => {
    let from = at;
    let found = led.get(at);
    while (found === undefined) {
      from -= 1;
      const kind = from < 0 ? undefined : inAnswer(item(from));
      if (kind === undefined) found = -1;
      else found = kind === "reasoning" ? from : led.get(from);
    }
    for (let index = from + 1; index <= at; index += 1) led.set(index, found);
    return found;
  };
  return (message, at) => {
    if (inAnswer(message) !== "item") return false;
    const reasoning = ledBy(at);
    return reasoning >= 0 && !stays.has(reasoning);
  };
}
