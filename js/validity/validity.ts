/**
 * What providers refuse, found before they are asked, and mended. The engine checks what every format shows (pairs,
 * order, roles, ids); the checks of `js/formats` find what only one provider's own messages show.
 */

import { asSent, withValues } from "../formats/adapter.ts";
import { parsedArguments } from "../formats/parts.ts";
import { isFields, json, looking } from "../formats/values.ts";
import type { Reading, Scanned } from "../formats/adapter.ts";
import type { Fields } from "../formats/values.ts";
import { detect, findSource } from "../formats/detect.ts";
import { readConversation, RULES, scanConversation } from "../formats/index.ts";
import { call, wasm } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import { at, changed, fieldsAt, pathTo } from "../formats/place.ts";
import type { FieldChange } from "../formats/place.ts";
import { thin, thinLine } from "./thin.ts";
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
import type { Format, NeutralMessage, Part, PlanItem } from "../types/messages.ts";
import { append } from "../formats/append.ts";
import { check, need } from "../options/check.ts";
import { PROVIDER, REPAIR, VALIDATE } from "../options/schemas/requests.ts";

/** Most runs of repair; one cure can bring about another finding, and random conversations need three. */
const MOST_ROUNDS = 6;

/** What the engine finds. */
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
 * Lists what a provider would refuse in a conversation: calls and results that do not pair up or stand in the wrong
 * place, roles, empty messages, ids, names, pictures, thoughts, cache marks. Nothing is listed for a conversation that
 * may be sent.
 *
 * ```ts
 * import { validate } from "espalier";
 *
 * const result = { type: "tool_result", tool_use_id: "t1", content: "62 tests passed" };
 * const findings = validate([{ role: "user", content: [result] }], "anthropic");
 * findings[0]?.rule; // => "orphan-result"
 * findings[0]?.path; // => "messages[0].content[0]"
 * ```
 *
 * @param messages The provider's own messages or whole request; or neutral messages, or those of the AI SDK, which are
 *   judged as what would be sent of them.
 * @throws EspalierError `bad_option` for an unknown provider or option, `bad_message` where a message cannot be read,
 *   `unknown_format`
 */
export function validate(messages: unknown, provider: ProviderName, options: ValidateOptions = {}): Finding[] {
  need(provider, PROVIDER, "provider");
  check(options, VALIDATE);
  if (scanned(messages, provider, options)) return [];
  const reading = read(messages, provider, options);
  const found = located(reading, judge(reading, provider, options));
  return options.pending === "keep" ? found.filter(({ rule }) => rule !== "pending-call") : found;
}

/**
 * Mends what {@link validate} lists: results are put behind their calls, lost ones get a stand-in, orphans go,
 * neighbours are merged, ids and names become such as the provider takes, pictures that may not be sent become notes. A
 * conversation that is valid comes back as it is, the very same object; in any other, untouched messages are the
 * caller's own.
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
 * @throws EspalierError `pending_calls` if calls at the end have no result and `pending` is `refuse`; and the errors of
 *   {@link validate}
 */
export function repair<T>(messages: T, options: RepairOptions): RepairResult<T> {
  const { provider, pending = "keep" } = check(options, REPAIR);
  const valid = options.dropThoughts === true ? undefined : scanned(messages, provider, options);
  if (valid) return { messages, report: { provider, format: valid.format, changes: [], left: [] } };
  const changes: RepairChange[] = [];
  const first = read(messages, provider, options);
  let reading = first;
  let judged = judge(reading, provider, options);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const running = pending === "keep" || pending === "refuse";
    // Running calls may stay, and tools are the host's to name.
    const isOurs = ({ rule, tool }: CoreFinding) =>
      !(running && rule === "pending-call") && tool === undefined && rule !== "tools-missing";
    if (!judged.found.some(isOurs) && judged.wire.length === 0 && !judged.strips && options.dropThoughts !== true)
      break;
    const after = mended(reading, judged.wire, provider, options, running);
    if (after.reading.source.input === reading.source.input) break;
    // What was there at first keeps its index; later rounds are about messages that may have moved.
    append(
      changes,
      after.changes.map((change) => (round === 0 ? change : { rule: change.rule, message: change.message })),
    );
    reading = after.reading;
    judged = judge(reading, provider, options);
  }
  const left = located(reading, judged);
  const running = left.find(({ rule }) => rule === "pending-call");
  if (pending === "refuse" && running) {
    throw new EspalierError({
      code: "pending_calls",
      message: `${running.path} has no result yet; send the request when it has one`,
      path: running.path,
      details: { calls: left.filter(({ rule }) => rule === "pending-call") },
    });
  }
  return { messages: reading.source.input as T, report: { provider, format: first.format, changes, left } };
}

