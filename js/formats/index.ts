/**
 * Message formats: a folder for each provider.
 *
 * In: messages or a request in the form of a provider. Out: neutral messages, and from a plan the host's messages
 * again. Start with `adapter.ts`, the contract of a format, then `table.ts`, then `anthropic/`, a format that uses all
 * of it.
 */

import { badValue, EspalierError } from "../errors/errors.ts";
import type { Format, ToolList } from "../types/messages.ts";
import { reading } from "./adapter.ts";
import { listedTools } from "./tools.ts";
import { isFields, looking } from "./values.ts";
import type { Reading, Source } from "./adapter.ts";
import { detect, findSource, strangeness } from "./detect.ts";
import { Growing, readsNeutral, readsWith, unknownFormat } from "./growing.ts";
import { readEspalier } from "./neutral/read.ts";
import { ADAPTERS, FORMATS, RULES } from "./table.ts";

export { sourceOf } from "./sources.ts";
export { FORMATS, RULES } from "./table.ts";
export { hostClasses, setVSCode, vscodeClasses } from "./vscode/classes.ts";
export type { VSCodeClasses } from "./vscode/classes.ts";
export { fromStored, genuine, isThought, toStored } from "./vscode/parts.ts";
export type { Reading } from "./adapter.ts";

/** How a conversation is read. */
export interface ReadOptions {
  /** Default: recognised by the messages. */
  format?: Format | undefined;
  /** Tool definitions. Default: those of the request. */
  tools?: ToolList | null | undefined;
}

/**
 * Reads a conversation: a list of messages or a whole request of any provider.
 *
 * @throws EspalierError `unknown_format` if it is of no format that is known, `bad_message` with the path of the field
 *   to blame, `duplicate_id`, `bad_option` for a `format` or tool definition that makes no sense
 */
export function readConversation(input: unknown, options: ReadOptions = {}): Reading {
  const { source, format, tools } = opened(input, options);
  return format === "espalier"
    ? looking(source.name, () => readEspalier(source, tools))
    : reading(ADAPTERS[format], source, tools);
}

/** Where the messages are, and of which format. */
function opened(
  input: unknown,
  { format, tools }: ReadOptions,
): { source: Source; format: Format; tools: readonly unknown[] | undefined } {
  if (format && !FORMATS.includes(format)) throw unknownFormat(format, FORMATS);
  const isGiven = tools !== undefined && tools !== null;
  const listed = isGiven ? looking("options.tools", () => listedTools(tools)) : undefined;
  if (isGiven && !listed) {
    throw new EspalierError({
      code: "bad_option",
      message: "options.tools must be a list of tool definitions, or an object of them by name",
      path: "options.tools",
    });
  }
  const { source, found } = looking("messages", () => {
    const source = findSource(input);
    return { source, found: source && (format || detect(source)) };
  });
  if (!source) throw noList(input);
  if (!found) {
    const message = `The format of the messages is unknown; it may be ${FORMATS.join(", ")}.`;
    const strange = looking("messages", () => strangeness(source));
    if (!strange) throw new EspalierError({ code: "unknown_format", message, path: "messages" });
    throw new EspalierError({
      code: "unknown_format",
      message: `${message} ${strange.why}`,
      path: `${source.name}[${strange.at}]`,
    });
  }
  return { source, format: found, tools: listed };
}

/** Returns the error for an input without a list of messages, which says what to pass for the usual slips. */
function noList(input: unknown): EspalierError {
  const isObject = isFields(input);
  const advice =
    typeof input === "string"
      ? "; if it is JSON, pass JSON.parse of it"
      : isObject && typeof input["then"] === "function"
        ? " that is a promise; await it"
        : isObject && "role" in input
          ? " that is one message; put it into a list"
          : "";
  const wanted = "a list of messages, or a request with such a list as messages, contents or input";
  const { message, path } = badValue("messages", wanted, input);
  return new EspalierError({ code: "unknown_format", message: message + advice, path });
}

export type { Growing } from "./growing.ts";

/**
 * A conversation that grows.
 *
 * @throws EspalierError `bad_option` if there is no such format
 */
export function growing(format: Format): Growing {
  if (!FORMATS.includes(format)) throw unknownFormat(format, FORMATS);
  if (format === "espalier") return new Growing(RULES[format], readsNeutral);
  const adapter = ADAPTERS[format];
  return new Growing(adapter, readsWith(adapter), (message) => adapter.forModel?.(message) ?? message);
}
