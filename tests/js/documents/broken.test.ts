/**
 * Documents that are broken, in every language and for everything that reads them; afterwards the engine answers as if
 * nothing had been.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type * as Internal from "../../../js/entries/chunks/core.ts";
import { SAMPLES } from "./samples.ts";
import { sound } from "./sound.ts";

const { count, languages, outline, reduceChanges, summarizeDocument, summarizeDocumentSync } = espalier;
const dist = new URL("../../../pkg/dist/", import.meta.url);
const grammar = (name: string) => readFileSync(new URL(`grammars/tree-sitter-${name}.wasm`, dist));

let copies = 0;
/** The core with a state of its own. */
async function freshCore(): Promise<typeof Internal> {
  const core = (await import(`${new URL("core.js", dist).href}?broken=${++copies}`)) as typeof Internal;
  core.initSync(readFileSync(new URL("espalier.wasm", dist)));
  core.loadEncodingSync("o200k_base", readFileSync(new URL("vocab/o200k_base.vocab", dist)));
  return core;
}

/** What the engine says of good code in all languages: the same before and after whatever happens. */
const probes = Object.entries(SAMPLES).map(([language, { text }]) => ({
  language,
  text,
  budget: Math.floor(count(text) / 2),
}));
const answers = probes.map(({ text, ...options }) => summarizeDocumentSync(text, options).text);

async function usable(): Promise<void> {
  for (const [at, { text, ...options }] of probes.entries())
    assert.equal((await summarizeDocument(text, options)).text, answers[at], options.language);
}

