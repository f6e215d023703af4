/**
 * The `exports` and `sideEffects` of the package, from one table.
 *
 * Conditions, in the order in which they are tried:
 * - `workerd`: Cloudflare compiles no wasm at run time, so its entries import the compiled module.
 * - `node` + `module`: a bundler that builds for Node. The entry contains its files: a bundle has none beside it.
 *   Only bundlers know `module`; it holds for `import` and `require`, so that a bundle has one copy of every class.
 * - `bun`: Bun, whose bundler does not know `module`; a program made by `bun build --compile` is one file, too.
 * - `node`: Node itself; files are read when they are first used.
 * - `browser`: bundlers for pages, which follow `new URL(…, import.meta.url)`.
 * - anything else contains the engine.
 *
 * All of them share the declarations of Node: TypeScript knows no `node` condition under `moduleResolution: bundler`.
 */

const both = (types, name) => ({
  import: { types: `./dist/types/${types}.d.ts`, default: `./dist/${name}.js` },
  require: { types: `./dist/types/${types}.d.cts`, default: `./dist/${name}.cjs` },
});
const asModule = (types, name) => ({ types: `./dist/types/${types}.d.ts`, default: `./dist/${name}.js` });

/** The same files for everybody. */
const plain = (types, name) => ({ module: asModule(types, name), ...both(types, name) });

/** An entry that looks for the engine. The names are those of files in `dist`; `web` is only an ES module. */
function entry(types, { node, bundle, web, workerd, inline }) {
  return {
    ...(workerd && { workerd: asModule(types, workerd) }),
    // Bun's bundler has no condition of its own.
    bun: asModule(types, bundle),
    node: { module: asModule(types, bundle), ...both(types, node) },
    browser: { import: asModule(types, web), require: both(types, inline).require },
    module: asModule(types, inline),
    ...both(types, inline),
  };
}

const dropIn = entry("prompt-tsx/index", {
  node: "prompt-tsx-node",
  bundle: "prompt-tsx-bundle",
  web: "prompt-tsx-web",
  workerd: "prompt-tsx-workerd",
  inline: "prompt-tsx-inline",
});

const count = entry("entries/count-inline", {
  node: "count-node",
  bundle: "count-bundle",
  web: "count-web",
  workerd: "count-workerd",
  inline: "count-inline",
});

/** An entry of the engine that searches. */
const ofWorkspace = (name) =>
  entry(`entries/${name}-node`, {
    node: `${name}-node`,
    bundle: `${name}-bundle`,
    web: `${name}-web`,
    workerd: `${name}-workerd`,
    inline: `${name}-inline`,
  });
const searchWith = (encoding) => plain(`entries/search-${encoding}`, `search-${encoding}`);

const inlineWith = (encoding) => ({
  workerd: asModule("entries/inline", `workerd-${encoding}`),
  ...plain("entries/inline", `inline-${encoding}`),
});

/** @param grammars names of the package's grammars */
export function packageExports(grammars) {
  return {
    ".": entry("entries/node", { node: "node", bundle: "bundle", web: "web", workerd: "workerd", inline: "inline" }),
    "./inline": plain("entries/inline", "inline"),
    "./inline/o200k_base": inlineWith("o200k_base"),
    "./inline/cl100k_base": inlineWith("cl100k_base"),
    "./core": plain("functions", "functions"),
    "./slim": plain("entries/slim", "slim"),
    "./worker": plain("entries/worker", "worker"),
    "./count": count,
    "./count/o200k_base": { workerd: count.workerd, ...plain("entries/count-o200k_base", "count-o200k_base") },
    "./count/cl100k_base": {
      workerd: asModule("entries/count-inline", "count-workerd-cl100k_base"),
      ...plain("entries/count-cl100k_base", "count-cl100k_base"),
    },
    "./search": ofWorkspace("search"),
    "./search/worker": plain("entries/search-worker", "search-worker"),
    "./search/o200k_base": searchWith("o200k_base"),
    "./search/cl100k_base": searchWith("cl100k_base"),
    "./inline-context": ofWorkspace("inline-context"),
    "./providers": plain("providers/index", "providers"),
    "./sessions": plain("sessions/index", "sessions"),
    "./prompt-tsx": dropIn,
    "./prompt-tsx/inline": plain("prompt-tsx/index", "prompt-tsx-inline"),
    "./prompt-tsx/dist/base/*": dropIn,
    "./prompt-tsx/dist/base/output/rawTypes": plain("formats/raw/prompt", "raw"),
    "./prompt-tsx/dist/base/output/openaiTypes": plain("formats/openai/prompt-types", "openai-types"),
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
    "./espalier.wasm": "./dist/espalier.wasm",
    "./count.wasm": "./dist/count.wasm",
    "./workspace.wasm": "./dist/workspace.wasm",
    "./vocab/o200k_base.vocab": "./dist/vocab/o200k_base.vocab",
    "./vocab/cl100k_base.vocab": "./dist/vocab/cl100k_base.vocab",
    "./grammars/*": "./dist/grammars/*",
    "./package.json": "./package.json",
  };
}

/** Files that do something when they are imported: bundlers keep them although nothing of them is used. */
export const sideEffects = [
  "node",
  "bundle",
  "web",
  "worker",
  "workerd*",
  "inline*",
  "core",
  "count-*",
  "workspace-*",
  "search-*",
  "inline-context-*",
  "prompt-tsx-*",
  "grammars/*",
].map((name) => `./dist/${name}.*`);
