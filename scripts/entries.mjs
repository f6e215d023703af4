/**
 * The public entries of the package that need an engine, and the variants of each: an entry is a list of exports, and a
 * variant is that list after a module that registers where the engine is. `bundles.mjs` writes them, `exports.mjs`
 * names them.
 */

/** The places of an engine: see the conditions in exports.mjs. */
export const VARIANTS = ["node", "bundle", "web", "workerd", "inline"];

/** Variants with Node's files. */
export const ON_DISK = ["node", "bundle"];

/** Variants that only exist as ES modules. */
export const ONLY_MODULES = ["bundle", "web", "workerd"];

/** Path, list below `js/` and chunk of each entry. */
export const ENTRIES = [
  { path: ".", name: "index", list: "entries/index", chunk: "core" },
  ...["prompt", "tokens", "documents", "results", "cache", "bill", "storage", "log", "profiles"].map((name) => ({
    path: `./${name}`,
    name,
    list: `entries/${name}`,
    chunk: "core",
  })),
  { path: "./prompt-tsx", name: "prompt-tsx", list: "prompt-tsx/index", chunk: "core" },
  { path: "./langchain", name: "langchain", list: "sdk/langchain", chunk: "core" },
  { path: "./count", name: "count", list: "entries/count", chunk: "count" },
  { path: "./search", name: "search", list: "entries/search", chunk: "workspace" },
  { path: "./inline-context", name: "inline-context", list: "entries/inline-context", chunk: "workspace" },
];

/** Modules of `@vscode/prompt-tsx` whose names are not those of its index: list below `js/` and file of each. */
export const DEEP = {
  "output/rawTypes": ["formats/raw/prompt", "raw"],
  "output/openaiTypes": ["formats/openai/prompt-types", "openai-types"],
  "util/vs/common/uri": ["prompt-tsx/uri", "uri"],
};

/** Entries for loops of other SDKs that need no engine: their host passes a conversation. */
export const SDKS = ["ai-sdk", "openai-agents", "anthropic", "mastra", "fetch"];

const vocabularies = ["o200k_base", "cl100k_base"];
const ALL = { list: "entries/all", chunk: "core" };

/** The file of an entry's variant in `dist`. */
export const fileOf = (name, variant) => `${name}-${variant}`;

/** The files of all entries: the list of each, its chunk, and the modules that it imports for their effects. */
export const FILES = [
  ...ENTRIES.flatMap(({ name, list, chunk }) =>
    VARIANTS.map((variant) => ({ file: fileOf(name, variant), list, chunk, variant, runs: [`${chunk}-${variant}`] })),
  ),
  { file: "slim", ...ALL, variant: "inline", runs: [] },
  { file: "inline", ...ALL, variant: "inline", runs: ["core-inline"] },
  ...vocabularies.flatMap((encoding) => [
    { file: `inline-${encoding}`, ...ALL, variant: "inline", runs: ["core-inline", encoding] },
    { file: `workerd-${encoding}`, ...ALL, variant: "workerd", runs: ["core-workerd", encoding] },
    withVocabulary("count", "inline", encoding),
    withVocabulary("search", "inline", encoding),
  ]),
  { ...withVocabulary("count", "workerd", "cl100k_base"), file: "count-workerd-cl100k_base" },
];

/** Returns a variant of an entry that contains a vocabulary. */
function withVocabulary(wanted, variant, encoding) {
  const { name, list, chunk } = ENTRIES.find((entry) => entry.name === wanted);
  return { file: `${name}-${encoding}`, list, chunk, variant, runs: [`${chunk}-${variant}`, encoding] };
}