/** Ways to break a text. */
const BREAKS: Record<string, (text: string) => string> = {
  "cut off in the middle": (text) => text.slice(0, text.length >> 1),
  "without its beginning": (text) => text.slice(text.length >> 1),
  "without closing brackets": (text) => text.replace(/[)}\]]/g, ""),
  "without opening brackets": (text) => text.replace(/[({[]/g, ""),
  "with a quote that never ends": (text) => `${text.slice(0, 40)}"${text.slice(40)}`,
  backwards: (text) => [...text].reverse().join(""),
  "with mixed line ends": (text) =>
    text
      .split("\n")
      .map((line, at) => line + ["\n", "\r\n", "\r"][at % 3])
      .join(""),
  "with tabs": (text) => text.replace(/ {2}/g, "\t"),
  "with a byte order mark": (text) => `\ufeff${text}`,
  "with lone surrogates": (text) =>
    text.replace(/[aeiou]/g, (letter, at) => (at % 7 === 0 ? "\ud800" : at % 11 === 0 ? "\udfff" : letter)),
  "on one line": (text) => text.replace(/\n/g, " ").repeat(30),
  "of conflicts": (text) => `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`,
  "of bytes that are no text": (text) =>
    [...text]
      .map((letter, at) => (at % 3 ? letter : String.fromCharCode((letter.charCodeAt(0) * 7_919) % 65_536)))
      .join(""),
  "of zeros": (text) => text.replace(/./g, "\0"),
  "without any line end": (text) => text.trimEnd(),
  "twice, the one in the other": (text) => text.slice(0, text.length >> 1) + text + text.slice(text.length >> 1),
};

for (const [language, { text }] of Object.entries(SAMPLES)) {
  test(`${language}, broken in ${Object.keys(BREAKS).length} ways: summarised, outlined, reduced`, async () => {
    for (const [how, make] of Object.entries(BREAKS)) {
      const broken = make(text);
      const whole = count(broken);
      for (const share of [0.1, 0.5, 1]) {
        for (const selection of [
          undefined,
          broken.length >> 1,
          [0, 3] as const,
          [broken.length + 5, broken.length + 99] as const,
        ]) {
          const options = {
            language,
            budget: Math.floor(whole * share) + 40,
            ...(selection !== undefined && { selection }),
          };
          const summary = summarizeDocumentSync(broken, options);
          try {
            sound(broken, summary, options);
          } catch (error: any) {
            throw new Error(`${how}, ${share}, ${selection}: ${error.message}`, { cause: error });
          }
        }
      }
      const compatible = await summarizeDocument(broken, {
        language,
        budget: broken.length >> 2,
        unit: "characters",
        profile: "copilot-chat",
      });
      assert.ok(compatible.text.length <= broken.length >> 2, how);
      assert.ok((await outline(broken, { language, budget: 60 })).tokens <= 60, how);
      const { tokens } = await reduceChanges({
        files: [{ path: "a", language, text: broken, selections: [[0, 0]] }],
        budget: whole + 100,
      });
      assert.ok(tokens <= whole + 100, how);
    }
    await usable();
  });
}

test("no budget at all, in every language", async () => {
  for (const language of languages()) {
    const { text } = SAMPLES[language]!;
    assert.throws(() => summarizeDocumentSync(text, { language, budget: 0 }), {
      code: "budget_exceeded",
      path: "options.budget",
    });
    assert.equal(summarizeDocumentSync("", { language, budget: 0 }).text, "");
    assert.equal((await summarizeDocument(text, { language, budget: 0, profile: "copilot-chat" })).text, "");
    assert.equal((await outline(text, { language, budget: 0 })).text, "");
  }
  await usable();
});

test("parsing that would take too long or too much: said, folded by indentation, and right the next time", async () => {
  for (const [at, { text, ...options }] of probes.entries()) {
    const budget = options.budget;
    for (const [limits, why] of [
      [{ maxBytes: text.length >> 1 }, "tooLong"],
      [{ maxWork: 0 }, "tooHard"],
    ] as const) {
      const summary = await summarizeDocument(text, { ...options, limits });
      assert.deepEqual(summary.basis, { path: "indentation", why }, options.language);
      sound(text, summary, { budget });
      assert.deepEqual((await outline(text, { language: options.language, limits })).basis, {
        path: "indentation",
        why,
      });
      const { files } = await reduceChanges({
        files: [{ path: "a", language: options.language, text, limits, selections: [[0, 0]] }],
        budget: 10_000,
      });
      assert.deepEqual(files[0]!.basis, { path: "indentation", why });
      assert.equal((await summarizeDocument(text, options)).text, answers[at]);
    }
  }
});

test("grammars that are missing, damaged, of another language or version: indentation, the reason, and then the right one", async () => {
  const core = await freshCore();
  const text = SAMPLES.python!.text;
  const budget = Math.floor(count(text) / 2);
  const wanted = answers[probes.findIndex(({ language }) => language === "python")];
  const summary = () => core.summarizeDocument(text, { language: "python", budget });
  const none = await summary();
  assert.deepEqual(none.basis, { path: "indentation", why: "noGrammar" });
  const future = Uint8Array.from(grammar("python"));
  for (const [file, code] of [
    [new Uint8Array(), "bad_grammar"],
    [grammar("python").subarray(0, 9_999), "bad_grammar"],
    [grammar("ruby"), "bad_grammar"],
    [readFileSync(new URL("espalier.wasm", dist)), "bad_grammar"],
    [future.fill(0xee, 2_000, 3_000), "bad_grammar"],
  ] as const) {
    core.setGrammarReader(() => file);
    const made = await summary();
    assert.ok(
      made.basis.path === "indentation" && made.basis.why === "grammarFailed" && made.basis.error?.code === code,
      JSON.stringify(made.basis),
    );
    assert.equal(made.text, none.text);
    sound(text, made, { budget });
  }
  core.setGrammarReader(grammar);
  assert.equal((await summary()).text, wanted);
});

test("given up while a grammar is on its way, everything works afterwards", async () => {
  const core = await freshCore();
  const answer: (() => void)[] = [];
  const server = createServer((_, response) => answer.push(() => response.end(grammar("python"))));
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  core.setGrammarLocator(() => new URL(`http://127.0.0.1:${port}/`));
  const arrived = async (number: number) => {
    while (answer.length < number) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  try {
    const text = SAMPLES.python!.text;
    const budget = Math.floor(count(text) / 2);
    const controller = new AbortController();
    const given = [
      core.summarizeDocument(text, { path: "a.py", budget, signal: controller.signal }),
      core.summarizeDocuments(
        [
          { text, path: "a.py" },
          { text, path: "b.py" },
        ],
        { budget, signal: controller.signal },
      ),
      core.outline(text, { path: "a.py", signal: controller.signal }),
      core.reduceChanges({ files: [{ path: "a.py", text, selections: [[0, 0]] }], budget, signal: controller.signal }),
    ].map((promise) => assert.rejects(promise, /enough/));
    await arrived(1);
    controller.abort(new Error("enough"));
    await Promise.all(given);
    const again = core.summarizeDocument(text, { path: "a.py", budget });
    await arrived(2);
    answer[1]!();
    assert.equal((await again).text, answers[probes.findIndex(({ language }) => language === "python")]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
