import resolve from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";

for (const [name, folder, options] of [
  ["main", "page", { browser: true }],
  ["alone", "alone", { browser: true }],
  ["server", "node", { exportConditions: ["node"] }],
]) {
  const external = folder === "node" ? [/^node:/] : [];
  const onwarn = (warning) => {
    throw new Error(warning.message);
  };
  const bundle = await rollup({ input: `${name}.js`, external, plugins: [resolve(options)], onwarn });
  await bundle.write({ dir: folder, format: "es", inlineDynamicImports: true });
}
