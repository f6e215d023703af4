/**
 * Compatible summaries as they are shipped, with the grammars of the package; natively the same is checked on recorded
 * overlays.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type * as Espalier from "../../../js/entries/all.ts";
import type * as Internal from "../../../js/entries/chunks/core.ts";
import { SAMPLES } from "./samples.ts";
import { runs } from "../runs.ts";

const dist = new URL("../../../pkg/dist/", import.meta.url);
const { documentStructure, summarizeDocument, summarizeDocumentSync, summarizeDocuments } = (await import(
  new URL("documents-node.js", dist).href
)) as typeof Espalier;
const { summarizeCompatible } = (await import(new URL("core.js", dist).href)) as typeof Internal;

interface Case {
  charLimit: number;
  selection: number[] | null;
  options?: object;
  /** In UTF-16 code units. */
  adjustedSelection?: number[];
  costRule?: { type: string; kinds?: Record<string, number | false> };
  expected: string;
}
interface Document {
  id: string;
  language: string;
  text: string;
  /** The root: kind, start, end, children. */
  overlay: [string, number, number, ...unknown[]];
  cases: Case[];
}
const { documents, multi } = JSON.parse(
  readFileSync(new URL("../../fixtures/vectors/documents.json", import.meta.url), "utf8"),
) as {
  documents: Document[];
  multi: { documents: string[]; selections: (number[] | null)[]; charLimit: number; expected: string[] }[];
};

/** Lines and columns as offsets. */
function range(text: string, selection: number[] | null): { selection?: [number, number] } {
  if (!selection) return {};
  const lines = text.split("\n");
  const at = (line: number, column: number) =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0) + column;
  const [line = 0, column = 0, endLine = line, endColumn = column] = selection;
  return { selection: [at(line, column), at(endLine, endColumn)] };
}

for (const { id, language, text, overlay, cases } of documents) {
  test(`summaries of ${id}`, async () => {
    for (const { charLimit, selection, options, costRule, expected } of cases) {
      const costs = costRule?.type === "file-variable" ? ("attached" as const) : costRule?.kinds;
      const [made] = await summarizeCompatible(
        [{ text, language, ...range(text, selection), ...(costs ? { costs } : {}) }],
        { limit: charLimit, ...options },
      );
      assert.equal(made!.text, expected);
      let [rebuilt, reached] = ["", 0];
      for (const [start, end, inserted] of made!.edits) {
        rebuilt += text.slice(reached, start) + inserted;
        reached = end;
      }
      assert.equal(rebuilt + text.slice(reached), expected);
    }
  });

  test(`summaries of ${id}, as hosts ask for them`, async () => {
    for (const { charLimit, selection, options, costRule, expected, adjustedSelection } of cases) {
      const costs = costRule?.type === "file-variable" ? undefined : costRule?.kinds;
      const asked = {
        language,
        budget: charLimit,
        unit: "characters",
        profile: "copilot-chat",
        ...range(text, selection),
        ...(costs && { costs }),
      } as const;
      const compatible = { ...options, attached: costRule?.type === "file-variable" };
      const made = await summarizeDocument(text, { ...asked, copilotChat: compatible });
      assert.equal(made.text, expected);
      // At once, the same; a fraction of a character changes nothing.
      assert.deepEqual(summarizeDocumentSync(text, { ...asked, copilotChat: compatible }), made);
      assert.equal(made.adjustedSelection === undefined, selection === null);
      // The reference looks for a blank selection in a text that it has cut at both ends, but counts from the uncut
      // one's.
      const [start, end] = range(text, selection).selection ?? [0, 0];
      const slips = start === end && (start === text.length || overlay[1] > 0);
      if (adjustedSelection && !slips) assert.deepEqual(made.adjustedSelection, adjustedSelection);
    }
  });
}

test("what ends a statement belongs to it on whatever line; a comment on the next line does not", async () => {
  const check = async (text: string, ends: Record<string, number>) => {
    const { root } = await documentStructure(text, { language: "typescript", profile: "copilot-chat" });
    const all = root.children.flatMap((child) => [child, ...child.children]);
    for (const [kind, end] of Object.entries(ends))
      assert.equal(all.find((node) => node.kind === kind)?.end, end, `${kind} in ${JSON.stringify(text)}`);
  };
  await check("const a = false\n\t// note\n\t;\n", { comment: 27 });
  await check("f(1)\n;\ng(2)\n", { expression_statement: 7 });
  await check("const a = false // note\n// other\nlet b\n", { lexical_declaration: 24 });
});

test("limits may be fractions, or none", async () => {
  const { text } = SAMPLES["typescript"]!;
  const language = "typescript";
  for (const profile of ["copilot-chat", "espalier"] as const) {
    for (const unit of ["tokens", "characters"] as const) {
      const asked = { language, unit, profile } as const;
      const whole = await summarizeDocument(text, { ...asked, budget: Infinity });
      assert.deepEqual([whole.text, whole.complete], [text, true]);
      assert.equal((await summarizeDocument(text, { ...asked, budget: 1e300 })).text, text);
      // As callers pass it: a share of a context window.
      const share = (whole.tokens / 4) * 3 + 0.3;
      const made = await summarizeDocument(text, { ...asked, budget: share });
      assert.ok(!made.complete && (profile === "copilot-chat" || made.tokens <= share), `${made.tokens} of ${share}`);
      for (const budget of [NaN, -0.5, -Infinity, "9"]) {
        await assert.rejects(summarizeDocument(text, { ...asked, budget: budget as number }), {
          code: "bad_option",
          path: "options.budget",
        });
      }
    }
  }
});

