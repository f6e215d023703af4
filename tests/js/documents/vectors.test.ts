/** What Copilot Chat makes of documents, and what the profile copilot-chat makes of them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { StructureNode } from "../../../js/documents/structure.ts";

type Recorded = [kind: string, start: number, end: number, children?: Recorded[]];
interface Document {
  id: string;
  language: string;
  structure: "tree-sitter" | "indentation";
  text: string;
  overlay: Recorded;
}

const file = new URL("../../fixtures/vectors/documents.json", import.meta.url);
const { documents } = JSON.parse(readFileSync(file, "utf8")) as { documents: Document[] };

function plain({ kind, start, end, children }: StructureNode): Recorded {
  return children.length === 0 ? [kind, start, end] : [kind, start, end, children.map(plain)];
}

for (const { id, language, structure, text, overlay } of documents) {
  test(`overlay of ${id}`, async () => {
    const made = await espalier.documentStructure(text, { language, profile: "copilot-chat" });
    assert.equal(made.basis.path, structure === "tree-sitter" ? "syntax" : "indentation");
    assert.deepEqual(plain(made.root), overlay);
  });
}
