/** The names that the entries of the package export: one name means one thing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Lists of the entries, without `prompt-tsx`, whose names are those of the library that it replaces. */
const LISTS = [
  "entries/index",
  "entries/prompt",
  "entries/tokens",
  "entries/documents",
  "entries/results",
  "entries/cache",
  "entries/storage",
  "entries/log",
  "entries/profiles",
  "entries/count",
  "entries/search",
  "entries/inline-context",
  "providers/index",
  "sessions/index",
  "sdk/ai-sdk",
  "sdk/anthropic",
  "sdk/fetch",
  "sdk/langchain",
  "sdk/mastra",
  "sdk/openai-agents",
];

test("a name that two entries export means the same in both", () => {
  const meanings = new Map<string, Map<string, string[]>>();
  for (const list of LISTS) {
    for (const [name, place] of exportsOf(join(root, "js", `${list}.ts`))) {
      const places = meanings.get(name) ?? meanings.set(name, new Map()).get(name)!;
      places.set(place, [...(places.get(place) ?? []), list]);
    }
  }
  assert.ok(meanings.size > 400, `found only ${meanings.size} names`);
  const clashes = [...meanings].filter(([, places]) => places.size > 1);
  assert.deepEqual(
    clashes.map(([name, places]) => `${name}: ${[...places].map(([place, of]) => `${place} (${of})`).join(", ")}`),
    [],
  );
});

const cache = new Map<string, Map<string, string>>();

/** Returns what a module exports: by name, where it is declared. */
function exportsOf(file: string): Map<string, string> {
  const known = cache.get(file);
  if (known) return known;
  const found = new Map<string, string>();
  cache.set(file, found);
  const source = readFileSync(file, "utf8").replace(/\/\*.*?\*\//gs, "");
  const imported = new Map<string, string>();
  const placeIn = (path: string, name: string) =>
    path.startsWith(".") ? exportsOf(join(dirname(file), path)).get(name) : `${path}#${name}`;
  for (const [, names, path] of source.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"]+)"/gm))
    for (const [name, own] of namesIn(names!)) imported.set(own, placeIn(path!, name) ?? `${path}#${name}`);
  for (const [, path] of source.matchAll(/^export \* from "([^"]+)"/gm))
    for (const [name, place] of exportsOf(join(dirname(file), path!))) found.set(name, place);
  for (const [, names, path] of source.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm))
    for (const [name, own] of namesIn(names!)) {
      const place = path === undefined ? (imported.get(name) ?? here(file, name)) : placeIn(path, name);
      assert.ok(place !== undefined, `${relative(root, file)} exports ${name}, which ${path} does not have`);
      found.set(own, place);
    }
  const DECLARATION =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm;
  for (const [, name] of source.matchAll(DECLARATION)) found.set(name!, here(file, name!));
  return found;
}

const here = (file: string, name: string) => `${relative(root, file)}#${name}`;

/** Names in braces: as the other module has them, and as they are called here. */
function namesIn(names: string): [name: string, own: string][] {
  return names
    .split(",")
    .map((item) => item.trim().replace(/^type /, ""))
    .filter((item) => item !== "")
    .map((item) => {
      const [name, own = name] = item.split(/\s+as\s+/) as [string, string?];
      return [name, own];
    });
}
