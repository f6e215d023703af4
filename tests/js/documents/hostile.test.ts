/** Documents that nobody would write, and options that make no sense. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import type { StructureNode } from "../../../js/documents/structure.ts";
import { SAMPLES } from "./samples.ts";
import { isTried, runs, size } from "../runs.ts";

const { documentStructure, documentStructureSync, flattenTree } = espalier;

const count = (root: StructureNode) => {
  const open = [root];
  let nodes = 0;
  for (let node = open.pop(); node; node = open.pop()) {
    nodes += 1;
    for (const child of node.children) open.push(child);
  }
  return nodes;
};

const MEGABYTE = size(1_000_000);
const huge: Record<string, string> = {
  brackets: "(".repeat(MEGABYTE),
  braces: "{".repeat(MEGABYTE),
  quotes: '"'.repeat(MEGABYTE),
  templates: "`${".repeat(MEGABYTE / 4),
  "one line": "a=b+1;".repeat(MEGABYTE / 6),
  "one token": "a".repeat(MEGABYTE),
  "one comment": `/*${"*".repeat(MEGABYTE)}*/`,
  blanks: " ".repeat(MEGABYTE),
  binary: Array.from({ length: MEGABYTE / 4 }, (_, i) => String.fromCharCode((i * 7_919) % 256)).join(""),
  zeros: "\0".repeat(MEGABYTE),
  surrogates: "\ud800".repeat(MEGABYTE / 4),
  "nested ifs": "if(a){".repeat(30_000),
};

for (const [row, [name, text]] of Object.entries(huge).entries()) {
  test(`${MEGABYTE} characters of ${name}`, () => {
    for (const [column, language] of ["typescript", "python"].entries()) {
      if (!isTried(2, row, column)) continue;
      const { root, basis } = documentStructureSync(text, { language });
      assert.equal(root.end, text.length);
      assert.ok(basis.path === "syntax" || basis.why === "tooHard", JSON.stringify(basis));
    }
    assert.equal(documentStructureSync("a();\nb();\n", { language: "typescript" }).root.children.length, 2);
  });
}

test("20 MB of code are folded by indentation", () => {
  const text = "function f() {\n  return 1;\n}\n".repeat(700_000);
  const { root, basis } = documentStructureSync(text, { language: "typescript" });
  assert.deepEqual(basis, { path: "indentation", why: "tooLong" });
  assert.ok(count(root) > 1_000_000);
});

test("the same document always has the same result, whatever came before it", () => {
  const text = SAMPLES.typescript!.text.repeat(20);
  const options = { language: "typescript", limits: { maxWork: 30 } };
  const first = documentStructureSync(text, options);
  for (let i = 0; i < 5; i++) {
    documentStructureSync(text + i, { language: "typescript" });
    assert.deepEqual(documentStructureSync(text, options), first);
  }
});

test("a byte order mark, mixed line ends, lone surrogates", () => {
  const text = "\ufeffimport a from 'a';\r\nconst x = '\ud800';\rlet y = 1;\n\n// \udc00 😀\nfunction f() {}\n";
  for (const profile of ["espalier", "copilot-chat"] as const) {
    const { root, basis } = documentStructureSync(text, { language: "typescript", profile });
    assert.equal(basis.path, "syntax");
    const last = root.children.at(-1)!;
    assert.equal(last.kind, "function_declaration");
    assert.ok(text.slice(last.start, last.end).includes("function f() {}"));
  }
});

test("any text in any language", () => {
  const languages = [...Object.keys(SAMPLES), "yaml", undefined];
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constantFrom("{", "}", "(", ")", "\n", "\t", "def f():", "class A {", "//", "#", "=> {", "if (", "\ud800", "😀"),
  );
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 60 }),
      fc.constantFrom(...languages),
      fc.constantFrom("espalier", "copilot-chat"),
      (words, language, profile) => {
        const text = words.join("");
        const { root } = documentStructureSync(text, {
          ...(language ? { language } : {}),
          profile: profile as "espalier",
        });
        const open = [root];
        for (let node = open.pop(); node; node = open.pop()) {
          let last = node.start;
          for (const child of node.children) {
            assert.ok(
              last <= child.start && child.start <= child.end && child.end <= node.end && Number.isInteger(child.start),
            );
            last = child.end;
            open.push(child);
          }
        }
        assert.ok(root.end <= text.length);
      },
    ),
    { numRuns: runs(400) },
  );
});

test("options that make no sense name the field", async () => {
  const refused = async (text: unknown, options: unknown, path: string) => {
    await assert.rejects(documentStructure(text as string, options as never), { path });
    assert.throws(() => documentStructureSync(text as string, options as never), { path });
  };
  await refused(undefined, {}, "text");
  await refused(7, {}, "text");
  await refused("", null, "options");
  for (const [options, path] of [
    [{ language: 7 }, "language"],
    [{ path: {} }, "path"],
    [{ profile: "x" }, "profile"],
    [{ tabSize: 0 }, "tabSize"],
    [{ tabSize: "4" }, "tabSize"],
    [{ limits: { maxBytes: -1 } }, "limits.maxBytes"],
    [{ limits: { maxWork: NaN } }, "limits.maxWork"],
    [{ limits: { maxWork: 1.5 } }, "limits.maxWork"],
    [{ tree: {} }, "tree"],
    [{ tree: null }, "tree"],
    [{ tree: { nodes: [1], kinds: [], fields: [] } }, "tree"],
  ] as const)
    await refused("x", options, `options.${path}`);
});

test("trees that belong to another text are refused", () => {
  const kinds = ["program"];
  const tree = (...numbers: number[]) => ({ nodes: Uint32Array.from(numbers), kinds, fields: [] });
  const none = 0xffff_ffff;
  const named = 0x8000_0000;
  const read = (text: string, ...numbers: number[]) =>
    documentStructureSync(text, { language: "typescript", tree: tree(...numbers) });
  assert.equal(read("abc", 0, 3, named, none, none, 1).basis.path, "syntax");
  for (const numbers of [
    [],
    [0, 4, named, none, none, 1],
    [2, 1, named, none, none, 1],
    [0, 3, named + 1, none, none, 1],
    [0, 3, named, none, none, 2],
    [0, 3],
  ]) {
    assert.throws(() => read("abc", ...numbers), { code: "bad_input", path: /^tree\.nodes/ });
  }
  // Inside a pair of surrogates, behind the end.
  assert.throws(() => read("é", 0, 9, named, none, none, 1), { code: "bad_input" });
  assert.throws(() => flattenTree({} as never), { code: "bad_input" });
});
