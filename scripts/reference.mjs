/**
 * `npm run reference`: the API reference in build/reference, with the pages of docs/. It is made from the package's
 * declarations: every entry of `exports` is a module. Fails if a warning remains: a type that a page names and no entry
 * exports, a link that leads nowhere, a function or class without documentation.
 */

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPackage } from "./build.mjs";
import { installed } from "./installed.mjs";
import { build, cached, hash, root, step } from "./lib.mjs";
import { setUp } from "./setup.mjs";

const pkg = join(root, "pkg");
export const reference = join(build, "reference");

/**
 * Types without a page. Those of hosts (VS Code, Monaco, a database) declare only what the package uses of their
 * objects: a host passes its own. The others are parts of types that have a page, and occur nowhere else.
 */
const WITHOUT_PAGE = JSON.parse(readFileSync(new URL("reference/without-page.json", import.meta.url), "utf8"));
/** The pages that a reader needs first; the others follow by their names. */
const FIRST = ["getting-started.md", "install.md", "glossary.md"];
/** The drop-in entry has names of another library, which documents them; the engine says itself what it counts with. */
const FOREIGN = /^espalier\/prompt-tsx|^espalier\/core hasEncoding$/;

export function buildReference() {
  const inputs = hash(["pkg/dist/types", "pkg/docs", "pkg/README.md", "scripts/reference.mjs", "scripts/reference"]);
  return cached("reference", inputs, [join(reference, "index.html")], generate);
}

async function generate() {
  const { modules } = installed(fileURLToPath(new URL("reference/package.json", import.meta.url)), "reference");
  const typedoc = await import(pathToFileURL(join(modules, "typedoc", "dist", "index.js")).href);
  const entries = declaredEntries();
  const pages = readdirSync(join(pkg, "docs")).filter((name) => !FIRST.includes(name));
  const documents = [...FIRST, ...pages].map((name) => join(pkg, "docs", name));
  const tsconfig = join(build, "reference.tsconfig.json");
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: [...entries.values()] }));
  const app = await typedoc.Application.bootstrap({
    name: "Espalier",
    entryPoints: [...entries.values()],
    tsconfig,
    basePath: pkg,
    readme: join(pkg, "README.md"),
    projectDocuments: documents,
    disableSources: true,
    hideGenerator: true,
    searchInDocuments: true,
    excludePrivate: true,
    excludeInternal: true,
    sortEntryPoints: false,
    githubPages: false,
    intentionallyNotExported: WITHOUT_PAGE,
    highlightLanguages: ["html", "javascript", "json", "jsonc", "jsx", "shellscript", "tsx", "typescript"],
    markdownItLoader: ({ core }) => core.ruler.push("code-in-headings", plainHeadings),
    logLevel: "Warn",
  });
  // Comments name functions of other modules than those that their file imports.
  app.converter.addUnknownSymbolResolver(({ symbolReference }, { project }, comment) =>
    comment ? named(project, symbolReference) : undefined,
  );
  const project = await app.convert();
  if (!project) throw new Error("typedoc could not read the declarations");
  const names = [...entries.keys()];
  const folders = project.children.filter(({ kind }) => kind === typedoc.ReflectionKind.Module);
  for (const [index, module] of folders.entries()) module.name = names[index];
  for (const page of project.documents ?? []) page.name = titleOf(join(pkg, `${page.name}.md`));
  app.validate(project);
  for (const module of folders)
    for (const name of undocumented(module, typedoc.ReflectionKind))
      app.logger.warn(`${name} of ${module.name} has no documentation`);
  rmSync(reference, { recursive: true, force: true });
  await app.generateDocs(project, reference);
  const { warningCount, errorCount } = app.logger;
  if (warningCount + errorCount > 0)
    throw new Error(`The reference has ${warningCount} warnings and ${errorCount} errors.`);
}

const compilerOptions = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: true,
  types: [],
};

/** Returns the declarations of the package's entries, by the name of the first entry that has them. */
export function declaredEntries() {
  const { exports } = JSON.parse(readFileSync(join(pkg, "package.json"), "utf8"));
  const typesOf = (value) => {
    if (typeof value === "string") return undefined;
    return typeof value.types === "string" ? value.types : Object.values(value).map(typesOf).find(Boolean);
  };
  const files = new Map();
  for (const [path, value] of Object.entries(exports)) {
    const types = typesOf(value)?.replace(/\.d\.cts$/, ".d.ts");
    const file = types && join(pkg, types);
    if (file && !path.includes("*") && ![...files.values()].includes(file))
      files.set(path.replace(/^\./, "espalier"), file);
  }
  return files;
}

/** Returns the first heading of a page. */
const titleOf = (file) => /^# (.*)$/m.exec(readFileSync(file, "utf8"))[1].replaceAll("`", "");

/** Makes code in headings plain text: typedoc leaves code out of anchors and of the list of headings. */
function plainHeadings({ tokens }) {
  for (const [index, { type }] of tokens.entries()) {
    if (type !== "heading_open") continue;
    for (const part of tokens[index + 1].children) if (part.type === "code_inline") part.type = "text";
  }
}

/** Returns what a link names: an export of any module, or a member of one. */
function named(project, reference) {
  const [first, ...members] = (reference?.path ?? []).map(({ path }) => path);
  const exported = project.children
    .flatMap((module) => module.children ?? [])
    .find((one) => one.name === first && !one.isReference());
  const target = members.reduce((at, name) => at?.getChildByName([name]), exported);
  return target && { target };
}

/** Returns the functions, classes and constants of a module that have no doc comment. */
function undocumented(module, kinds) {
  return (module.children ?? [])
    .filter((one) => one.kindOf([kinds.Function, kinds.Class, kinds.Variable]) && !one.isReference())
    .filter((one) => !one.hasComment() && !one.signatures?.some((signature) => signature.hasComment()))
    .map(({ name }) => name)
    .filter((name) => !FOREIGN.test(`${module.name} ${name}`));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUp();
  await buildPackage();
  await step("The API reference in build/reference", buildReference);
}
