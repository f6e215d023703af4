/** Links of the documentation lead somewhere, and the names and paths in it exist. The check `docs` runs its code. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

/** The package's README is read where its links lead somewhere: in the built package. */
const guides = ["README.md", "pkg/README.md", "CONTRIBUTING.md", "SECURITY.md", ...markdownIn("docs")];
const documents = [
  ...guides,
  "CHANGELOG.md",
  "benches/README.md",
  "benches/retention/board.md",
  "examples/README.md",
  "examples/vscode-extension/README.md",
  "tests/host/README.md",
  ...readdirSync(join(root, "js")).flatMap((folder) => markdownIn(`js/${folder}`)),
];

test("every link leads to a file, and every #anchor to a heading of it", () => {
  for (const page of documents) {
    for (const { target, line } of linksOf(read(page))) {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : relative(root, join(root, dirname(page), path));
      const place = `${page}:${line}: ${target}`;
      assert.ok(existsSync(join(root, file)), `${place} leads to no file`);
      if (anchor === undefined) continue;
      assert.ok(file.endsWith(".md"), `${place} has an anchor in a file without headings`);
      assert.ok(anchorsOf(read(file)).includes(anchor), `${place}: ${file} has no such heading`);
    }
  }
});

test("every page of docs/ is linked from README.md or from another page", () => {
  const linked = new Set(
    documents.flatMap((page) => linksOf(read(page)).map(({ target }) => join(dirname(page), target.split("#")[0]!))),
  );
  for (const name of readdirSync(join(root, "docs"))) {
    assert.ok(linked.has(`docs/${name}`), `no page links to docs/${name}`);
  }
});

test("entries that the documentation names are exports of the package", () => {
  const { exports } = JSON.parse(read("pkg/package.json")) as { exports: object };
  const entries = Object.keys(exports).map((path) => path.replace(/^\./, "espalier"));
  for (const page of guides) {
    for (const [, name] of read(page).matchAll(/["`](espalier(?:\/[\w.-]+)+)["`]/g)) {
      const exists = entries.includes(name!) || /^espalier\/(grammars\/|shim$)/.test(name!);
      assert.ok(exists, `${page}: the package has no entry ${name}`);
    }
  }
});

/** Names of other systems, of the web and of JavaScript that are in no file of ours. */
const FOREIGN = new Set([
  "AnyTokenizer",
  "FunctionMessage",
  "toVsCodeChatMessages",
  "BaseImageMessage",
  "startOn",
  "endOn",
  "allowPartial",
  "tokenCounter",
  "includeSystem",
  "pruneMessages",
  "emptyMessages",
  "countTokens",
  "encodeChat",
  "isWithinTokenLimit",
  "encodeGenerator",
  "decodeGenerator",
  "decodeAsyncGenerator",
  "estimateCost",
  "setMergeCacheSize",
  "clearMergeCache",
  "disallowedSpecial",
  "nodeResolve",
  "setupFiles",
  "inlineDependencies",
  "noExternal",
  "BuiltInAgent",
  "StateGraph",
  "RemoveMessage",
  "createMemory",
  "createOpenAI",
  "createOpenaiChat",
  "createOpenaiChatCompletions",
  "openAI",
]);

test("names in code font occur in the sources", () => {
  const words = new Set(
    ["js", "src", "core/src", "count/src", "search/src", "inline/src", "workspace/src", "scripts", "pkg-template"]
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
      )
      .filter((path) => /\.(ts|tsx|rs|mjs|json)$/.test(path))
      .flatMap((path) => read(path).match(/\w+/g) ?? []),
  );
  const dead = guides.flatMap((page) =>
    [...proseOf(read(page)).matchAll(/`([A-Za-z][\w.]*[a-z][A-Z]\w*)[`(]/g)]
      .flatMap(([, name]) => name!.split("."))
      .filter((name) => !words.has(name) && !FOREIGN.has(name))
      .map((name) => `${page}: ${name}`),
  );
  assert.deepEqual(dead, []);
});

test("paths of the repository in code font exist", () => {
  const top = readdirSync(root).filter((name) => statSync(join(root, name)).isDirectory() && !name.startsWith("."));
  const sources = top.filter((name) => !["build", "node_modules", "pkg", "target"].includes(name));
  const pattern = new RegExp(`\`((?:${sources.join("|")}|\\.ci)/[\\w./-]*)\``, "g");
  for (const page of ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"]) {
    for (const [, path] of proseOf(read(page)).matchAll(pattern)) {
      assert.ok(existsSync(join(root, path!)), `${page}: there is no ${path}`);
    }
  }
});

test("links and anchors are found outside of code blocks", () => {
  const text = "# A title: `code` & more\n\n[a](b.md#c), [web](https://x.y)\n```js\n[no](link.md)\n```\n";
  assert.deepEqual(linksOf(text), [{ target: "b.md#c", line: 3 }]);
  assert.deepEqual(anchorsOf(text), ["a-title-code--more"]);
});

/** Links of a page within the repository; links into the web are left out. */
function linksOf(text: string): { target: string; line: number }[] {
  return proseOf(text)
    .split("\n")
    .flatMap((content, index) =>
      [...content.matchAll(/\]\(([^()\s]+)\)/g)]
        .map(([, target]) => ({ target: target!, line: index + 1 }))
        .filter(({ target }) => !/^[a-z]+:/.test(target)),
    );
}

/** Anchors of a page's headings, by GitHub's rule. */
function anchorsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}

/** The text with its code blocks blanked, so that line numbers stay. */
function proseOf(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""));
}
