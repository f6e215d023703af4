/**
 * Statements that own most of a file and do not fit: calls, objects and lists are opened, and their members are left
 * out one by one.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { errorsOf } from "./oracle.ts";
import { sound } from "./sound.ts";

const { count, summarizeDocumentSync } = espalier;

const COUNT = 14;
const each = (make: (at: number) => string) => Array.from({ length: COUNT }, (_, at) => make(at)).join("\n");
const body = (at: number, indent: string) =>
  [
    `const total${at} = await load("item-${at}", { limit: ${at} });`,
    `if (!total${at}) {`,
    `  throw new Error("nothing found for item ${at}");`,
    `}`,
    `state.items.push(total${at});`,
    `return total${at}.map((entry) => entry.value * ${at});`,
  ]
    .map((line) => indent + line)
    .join("\n");

/** A file of each kind, with lines that a summary of it shows at a sixth of its tokens, of whichever member `0`. */
const FILES: [language: string, text: string, ...shown: string[]][] = [
  [
    "typescript",
    `import { defineComponent } from "vue";\n\nexport default defineComponent({\n  name: "ItemList",\n  methods: {\n${each((at) => `    async method${at}(argument, options) {\n${body(at, "      ")}\n    },`)}\n  },\n});\n`,
    "export default defineComponent({\n",
    'name: "ItemList",\n',
    "  methods: {\n",
  ],
  [
    "typescript",
    `import { createSlice } from "@reduxjs/toolkit";\n\nexport const slice = createSlice({\n  name: "items",\n  reducers: {\n${each((at) => `    // Number ${at}.\n    reduce${at}: async (state, action: PayloadAction<Item>) => {\n${body(at, "      ")}\n    },`)}\n  },\n  extraReducers: (builder) => {\n${each((at) => `    builder.addCase(load${at}.fulfilled, async (state, action) => {\n${body(at, "      ")}\n    });`)}\n  },\n});\n\nexport const { reduce1 } = slice.actions;\n`,
    "createSlice({\n",
    "  reducers: {\n",
    "  extraReducers: (builder) => {\n",
    "export const { reduce1 }",
  ],
  [
    "javascript",
    `"use strict";\n\nmodule.exports = {\n  meta: {\n    type: "problem",\n  },\n${each((at) => `  create${at}: async function (context) {\n${body(at, "    ")}\n  },`)}\n};\n`,
    "module.exports = {\n",
    "  meta: {\n",
  ],
  [
    "javascript",
    `describe("parse", () => {\n${each((at) => `  it("reads item ${at}", async () => {\n${body(at, "    ")}\n  });`)}\n});\n`,
    'describe("parse", () => {\n',
    'it("reads item ',
  ],
  [
    "javascript",
    `(function (root) {\n  "use strict";\n${each((at) => `  async function make${at}() {\n${body(at, "    ")}\n  }`)}\n})(this);\n`,
    "(function (root) {\n",
    "})(this);",
  ],
  [
    "javascript",
    `export const routes = [\n${each((at) => `  {\n    path: "/items/${at}",\n    component: lazy(() => import("./Item${at}.js")),\n    meta: { title: "Item ${at}" },\n  },`)}\n];\n`,
    "export const routes = [\n",
    '    path: "/items/0",\n',
  ],
  [
    "typescript",
    `export interface Api {\n  items: {\n${each((at) => `    get${at}: {\n      query: { limit: number; from: string };\n      result: Item${at}[];\n      error: "none" | "gone";\n    };`)}\n  };\n}\n`,
    "  items: {\n",
    "    get0: {\n",
  ],
  [
    "python",
    `import os\n\nSETTINGS = {\n${each((at) => `    "item${at}": {\n        "path": os.path.join("a", "b${at}"),\n        "limit": ${at},\n        "handlers": ["one", "two", "three"],\n    },`)}\n}\n`,
    "SETTINGS = {\n",
    '    "item0": {\n',
  ],
  [
    "python",
    `from setuptools import setup\n\nsetup(\n    name="items",\n    classifiers=[\n${each((at) => `        "Programming Language :: Python :: 3.${at}",`)}\n    ],\n    entry_points={\n        "console_scripts": [\n${each((at) => `            "item${at} = items.main:run_${at}",`)}\n        ],\n    },\n)\n`,
    "setup(\n",
    '    name="items",\n',
  ],
  [
    "ruby",
    `RSpec.describe Item do\n${each((at) => `  describe "#method${at}" do\n    it "returns ${at}" do\n      result = item.method${at}("argument")\n      expect(result).to eq(${at})\n    end\n  end\n`)}\nend\n`,
    "RSpec.describe Item do\n",
    '  describe "#method0" do\n',
  ],
  [
    "ruby",
    `ITEMS = {\n${each((at) => `  item${at}: {\n    path: "a/b${at}",\n    limit: ${at},\n    handlers: [:one, :two, :three],\n  },`)}\n}.freeze\n`,
    "ITEMS = {\n",
    "  item0: {\n",
    "}.freeze",
  ],
  [
    "rust",
    `pub static TABLE: &[Item] = &[\n${each((at) => `    Item {\n        limit: ${at},\n        name: "item ${at}",\n        run: |x| x + ${at},\n    },`)}\n];\n`,
    "pub static TABLE: &[Item] = &[\n",
    "        limit: 0,\n",
  ],
  [
    "go",
    `package main\n\nvar handlers = map[string]func(int) error{\n${each((at) => `\t"item${at}": func(n int) error {\n\t\tif n > ${at} {\n\t\t\treturn fmt.Errorf("too many: %d", n)\n\t\t}\n\t\treturn nil\n\t},`)}\n}\n`,
    "var handlers = map[string]func(int) error{\n",
    '\t"item0": func(n int) error {\n',
  ],
  [
    "java",
    `class Table {\n  static final Item[] ITEMS = {\n${each((at) => `    new Item(\n        ${at},\n        "item ${at}",\n        List.of("one", "two", "three")),`)}\n  };\n}\n`,
    "  static final Item[] ITEMS = {\n",
    '        "item 0",\n',
  ],
  [
    "c",
    `static const struct item items[] = {\n${each((at) => `    [${at}] = {\n        .name = "item ${at}",\n        .limit = ${at},\n        .run = run_${at},\n    },`)}\n};\n`,
    "static const struct item items[] = {\n",
    '        .name = "item 0",\n',
  ],
  [
    "cpp",
    `const std::vector<Item> items = {\n${each((at) => `    {\n        "item ${at}",\n        ${at},\n        [](int n) { return n + ${at}; },\n    },`)}\n};\n`,
    "const std::vector<Item> items = {\n",
    '        "item 0",\n',
  ],
  [
    "csharp",
    `class Table {\n  static readonly Item[] Items = {\n${each((at) => `    new Item {\n      Name = "item ${at}",\n      Limit = ${at},\n    },`)}\n  };\n}\n`,
    "  static readonly Item[] Items = {\n",
    '      Name = "item 0",\n',
  ],
  [
    "php",
    `<?php\n\nreturn [\n    'default' => env('ITEMS', 'one'),\n${each((at) => `    'item${at}' => [\n        'path' => storage_path('item${at}'),\n        'limit' => ${at},\n        'handlers' => ['one', 'two', 'three'],\n    ],`)}\n];\n`,
    "return [\n",
    "    'item0' => [\n",
  ],
];