/** One round: fields of the wire, then whatever the engine plans. */
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
        const { path, index } = pathOf(current, change);
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

/** The input with the fixes of the wire. */
function fixed({ source }: Reading, wire: readonly WireFinding[]): unknown {
  const byIndex = new Map<number | undefined, FieldChange[]>();
  for (const { index, place, fix } of wire) {
    const list = byIndex.get(index);
    if (list) list.push({ place, fix });
    else byIndex.set(index, [{ place, fix }]);
  }
  const values = source.list.map((message, at) => changed(message, byIndex.get(at) ?? []));
  const input = withValues(source, values);
  return changed(input, byIndex.get(undefined) ?? []);
}

/** What the engine and the wire find, and whether the engine would take tools out that are no finding. */
interface Judged {
  found: CoreFinding[];
  wire: WireFinding[];
  strips: boolean;
}

function judge(reading: Reading, provider: ProviderName, options: ValidityOptions): Judged {
  const asked = { ...fields(reading, provider, options), pending: true };
  const { findings, signatures, strips } = call(
    () =>
      wasm().validate(thin(reading.messages), asked) as {
        findings: CoreFinding[];
        signatures: boolean;
        strips: boolean;
      },
  );
  return { found: findings, wire: wireFindings(reading, provider, options, signatures), strips };
}

/**
 * True if the provider takes these messages, those before number `from` being known to be taken: there a turn of the
 * assistant begins, and every call before it has its result. `visit` sees the messages from there on.
 *
 * @internal
 */
export function isTaken(
  messages: readonly unknown[],
  provider: ProviderName,
  options: ValidityOptions,
  from: number,
  visit: (message: NeutralMessage) => void,
): boolean {
  return scanned(messages, provider, options, from, visit) !== undefined;
}

/** What comes before is as good as something that the user said. */
const SAID = thinLine({ id: "", role: "user", parts: [{ type: "text", text: "x" }] });

/**
 * Looks at each message once, and keeps none: all that a conversation needs of which nothing is to be said. Nothing if
 * something is.
 */
function scanned(
  messages: unknown,
  provider: ProviderName,
  options: ValidityOptions,
  from = 0,
  visit?: (message: NeutralMessage) => void,
): Scanned | undefined {
  let text = from === 0 ? "" : SAID;
  let isOdd = false;
  const format = options.format ?? formatOf(messages, provider);
  const found = scanConversation(
    messages,
    { format, ...(options.tools && { tools: options.tools }) },
    (message) => {
      // Reading it whole says what is wrong, and where.
      isOdd ||= message.parts.some((part) => misfit(part) !== undefined || isUnsendable(part));
      if (isOdd) return;
      text += thinLine(message);
      visit?.(message);
    },
    from,
  );
  if (!found || isOdd) return undefined;
  const asked = { ...fields(found, provider, options), pending: true };
  const { findings, signatures, strips } = call(
    () => wasm().validate(text, asked) as { findings: CoreFinding[]; signatures: boolean; strips: boolean },
  );
  if (findings.length > 0 || strips) return undefined;
  const wire: WireFinding[] = [];
  checkWire(found, provider, options, signatures, wire, from);
  return wire.length === 0 ? found : undefined;
}

/** Findings as the host sees them, in the order of the messages. */
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
    // The system prompt comes before everything, the request as a whole after it.
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
 * True if the provider's own checks find something in its messages that the engine does not see: signatures, cache
 * marks.
 *
 * @internal
 */
export function hasWireFindings(
  messages: unknown,
  format: Format,
  provider: ProviderName,
  options: ValidityOptions,
  signatures: boolean,
): boolean {
  const source = findSource(messages);
  if (format !== provider || !source) return false;
  const found: WireFinding[] = [];
  checkWire({ format, source, tools: [] }, provider, options, signatures, found);
  return found.length > 0;
}

