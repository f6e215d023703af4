/**
 * The `exports` and `sideEffects` of the package, from one table.
 *
 * Conditions, in the order in which they are tried:
 * - `workerd`: Cloudflare compiles no wasm at run time, so its entries import the compiled module.
 * - `node` + `module`: a bundler that builds for Node. The entry contains its files, because a bundle has none beside
 *   it. Only bundlers know `module`; it applies to `import` and `require`, so that a bundle has one copy of every
 *   class.
 * - `bun`: Bun, whose bundler does not know `module`; a program made by `bun build --compile` is one file, too.
 * - `node`: Node itself; files are read on first use.
 * - `browser`: bundlers for pages, which follow `new URL(…, import.meta.url)`.
 * - anything else contains the engine.
 *
 * All of them share the declarations of Node: TypeScript has no `node` condition under `moduleResolution: bundler`.
 */

import { DEEP, ENTRIES, FILES, fileOf, SDKS, VARIANTS } from "./entries.mjs";

const both = (types, name) => ({
  import: { types: `./dist/types/${types}.d.ts`, default: `./dist/${name}.js` },
  require: { types: `./dist/types/${types}.d.cts`, default: `./dist/${name}.cjs` },
});
const asModule = (types, name) => ({ types: `./dist/types/${types}.d.ts`, default: `./dist/${name}.js` });

/** The same files under every condition. */
const plain = (types, name) => ({ module: asModule(types, name), ...both(types, name) });

/** An entry that loads the engine. The variants `bundle`, `web` and `workerd` are only ES modules. */
function entry({ name, list }) {
  const [node, bundle, web, workerd, inline] = VARIANTS.map((variant) => fileOf(name, variant));
  return {
    workerd: asModule(list, workerd),
    // Bun's bundler has no condition of its own.
    bun: asModule(list, bundle),
    node: { module: asModule(list, bundle), ...both(list, node) },
    browser: { import: asModule(list, web), require: both(list, inline).require },
    module: asModule(list, inline),
    ...both(list, inline),
  };
}

const entries = Object.fromEntries(ENTRIES.map((one) => [one.path, entry(one)]));
const searchWith = (encoding) => plain("entries/search", `search-${encoding}`);

const inlineWith = (encoding) => ({
  workerd: asModule("entries/all", `workerd-${encoding}`),
  ...plain("entries/all", `inline-${encoding}`),
});

/**
 * The paths of `@vscode/prompt-tsx` below an entry that replaces it. A wildcard also matches paths that end in `.js`,
 * so modules of their own are listed in both spellings.
 */
const deepPaths = (path, index) => ({
  [path]: index,
  [`${path}/dist/base/*`]: index,
  ...Object.fromEntries(
    Object.entries(DEEP).flatMap(([module, [types, file]]) =>
      ["", ".js"].map((suffix) => [`${path}/dist/base/${module}${suffix}`, plain(types, file)]),
    ),
  ),
});

/** @param grammars names of the package's grammars */
export function packageExports(grammars) {
  return {
    ...entries,
    "./inline": plain("entries/all", "inline"),
    "./inline/o200k_base": inlineWith("o200k_base"),
    "./inline/cl100k_base": inlineWith("cl100k_base"),
    "./core": plain("functions", "functions"),
    "./slim": plain("entries/all", "slim"),
    "./worker": plain("entries/worker", "worker"),
    "./count/o200k_base": {
      workerd: entries["./count"].workerd,
      ...plain("entries/count", "count-o200k_base"),
    },
    "./count/cl100k_base": {
      workerd: asModule("entries/count", "count-workerd-cl100k_base"),
      ...plain("entries/count", "count-cl100k_base"),
    },
    "./search/worker": plain("entries/search-worker", "search-worker"),
    "./search/o200k_base": searchWith("o200k_base"),
    "./search/cl100k_base": searchWith("cl100k_base"),
    "./providers": plain("providers/index", "providers"),
    "./sessions": plain("sessions/index", "sessions"),
    ...Object.fromEntries(SDKS.map((name) => [`./${name}`, plain(`sdk/${name}`, name)])),
    ...deepPaths("./prompt-tsx", entries["./prompt-tsx"]),
    ...deepPaths("./prompt-tsx/inline", plain("prompt-tsx/index", "prompt-tsx-inline")),
    "./jsx-runtime": plain("jsx/jsx-runtime", "jsx-runtime"),
    "./jsx-dev-runtime": plain("jsx/jsx-dev-runtime", "jsx-dev-runtime"),
    ...Object.fromEntries(
      ["index", ...grammars].map((name) => [
        name === "index" ? "./grammars" : `./grammars/${name}`,
        {
          workerd: { types: "./dist/types/entries/grammar.d.ts", default: `./dist/grammars/workerd-${name}.js` },
          module: { types: "./dist/types/entries/grammar.d.ts", default: `./dist/grammars/${name}.js` },
          import: { types: "./dist/types/entries/grammar.d.ts", default: `./dist/grammars/${name}.js` },
          require: { types: "./dist/types/entries/grammar.d.cts", default: `./dist/grammars/${name}.cjs` },
        },
      ]),
    ),
    ...Object.fromEntries(
      // Bundlers of workerd import these as compiled modules.
      ["espalier", "count", "workspace"].map((name) => [
        `./${name}.wasm`,
        { types: "./dist/types/wasm.d.ts", default: `./dist/${name}.wasm` },
      ]),
    ),
    "./vocab/o200k_base.vocab": "./dist/vocab/o200k_base.vocab",
    "./vocab/cl100k_base.vocab": "./dist/vocab/cl100k_base.vocab",
    "./grammars/*": "./dist/grammars/*",
    "./package.json": "./package.json",
  };
}

/** Files with effects on import: bundlers must keep them even if nothing of them is used. */
export const sideEffects = [
  ...new Set(FILES.filter(({ runs }) => runs.length > 0).map(({ file }) => file)),
  "worker",
  "search-worker",
  "*core",
  "engine-*",
  "grammars/*",
].map((name) => `./dist/${name}.*`);
