/**
 * Classes keep their names in the files that are shipped: people see them in consoles, traces and
 * `error.constructor.name`.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

const FILES = [
  "index-node.js",
  "index-node.cjs",
  "slim.js",
  "prompt-tsx-node.js",
  "prompt-tsx-node.cjs",
  "providers.js",
  "providers.cjs",
  "sessions.js",
  "sessions.cjs",
  "count-node.js",
  "count-node.cjs",
  "search-node.js",
  "search-node.cjs",
  "raw.js",
];

/** Exported under another name than their own. */
const RENAMED: Record<string, string> = {};

function isClass(value: unknown): value is Function {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}

/** Every class that a module exports, in its namespaces too. */
function classes(module: object, prefix = ""): [string, Function][] {
  return Object.entries(module).flatMap(([name, value]): [string, Function][] => {
    if (isClass(value)) return [[`${prefix}${name}`, value]];
    const isNamespace =
      typeof value === "object" &&
      value !== null &&
      (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === "Module";
    return isNamespace ? classes(value as object, `${prefix}${name}.`) : [];
  });
}

for (const file of FILES) {
  test(`classes of ${file} have the names that they are exported under`, async () => {
    const module = (await import(new URL(`../../../pkg/dist/${file}`, import.meta.url).href)) as Record<
      string,
      unknown
    >;
    const found = classes(module).filter(([name]) => !name.startsWith("default") && !name.startsWith("module.exports"));
    const wrong = found
      .filter(([name, { name: own }]) => own !== (RENAMED[name] ?? name.split(".").at(-1)))
      .map(([name, { name: own }]) => `${name} is ${own}`);
    assert.deepEqual(wrong, []);
    if (/^(slim|prompt-tsx)/.test(file)) assert.ok(found.length > 15, `${found.length} classes`);
  });
}

test("classes of useKeepWith have a name, for errors and traces", async () => {
  for (const file of FILES.filter((name) => /^(slim|prompt-tsx)/.test(name))) {
    const { useKeepWith } = (await import(new URL(`../../../pkg/dist/${file}`, import.meta.url).href)) as {
      useKeepWith(): Function;
    };
    assert.equal(useKeepWith().name, "KeepWith", file);
  }
});
