/**
 * Finds what a provider would refuse before the request is sent, and repairs it. The engine checks what every format
 * shows (pairs, order, roles, ids). The checks of `js/formats` find what only the messages of one provider show.
 */

import { asSent, withValues } from "../formats/adapter.ts";
import { parsedArguments } from "../formats/parts.ts";
import { isFields, json, looking } from "../formats/values.ts";
import type { Reading } from "../formats/adapter.ts";
import type { Fields } from "../formats/values.ts";
import { detect, findSource } from "../formats/detect.ts";
import { toolsOf } from "../formats/tools.ts";
import { readConversation, RULES } from "../formats/index.ts";
import { call, wasm } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import { at, changed, fieldsAt, pathTo } from "../formats/place.ts";
import type { WireFinding } from "../formats/checks.ts";
import type {
  Finding,
  ProviderName,
  RepairChange,
  RepairOptions,
  RepairResult,
  ValidateOptions,
  ValidityOptions,
} from "../types/validity.ts";
import type { Format, Part, PlanItem } from "../types/messages.ts";
import { append } from "../formats/append.ts";
import { check, need } from "../options/check.ts";
import { defined } from "../options/data.ts";
import { PROVIDER, REPAIR, VALIDATE } from "../options/schemas/requests.ts";

/** Maximum rounds of repair. One repair can cause another finding; random conversations need three rounds. */
const MOST_ROUNDS = 6;

/** A finding of the engine. */
interface CoreFinding {
  rule: string;
  index?: number;
  part?: number;
  item?: number;
  tool?: number;
  message: string;
}
interface CoreChange {
  rule: string;
  index?: number;
  part?: number;
  message: string;
}

/**
 * Lists what a provider would refuse in a conversation: calls and results that do not pair or are in the wrong place,
 * roles, empty messages, ids, names, images, reasoning, cache marks. The list is empty if the conversation is valid.
 *
 * ```ts
 * import { validate } from "espalier";
 *
 * const result = { type: "tool_result", tool_use_id: "t1", content: "62 tests passed" };
 * const findings = validate([{ role: "user", content: [result] }], { provider: "anthropic" });
 * findings[0]?.rule; // => "orphan-result"
 * findings[0]?.path; // => "messages[0].content[0]"
 * ```
 *
 * @param messages The provider's own messages or whole request; or neutral messages or those of the AI SDK or
 *   LangChain, which are checked in the form in which they would be sent.
 * @throws EspalierError `bad_option` for an unknown provider or option, `bad_message` for a message that cannot be
 *   read, `unknown_format`
 */
export function validate(
  messages: unknown,
  options: ValidateOptions & { provider: ProviderName },
  more?: undefined,
): Finding[];
/** The same with the provider by itself, before the other options. */
export function validate(messages: unknown, provider: ProviderName, options?: ValidateOptions): Finding[];
export function validate(
  messages: unknown,
  first: ProviderName | (ValidateOptions & { provider: ProviderName }),
  more: ValidateOptions = {},
): Finding[] {
  const isByName = typeof first === "string";
  const options: ValidateOptions = check(isByName ? more : first, VALIDATE);
  const named = isByName ? first : options.provider;
  need(named, PROVIDER, isByName ? "provider" : "options.provider");
  const provider = named!;
  const reading = read(messages, provider, options);
  const found = located(reading, judge(reading, provider, options));
  return options.pending === "keep" ? found.filter(({ rule }) => rule !== "pending-call") : found;
}

/**
 * Repairs what {@link validate} lists. Moves results to their calls, adds results for lost calls, drops results without
 * a call, and merges adjacent messages. Replaces ids and names by ones that the provider accepts, and images that may
 * not be sent by notes. Returns a valid conversation as it is, the very same object. In any other conversation,
 * untouched messages are the caller's own objects.
 *
 * ```ts
 * import { repair } from "espalier";
 *
 * const messages = [
 *   { role: "user", content: "Run the tests." },
 *   { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "bash", input: { command: "npm test" } }] },
 *   { role: "user", content: "Why do they fail?" },
 * ];
 * const { messages: valid, report } = repair(messages, { provider: "anthropic" });
 * report.changes[0]?.rule; // => "lost-call"
 * valid.length; // => 4
 * report.left; // => []
 * ```
 *
 * @throws EspalierError `pending_calls` if calls at the end have no result and `pending` is `refuse`, and the errors of
 *   {@link validate}
 */
