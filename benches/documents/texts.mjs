// Texts to summarise: real files, and generated ones of any size.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const SKIPPED = /^(node_modules|target|pkg|build|\..*)$/;

/** Returns all files below some folders of the repository. */
export function files(...folders) {
  const walk = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
      const path = join(folder, item.name);
      return SKIPPED.test(item.name) ? [] : item.isDirectory() ? walk(path) : [path];
    });
  return folders.flatMap((folder) => walk(join(root, folder))).sort();
}

/**
 * Returns one TypeScript file of at least this number of lines: from the fixtures and our own sources, those with short
 * lines first (foreign ones are shorter).
 */
export function sources(lines) {
  const named = [...files("tests/fixtures/sources"), ...files("js", "tests/js")].filter((file) => file.endsWith(".ts"));
  const texts = named.map((file) => readFileSync(file, "utf8")).filter((text) => !text.startsWith("#!"));
  const length = (text) => text.length / text.split("\n").length;
  let all = "";
  for (const text of texts.sort((one, other) => length(one) - length(other))) {
    if (all.split("\n").length > lines) break;
    all += text;
  }
  return all;
}

export const functions = (count) =>
  Array.from({ length: count }, (_, i) => `function f${i}(a) {\n  return a + ${i};\n}\n`).join("");
export const nested = (depth) => `${"if (a) {\n".repeat(depth)}x();\n${"}\n".repeat(depth)}`;
