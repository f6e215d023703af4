/** The built reader of sessions, and the compared parts of a session. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../../pkg/dist/sessions.js";
import type * as Sources from "../../../js/sessions/index.ts";
import type { Session } from "../../../js/sessions/index.ts";
import { readConversation } from "../../../js/formats/index.ts";
import type { Format } from "../../../js/types/messages.ts";
import { espalier } from "../built.ts";

export const sessions = bundle as typeof Sources;

/**
 * Reads a file of tests/fixtures/sessions. Fixtures are written by hand after the structure of recorded files; nothing
 * in them is recorded.
 */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/sessions/${name}`, import.meta.url), "utf8");
}

export const lines = (...records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");

const neutral = (messages: readonly unknown[], format: Format) => readConversation([...messages], { format }).messages;

/**
 * Returns the roles of messages, with their calls and results, as the engine reads them: `assistant text toolCall:c1`.
 */
export function outline({ messages, format }: Pick<Session, "messages" | "format">): string[] {
  return neutral(messages, format).map(({ role, parts = [] }) => {
    const kinds = parts.map((part) =>
      part.type === "toolCall"
        ? `call:${part.callId}`
        : part.type === "toolResult"
          ? `result:${part.callId}`
          : part.type,
    );
    return `${role} ${kinds.join(" ")}`;
  });
}

/** Returns calls without a result and results without a call, by id. */
export function unpaired({ messages, format }: Pick<Session, "messages" | "format">): string[] {
  const [calls, results] = [new Set<string>(), new Set<string>()];
  for (const { parts = [] } of neutral(messages, format)) {
    for (const part of parts) {
      if (part.type === "toolCall") calls.add(part.callId);
      else if (part.type === "toolResult") results.add(part.callId);
    }
  }
  const alone = (ids: Set<string>, others: Set<string>, what: string) =>
    [...ids].flatMap((id) => (others.has(id) ? [] : [`${what} ${id}`]));
  return [...alone(calls, results, "call"), ...alone(results, calls, "result")];
}

/** Returns recorded usage: the answer's index, then input, cache reads, cache writes and output. */
export function usageRows({ usage }: Pick<Session, "usage">): number[][] {
  return usage.map(({ answer, usage: { input, cacheRead, cacheWrite, output } }) => [
    answer,
    input,
    cacheRead,
    cacheWrite,
    output,
  ]);
}

/** Checks a session field by field against `wanted`; absent fields are not compared. */
export function check(session: Session, wanted: Partial<Session>): void {
  for (const [name, value] of Object.entries(wanted)) assert.deepEqual(session[name as keyof Session], value, name);
  // The engine accepts the messages unchanged.
  if (session.messages.length > 0) espalier.countMessages(session.messages, { format: session.format });
}