test("what owns most of a file is opened, and no more errors are read in it than before", async () => {
  for (const [language, text, ...shown] of FILES) {
    const before = await errorsOf(language, text);
    assert.equal(before, 0, text);
    for (const share of [1 / 6, 0.25, 0.4, 0.6, 0.9]) {
      const budget = Math.floor(count(text) * share);
      const summary = summarizeDocumentSync(text, { language, budget });
      sound(text, summary, { budget });
      assert.equal(await errorsOf(language, summary.text), 0, `${language}, ${budget} tokens\n${summary.text}`);
      for (const line of shown) {
        const anyMember = new RegExp(line.replace(/[()[\]{}.&*|?]/g, "\\$&").replace("0", "\\d+"));
        assert.match(summary.text, anyMember, `${language}, ${budget}`);
      }
      assert.ok(summary.tokens > budget * 0.7, `${language}: ${summary.tokens} of ${budget}\n${summary.text}`);
    }
  }
});

test("a member goes with the comment above it, and an elision names the members that it omits", () => {
  const [language, text] = FILES[1]!;
  for (let budget = 100; budget < count(text); budget += 40) {
    const { text: made } = summarizeDocumentSync(text, { language, budget });
    for (const [, at] of made.matchAll(/\/\/ Number (\d+)\.\n/g)) assert.ok(made.includes(`reduce${at}: async`), made);
  }
  const { elisions } = summarizeDocumentSync(text, { language, budget: 150 });
  assert.ok(
    elisions.some(({ names }) => names.includes("reduce2")),
    JSON.stringify(elisions),
  );
});