/**
 * The options as the engine takes them.
 *
 * @internal
 */
export function fields(reading: Scanned, provider: ProviderName, { tools, model, purpose, rules }: ValidityOptions) {
  const { request } = reading.source;
  const known = tools !== undefined || (request !== undefined && ("tools" in request || "model" in request));
  const name = model ?? request?.["model"];
  return {
    provider,
    wire: reading.format === provider,
    byItems: reading.format === "openai-responses",
    ownResults: reading.format === "ai-sdk",
    // Tools that the provider runs have no name; the adapter's stand-in for it is not sent.
    tools: known
      ? reading.tools.filter(
          (tool: unknown) => !isFields(tool) || typeof tool["name"] !== "string" || !/^tool \d+$/.test(tool["name"]),
        )
      : undefined,
    model: typeof name === "string" ? name : "",
    purpose: purpose ?? "answer",
    rules: rules ?? [],
  };
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
  reading: Scanned,
  provider: ProviderName,
  options: ValidityOptions,
  signatures: boolean,
  out: WireFinding[],
  from = 0,
): void {
  const { source, format } = reading;
  const { check } = RULES[format];
  if (!check || format !== provider) return;
  const { tools } = fields(reading, provider, options);
  const { request } = source;
  looking(source.name, () =>
    check(
      {
        list: source.list as readonly Fields[],
        from,
        ...(request && { fields: request }),
        ...(tools && { hasTools: reading.tools.length > 0 }),
        signatures,
      },
      (finding) => out.push(finding),
    ),
  );
}

/** Fields of parts that must be texts, and those that may be absent. */
const TEXTS: Record<string, readonly string[]> = {
  text: ["text"],
  reasoning: ["text"],
  toolCall: ["callId", "name", "arguments"],
  toolResult: ["callId"],
};
const OPTIONAL_TEXTS = ["name", "data", "url", "mediaType"] as const;

/**
 * The field of a part that is no text and should be one, as a path. The adapters of providers write texts; neutral
 * messages are the host's.
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

/** @throws EspalierError `bad_message` with the path of the first field that is not what its part needs */
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

/** Arguments that may have no JSON; a text can say the same. */
function isUnsendable(part: Part): boolean {
  return part.type === "toolCall" && (part.arguments.includes("(again)") || part.arguments.includes("(unreadable)"));
}

/** Arguments that hold themselves, or cannot be looked into, have no JSON: the request could not even be written. */
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

/** The field that a finding of the engine is about. */
function pathOf(reading: Reading, { index: neutral, part, item, tool }: CoreFinding): { path: string; index?: number } {
  const { source, format, messages } = reading;
  if (tool !== undefined) return { path: `tools[${tool}].name` };
  if (neutral === undefined) return { path: source.name };
  const offset = messages.length - source.list.length;
  const index = neutral - offset;
  if (index < 0) return { path: "system" };
  const base = `${source.name}[${index}]`;
  if (part === undefined) return { path: base, index };
  const message = source.list[index] as Fields;
  const { places } = RULES[format];
  const place = looking(base, () => places.part(reading.pieces(messages[neutral]!.id)[part] as never, message));
  const within = item === undefined ? [] : places.item(fieldsAt(message, place), item);
  return { path: pathTo(base, [...place, ...within]), index };
}

/** Reads the conversation: as the provider's own, unless it is clearly neutral or the AI SDK's. */
function read(messages: unknown, provider: ProviderName, { format, tools }: ValidityOptions, known?: Format): Reading {
  const open = (input: unknown) =>
    readConversation(input, {
      format: format ?? known ?? formatOf(messages, provider),
      ...(tools !== undefined && tools !== null && { tools }),
    });
  const reading = open(messages);
  if (reading.format === "espalier") checkParts(reading);
  // What is not for the model is not sent, and places are those in what is.
  return reading.withheld.length === 0 ? reading : open(asSent(reading));
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
    // Without parts, messages look alike in several formats.
    if (found === "raw") return found;
    return (found === "espalier" || found === "ai-sdk") && source?.list.some(isTyped) ? found : provider;
  });
}
