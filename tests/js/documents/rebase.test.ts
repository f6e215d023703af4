/** Edits of a summary become edits of its document, or are dropped. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import type { DocumentSummary, SummaryEdit } from "../../../js/documents/summarize.ts";
import { SAMPLES } from "./samples.ts";
import { runs } from "../runs.ts";

const { count, summarizeDocument, summarizeDocumentSync } = espalier;

/** Applies edits that are in order. */
function apply(text: string, edits: readonly SummaryEdit[]): string {
  return [...edits]
    .reverse()
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), text);
}

const body = Array.from({ length: 50 }, (_, at) => `  x(${at}, "and more of it");\n`).join("");
const TEXT = `function a() {\n${body}}\nfunction b() {\n  y();\n}\n`;
const summary = summarizeDocumentSync(TEXT, { path: "a.ts", budget: 40 });
const { text } = summary;
const marker = text.indexOf(summary.edits[0]!.text);
const behind = marker + summary.edits[0]!.text.length;

test("an edit of what shows is the same edit of the document", () => {
  assert.equal(summary.elisions.length, 1, text);
  const at = text.indexOf("y()");
  const { edits, dropped } = summary.rebase([{ start: at, end: at + 1, text: "z" }]);
  assert.deepEqual([edits, dropped], [[{ start: TEXT.indexOf("y()"), end: TEXT.indexOf("y()") + 1, text: "z" }], []]);
  assert.equal(apply(TEXT, edits), TEXT.replace("y()", "z()"));
  assert.deepEqual(summary.rebase([]), { edits: [], dropped: [] });
});

test("what touches a marker is dropped: nothing that is missing is deleted", () => {
  for (const [start, end] of [
    [marker, behind],
    [marker, marker + 1],
    [behind - 1, behind],
    [marker - 1, behind + 1],
    [0, text.length],
    [marker + 2, marker + 2],
    [marker - 3, marker + 1],
    [behind - 1, behind + 4],
  ] as const) {
    const edit = { start, end, text: "new" };
    assert.deepEqual(summary.rebase([edit]), { edits: [], dropped: [edit] }, `${start}, ${end}`);
  }
});

test("what stands directly beside a marker is not dropped", () => {
  const [from, to] = summary.elisions[0]!.range;
  const check = (start: number, end: number, wanted: [number, number]) =>
    assert.deepEqual(summary.rebase([{ start, end, text: "n" }]), {
      edits: [{ start: wanted[0], end: wanted[1], text: "n" }],
      dropped: [],
    });
  check(marker, marker, [from, from]);
  check(behind, behind, [to, to]);
  check(marker - 3, marker, [from - 3, from]);
  check(behind, behind + 2, [to, to + 2]);
  check(0, 0, [0, 0]);
  check(text.length, text.length, [TEXT.length, TEXT.length]);
});

test("numbers of lines are no text of the document", () => {
  const numbered = summarizeDocumentSync(TEXT, { path: "a.ts", budget: 60, lineNumbers: true });
  const at = numbered.text.indexOf("54: ");
  assert.ok(at > 0, numbered.text);
  const check = (start: number, end: number, wanted: string | undefined) => {
    const { edits, dropped } = numbered.rebase([{ start, end, text: "n" }]);
    assert.equal(dropped.length, wanted === undefined ? 1 : 0);
    if (wanted !== undefined) assert.equal(apply(TEXT, edits), wanted);
  };
  const y = numbered.text.indexOf("y()");
  check(y, y + 1, TEXT.replace("y()", "n()"));
  check(at, at + 1, undefined);
  check(at + 1, at + 1, undefined);
  check(at - 2, at + 6, undefined);
});

test("without markers, too: what crosses a place where something is missing is dropped", async () => {
  const compatible = await summarizeDocument(TEXT, {
    path: "a.ts",
    budget: 200,
    unit: "characters",
    profile: "copilot-chat",
  });
  const silent = compatible.edits.find(({ start, end, text }) => end > start && text === "")!;
  assert.ok(silent, compatible.text);
  const at = compatible.toSummary(silent.start);
  const check = (start: number, end: number, wanted?: [number, number]) => {
    const edit = { start, end, text: "n" };
    assert.deepEqual(
      compatible.rebase([edit]),
      wanted
        ? { edits: [{ start: wanted[0], end: wanted[1], text: "n" }], dropped: [] }
        : { edits: [], dropped: [edit] },
    );
  };
  check(at - 1, at + 1);
  check(at, at);
  check(at - 2, at, [silent.start - 2, silent.start]);
  check(at, at + 2, [silent.end, silent.end + 2]);
});

