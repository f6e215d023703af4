/** Texts that change a little: their trees are updated, and nothing depends on what came before. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as core from "../../../pkg/dist/core.js";
import type { DocumentStructure } from "../../../js/documents/structure.ts";
import { SAMPLES } from "./samples.ts";
import { runs } from "../runs.ts";

const { documentStructureSync, outline, summarizeDocumentSync } = espalier;
const forget = () =>
  (core as unknown as { wasm(): { documents(what: string, texts: string[], numbers: Float64Array): unknown } })
    .wasm()
    .documents("forget", [], new Float64Array());

const work = ({ basis }: DocumentStructure) => (basis.path === "syntax" ? basis.work : NaN);

test("after an edit of one line the tree is updated, not rebuilt", () => {
  const text = ["js/documents/structure.ts", "js/engine/engine.ts", "js/prompt/flatten/index.ts"]
    .map((file) => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8"))
    .join("");
  for (const profile of ["espalier", "copilot-chat"] as const) {
    forget();
    const whole = work(documentStructureSync(text, { language: "typescript", profile }));
    const lines = text.split("\n");
    let edited = text;
    for (const line of [0, lines.length >> 1, lines.length - 1]) {
      const changed = edited.split("\n").toSpliced(line, 1, `const added${line} = "é";`).join("\n");
      const made = documentStructureSync(changed, { language: "typescript", profile });
      if (made.basis.path === "syntax" && made.basis.hasErrors) continue;
      assert.ok(work(made) * 10 < whole, `${work(made)} of ${whole}`);
      forget();
      assert.deepEqual(documentStructureSync(changed, { language: "typescript", profile }).root, made.root);
      edited = changed;
    }
  }
});

test("definitions of a text whose structure is known take no parse", async () => {
  const text = `${SAMPLES.typescript!.text}// once\n`;
  forget();
  const { basis } = documentStructureSync(text, { language: "typescript" });
  const made = await outline(text, { language: "typescript" });
  assert.deepEqual(made.basis, basis);
  forget();
  assert.deepEqual(await outline(text, { language: "typescript" }), made);
});

for (const [language, { text }] of Object.entries(SAMPLES)) {
  test(`${language}: whatever was edited before, a text has one structure`, () => {
    // What people type: words, lines, braces, in the midst of good code; some of it breaks it for a while.
    const pieces = fc.constantFrom(
      "x",
      " ",
      "\n",
      "\n\n",
      ";",
      "(",
      ")",
      "{",
      "}",
      '"',
      "'",
      "`",
      "#",
      "//",
      "/*",
      "*/",
      "1",
      "é",
      "😀",
      "\r\n",
      "\t",
      "    ",
      "if",
      "x = 1\n",
      "y();\n",
      "<",
      ":",
      ",",
      "\\",
      "=begin\n",
      "<<A\n",
    );
    const edits = fc.array(fc.tuple(fc.nat(10_000), fc.nat(3), pieces, fc.boolean()), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(edits, fc.constantFrom("espalier", "copilot-chat"), (list, profile) => {
        forget();
        const options = { language, profile: profile as "espalier" };
        let now = text;
        documentStructureSync(now, options);
        const seen: [string, DocumentStructure][] = [];
        for (const [at, length, piece, stays] of list) {
          const from = at % (now.length + 1);
          const edited = now.slice(0, from) + piece + now.slice(from + length);
          seen.push([edited, documentStructureSync(edited, options)]);
          if (stays) now = edited;
        }
        for (const [edited, made] of seen) {
          forget();
          const fresh = documentStructureSync(edited, options);
          assert.deepEqual(made.root, fresh.root);
          assert.deepEqual({ ...made.basis, work: 0 }, { ...fresh.basis, work: 0 });
        }
      }),
      { numRuns: runs(60) },
    );
  });
}

test("a summary is the same, whatever was summarised before", () => {
  const { text } = SAMPLES.typescript!;
  const cases = fc.record({
    budget: fc.integer({ min: 20, max: 250 }),
    selection: fc.option(fc.nat(text.length), { nil: undefined }),
    lineNumbers: fc.boolean(),
    marker: fc.constantFrom("… {lines} omitted", "[{lines}]"),
    unit: fc.constantFrom("tokens", "characters"),
  });
  fc.assert(
    fc.property(fc.array(cases, { minLength: 2, maxLength: 6 }), (list) => {
      const run = (options: (typeof list)[number]) => {
        try {
          return summarizeDocumentSync(text, { language: "typescript", ...options, unit: options.unit as "tokens" })
            .text;
        } catch (error: any) {
          return error.code as string;
        }
      };
      forget();
      const warm = list.map(run);
      list.forEach((options, at) => {
        forget();
        assert.equal(run(options), warm[at]);
      });
    }),
    { numRuns: runs(100) },
  );
});