export function repair<T>(messages: T, options: RepairOptions): RepairResult<T> {
  const { provider, pending = "keep" } = check(options, REPAIR);
  const changes: RepairChange[] = [];
  const first = read(messages, provider, options);
  let reading = first;
  let judged = judge(reading, provider, options);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const running = pending === "keep" || pending === "refuse";
    // Running calls may stay, and only the host can change tool definitions.
    const isOurs = ({ rule, tool }: CoreFinding) =>
      !(running && rule === "pending-call") && tool === undefined && rule !== "tools-missing";
    if (!judged.found.some(isOurs) && judged.wire.length === 0 && !judged.strips && options.dropThoughts !== true)
      break;
    const after = mended(reading, judged.wire, provider, options, running);
    if (after.reading.source.input === reading.source.input) break;
    // Indices refer to the original messages, so only changes of the first round have one: messages may have moved
    // since.
    append(
      changes,
      after.changes.map((change) => (round === 0 ? change : { rule: change.rule, message: change.message })),
    );
    reading = after.reading;
    judged = judge(reading, provider, options);
  }
  const left = located(reading, judged);
  if (pending === "refuse") refusePending(left);
  return { messages: reading.source.input as T, report: { provider, format: first.format, changes, left } };
}

/** @throws EspalierError `pending_calls` if one of the findings is a call without a result */
export function refusePending(findings: readonly Finding[]): void {
  const calls = findings.filter(({ rule }) => rule === "pending-call");
  const [first] = calls;
  if (!first) return;
  throw new EspalierError({
    code: "pending_calls",
    message: `${first.path} has no result yet; send the request when it has one`,
    path: first.path,
    details: { calls },
  });
}

/** Runs one round of repair: first the fields that only the provider's checks see, then the plan of the engine. */
function mended(
  reading: Reading,
  wire: readonly WireFinding[],
  provider: ProviderName,
  options: RepairOptions,
  running: boolean,
): { reading: Reading; changes: RepairChange[] } {
  const open = (input: unknown) => read(input, provider, options, reading.format);
  const current = wire.length > 0 ? open(fixed(reading, wire)) : reading;
  const { orphans = "drop", lostCalls = "synthesize", dropThoughts = false, opening, closing, lostText } = options;
  const pending = running ? "keep" : options.pending;
  const asked = {
    ...fields(current, provider, options),
    pending: !running,
    settings: { orphans, lostCalls, pending, dropThoughts, opening, closing, lostText },
  };
  const { plan, changes } = call(
    () => wasm().repair(current.messages, asked) as { plan: PlanItem[]; changes: CoreChange[] },
  );
  const out = current.rebuild(plan);
  // Indices of the engine are those behind the removals.
  const removed = new Set(wire.filter(({ place }) => place.length === 0).map(({ index }) => index));
  const kept = [...reading.source.list.keys()].filter((at) => !removed.has(at));
  return {
    reading: out === current.source.input ? current : open(out),
    changes: [
      ...wire.map(({ rule, index, place, message }) => ({
        rule,
        path: wirePath(reading, index, place),
        ...(index !== undefined && { index }),
        message,
      })),
      ...changes.map((change) => {
        const { path, index } = pathOf(current, change, kept);
        return {
          rule: change.rule,
          ...(change.index !== undefined && { path }),
          ...(index !== undefined && { index }),
          message: change.message,
        };
      }),
    ],
  };
}

function wirePath({ source }: Reading, index: number | undefined, place: WireFinding["place"]): string {
  return pathTo(index === undefined ? "" : `${source.name}[${index}]`, place);
}

/** Returns the input with the fixes of the provider's checks. */
function fixed({ source }: Reading, wire: readonly WireFinding[]): unknown {
  const inList = wire.flatMap(({ index, place, also = [], fix }) =>
    index === undefined ? [] : [place, ...also].map((one) => ({ place: [index, ...one], fix })),
  );
  const input = withValues(source, changed(source.list, inList) as unknown[]);
  return changed(
    input,
    wire.filter(({ index }) => index === undefined),
  );
}

/**
 * The findings of the engine and of the provider's checks. `strips` says whether the engine would remove tools that are
 * no finding.
 */
interface Judged {
  found: CoreFinding[];
  wire: WireFinding[];
  strips: boolean;
}

function judge(reading: Reading, provider: ProviderName, options: ValidityOptions): Judged {
  const asked = { ...fields(reading, provider, options), pending: true };
  const { findings, signatures, strips } = call(
    () =>
      wasm().validate(reading.messages, asked) as {
        findings: CoreFinding[];
        signatures: boolean;
        strips: boolean;
      },
  );
  return { found: findings, wire: wireFindings(reading, provider, options, signatures), strips };
}

/** Returns the findings with paths in the host's messages, in the order of the messages. */
function located(reading: Reading, { found, wire }: Judged): Finding[] {
  const out = found.map((one) => {
    const { path, index } = pathOf(reading, one);
    const finding: Finding = {
      rule: one.rule,
      path,
      ...(index !== undefined && { index }),
      ...(one.part !== undefined && { part: one.part }),
      message: one.message,
    };
    // The system prompt comes before all messages, the request as a whole after them.
    return { finding, order: index ?? (one.index === undefined ? Infinity : -1) };
  });
  for (const { rule, index, place, message } of wire) {
    out.push({
      finding: { rule, path: wirePath(reading, index, place), ...(index !== undefined && { index }), message },
      order: index ?? Infinity,
    });
  }
  return out.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order)).map(({ finding }) => finding);
}

