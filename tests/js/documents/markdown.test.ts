/** A real guide in Markdown: its structure, and summaries around every section. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { documentStructure, summarizeDocument } = espalier;

test("a Markdown file shows its headings, and the text at the cursor", async () => {
  const text = readFileSync(new URL("../../../docs/compaction.md", import.meta.url), "utf8");
  const path = "docs/compaction.md";
  const { children } = (await documentStructure(text, { path })).root;
  assert.deepEqual(
    children.map(({ kind }) => kind),
    ["SECTION"],
  );
  const sections = children[0]!.children.filter(({ kind }) => kind === "SECTION");
  assert.ok(sections.length > 8 && sections.every(({ start }) => text.startsWith("## ", start)));
  for (const { start, end } of sections) {
    const line = text.lastIndexOf("\n", (start + end) >> 1) + 1;
    const summary = await summarizeDocument(text, { path, budget: 1_500, selection: line });
    assert.ok(summary.tokens <= 1_500 && summary.text.includes(text.slice(line, text.indexOf("\n", line))));
    const shown = sections.filter(({ start }) => summary.text.includes(text.slice(start, text.indexOf("\n", start))));
    assert.ok(shown.length >= 4, `${shown.length} headings around ${line}`);
  }
});
