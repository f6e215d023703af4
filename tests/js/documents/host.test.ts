/** What hosts bring along: trees that they have parsed, costs, grammars with queries of their own. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { CostNode } from "../../../js/documents/costs.ts";
import type { SummaryDocument } from "../../../js/documents/summarize.ts";
import { grammarFile, parserOf } from "./oracle.ts";
import { SAMPLES } from "./samples.ts";
import { sound } from "./sound.ts";

const {
  count,
  documentStructureSync,
  flattenTree,
  outline,
  reduceChanges,
  registerGrammar,
  summarizeDocument,
  summarizeDocuments,
  summarizeDocumentSync,
} = espalier;

const GRAMMARS: Record<string, string> = { javascriptreact: "javascript", typescriptreact: "tsx", csharp: "c-sharp" };

for (const [language, { text: sample }] of Object.entries(SAMPLES)) {
  test(`${language}: a tree of web-tree-sitter is summarised as ours is`, async () => {
    const parser = await parserOf(GRAMMARS[language] ?? language);
    const text = `${sample}${/python|ruby/.test(language) ? "#" : "//"} é 😀\n`;
    const tree = flattenTree(parser.parse(text)!);
    const whole = count(text);
    for (const share of [0.2, 0.4, 0.7]) {
      for (const selection of [undefined, text.length >> 1]) {
        const options = {
          language,
          budget: Math.max(12, Math.floor(whole * share)),
          ...(selection !== undefined && { selection }),
        };
        const [ours, theirs] = [
          summarizeDocumentSync(text, options),
          summarizeDocumentSync(text, { ...options, tree }),
        ];
        sound(text, theirs, options);
        assert.equal(theirs.text, ours.text);
        assert.deepEqual(theirs.basis, { path: "syntax", hasErrors: false, work: 0 });
        if (selection === undefined)
          assert.equal((await summarizeDocument(text, { ...options, tree })).text, ours.text);
      }
      const compatible = { language, budget: Math.floor(whole * share), profile: "copilot-chat" } as const;
      assert.equal(
        (await summarizeDocument(text, { ...compatible, tree })).text,
        (await summarizeDocument(text, compatible)).text,
      );
    }
  });
}

test("documents with trees and without share a budget", async () => {
  const parser = await parserOf("typescript");
  const text = SAMPLES.typescript!.text;
  const documents: (SummaryDocument & { text: string })[] = [
    { text, path: "a.ts", tree: flattenTree(parser.parse(text)!) },
    { text, path: "b.ts" },
    { text: SAMPLES.go!.text, path: "c.go" },
  ];
  const budget = Math.floor(count(text));
  const { summaries, tokens } = await summarizeDocuments(documents, { budget });
  assert.ok(tokens <= budget);
  assert.deepEqual(
    summaries.map(({ basis }) => basis.path === "syntax" && basis.work > 0),
    [false, true, true],
  );
  const again = await summarizeDocuments(
    documents.map(({ tree: _, ...rest }) => rest),
    { budget },
  );
  assert.deepEqual(
    summaries.map((summary) => summary.text),
    again.summaries.map((summary) => summary.text),
  );
});

test("a tree of another text is refused, naming the document", async () => {
  const parser = await parserOf("typescript");
  const tree = flattenTree(parser.parse("const aVariable = 1;\n")!);
  await assert.rejects(summarizeDocument("a;", { path: "a.ts", budget: 50, tree }), { code: "bad_input" });
  await assert.rejects(summarizeDocument("a;", { path: "a.ts", budget: 50, tree: {} as never }), {
    code: "bad_option",
    path: "options.tree",
  });
  await assert.rejects(summarizeDocuments([{ text: "" }, { text: "a;", tree: 7 as never }], { budget: 50 }), {
    code: "bad_option",
    path: "documents[1].tree",
  });
  assert.equal((await summarizeDocument("a;\n", { path: "a.ts", budget: 50 })).text, "a;\n");
});

const statements = (name: string) =>
  Array.from({ length: 12 }, (_, i) => `    ${name}.add(${i}, "some text of it");`).join("\n");
const CLASS = `import { a } from "a";\n\n/** What it does. */\nclass A {\n  // Private, mostly.\n  first() {\n${statements("one")}\n  }\n\n  second() {\n${statements("two")}\n  }\n}\n\nimport { z } from "z";\n`;

test("costs of kinds say what comes first", () => {
  const lines = (make: (at: number) => string) => `${Array.from({ length: 40 }, (_, at) => make(at)).join("\n")}\n`;
  const text =
    lines((at) => `import { item${at} } from "module${at}";`) +
    lines((at) => `call${at}("something or other", ${at});`);
  const budget = Math.floor(count(text) / 2);
  const summary = (costs: SummaryDocument["costs"]) => {
    const made = summarizeDocumentSync(text, { path: "a.ts", budget, costs });
    sound(text, made, { budget });
    return [made.text.includes('"module20"'), made.text.includes("call20(")];
  };
  assert.deepEqual(summary({ import_statement: 99 }), [false, true]);
  assert.deepEqual(summary({ expression_statement: 99 }), [true, false]);
  assert.deepEqual(summary({ no_such_kind: 7 }), summary({}));
});

test("what is never kept is not, even where there is room, unless it is selected", () => {
  const options = { path: "a.ts", budget: 5_000, costs: { method_definition: false, comment: false } as const };
  const made = summarizeDocumentSync(CLASS, options);
  sound(CLASS, made, options);
  assert.ok(!/first|second|one\.add|Private|What it does/.test(made.text), made.text);
  assert.ok(made.text.includes("class A {") && made.text.includes('from "z"'));
  const selection = CLASS.indexOf("two.add(5");
  assert.ok(summarizeDocumentSync(CLASS, { ...options, selection }).text.includes("two.add(5"));
  // The next one without costs has nothing left of them.
  assert.equal(summarizeDocumentSync(CLASS, { path: "a.ts", budget: 5_000 }).text, CLASS);
});

test("the profile copilot-chat takes costs, too", async () => {
  const options = { path: "a.ts", budget: 60, profile: "copilot-chat" } as const;
  const [with0, without] = [
    await summarizeDocument(CLASS, { ...options, costs: { import_statement: 0 } }),
    await summarizeDocument(CLASS, { ...options, costs: { import_statement: false } }),
  ];
  assert.ok(with0.text.includes('from "a"') && with0.text.includes('from "z"'));
  assert.ok(!without.text.includes("from"));
});

test("a function says what nodes cost", async () => {
  const seen: CostNode[] = [];
  const structure = documentStructureSync(CLASS, { path: "a.ts" }).root;
  const options = { path: "a.ts", budget: 120, selection: CLASS.indexOf("two.add(5") } as const;
  const watching = (node: CostNode, cost: number) => {
    seen.push(node);
    return cost;
  };
  // Asked for every node, parents first, each as the structure has it.
  summarizeDocumentSync(CLASS, { ...options, costs: watching });
  const nodes: [string, number, number, number, string | undefined][] = [];
  const open = [{ node: structure, depth: 0, parent: undefined as string | undefined }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth, parent } = next;
    nodes.push([node.kind, node.start, node.end, depth, parent]);
    open.push(...node.children.map((child) => ({ node: child, depth: depth + 1, parent: node.kind })).reverse());
  }
  assert.deepEqual(
    seen.map(({ kind, start, end, depth, parent }) => [kind, start, end, depth, parent?.kind]),
    nodes,
  );
  // The usual costs change nothing in the profile copilot-chat, where nothing else counts.
  for (const budget of [40, 80, 150]) {
    const asked = { ...options, budget, profile: "copilot-chat" } as const;
    assert.equal(
      (await summarizeDocument(CLASS, { ...asked, costs: (_: CostNode, cost: number) => cost })).text,
      (await summarizeDocument(CLASS, asked)).text,
    );
    const kinds = { import_statement: 0, method_definition: false } as const;
    const byKind = ({ kind }: CostNode, cost: number) => (kinds as Record<string, number | false>)[kind] ?? cost;
    assert.equal(
      (await summarizeDocument(CLASS, { ...asked, costs: byKind })).text,
      (await summarizeDocument(CLASS, { ...asked, costs: kinds })).text,
    );
  }
  // By what is in it; never; each document its own.
  const said =
    (word: string, cost: number | false) =>
    ({ start, end }: CostNode, usual: number) =>
      end - start < 60 && CLASS.slice(start, end).includes(word) ? cost : usual;
  const first = summarizeDocumentSync(CLASS, { path: "a.ts", budget: 110, costs: said("one.add(7", -1) });
  sound(CLASS, first, { budget: 110 });
  assert.ok(first.text.includes("one.add(7"), first.text);
  const { summaries } = await summarizeDocuments(
    [
      { text: CLASS, path: "a.ts", costs: said("one.add(7", false) },
      { text: CLASS, path: "b.ts", costs: { comment: false } },
      { text: CLASS, path: "c.ts", costs: said("two.add(3", false) },
    ],
    { budget: 5_000 },
  );
  assert.deepEqual(
    summaries.map(({ text }) => ["one.add(7", "two.add(3", "Private"].map((word) => text.includes(word))),
    [
      [false, true, true],
      [true, true, false],
      [true, false, true],
    ],
  );
  // What it throws is thrown; what it gives is checked.
  const refused = (costs: unknown) =>
    assert.rejects(summarizeDocument("a;\n", { path: "a.ts", budget: 9, costs } as never), {
      code: "bad_option",
      path: "options.costs",
    });
  for (const given of [undefined, true, NaN, "1", null]) await refused(() => given);
  await assert.rejects(
    summarizeDocument("a;\n", {
      path: "a.ts",
      budget: 9,
      costs: () => {
        throw new RangeError("mine");
      },
    }),
    RangeError,
  );
  const flat = flattenTree((await parserOf("typescript")).parse(CLASS) as never);
  assert.equal(
    summarizeDocumentSync(CLASS, { path: "a.ts", tree: flat, budget: 110, costs: said("one.add(7", -1) }).text,
    first.text,
  );
});

