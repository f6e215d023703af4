/** The recorded vectors, as far as the public call shows their rules. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inline } from "./built.ts";

const vectors = JSON.parse(
  readFileSync(new URL("../../../inline/tests/it/data/completion-vectors.json", import.meta.url), "utf8"),
);

test("similar files", () => {
  const { cases, documents, optionSets } = vectors.similarFiles;
  for (const { reference, offset, candidates, options, expected } of cases) {
    const set = optionSets[options];
    const { items } = inline.inlineContext({
      profile: "copilot-chat",
      window: 60_000,
      minChars: 0,
      suffixShare: 0,
      file: { path: "reference", language: "l", text: documents[reference] },
      cursor: offset,
      neighbours: candidates.map((path: string) => ({ path, language: "l", text: documents[path] })),
      neighbourLimits: { maxFiles: 1_000 },
      similarLimits: {
        window: set.snippetLength,
        threshold: set.threshold,
        maxSnippets: set.maxTopSnippets,
        maxPerFile: set.maxSnippetsPerFile,
        maxFiles: set.maxNumberOfFiles,
        maxChars: set.maxCharPerFile - 1,
        score: set.useSubsetMatching ? "shared" : "jaccard",
      },
    });
    const found = items.filter(({ kind, dropped }) => kind === "similarSnippet" && !dropped);
    const plain = (list: any[]) =>
      list.map(({ path, id, startLine, firstLine, endLine }) => [path ?? id, startLine ?? firstLine, endLine]);
    assert.deepEqual(plain(found), plain(expected));
    found.forEach(({ score }, at) => assert.ok(Math.abs(score! - expected[at].score) < 1e-11));
    for (const { id, text, firstLine, endLine } of found) {
      const body = documents[id].split("\n").slice(firstLine, endLine).join("\n");
      assert.equal(text.trimEnd(), `Compare this snippet from ${id}:\n${body}`.trimEnd());
    }
  }
});

test("open tabs", () => {
  for (const { documents, current, language, max, expected } of vectors.openTabs.cases) {
    const { items } = inline.inlineContext({
      profile: "copilot-chat",
      window: 20_000,
      minChars: 0,
      file: { path: current, language, text: "word\n" },
      cursor: 4,
      neighbours: documents.map(({ uri, language, accessed, length }: any) => ({
        path: uri,
        language,
        scheme: uri.split(":")[0],
        text: "x".repeat(length),
        ...(accessed != null && { focusedMs: accessed }),
      })),
      neighbourLimits: { maxFiles: max },
      similarLimits: { maxChars: Infinity },
    });
    // A file that is looked at is compared, and has nothing alike.
    const looked = items
      .filter(({ dropped }) => dropped === "notSimilar" || dropped === "notCompared")
      .map(({ id }) => id);
    assert.deepEqual(looked, expected);
  }
});

test("white space of blank last lines", () => {
  for (const { input, expected } of vectors.trimLastLine) {
    const { prefix, trailing } = inline.inlineContext({
      file: { path: "a", text: input },
      cursor: Infinity,
      minChars: 0,
    });
    assert.deepEqual([prefix, trailing], expected);
  }
});
