/** Source files and their grammars. */

import { espalier as e } from "../built.ts";
import type { Entry } from "./entry.ts";

const CODE = "export function add(a: number, b: number) {\n  const sum = a + b;\n  return sum;\n}\n";
const DIFF = "@@ -2,1 +2,1 @@\n-  const sum = a - b;\n+  const sum = a + b;\n";

export const DOCUMENTS: readonly Entry[] = [
  {
    name: "summarizeDocument",
    args: () => [CODE, { budget: 10, path: "a.ts" }],
    run: (text, options) => e.summarizeDocument(text, options).then(({ text }) => text),
    options:
      "unit encoding model lineNumbers marker imports profile copilotChat signal selection comments language tabSize limits",
  },
  {
    name: "summarizeDocumentSync",
    args: () => [CODE, { budget: 10, language: undefined }],
    run: (text, options) => e.summarizeDocumentSync(text, options).text,
    options:
      "unit encoding model lineNumbers marker imports profile copilotChat signal selection comments path tabSize limits",
  },
  {
    name: "summarizeDocuments",
    args: () => [[{ text: CODE }], { budget: 10 }],
    run: (documents, options) => e.summarizeDocuments(documents, options).then(({ tokens }) => tokens),
    options: "unit encoding model lineNumbers marker imports profile copilotChat signal",
  },
  {
    name: "documentStructure",
    args: () => [CODE, {}],
    run: (text, options) => e.documentStructure(text, options),
    options: "language path tabSize limits tree signal profile",
  },
  {
    name: "documentStructureSync",
    args: () => [CODE, {}],
    run: (text, options) => e.documentStructureSync(text, options),
    options: "language path tabSize limits tree profile",
  },
  {
    name: "outline",
    args: () => [CODE, { path: "a.ts" }],
    run: (text, options) => e.outline(text, options),
    options: "language tabSize limits budget lineNumbers encoding signal",
  },
  {
    name: "repositoryMap",
    args: () => [[{ path: "a.ts", text: CODE }], { budget: 100 }],
    run: (files, options) => e.repositoryMap(files, options),
    options: "mentioned focus encoding signal",
  },
  { name: "parseDiff", args: () => [DIFF], run: e.parseDiff },
  {
    name: "reduceChanges",
    args: () => [{ files: [{ path: "a.ts", text: CODE, diff: DIFF }], budget: 100 }],
    run: e.reduceChanges,
    options: "unit overhead lineNumbers wording maxBatches encoding signal",
  },
  {
    name: "reduceCompatible",
    args: () => [{ files: [{ path: "a.ts", text: CODE, diff: DIFF }], budget: 100 }],
    run: e.reduceCompatible,
    options: "unit maxBatches encoding signal",
  },
  {
    name: "flattenTree",
    args: () => [
      {
        walk: () => ({
          nodeType: "a",
          nodeIsNamed: true,
          startIndex: 0,
          endIndex: 1,
          currentFieldName: null,
          gotoFirstChild: () => false,
          gotoNextSibling: () => false,
          gotoParent: () => false,
        }),
      },
    ],
    run: e.flattenTree,
  },
  { name: "languageOf", args: () => ["a.ts"], run: e.languageOf },
  { name: "hasGrammar", args: () => ["typescript"], run: e.hasGrammar },
  { name: "loadGrammarSync", args: () => ["typescript", undefined], run: e.loadGrammarSync },
  { name: "loadGrammar", args: () => ["typescript", undefined], run: e.loadGrammar },
  { name: "registerGrammar", args: () => [{ language: "toy", grammar: new Uint8Array(4) }], run: e.registerGrammar },
];