test("costs that make no sense name the kind", async () => {
  const refused = (costs: unknown, path: string) =>
    assert.rejects(summarizeDocument("a", { budget: 9, costs } as never), { code: "bad_option", path });
  await refused(7, "options.costs");
  await refused([1], "options.costs");
  await refused({ comment: true }, "options.costs.comment");
  await refused({ comment: NaN }, "options.costs.comment");
});

// ---------------------------------------------------------------- grammars that are not ours

const BASH = `#!/usr/bin/env bash
# Deploys things.
set -euo pipefail

NAME="service"

# Says what it does.
log() {
${Array.from({ length: 14 }, (_, i) => `  echo "$NAME: step ${i} of the work that is done"`).join("\n")}
}

deploy() {
  local target="$1"
  if [ -z "$target" ]; then
${Array.from({ length: 10 }, (_, i) => `    log "no target was given, ${i}"`).join("\n")}
  fi
  for host in a b c; do
${Array.from({ length: 10 }, (_, i) => `    scp "build/file${i}" "$host:/srv/$NAME"`).join("\n")}
  done
}

case "$1" in
  up)
    deploy "$2"
    ;;
  *)
    log "what?"
    ;;
esac
`;

test("a grammar of the host's own, with its query, is summarised as a built-in one is", async () => {
  registerGrammar({
    language: "bash",
    wasm: readFileSync(grammarFile("bash")),
    extensions: ["bash"],
    query:
      "[(comment) (function_definition) (if_statement) (for_statement) (case_statement) (case_item) (command) (variable_assignment) (declaration_command)] @node",
  });
  const whole = count(BASH);
  for (let share = 0.1; share < 1.05; share += 0.1) {
    const options = { path: "deploy.bash", budget: Math.max(30, Math.floor(whole * share)) };
    const summary = await summarizeDocument(BASH, options);
    sound(BASH, summary, options);
    assert.ok(summary.basis.path === "syntax" && !summary.basis.hasErrors);
    for (const edit of summary.edits) assert.match(edit.text, /^\s*# … [\d-]+ omitted\n$/);
    assert.ok(summary.tokens > Math.min(whole, options.budget) * 0.7, `${summary.tokens} of ${options.budget}`);
  }
  const cut = await summarizeDocument(BASH, {
    path: "deploy.bash",
    budget: Math.floor(whole / 2),
    selection: BASH.indexOf("file5"),
  });
  assert.ok(cut.text.includes("file5") && cut.text.includes("deploy() {"), cut.text);
  assert.ok(
    cut.elisions.some(({ kind }) => kind === "command" || kind === "function_definition"),
    JSON.stringify(cut.elisions),
  );
  // Everything else works with it, too.
  assert.equal(
    documentStructureSync(BASH, { language: "bash" }).root.children.find(({ kind }) => kind === "function_definition")
      ?.kind,
    "function_definition",
  );
  assert.equal((await outline(BASH, { path: "deploy.bash" })).basis.path, "syntax");
  const at = BASH.indexOf("file5");
  const { files } = await reduceChanges({
    files: [{ path: "deploy.bash", text: BASH, selections: [[at, at]] }],
    budget: 120,
  });
  assert.ok(files[0]!.text.includes("file5") && files[0]!.basis.path === "syntax");
});

test("another of the host's, of a language that nobody here knows", async () => {
  const file = new URL(
    "../../../node_modules/@repomix/tree-sitter-wasms/out/tree-sitter-solidity.wasm",
    import.meta.url,
  );
  registerGrammar({
    language: "contracts",
    wasm: readFileSync(file),
    extensions: ["contract"],
    query: "[(contract_declaration) (function_definition) (comment) (statement)] @node",
  });
  const functions = Array.from(
    { length: 12 },
    (_, i) =>
      `  // Pays ${i}.\n  function pay${i}(address to, uint amount) public returns (bool) {\n    total += amount * ${i};\n    emit Paid(to, amount);\n    return true;\n  }\n`,
  );
  const text = `pragma solidity ^0.8.0;\n\ncontract Bank {\n  uint total;\n${functions.join("\n")}}\n`;
  const options = {
    path: "bank.contract",
    comments: { line: "//" },
    budget: Math.floor(count(text) / 3),
    selection: text.indexOf("pay7"),
  };
  const summary = await summarizeDocument(text, options);
  sound(text, summary, options);
  assert.ok(summary.basis.path === "syntax" && summary.text.includes("function pay7"), JSON.stringify(summary.basis));
  assert.match(summary.text, /\n {2}\/\/ … \d+-\d+ omitted\n/);
});
