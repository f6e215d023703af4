/**
 * `espalier doctor FILE`: what a provider would refuse in a session and what fills it; with --repair it writes an
 * accepted file.
 */

import { existsSync } from "node:fs";
import { compact, diagnose, EspalierError, mend } from "../entries/verbs.ts";
import type { CountOptions, Diagnosis, DiagnoseOptions, Format, Mended } from "../entries/verbs.ts";
import { knownWindow } from "../calls/limits.ts";
import { sessionLayouts } from "../sessions/index.ts";
import type { Session } from "../sessions/index.ts";
import { shownChanges, writtenAs } from "./convert.ts";
import { EXIT } from "./exit.ts";
import { writeText } from "./files.ts";
import { finishText, jsonOf, print, tell } from "./out.ts";
import type { To } from "./out.ts";
import { number, plural } from "./report.ts";
import { sessionFacts } from "./shown-session.ts";
import { readText } from "./text.ts";

/**
 * Returns the window that the session file names, else that of its model; nothing if a recorded request was larger than
 * that.
 */
export function windowOf(session: Session | undefined, model: string | undefined): number | undefined {
  if (session?.window !== undefined) return session.window;
  const name = model ?? session?.model;
  const window = knownWindow(name);
  const recorded = session?.usage ?? [];
  return window !== undefined && recorded.some(({ usage }) => usage.promptTotal > window) ? undefined : window;
}

interface DoctorFlags extends To {
  repair?: boolean | undefined;
  window?: number | undefined;
}

/** Examines a conversation; with --repair writes an accepted one beside the original. */
export async function doctor(
  file: string,
  input: unknown,
  session: Session | undefined,
  flags: DoctorFlags,
  options: DiagnoseOptions,
): Promise<number> {
  const found = await examine(input, options);
  const report = shownDiagnosis(found, session, flags.window);
  if (!flags.repair) {
    finishText(flags.json ? JSON.stringify({ ...found, ...sessionFacts(session) }, null, 2) : report, flags);
    return found.diagnosis.isAccepted ? EXIT.ok : EXIT.refused;
  }
  const mended = await mend(input, options);
  if (!flags.json) tell(`${report}\n${shownTreatment(mended)}`, flags);
  if (mended.changes.length === 0 && flags.output === undefined && !flags.json)
    return mended.left.length === 0 ? EXIT.ok : EXIT.refused;
  const isSession = isWritable(session, mended.format);
  const output = flags.output ?? (file === "-" ? undefined : outputBeside(file, isSession));
  const text = isSession
    ? writtenAs(mended.messages, session.layout, mended.format, session, () => readText(file)).file!
    : jsonOf(mended.messages);
  if (output !== undefined) writeText(output, text);
  else if (!flags.json) process.stdout.write(text);
  const { changes, left } = mended;
  if (flags.json) print(JSON.stringify({ ...found, changes, left, output, ...sessionFacts(session) }, null, 2));
  else if (output !== undefined) tell(`written: ${output}`, flags);
  return left.length === 0 ? EXIT.ok : EXIT.refused;
}

/** Returns true if the tool resumes from the file: it is written in its layout, otherwise as messages. */
function isWritable(session: Session | undefined, format: Format): session is Session {
  if (!session || session.format !== format || session.sideChain !== undefined) return false;
  return sessionLayouts().some((known) => known.isWritable && known.layout === session.layout);
}

/** Returns the output path: `a.jsonl` becomes `a.repaired.jsonl`, or `a.repaired.json` for a file of messages. */
function outputBeside(file: string, isSession: boolean): string {
  const output = file.replace(/(\.[^./\\]*)?$/, (end) => `.repaired${isSession ? end : ".json"}`);
  if (!existsSync(output)) return output;
  throw new EspalierError({
    code: "bad_option",
    message: `${output} already exists; choose another one with --output FILE`,
    path: "options.output",
  });
}

interface Examination {
  diagnosis: Diagnosis;
  /** Tokens after a compaction by rules to a third; absent for small conversations, and if a third is too little. */
  compacted?: number;
}