test("the adjusted selection is of the profile copilot-chat, and one for each document", async () => {
  const text = "function f() {\n  a();\n  b();\n}\n";
  const asked = { budget: 1_000, profile: "copilot-chat" } as const;
  const at = text.indexOf("a()");
  const two = [
    { text, selection: at + 1, language: "typescript" },
    { text, language: "typescript" },
  ];
  const { summaries } = await summarizeDocuments(two, asked);
  assert.deepEqual(
    summaries.map(({ adjustedSelection }) => adjustedSelection && text.slice(...adjustedSelection)),
    ["  a();", undefined],
  );
  assert.equal(
    (await summarizeDocument(text, { ...asked, language: "typescript", profile: "espalier", selection: at }))
      .adjustedSelection,
    undefined,
  );
});

test("switches of the profile copilot-chat are checked, and are of that profile", async () => {
  const refused = (compatible: unknown, path: string, profile: "espalier" | "copilot-chat" = "copilot-chat") =>
    assert.rejects(
      summarizeDocument("a;", { language: "typescript", budget: 1, profile, copilotChat: compatible as never }),
      { code: "bad_option", path },
    );
  await refused(7, "options.copilotChat");
  await refused(null, "options.copilotChat");
  await refused({}, "options.profile", "espalier");
  await refused({ lineNumberStyle: "half" }, "options.copilotChat.lineNumberStyle");
  for (const name of ["tryPreserveTypeChecking", "alwaysUseEllipsisForElisions", "attached"])
    await refused({ [name]: 1 }, `options.copilotChat.${name}`);
  // A style wins over numbers for all lines.
  const text = "function f() {\n  a();\n}\n".repeat(9);
  const asked = { language: "typescript", budget: 120, unit: "characters", profile: "copilot-chat" } as const;
  const made = async (more: Partial<Espalier.SummaryOptions>) =>
    (await summarizeDocument(text, { ...asked, ...more })).text;
  assert.equal(await made({ lineNumbers: true }), await made({ copilotChat: { lineNumberStyle: "full" } }));
  assert.equal(
    await made({ lineNumbers: true, copilotChat: { lineNumberStyle: "omittedRanges" } }),
    await made({ copilotChat: { lineNumberStyle: "omittedRanges" } }),
  );
});

test("documents that share a limit", async () => {
  const crlf = documents.find(({ id }) => id === "report-crlf.py")!;
  const more = [
    { ...crlf, id: "report.py", text: crlf.text.replaceAll("\r\n", "\n") },
    { ...crlf, id: "empty.ts", language: "typescript", text: "" },
  ];
  for (const { documents: ids, selections, charLimit, expected } of multi) {
    const asked = ids.map((id, at) => {
      const { text, language } = [...documents, ...more].find((document) => document.id === id)!;
      return { text, language, ...range(text, selections[at]!) };
    });
    assert.deepEqual(
      (await summarizeCompatible(asked, { limit: charLimit })).map(({ text }) => text),
      expected,
      ids.join(),
    );
  }
});

test("never over the limit without a selection, and all of it where there is room", async () => {
  const styles = [
    {},
    { alwaysUseEllipsisForElisions: true },
    { tryPreserveTypeChecking: true },
    { lineNumberStyle: "omittedRanges" as const },
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.entries(SAMPLES)),
      fc.constantFrom(...styles),
      fc.double({ min: 0, max: 1.1, noNaN: true }),
      async ([language, { text }], style, share) => {
        const limit = text.length * share;
        const [made] = await summarizeCompatible([{ text, language }], { limit, ...style });
        assert.ok(made!.text.length <= limit, `${made!.text.length} > ${limit}`);
        // A marker can be longer than what it replaces, and the fill stops at the first node that does not fit.
        if (limit >= text.length && style === styles[0]) assert.equal(made!.text, text);
      },
    ),
    { numRuns: runs(300) },
  );
});

test("what makes no sense names the field", async () => {
  const refused = (documents: unknown, settings: unknown, path: string) =>
    assert.rejects(summarizeCompatible(documents as never, settings as never), { path });
  await refused(7, { limit: 1 }, "documents");
  await refused([{ text: 7 }], { limit: 1 }, "documents[0].text");
  await refused([{ text: "", selection: [1] }], { limit: 1 }, "documents[0].selection");
  await refused([{ text: "", selection: [1, NaN] }], { limit: 1 }, "documents[0].selection");
  await refused([{ text: "" }], { limit: NaN }, "settings.limit");
  await refused([{ text: "" }], { limit: 1, lineNumberStyle: "x" }, "settings.lineNumberStyle");
  // Behind the end, the wrong way round.
  const [made] = await summarizeCompatible([{ text: "a;\n", language: "typescript", selection: [99, 1] }], {
    limit: 0,
  });
  assert.equal(made!.text, "a;\n");
});