/**
 * Returns whether the provider's own checks find something that the engine does not see: signatures, cache marks.
 * `known`: number of first messages in which they found nothing.
 *
 * @internal
 */
export function hasWireFindings(
  messages: unknown,
  format: Format,
  provider: ProviderName,
  options: ValidityOptions,
  signatures: boolean,
  known = 0,
): boolean {
  const source = findSource(messages);
  if (format !== provider || !source) return false;
  const tools = toolsOf(options.tools, source.request);
  const list = RULES[format].checksAlone ? source.list.slice(known) : source.list;
  const found: WireFinding[] = [];
  checkWire({ format, source: { ...source, list }, tools }, provider, options, signatures, found);
  return found.length > 0;
}

/** A conversation without its messages in the neutral form. */
export type Described = Pick<Reading, "format" | "source"> & { tools: readonly unknown[] };

/**
 * Returns the options in the form of the engine.
 *
 * @internal
 */
export function fields(reading: Described, provider: ProviderName, options: ValidityOptions) {
  const { tools, model, purpose, rules, openEnd } = options;
  const { request } = reading.source;
  const name = model ?? request?.["model"];
  return {
    provider,
    format: reading.format,
    wire: reading.format === provider,
    byItems: reading.format === "openai-responses",
    ownResults: reading.format === "ai-sdk",
    // Tools that the provider runs have no name. The adapter makes one up for them, which is not sent.
    tools: knowsTools(reading, tools) ? reading.tools.map(nameOf).filter((name) => !UNNAMED.test(name)) : undefined,
    model: typeof name === "string" ? name : undefined,
    purpose,
    rules,
    openEnd,
  };
}

/**
 * Returns the receiver of messages that the engine keeps, in the form of the engine.
 *
 * @internal
 */
export function receiverOfKept(format: Format, provider: ProviderName, model: string | undefined) {
  return fields({ format, source: { input: [], list: [], name: "messages" }, tools: [] }, provider, defined({ model }));
}

/** Returns whether the tools of the request are known; a conversation without any may still be sent with some. */
function knowsTools({ source: { request } }: Described, tools: ValidityOptions["tools"]): boolean {
  return tools !== undefined || (request !== undefined && ("tools" in request || "model" in request));
}

/** A name that adapters make up. */
const UNNAMED = /^tool \d+$/;

/** Returns the name of a tool. Hosts may pass anything as a neutral tool; the engine reports it. */
function nameOf(tool: unknown): string {
  return (isFields(tool) ? tool["name"] : tool) as string;
}

function wireFindings(
  reading: Reading,
  provider: ProviderName,
  options: ValidityOptions,
  signatures: boolean,
): WireFinding[] {
  const out: WireFinding[] = [];
  unsendable(reading, out);
  checkWire(reading, provider, options, signatures, out);
  return out;
}

function checkWire(
  reading: Described,
  provider: ProviderName,
  options: ValidityOptions,
  signatures: boolean,
  out: WireFinding[],
): void {
  const { source, format } = reading;
  const { check } = RULES[format];
  if (!check || format !== provider) return;
  const { request } = source;
  const model = options.model ?? request?.["model"];
  looking(source.name, () =>
    check(
      {
        list: source.list as readonly Fields[],
        ...(request && { fields: request }),
        ...(knowsTools(reading, options.tools) && { hasTools: reading.tools.length > 0 }),
        signatures,
        ...(typeof model === "string" && { model }),
      },
      (finding) => out.push(finding),
    ),
  );
}

/** Fields of parts that must be texts. The second list may be absent. */
const TEXTS: Record<string, readonly string[]> = {
  text: ["text"],
  reasoning: ["text"],
  toolCall: ["callId", "name", "arguments"],
  toolResult: ["callId"],
};
const OPTIONAL_TEXTS = ["name", "data", "url", "mediaType"] as const;

/**
 * Returns the path of the first field of a part that should be a text and is not. Only neutral messages can have one:
 * they come from the host, and adapters write texts.
 */
function misfit(part: Part): string | undefined {
  const fields = part as unknown as Fields;
  const required = Object.hasOwn(TEXTS, part.type) ? TEXTS[part.type] : undefined;
  const wrong =
    required?.find((name) => typeof fields[name] !== "string") ??
    OPTIONAL_TEXTS.find((name) => fields[name] !== undefined && typeof fields[name] !== "string");
  if (wrong !== undefined || part.type !== "toolResult") return wrong;
  for (const [at, item] of part.content.entries()) {
    const inner = misfit(item);
    if (inner !== undefined) return `content[${at}].${inner}`;
  }
  return undefined;
}

