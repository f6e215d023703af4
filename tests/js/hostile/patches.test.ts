/**
 * A patch of very many sections, as a session file or an agent that was misled can contain it, is compacted. The time
 * was quadratic: 800 sections of the first kind took 20 s, 2,000 of the second 7 s of CPU.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { compact } = espalier;

const patches: Record<string, (at: number) => string> = {
  "one file, named before each hunk": () => "*** Update File: a.ts\n@@\n-a\n+b\n",
  "as many files as hunks": (at) => `*** Update File: a${at}.ts\n@@\n-a\n+b\n`,
};

for (const [name, section] of Object.entries(patches))
  test(`a patch of 3,000 sections: ${name}`, async () => {
    const sections = Array.from({ length: 3_000 }, (_, at) => section(at));
    const input = `*** Begin Patch\n${sections.join("")}*** End Patch`;
    const messages = [
      { role: "user", content: "Change them." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "apply_patch", arguments: JSON.stringify({ input }) } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "Done." },
      { role: "assistant", content: "All are changed." },
      { role: "user", content: "Go on." },
    ];
    const { status } = (await compact(messages, { budget: 2_000, format: "openai-chat", force: true })).report;
    assert.equal(status, "applied");
  });
