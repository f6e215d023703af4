/** Summaries use their budget, and take time in proportion to the text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { sound } from "./sound.ts";

const { count, summarizeDocumentSync } = espalier;

test("a definition that fits alone, but not beside what shows, is cut and not omitted", () => {
  const cases = Array.from({ length: 24 }, (_, at) => `            (">=3.${at}", Version(3, ${at}), True),\n`).join("");
  const head = "# Tests of versions, which are compared by their parts.\nfrom parser.utils import Version\n\n\n";
  const method = `    @data_provider(\n        (\n${cases}        )\n    )\n    def test_parts(self, requested, actual):\n        include(requested, actual)\n`;
  const text = `${head}class VersionTest(UnitTest):\n${method}`;
  for (let share = 0.3; share < 1; share += 0.05) {
    const budget = Math.floor(count(text) * share);
    const summary = summarizeDocumentSync(text, { path: "test_version.py", budget });
    sound(text, summary, { budget });
    assert.ok(summary.tokens > budget * 0.8, `${share}: ${summary.tokens} of ${budget}\n${summary.text}`);
  }
});

test("a line of a megabyte takes linear time, however many quotes and slashes it has", () => {
  for (const piece of ['"a",', "b/c;"]) {
    const text = `var a=[${piece.repeat(250_000)}0];`;
    const start = performance.now();
    const summary = summarizeDocumentSync(text, { path: "a.js", budget: 100, limits: { maxWork: 0 } });
    sound(text, summary, { budget: 100 });
    const ms = performance.now() - start;
    assert.ok(ms < 15_000, `${ms} ms`); // 0.1 s; 60 s if each quote looks for the end of its line
  }
});