test("a call that is too long shows no statement without the function around it", async () => {
  const settings = Array.from({ length: 3 }, (_, at) => `  setting${at}: values.of(${at}),`).join("\n");
  const step = (at: number) => `wrap(\n  async function step${at}(first) {\n${body(at, "    ")}\n  },\n)`;
  const text = `run({\n${settings}\n},\n${Array.from({ length: COUNT }, (_, at) => step(at)).join(",\n")},\n);\n`;
  assert.equal(await errorsOf("typescript", text), 0);
  let shown = 0;
  for (let budget = 100; budget < count(text); budget += 5) {
    const { text: made } = summarizeDocumentSync(text, { language: "typescript", budget });
    assert.equal(await errorsOf("typescript", made), 0, `${budget}\n${made}`);
    for (const [, at] of made.matchAll(/state\.items\.push\(total(\d+)\)/g)) {
      shown += 1;
      assert.ok(made.includes(`function step${at}(`), `${budget}: ${at}\n${made}`);
    }
  }
  assert.ok(shown > 20);
});

/** A bundle as webpack writes it: each row of its head begins with a comment, and one statement is the whole file. */
const BUNDLE = `module.exports =\n${["(function(modules) { // bootstrap", "\tvar installed = {};", "\tfunction load(id) {", "\t\tif(installed[id]) {", "\t\t\treturn installed[id].exports;", "\t\t}", "\t\treturn modules[id].call();", "\t}", "\treturn load(0);", "})", "({"].map((row) => `/******/ ${row}`).join("\n")}\n${each((at) => `/***/ ${at}:\n/***/ (function(module, exports, load) {\n\nexports.item${at} = load(${at + 1});\nexports.limit${at} = ${at};\n\n/***/ }),`)}\n/******/ });\n`;

/** Functions whose last line begins the next statement, as compilers of modules write them. */
const SHARED = `"use strict";\n${each((at) => ` function parse${at}(limit) {\n  const found = next(limit, ${at});\n  return found || parse${(at + 1) % COUNT}(limit);\n} exports.parse${at} = parse${at};\n`)}`;

const HEADS = `#define FOR_EACH(list) \\\n${Array.from({ length: 12 }, (_, at) => `  visit(list, ${at}); \\`).join("\n")}\n  done(list)\n\nnamespace items {\n\n${each((at) => `std::shared_ptr<const Item>\nStore::find${at}(\n    const Key& key,\n    int limit)\n{\n  auto found = items_.find(key);\n  if (found == items_.end()) {\n    return nullptr;\n  }\n  return found->second;\n}\n`)}\n}  // namespace items\n`;

test("rows that need one another show together, wherever they are", async () => {
  for (const [language, text] of [
    ["javascript", BUNDLE],
    ["javascript", SHARED],
    ["cpp", HEADS],
  ] as const) {
    assert.equal(await errorsOf(language, text), 0, text);
    for (let budget = 90; budget < count(text); budget += 37) {
      for (const selection of text === SHARED ? [undefined] : [undefined, text.indexOf("7")]) {
        const options = { language, budget, ...(selection !== undefined && { selection }) };
        const summary = summarizeDocumentSync(text, options);
        sound(text, summary, options);
        assert.equal(await errorsOf(language, summary.text), 0, `${budget}, ${selection}\n${summary.text}`);
        assert.ok(summary.tokens > budget * 0.5, `${language}: ${summary.tokens} of ${budget}\n${summary.text}`);
      }
    }
  }
});
