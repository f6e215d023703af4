import webpack from "webpack";

const [entry, path, target] = process.argv.slice(2);
const server = target === "node";
webpack(
  {
    mode: "production",
    target: server ? "node20" : "web",
    entry: `./${entry}.js`,
    output: { path, filename: "main.js" },
    performance: { hints: false },
  },
  (error, stats) => {
    if (error || stats.hasErrors() || stats.hasWarnings())
      throw error ?? new Error(stats.toString({ all: false, errors: true, warnings: true }));
  },
);
