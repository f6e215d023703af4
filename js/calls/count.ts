/** Counts conversations, tool definitions and single parts, and splits the cost. */

import { call, wasm } from "../engine/engine.ts";
import { readConversation } from "../formats/index.ts";
import { neutralPart } from "../formats/neutral/read.ts";
import { check } from "../options/check.ts";
import { BREAKDOWN, COUNT_PART, COUNTING } from "../options/schemas/counting.ts";
import type { Breakdown, BreakdownOptions, CountOptions, CountReport, Origin, ToolsReport } from "../types/count.ts";
import type { NotText, Part, Role, ToolList } from "../types/messages.ts";
import { counting, withModelOf } from "./reading.ts";

/**
 * Returns the cost of a conversation, in all and message by message.
 *
 * ```ts
 * import { countMessages } from "espalier";
 *
 * const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Why does the build fail?" }];
 * const { total, perMessage } = countMessages(messages, { model: "gpt-4o" });
 * total; // => 20
 * perMessage.map(({ tokens }) => tokens); // => [7, 10]
 * ```
 *
 * @param messages The messages, or a whole request object, of any provider that {@link CountOptions.format} names.
 * @throws EspalierError `unknown_format`, `bad_message`, `bad_option`, `unknown_encoding`, `encoding_not_loaded`
 */
export function countMessages<T>(messages: T & NotText<T>, options: CountOptions = {}): CountReport {
  const reading = readConversation(messages, check(options, COUNTING));
  const fields = counting(reading, withModelOf(messages, options));
  return call(() => wasm().countMessages(reading.messages, fields) as CountReport);
}

/**
 * Returns the cost of tool definitions: all of them, each of them, and the overhead of having any (`overhead`).
 *
 * ```ts
 * import { countTools } from "espalier/tokens";
 *
 * const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
 * const tools = [{ type: "function", function: { name: "read_file", description: "Reads a file.", parameters } }];
 * const { total, perTool, overhead } = countTools(tools, { model: "gpt-4o" });
 * perTool; // => [{ name: "read_file", tokens: 33 }]
 * total === overhead + 33; // => true
 * ```
 *
 * @param tools A list, or an object by name as in the AI SDK.
 * @throws EspalierError `bad_option` for an invalid definition; `unknown_encoding`, `encoding_not_loaded`
 */
export function countTools(tools: ToolList, options: Omit<CountOptions, "tools"> = {}): ToolsReport {
  const {
    tools: total,
    perTool,
    origin,
    encoding,
    costModel,
  } = countMessages([], { ...check(options, COUNTING), tools });
  return {
    total,
    overhead: perTool.reduce((left, { tokens }) => left - tokens, total),
    perTool,
    origin,
    encoding,
    costModel,
  };
}

/**
 * Returns the cost of one part of the neutral model. The parts of a message need not add up to the message:
 * neighbouring texts are joined before they are counted.
 *
 * ```ts
 * import { countPart } from "espalier/tokens";
 *
 * const url = "https://example.com/diagram.png";
 * const imageSize = () => ({ width: 1_000, height: 750 });
 * countPart({ type: "image", url }, { model: "claude-sonnet-4-6", imageSize }).tokens; // => 1000
 * ```
 *
 * @throws EspalierError `bad_input` with the path of the invalid field; and the errors of {@link countMessages}
 */
export function countPart(
  part: Part,
  options: Omit<CountOptions, "tools"> & { role?: Role } = {},
): { tokens: number; origin: Origin } {
  const { role = "user", ...others } = check(options, COUNT_PART);
  const own = neutralPart(part, "part", "bad_input");
  const reading = readConversation([{ id: "part", role, parts: [own] }], { format: "espalier" });
  const fields = { ...counting(reading, others), format: others.format };
  return call(() => wasm().countPart(own, role, fields) as { tokens: number; origin: Origin });
}

/**
 * Splits the tokens of a request: system prompt, tool definitions, messages, files, tool results, and the rest of the
 * window.
 *
 * ```ts
 * import { breakdown } from "espalier/tokens";
 *
 * const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Why does the build fail?" }];
 * const { shares, free } = breakdown(messages, { room: { window: 128_000, outputReserve: 8_000 } });
 * shares.find(({ label }) => label === "Messages")?.tokens; // => 13
 * free; // => 119980
 * ```
 *
 * @throws EspalierError as {@link countMessages}
 */
export function breakdown(messages: unknown, options: BreakdownOptions = {}): Breakdown {
  const reading = readConversation(messages, check(options, BREAKDOWN));
  const { room = {}, tags } = options;
  const fields = { ...counting(reading, withModelOf(messages, options)), room, tags: tags && Object.entries(tags) };
  return call(() => wasm().breakdown(reading.messages, fields) as Breakdown);
}
