/**
 * Writes Claude Code's logs. Kept messages keep their original lines; only `parentUuid` changes, and only if its line
 * is gone or a new message comes between: Claude Code resumes from the newest line upwards.
 */

import { fields, isFields, text } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { idFrom } from "./names.ts";
import { parsedLine, plan } from "./rewrite.ts";
import type { Session } from "./types.ts";

interface Line {
  /** The original text, until the line is changed. */
  text?: string;
  record?: Fields;
  isNew?: true;
}

export function writeClaudeCode(original: string, session: Session, messages: readonly unknown[]): string {
  const source = original.split("\n");
  const tail = source.at(-1) === "" ? source.splice(-1) : [];
  const records = source.map(parsedLine);
  const { kept, inserted, from } = plan(session, messages);
  const places = new Set(session.entries.flatMap((entry) => entry.places));
  const isDropped = (record: Fields | undefined, place: number): boolean => {
    if (place <= from || !record || kept.has(place)) return false;
    return places.has(place) || isCompaction(record) || isBranch(record);
  };
  const first = records.findIndex((record, at) => places.has(at + 1) || (record !== undefined && isCompaction(record)));
  const lines: Line[] = [];
  const add = (place: number) => {
    for (const [at, message] of (inserted.get(place) ?? []).entries()) {
      const near = envelope(records, Math.min(place, source.length));
      lines.push({ isNew: true, record: lineOf(message, near, `${session.id ?? ""}:${place}:${at}`) });
    }
  };
  source.forEach((line, at) => {
    // Messages before all others are inserted after the lines that open the file.
    if (at === Math.max(first, 0)) add(0);
    const record = records[at];
    if (!isDropped(record, at + 1)) lines.push({ text: line, ...(record && { record }) });
    if (at > 0 || first >= 0) add(at + 1);
  });
  // No message follows the compaction that the list begins with.
  if (from > source.length) add(from);
  relink(lines);
  return [...lines.map((line) => line.text ?? JSON.stringify(line.record)), ...tail].join("\n");
}

/** Sets the line above as the parent of every line whose parent is gone or that follows a new line. */
function relink(lines: Line[]): void {
  const uuids = new Set(lines.flatMap(({ record }) => text(record?.["uuid"]) ?? []));
  let above: string | null = null;
  let fresh = false;
  for (const line of lines) {
    const { record, isNew } = line;
    const uuid = text(record?.["uuid"]);
    if (!record || uuid === undefined || record["isSidechain"] === true) continue;
    const parent = text(record["parentUuid"]);
    const isRoot = parent === undefined && !isNew && !fresh;
    if (isNew || (!isRoot && record["subtype"] !== "compact_boundary" && (fresh || !uuids.has(parent!)))) {
      line.record = { ...record, parentUuid: above };
      delete line.text;
    }
    fresh = isNew === true;
    above = uuid;
  }
}

function isCompaction(record: Fields): boolean {
  return (
    record["isSidechain"] !== true && (record["subtype"] === "compact_boundary" || record["isCompactSummary"] === true)
  );
}

/**
 * Returns true for a message of an abandoned branch: it would become live again if the other branch lost its parent.
 */
function isBranch(record: Fields): boolean {
  const isMessage = (record["type"] === "user" || record["type"] === "assistant") && isFields(record["message"]);
  return isMessage && record["isSidechain"] !== true && record["isApiErrorMessage"] !== true;
}

const ENVELOPE = ["isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "entrypoint", "timestamp"];

/** Returns the fields that new lines copy from the message before them, or from the first one. */
function envelope(records: readonly (Fields | undefined)[], place: number): Fields {
  const isMessage = (record: Fields | undefined) =>
    record !== undefined && isFields(record["message"]) && record["isSidechain"] !== true;
  let at = place - 1;
  while (at >= 0 && !isMessage(records[at])) at -= 1;
  const near = records[at] ?? records.find(isMessage) ?? {};
  const model = text(fields(near["message"])["model"]);
  return {
    ...Object.fromEntries(ENVELOPE.flatMap((name) => (name in near ? [[name, near[name]]] : []))),
    ...(model !== undefined && { model }),
  };
}

function lineOf(message: unknown, { model = "<synthetic>", ...common }: Fields, name: string): Fields {
  const { role, content } = fields(message);
  const uuid = idFrom(name);
  if (role !== "assistant")
    return { parentUuid: null, ...common, type: "user", message: { role: "user", content }, uuid };
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  const list = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const answer = {
    id: `msg_${uuid.replaceAll("-", "")}`,
    type: "message",
    role,
    model,
    content: list,
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return { parentUuid: null, ...common, type: "assistant", message: answer, uuid };
}
