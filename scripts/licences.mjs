/**
 * Writes THIRD-PARTY.md: the licences of everything that is linked into the wasm, of the vocabularies, and of what the
 * package's JavaScript contains of others.
 */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail, output, root } from "./lib.mjs";

const TARGET = "wasm32-unknown-unknown";
/** The crates of the three engines; the others of the workspace are tools of the build. */
const ENGINES = ["espalier", "espalier-count", "espalier-workspace"];
/** Files of licences, also those of what a crate contains of others: tree-sitter has parts of ICU and of musl. */
const LICENCE = /(^|\/)(licen[cs]e|copying|notice|unlicense)[^/]*$/i;
/** Folders of a crate that are not linked. */
const NOT_LINKED = /^(tests|benches|examples|fuzz)\//;

/** Returns the crates that are linked for wasm, without macros and build scripts: name, version, licence, texts. */
function linkedCrates() {
  const tree = output("cargo", [
    "tree",
    ...ENGINES.flatMap((name) => ["--package", name]),
    "--offline",
    "--target",
    TARGET,
    "--edges",
    "normal,no-proc-macro",
    "--prefix",
    "none",
    "--format",
    "{p}",
  ]);
  const metadata = output("cargo", ["metadata", "--offline", "--format-version", "1", "--filter-platform", TARGET]);
  if (tree === undefined || metadata === undefined) fail("cargo could not list the crates that are linked");
  const linked = new Set(tree.split("\n").map((line) => line.replace(/^(\S+) v(\S+).*$/, "$1 $2")));
  const packages = JSON.parse(metadata).packages.filter(
    ({ name, version, source }) => source !== null && linked.has(`${name} ${version}`),
  );
  return packages.map(({ name, version, license, authors, manifest_path: manifest }) => {
    const folder = dirname(manifest);
    const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, path, name: file }) => join(parentPath ?? path, file).slice(folder.length + 1))
      .filter((file) => LICENCE.test(file) && !NOT_LINKED.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), "utf8").trim());
    return { name, version, license, authors, texts };
  });
}

/** What `dist/trace-page.*` contains. */
const MODULES = ["preact"];

/** Throws if a bundle contains an npm package whose licence is not printed. */
export function refuseUnlisted(inputs) {
  for (const file of inputs) {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    if (name && !MODULES.includes(name))
      throw new Error(`the package contains ${name}: list it in scripts/licences.mjs`);
  }
}

/** Returns npm packages as rows like those of crates. */
function bundledModules() {
  return MODULES.map((module) => {
    const folder = join(root, "node_modules", module);
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const texts = [readFileSync(join(folder, "LICENSE"), "utf8").trim()];
    return { name, version, license, authors: [author?.name ?? author ?? "its contributors"].flat(), texts };
  });
}

/** Returns the text of the file; equal licence texts are printed once. */
export function thirdParty() {
  const texts = new Map();
  const rows = [...linkedCrates(), ...bundledModules()]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, version, license, authors, texts: own }) => {
      const numbers = own.map((text) => texts.get(text) ?? (texts.set(text, texts.size + 1), texts.size));
      return `| ${name} ${version} | ${license ?? "see text"} | ${authors.join(", ").replaceAll("|", "/") || "-"} | ${numbers.join(", ") || "-"} |`;
    });
  const printed = [...texts].map(([text, number]) => `## Text ${number}\n\n~~~text\n${text}\n~~~`);
  return `# Third-party software

The engines (\`dist/espalier.wasm\`, \`dist/count.wasm\`, \`dist/workspace.wasm\`) contain these crates; the page of
\`HTMLTracer\` (\`dist/trace-page.*\`) contains preact. The engines also contain parts of Rust's standard library (MIT OR Apache-2.0, copyright the
Rust project's contributors; its terms are those of serde's texts), and tables made from the Unicode Character Database (the Unicode licence is among
the texts of regex-syntax). Grammars: \`dist/grammars/LICENSES.md\`.
The vocabularies o200k_base and cl100k_base are OpenAI's, published with tiktoken under the MIT licence (Copyright (c) 2022 OpenAI,
Shantanu Jain; the terms are those of LICENSE-MIT). \`espalier/prompt-tsx\` follows the interface of @vscode/prompt-tsx (MIT, Copyright (c) Microsoft Corporation).

| crate or package | licence | authors | texts |
| --- | --- | --- | --- |
${rows.join("\n")}

${printed.join("\n\n")}
`;
}