/** A summary's stretches that show, as they stand in it. */
function kept({ edits, text }: DocumentSummary): [number, number][] {
  const stretches: [number, number][] = [];
  let [reached, moved] = [0, 0];
  for (const { start, end, text: put } of edits) {
    stretches.push([reached, start + moved]);
    moved += put.length - (end - start);
    reached = end + moved;
  }
  return [...stretches, [reached, text.length]];
}

const samples = Object.entries(SAMPLES).flatMap(([language, { text }]) =>
  [0.3, 0.6, 0.9].flatMap((share) =>
    [false, true].map((lineNumbers) => {
      const summary = summarizeDocumentSync(text, {
        language,
        budget: Math.max(60, Math.floor(count(text) * share * (lineNumbers ? 1.5 : 1))),
        lineNumbers,
      });
      return { document: text, summary };
    }),
  ),
);

test("edits inside of what shows, made on the summary and on the document, are the same", () => {
  fc.assert(
    fc.property(
      fc.nat(samples.length - 1),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.string({ maxLength: 4 })), { maxLength: 8 }),
      (which, picks) => {
        const { document, summary } = samples[which]!;
        const within = kept(summary).filter(([from, to]) => to - from > 2);
        const wanted = picks
          .map(([at, one, other, put]) => {
            const [from, to] = within[at % within.length]!;
            const [a, b] = [from + 1 + (one % (to - from - 1)), from + 1 + (other % (to - from - 1))];
            return { start: Math.min(a, b), end: Math.max(a, b), text: put };
          })
          .filter((edit, at, all) =>
            all.slice(0, at).every((other) => other.end <= edit.start || edit.end <= other.start),
          );
        const { edits, dropped } = summary.rebase(wanted);
        assert.deepEqual(dropped, []);
        // On the summary, then what shows of it taken back to the document.
        const direct = wanted.map(({ start, end, text }) => ({
          start: summary.toDocument(start),
          end: summary.toDocument(end),
          text,
        }));
        const sorted = direct.sort((one, other) => one.start - other.start || one.end - other.end);
        assert.deepEqual(edits, sorted);
        for (const [at, { start, end }] of edits.entries()) {
          assert.equal(
            document.slice(start, end),
            summary.text.slice(summary.toSummary(start), summary.toSummary(start) + end - start),
          );
          assert.ok(at === 0 || edits[at - 1]!.end <= start);
        }
        assert.equal(
          apply(document, edits).length,
          document.length + wanted.reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0),
        );
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test("whatever is edited, what is missing stays as it is", () => {
  fc.assert(
    fc.property(fc.nat(samples.length - 1), fc.nat(), fc.nat(), (which, one, other) => {
      const { document, summary } = samples[which]!;
      const places = [one % (summary.text.length + 1), other % (summary.text.length + 1)].sort((a, b) => a - b) as [
        number,
        number,
      ];
      const edit = { start: places[0], end: places[1], text: "" };
      const { edits, dropped } = summary.rebase([edit]);
      assert.equal(edits.length + dropped.length, 1);
      for (const { start, end } of edits)
        for (const { range } of summary.elisions) assert.ok(end <= range[0] || range[1] <= start);
      if (edits[0]) assert.equal(document.slice(edits[0].start, edits[0].end), summary.text.slice(...places));
    }),
    { numRuns: runs(2_000) },
  );
});

test("edits come in any order, and stay in theirs at one place", () => {
  const at = text.indexOf("y()");
  const { edits } = summary.rebase([
    { start: at, end: at + 1, text: "z" },
    { start: 0, end: 0, text: "a" },
    { start: 0, end: 0, text: "b" },
  ]);
  assert.deepEqual(
    edits.map(({ text }) => text),
    ["a", "b", "z"],
  );
});

test("edits that are none name the field", () => {
  const good = { start: 0, end: 1, text: "" };
  const refused = (edits: unknown, path: string) =>
    assert.throws(() => summary.rebase(edits as never), { code: "bad_option", path }, JSON.stringify(edits));
  for (const edits of [undefined, null, 7, "edits", {}, good]) refused(edits, "edits");
  for (const edit of [undefined, null, 7, "x"]) refused([good, edit], "edits[1]");
  for (const start of [-1, 0.5, NaN, "0", undefined, text.length + 1, 2 ** 60])
    refused([{ ...good, start }], "edits[0].start");
  for (const end of [-1, 0.5, NaN, "1", undefined, text.length + 1, Infinity])
    refused([{ ...good, end }], "edits[0].end");
  refused([{ start: 2, end: 1, text: "" }], "edits[0].end");
  for (const put of [undefined, null, 7, {}]) refused([{ ...good, text: put }], "edits[0].text");
  refused(
    [
      { start: 3, end: 5, text: "" },
      { start: 1, end: 4, text: "" },
    ],
    "edits[1]",
  );
  const given = Object.freeze([
    Object.freeze({ start: 5, end: 6, text: "a" }),
    Object.freeze({ start: 0, end: 1, text: "b" }),
  ]);
  assert.equal(summary.rebase(given).edits.length, 2);
});

test("edits find their places in a document that changed meanwhile", () => {
  const y = TEXT.indexOf("y()");
  const shown = text.indexOf("y()");
  const check = (changes: SummaryEdit[], edit: SummaryEdit, wanted: string | undefined) => {
    const { edits, dropped } = summary.rebase([edit], { changes });
    assert.deepEqual(dropped, wanted === undefined ? [edit] : []);
    if (wanted !== undefined) assert.equal(apply(apply(TEXT, changes), edits), wanted);
  };
  const toZ = { start: shown, end: shown + 1, text: "z" };
  check([], toZ, TEXT.replace("y()", "z()"));
  check([{ start: 0, end: 0, text: "// typed\n" }], toZ, `// typed\n${TEXT.replace("y()", "z()")}`);
  check(
    [
      { start: 0, end: 8, text: "fn" },
      { start: y + 3, end: y + 4, text: "" },
    ],
    toZ,
    `fn${TEXT.slice(8).replace("y();", "z()")}`,
  );
  // What is missing in the summary may have changed, too.
  const [hidden] = summary.elisions[0]!.range;
  check(
    [{ start: hidden + 2, end: hidden + 6, text: "" }],
    toZ,
    apply(TEXT, [{ start: hidden + 2, end: hidden + 6, text: "" }]).replace("y()", "z()"),
  );
  check([{ start: y, end: y + 1, text: "w" }], toZ, undefined);
  check([{ start: y - 2, end: y + 2, text: "" }], toZ, undefined);
  check([{ start: y - 1, end: y + 1, text: "" }], { start: shown, end: shown, text: "n" }, undefined);
  // Beside a change is not over it; of two insertions the document's comes first.
  check([{ start: y, end: y, text: "a." }], toZ, TEXT.replace("y()", "a.z()"));
  check([{ start: y, end: y, text: "a." }], { start: shown, end: shown, text: "b." }, TEXT.replace("y()", "a.b.y()"));
  check([{ start: y + 1, end: y + 3, text: "" }], toZ, TEXT.replace("y()", "z"));
});

test("changes that are none are refused with their path", () => {
  const check = (changes: unknown, path: string) =>
    assert.throws(() => summary.rebase([], { changes } as never), { code: "bad_option", path });
  check("x", "options.changes");
  check([{ start: 0, end: TEXT.length + 1, text: "" }], "options.changes[0].end");
  check(
    [
      { start: 0, end: 5, text: "" },
      { start: 4, end: 6, text: "" },
    ],
    "options.changes[1]",
  );
});

test("rebased edits and changes commute: both apply, whatever comes first", () => {
  const place = fc.tuple(fc.nat(), fc.nat({ max: 6 }), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(
      fc.nat(samples.length - 1),
      fc.array(place, { maxLength: 6 }),
      fc.array(place, { maxLength: 6 }),
      (which, picks, changed) => {
        const { document, summary } = samples[which]!;
        const disjoint = (length: number, list: [number, number, string][]) =>
          list
            .map(([at, long, text]) => ({
              start: at % (length + 1),
              end: Math.min(length, (at % (length + 1)) + long),
              text,
            }))
            .sort((a, b) => a.start - b.start || a.end - b.end)
            .filter((edit, at, all) => all.slice(0, at).every((other) => other.end < edit.start));
        const [wanted, changes] = [disjoint(summary.text.length, picks), disjoint(document.length, changed)];
        const plain = summary.rebase(wanted);
        const moved = summary.rebase(wanted, { changes });
        assert.equal(moved.edits.length + moved.dropped.length, wanted.length);
        const overlaps = (a: SummaryEdit, b: SummaryEdit) =>
          a.start === a.end ? b.start < a.start && a.start < b.end : b.start < a.end && a.start < b.end;
        const free = plain.edits.filter((edit) => !changes.some((change) => overlaps(edit, change)));
        assert.equal(moved.edits.length, free.length);
        const now = apply(document, changes);
        for (const [at, edit] of moved.edits.entries())
          assert.equal(now.slice(edit.start, edit.end), document.slice(free[at]!.start, free[at]!.end));
      },
    ),
    { numRuns: runs(500) },
  );
});
