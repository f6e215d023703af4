/** What docs/architecture.md says of the folders and of what imports what is true of the sources. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const page = read("docs/architecture.md");

const foldersIn = (folder: string) =>
  readdirSync(join(root, folder))
    .map((name) => join(folder, name))
    .filter((path) => statSync(join(root, path)).isDirectory());
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));

/** The part of the page under a heading. */
function section(heading: string): string {
  const start = page.indexOf(`## ${heading}\n`);
  assert.ok(start >= 0, `docs/architecture.md has no section "${heading}"`);
  const end = page.indexOf("\n## ", start);
  return page.slice(start, end < 0 ? undefined : end);
}

const mapped = section("The map")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => [...line.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!));

test("the map names every folder of js/, src/ and core/src/, and no other", () => {
  const folders = ["js", "src", "core/src"].flatMap(foldersIn);
  assert.deepEqual(
    folders.filter((folder) => !mapped.includes(folder)),
    [],
    "folders that are not in the map",
  );
  for (const path of mapped) assert.ok(existsSync(join(root, path)), `the map names ${path}, which does not exist`);
});

test("every folder opens with what comes in, what goes out and where to start", () => {
  for (const folder of ["src", "core/src"].flatMap(foldersIn)) {
    const header =
      read(`${folder}/mod.rs`)
        .match(/^\/\/!.*$/gm)
        ?.join("\n") ?? "";
    assertOpens(`${folder}/mod.rs`, header);
  }
  for (const folder of foldersIn("js")) {
    const readme = `${folder}/README.md`;
    const header = existsSync(join(root, readme))
      ? read(readme)
      : (/^\/\*\*.*?\*\//s.exec(read(`${folder}/index.ts`))?.[0] ?? "");
    assertOpens(folder, header);
  }
});

function assertOpens(place: string, header: string) {
  for (const word of ["In:", "Out:", "Start"]) assert.ok(header.includes(word), `${place} does not say "${word}"`);
}

test("files that a folder's README.md names are there", () => {
  for (const folder of foldersIn("js").filter((path) => existsSync(join(root, path, "README.md")))) {
    for (const [, name] of read(`${folder}/README.md`).matchAll(/`([\w./-]+\.(?:ts|tsx|rs|md))`/g)) {
      const exists = existsSync(join(root, folder, name!)) || existsSync(join(root, name!));
      assert.ok(exists, `${folder}/README.md names ${name}, which does not exist`);
    }
  }
});

test("modules of Rust import from lower layers only", () => {
  const layers = section("What depends on what")
    .split("\n")
    .filter((line) => /^\d+\. /.test(line))
    .map((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  const layerOf = new Map(layers.flatMap((names, layer) => names.map((name) => [name, layer] as const)));
  const found: string[] = [];
  for (const folder of ["src", "core/src"]) {
    for (const file of filesIn(folder, /\.rs$/)) {
      const module = relative(folder, file).split("/")[0]!.replace(/\.rs$/, "");
      if (module === "lib") continue;
      const own = layerOf.get(module);
      assert.ok(own !== undefined, `docs/architecture.md has no layer for the module ${module}`);
      for (const name of modulesOf(read(file))) {
        const layer = layerOf.get(name);
        if (name !== module && layer !== undefined && layer <= own) found.push(`${file} imports ${name}`);
      }
    }
  }
  assert.deepEqual(found, []);
});

/** Modules of the crate that a file names outside of comments and tests. */
function modulesOf(text: string): string[] {
  const code = text.split("#[cfg(test)]")[0]!.replace(/^\s*\/\/.*$/gm, "");
  const single = [...code.matchAll(/\bcrate::(\w+)/g)].map(([, name]) => name!);
  const groups = [...code.matchAll(/\bcrate::\{([^;]*)\};/g)].flatMap(([, names]) =>
    names!
      .replace(/\{[^{}]*\}/g, "")
      .split(",")
      .map((name) => name.trim().split("::")[0]!),
  );
  return [...single, ...groups];
}

test("only the bindings know JavaScript", () => {
  for (const folder of ["src", "core/src", "search/src", "inline/src"]) {
    for (const file of filesIn(folder, /\.rs$/)) {
      if (file.startsWith("src/bindings/")) continue;
      assert.doesNotMatch(read(file), /\b(js_sys|wasm_bindgen)::/, file);
    }
  }
});

test("the core reads no clock, file, environment or random number", () => {
  for (const folder of ["src", "core/src", "search/src", "inline/src"]) {
    for (const file of filesIn(folder, /\.rs$/)) {
      const code = read(file)
        .split("#[cfg(test)]")[0]!
        .replace(/^\s*\/\/.*$/gm, "");
      assert.doesNotMatch(code, /\bstd::(time|fs|net|env|thread|process)\b|\brand::|\bfastrand::/, file);
    }
  }
});

test("folders of js/ that import nothing of the package stay so", () => {
  const line = section("What depends on what").match(/^In `js\/`, (.*?) import no other folder/ms);
  assert.ok(line);
  const leaves = [...line[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  for (const leaf of leaves) {
    for (const file of filesIn(`js/${leaf}`, /\.ts$/)) {
      for (const [, path] of read(file).matchAll(/^import (?!type).*?"(\.[^"]+)"/gms)) {
        const target = relative("js", join(dirname(file), path!));
        assert.ok(target.startsWith(`${leaf}/`), `${file} imports js/${target}`);
      }
    }
  }
});

test("js/ has folders only, and no module is named as a folder beside it", () => {
  const files = filesIn("js", /\.tsx?$/);
  assert.deepEqual(
    files.filter((file) => dirname(file) === "js" || existsSync(join(root, file.replace(/\.tsx?$/, "")))),
    [],
  );
});

test("no module of js/ imports itself through others", () => {
  const files = filesIn("js", /(?<!\.d)\.tsx?$/);
  const imports = new Map(files.map((file) => [file, importsOf(file).filter((path) => files.includes(path))]));
  assert.ok([...imports.values()].flat().length > files.length, "imports are found at all");
  // Modules that import only finished modules are finished; the modules that remain import themselves.
  const left = new Map(imports);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [file, paths] of left) if (!paths.some((path) => left.has(path))) left.delete(file);
  }
  assert.deepEqual([...left.keys()], []);
});

/** The modules of the package that a module imports when it runs, or exports again. Types are gone by then. */
function importsOf(file: string): string[] {
  const statements = read(file).matchAll(/^(?:import|export)\b(?! type\b)(?:[^"';]*?\bfrom)?\s*"(\.[^"]+)"/gm);
  return [...statements].map(([, path]) => join(dirname(file), path!));
}