async function examine(input: unknown, options: DiagnoseOptions): Promise<Examination> {
  const diagnosis = diagnose(input, options);
  const { provider: _, limits: __, openEnd: ___, ...counting } = options;
  const compacted = await freeable(input, counting, diagnosis.tokens.total);
  return { diagnosis, ...(compacted !== undefined && { compacted }) };
}

/** Smaller conversations are not worth a compaction, in tokens. */
const SMALL = 2_000;

async function freeable(input: unknown, counting: CountOptions, total: number): Promise<number | undefined> {
  if (total < SMALL) return undefined;
  try {
    const { status, report } = await compact(input, { ...counting, budget: Math.ceil(total / 3), force: true });
    return status === "applied" ? report.after.total : undefined;
  } catch (error) {
    // What must stay, such as a picture in the newest request, may need more than a third.
    if (error instanceof EspalierError && error.code === "budget_exceeded") return undefined;
    throw error;
  }
}

const MOST = 20;

/** Returns the examination for people. `lineOf` returns the line of the file with a message. */
function shownDiagnosis(
  { diagnosis, compacted }: Examination,
  session: Session | undefined,
  window: number | undefined,
): string {
  const { provider, findings, exceeded, tokens, bytes, images, documents, repeats } = diagnosis;
  const lines = [
    diagnosis.isAccepted
      ? `${provider} would accept this request`
      : `${provider} would refuse this request: ${plural(findings.length + exceeded.length, "reason")}`,
  ];
  for (const { message } of exceeded) lines.push(`  ${message}`);
  for (const { path, rule, message, index } of findings.slice(0, MOST))
    lines.push(`  ${path}${whereOf(session, index)}: ${message} (${rule})`);
  if (findings.length > MOST) lines.push(`  and ${number(findings.length - MOST)} more (--json lists all)`);
  const share = window === undefined ? "" : `, ${((100 * tokens.total) / window).toFixed(1)} % of ${number(window)}`;
  lines.push(
    `${number(tokens.total)} tokens (${tokens.encoding}, ${tokens.origin})${share}: system ` +
      `${number(tokens.frame)}, conversation ${number(tokens.conversation)}, tools ${number(tokens.tools)}`,
  );
  const largest = tokens.perMessage
    .map((one, at) => ({ ...one, at }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, 5);
  if (largest.length > 0)
    lines.push(`  largest: ${largest.map(({ id, role, tokens: own }) => `${id} ${role} ${number(own)}`).join(", ")}`);
  lines.push(`  ${plural(bytes, "byte")}, ${plural(images, "picture")}, ${plural(documents, "document")}`);
  const last = session?.usage.at(-1);
  if (last) lines.push(`  recorded for the newest request: ${number(last.usage.promptTotal)} prompt tokens`);
  for (const { tool, count, tokens: own, messages } of repeats) {
    lines.push(
      `  repeats: the same result of ${tool} ${count} times, ${number(own)} tokens in excess (messages ` +
        `${messages.slice(0, 6).join(", ")}${messages.length > 6 ? ", …" : ""})`,
    );
  }
  if (compacted !== undefined)
    lines.push(
      `  a compaction by rules to a third would free ${number(tokens.total - compacted)} tokens and leave ` +
        `${number(compacted)}`,
    );
  return lines.join("\n");
}

/** Returns ` (line 12)`, if the message is one of the file's. */
function whereOf(session: Session | undefined, index: number | undefined): string {
  if (!session || index === undefined) return "";
  const message = session.messages[index];
  const at = message === undefined ? -1 : session.history.indexOf(message);
  const place = session.entries[at]?.places[0];
  return place === undefined ? "" : ` (${place === 0 ? "item" : "line"} ${place})`;
}

function shownTreatment({ changes, left }: Mended): string {
  const rest = left.map((one) => `  left: ${one.message}`);
  return [
    changes.length === 0 ? "nothing to repair" : `repaired: ${plural(changes.length, "change")}`,
    ...shownChanges(changes),
    ...rest,
  ].join("\n");
}
