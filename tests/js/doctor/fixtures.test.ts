/** Every session fixture: mended, written back where its tool resumes from the file, read again, and accepted. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import { fixture, sessions } from "../sessions/sessions.ts";
import { runs } from "../runs.ts";

await espalier.init();
const folder = new URL("../../fixtures/sessions/", import.meta.url);
const writable = new Set(sessions.sessionLayouts().flatMap(({ layout, isWritable }) => (isWritable ? [layout] : [])));

/** The session in a fixture, the first one of several; undefined for files that hold no conversation. */
function opened(text: string) {
  for (const options of [{}, { conversation: 1 }]) {
    try {
      return sessions.readSession(text, options);
    } catch (error) {
      if (!(error instanceof sessions.EspalierError)) throw error;
      if (error.code === "no_conversation" || error.code === "unknown_session") return undefined;
      assert.equal(error.code, "several_sessions");
    }
  }
  return undefined;
}

for (const name of readdirSync(folder)) {
  test(`${name} is accepted after mending`, async () => {
    const text = fixture(name);
    const session = opened(text);
    if (!session) return;
    for (const view of ["live", "history"] as const) {
      const input = sessions.sessionRequest(session, view);
      const mended = await espalier.mend(input, { format: session.format });
      assert.deepEqual(mended.left, []);
      const again = espalier.diagnose(mended.messages, { provider: mended.provider, format: mended.format });
      assert.deepEqual([...again.findings, ...again.exceeded], []);
      if (view === "history" || !writable.has(session.layout) || mended.format !== session.format) continue;
      const list = listOf(mended.messages, session.tools);
      const written = opened(sessions.writeSession(session, list, text));
      assert.deepEqual(written?.messages, list);
    }
  });
}

/** Logs that lost lines, as crashes, full disks and synchronised folders leave them. */
for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
  test(`${name} without some of its lines is accepted after mending`, async () => {
    const lines = fixture(name).split("\n");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(lines.length - 1), { maxLength: 6 }), async (gone) => {
        const text = lines.filter((_, at) => !gone.includes(at)).join("\n");
        const session = opened(text);
        if (!session) return;
        const mended = await espalier.mend(sessions.sessionRequest(session), { format: session.format });
        assert.deepEqual(mended.left, []);
        if (!writable.has(session.layout) || mended.format !== session.format) return;
        const list = listOf(mended.messages, session.tools);
        assert.deepEqual(opened(sessions.writeSession(session, list, text))?.messages, list);
      }),
      { numRuns: runs(150) },
    );
  });
}

/** The messages of a list or of a request. */
function listOf(input: unknown, tools: unknown): unknown[] {
  return Array.isArray(input)
    ? input
    : (Object.values(input as object).find((value) => Array.isArray(value) && value !== tools) as unknown[]);
}
