import resolve from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";

for (const [name, folder, options, format] of [
  ["main", "page", { browser: true }, "es"],
  ["alone", "alone", { browser: true }, "es"],
  ["server", "node", { exportConditions: ["node"] }, "es"],
  // An extension for the web.
  ["alone", "web", { browser: true }, "cjs"],
  ["web-extension", "web", { browser: true }, "cjs"],
]) {
  const external = folder === "node" ? [/^node:/] : [];
  const onwarn = (warning) => {
    throw new Error(warning.message);
  };
  const bundle = await rollup({ input: `${name}.js`, external, plugins: [resolve(options)], onwarn });
  await bundle.write({ dir: folder, format, inlineDynamicImports: true });
}
