/**
 * Runs the JavaScript tests. esbuild bundles the test files of a folder into one module, and each module runs in its
 * own process: starting tsx, the engine and its vocabularies takes 1.3 s, more than most of the 220 files need.
 *
 *   node tests/js/run.mjs [FOLDER...]     all folders, or the named ones, such as `calls` or `prompt/behaviour`
 */

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const output = join(root, "build", "tests");

/** Modules keep the address of their source, because tests read files beside it. The package is not bundled. */
const sources = {
  name: "sources",
  setup(plugins) {
    plugins.onResolve({ filter: /^\..*\/pkg\/dist\// }, ({ path, resolveDir }) => ({
      path: pathToFileURL(join(resolveDir, path)).href,
      external: true,
    }));
    plugins.onLoad({ filter: /\.(ts|mjs)$/ }, async ({ path }) => {
      const define = { "import.meta.url": JSON.stringify(pathToFileURL(path).href) };
      const options = { define, sourcefile: path, sourcemap: "inline", target: "node20" };
      const loader = path.endsWith(".ts") ? "ts" : "js";
      return { contents: (await transform(readFileSync(path, "utf8"), { ...options, loader })).code, loader: "js" };
    });
  },
};

/** Paths of test files with a process each: they test first use, crashes or globals, or import by computed names. */
const ALONE = ["engine/", "entries/", "errors/", "options/", "prompt/jsx", "formats/new-format"];
/** The maximum number of files in one process: the groups fill two cores evenly, and a crash fails few tests. */
const GROUP = 12;

const folders = process.argv.slice(2);
const files = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => folders.length === 0 || folders.includes(dirname(file)))
  .sort();
const unknown = folders.find((folder) => !files.some((file) => dirname(file) === folder));
if (unknown) throw new Error(`tests/js/${unknown} has no tests`);
const isAlone = (file) => ALONE.some((start) => file.startsWith(start));
const alone = files.filter(isAlone).map((file) => join(here, file));
const groups = new Map();
for (const file of files.filter((file) => !isAlone(file))) {
  const folder = dirname(file).replaceAll("/", "-");
  let part = 1;
  while (groups.get(`${folder}-${part}`)?.length === GROUP) part += 1;
  groups.set(`${folder}-${part}`, [...(groups.get(`${folder}-${part}`) ?? []), file]);
}

rmSync(output, { recursive: true, force: true });
await Promise.all(
  [...groups].map(([name, files]) =>
    build({
      stdin: { contents: files.map((file) => `import "./${file}";`).join("\n"), resolveDir: here, sourcefile: name },
      outfile: join(output, `${name}.mjs`),
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      keepNames: true,
      packages: "external",
      sourcemap: "inline",
      plugins: [sources],
      logLevel: "warning",
    }),
  ),
);
const bundles = [...groups.keys()].map((name) => join(output, `${name}.mjs`));
const isGreen = [run(["--enable-source-maps"], bundles), run(["--import", "tsx"], alone)].every(Boolean);
process.exit(isGreen ? 0 : 1);

function run(flags, modules) {
  if (modules.length === 0) return true;
  const options = [...flags, "--test", "--test-concurrency=2", "--test-reporter=spec"];
  const paths = modules.map((path) => relative(root, path));
  return spawnSync(process.execPath, [...options, ...paths], { cwd: root, stdio: "inherit" }).status === 0;
}
