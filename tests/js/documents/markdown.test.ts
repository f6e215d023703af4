/** A real guide in Markdown: its structure, and summaries around every section. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { documentStructure, outline, repositoryMap, summarizeDocument } = espalier;

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

test("the outline of a Markdown file are its headings", async () => {
  const guide =
    "---\ntitle: A\n---\n# The guide\n\nText.\n\n## Use ##\n\n```sh\n# no heading\nrun\n```\n\n" +
    "### In C#\n\n- a\n  - b\n\nNotes\n-----\n\nc\n";
  const { text, definitions, missing } = await outline(guide, { path: "guide.md" });
  assert.equal(text, "4: # The guide\n8:   ## Use ##\n15:     ### In C#\n20:   Notes\n");
  assert.equal(missing, 0);
  const names = (of: typeof definitions): unknown[] =>
    of.map(({ name, kind, line, endLine, children }) => [name, kind, line, endLine, names(children)]);
  assert.deepEqual(names(definitions), [
    [
      "The guide",
      "section",
      4,
      23,
      [
        ["Use", "section", 8, 19, [["In C#", "section", 15, 19, []]]],
        ["Notes", "section", 20, 23, []],
      ],
    ],
  ]);
  for (const empty of ["", "#", "##\n\n", "# #\na\n", "#\na\n# \nb"])
    assert.ok(
      (await outline(empty, { path: "a.md" })).definitions.every(({ name }) => name.trim() === name),
      empty,
    );
});

test("a map of a repository has the headings of its guides, which rank no code", async () => {
  const code = ["parse", "print"].map((name) => ({ path: `src/${name}.ts`, text: `export function ${name}() {}\n` }));
  const guide = { path: "README.md", text: "# Parts\n\n## parse\n\nWith print you print.\n\n## Use\n\nprint\n" };
  const { text, files } = await repositoryMap([...code, guide], { budget: 200 });
  assert.match(text, /## parse/);
  assert.equal(files[0]!.path, "src/print.ts", "the guide mentions it, and defines nothing");
});
