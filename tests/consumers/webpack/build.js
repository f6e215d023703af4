import webpack from "webpack";

const [entry, path, target] = process.argv.slice(2);
const server = target === "node";
/** The page as an ES module, as Rspack, Angular and libraries make it. */
const asModule = { experiments: { outputModule: true }, output: { path, filename: "main.js", module: true } };
webpack(
  {
    mode: "production",
    target: server ? "node20" : "web",
    entry: `./${entry}.js`,
    output: { path, filename: "main.js", ...(entry === "extension" && { libraryTarget: "commonjs2" }) },
    performance: { hints: false },
    ...(target === "module" && asModule),
  },
  (error, stats) => {
    if (error || stats.hasErrors() || stats.hasWarnings())
      throw error ?? new Error(stats.toString({ all: false, errors: true, warnings: true }));
  },
);
