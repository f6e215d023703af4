import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * How a project resolves declarations, and the kind of its files: `.ts` follows the `type` of package.json, `.cts` is
 * CommonJS.
 */
const SETUPS = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "node16", moduleResolution: "node16" },
  { module: "esnext", moduleResolution: "bundler" },
  { module: "preserve", moduleResolution: "bundler", jsx: "react-jsx", jsxImportSource: "espalier" },
  { module: "commonjs", moduleResolution: "node10" },
];

export default async function check({ folder, ran }) {
  const common = {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022", "dom"],
    types: ["node"],
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: false,
    jsx: "react",
    jsxFactory: "vscpp",
    jsxFragmentFactory: "vscppf",
  };
  for (const [index, setup] of SETUPS.entries()) {
    const { jsxImportSource, moduleResolution } = setup;
    const compilerOptions = { ...common, ...setup };
    if (jsxImportSource) for (const name of ["jsxFactory", "jsxFragmentFactory"]) delete compilerOptions[name];
    const files = [
      "use.ts",
      jsxImportSource ? "prompt.tsx" : "classic.tsx",
      ...(moduleResolution.startsWith("node1") || moduleResolution === "nodenext" ? ["use.cts"] : []),
    ];
    const config = `tsconfig.${index}.json`;
    writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, files }));
    await ran("tsc", ["-p", config]);
  }
}
