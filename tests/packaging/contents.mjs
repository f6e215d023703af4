/** What is in the package: the size of its engine, licences, exports. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { sizes } from "../../scripts/lib.mjs";
import { packed } from "../../scripts/packed.mjs";

/**
 * What a page may have to load of the engine, in bytes: a little above what it is. A change that adds more than that
 * says why here. 2026-11: the tables of tool dialects are 17 kB, 4.6 kB by brotli; the functions of `espalier/core` 77 kB, 28 kB
 * by brotli. With forms of records as data, and records of other systems, the engine has 824 kB by brotli. Trees that
 * `espalier/core` reads as JSON text, rules and changes in nine languages, and facts of talks add 12 kB. Further rules
 * of French, Spanish and others, and diagnoses of builds, are 3 kB, 1 kB by brotli. Limits, jobs and back-off of
 * conversations moved from JavaScript: 17 kB by brotli. The rules of providers within pruning and compaction: 15 kB, 4
 * kB by brotli. Reducers of outputs, with their rules as data, and the table of models: 70 kB, 23 kB by brotli.
 * Commands that print files: 2 kB. Skipped tests and facts of outputs, windows of long lines, mentioned names: 5 kB, 4
 * kB by brotli. Lines of earlier results, places of errors, shorter records, compactions that are put off: 30 kB, 10 kB
 * by brotli. Tables, paths and trace rules of outputs, rows of statements that need one another, decisions in records,
 * steps of UI messages, fields of whole answers: 54 kB, 18 kB by brotli. Lines of cells, runs that count on, options
 * read into the core's own types, scores that are kept: 20 kB, 7 kB by brotli. Outputs in a host's JSON, faults of more
 * languages, totals of test runners: 8 kB, 3 kB by brotli. Errors of a profile's fields in words: 1 kB. Rules in
 * Arabic, Hindi, Turkish, Polish, Vietnamese and traditional Chinese, errors of tools in eight languages, translated
 * headings, rows of JSX: 14 kB, 6 kB by brotli. Messages that are read once for all ledgers of a compaction, sections
 * of Markdown as definitions, tags of a harness around the user's words: 13 kB, 7 kB by brotli. Compactions of held
 * messages, and views that are repaired once: 5 kB.
 */
const MOST = { raw: 2_758_500, brotli: 950_000 };

export function contentCases({ consumer, home, root, run }) {
  return {
    async "the engine is no larger than it should be"() {
      const { raw, brotli } = sizes(join(consumer, "node_modules", "espalier", "dist", "espalier.wasm"));
      assert.ok(raw <= MOST.raw && brotli <= MOST.brotli, `${raw} bytes, ${brotli} by brotli`);
    },

    async "the licences of what is linked are in the package, and of nothing else"() {
      const text = readFileSync(join(consumer, "node_modules", "espalier", "THIRD-PARTY.md"), "utf8");
      const rows = [...text.matchAll(/^\| (\S+) [\d.]+ \| (.*) \| .* \| (.*) \|$/gm)];
      const names = rows.map(([, name]) => name);
      for (const name of ["serde_json", "foldhash", "wasm-bindgen", "unicode-segmentation", "tree-sitter", "preact"])
        assert.ok(names.includes(name), name);
      for (const tool of ["tiktoken-rs", "syn", "zopfli"]) assert.ok(!names.includes(tool), tool);
      for (const [, name, licence, texts] of rows)
        assert.ok(licence !== "see text" && texts !== "-", `${name} has no licence`);
      // The MIT licence, those of ICU and musl within tree-sitter, and of OpenAI's vocabularies.
      for (const pattern of [/Permission is hereby granted/, /Unicode, Inc\./, /Rich Felker/, /\(c\) 2022 OpenAI/])
        assert.match(text, pattern);
    },

    async "publint finds nothing"() {
      const pkgDir = join(consumer, "node_modules", "espalier");
      const { messages } = await publint({ pkgDir, pack: false, level: "suggestion", strict: true });
      assert.deepEqual(messages, []);
    },

    async "arethetypeswrong finds nothing"() {
      const args = [
        packed(),
        "--profile",
        "node16",
        "--exclude-entrypoints",
        "espalier.wasm",
        "count.wasm",
        "workspace.wasm",
        "vocab/o200k_base.vocab",
        "vocab/cl100k_base.vocab",
        "--no-color",
      ];
      const { code, stdout } = await run(join(root, "node_modules", ".bin", "attw"), args, { cwd: home });
      assert.equal(code, 0, stdout);
    },
  };
}