/** @throws EspalierError `bad_message` with the path of the first field that has the wrong type */
function checkParts({ messages, source }: Reading): void {
  for (const [index, { parts }] of messages.entries()) {
    for (const [at, part] of parts.entries()) {
      const field = misfit(part);
      if (field === undefined) continue;
      const path = `${source.name}[${index}].parts[${at}].${field}`;
      throw new EspalierError({ code: "bad_message", message: `${path} must be a text`, path });
    }
  }
}

/**
 * Returns whether a call has arguments that may not be expressible in JSON. A valid text can contain the same words.
 */
function isUnsendable(part: Part): boolean {
  return part.type === "toolCall" && (part.arguments.includes("(again)") || part.arguments.includes("(unreadable)"));
}

/**
 * Reports arguments that contain themselves or cannot be read. They have no JSON, so the request could not be written.
 */
function unsendable(reading: Reading, out: WireFinding[]): void {
  const { format, messages, source } = reading;
  const { places } = RULES[format];
  const offset = messages.length - source.list.length;
  for (const [neutral, { id, parts }] of messages.entries()) {
    for (const [part, call] of parts.entries()) {
      if (!isUnsendable(call)) continue;
      const index = neutral - offset;
      const message = source.list[index] as Fields;
      const place = places.part(reading.pieces(id)[part] as never, message);
      for (const within of places.arguments) {
        const field = [...place, ...within];
        const value = at(message, field);
        if (typeof value !== "object" || value === null || writable(value)) continue;
        out.push({
          rule: "arguments",
          index,
          place: field,
          message: "the arguments have no JSON: they hold themselves, or cannot be read",
          fix: { set: parsedArguments(json(value)) },
        });
      }
    }
  }
}

function writable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path of the field that a finding of the engine is about. `numbers`: the indices of the messages in the
 * host's list, if some of them were removed.
 */
function pathOf(
  reading: Reading,
  { index: neutral, part, item, tool }: CoreFinding,
  numbers?: readonly number[],
): { path: string; index?: number } {
  const { source, format, messages } = reading;
  if (tool !== undefined) return { path: `tools[${tool}].name` };
  if (neutral === undefined) return { path: source.name };
  const offset = messages.length - source.list.length;
  const own = neutral - offset;
  if (own < 0) return { path: "system" };
  const index = numbers?.[own] ?? own;
  const base = `${source.name}[${index}]`;
  if (part === undefined) return { path: base, index };
  const message = source.list[own] as Fields;
  const { places } = RULES[format];
  const place = looking(base, () => places.part(reading.pieces(messages[neutral]!.id)[part] as never, message));
  const within = item === undefined ? [] : places.item(fieldsAt(message, place), item);
  return { path: pathTo(base, [...place, ...within]), index };
}

/** Reads the conversation in the provider's format, unless it is clearly neutral, the AI SDK's or LangChain's. */
function read(messages: unknown, provider: ProviderName, { format, tools }: ValidityOptions, known?: Format): Reading {
  const open = (input: unknown) =>
    readConversation(input, {
      format: format ?? known ?? formatOf(messages, provider),
      tools,
    });
  let reading: Reading;
  try {
    reading = open(messages);
  } catch (error) {
    throw format === undefined && known === undefined ? ofAnother(error, messages, provider) : error;
  }
  if (reading.format === "espalier") checkParts(reading);
  // Content that is not for the model is not sent, and findings have the paths of what is sent.
  return reading.withheld.length === 0 ? reading : open(asSent(reading));
}

/** Returns the error for a message that cannot be read; for messages of another provider it says so. */
function ofAnother(error: unknown, messages: unknown, provider: ProviderName): unknown {
  if (!(error instanceof EspalierError) || error.code !== "bad_message") return error;
  const { message, path } = error;
  const source = findSource(messages);
  const found = source && looking("messages", () => detect(source));
  if (found === undefined || found === provider) return error;
  const advice = `The messages look like those of ${found}; convert(messages, "${provider}") makes them ${provider}'s`;
  return new EspalierError({ code: "bad_message", message: `${message}. ${advice}`, path, cause: error });
}

function formatOf(messages: unknown, provider: ProviderName): Format {
  return looking("messages", () => {
    const source = findSource(messages);
    const found = source && detect(source);
    const isTyped = (message: unknown) =>
      isFields(message) &&
      [message["parts"], message["content"]].some(
        (list) => Array.isArray(list) && list.some((part) => isFields(part) && typeof part["type"] === "string"),
      );
    // Messages without parts look alike in several formats, but not in these.
    if (found === "raw" || found === "langchain") return found;
    return (found === "espalier" || found === "ai-sdk") && source?.list.some(isTyped) ? found : provider;
  });
}
