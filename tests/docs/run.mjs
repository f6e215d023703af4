/**
 * Runs the documentation: every code block of both README.md, of docs/*.md and of the doc comments in js/.
 *
 *   node tests/docs/run.mjs [place...] only blocks whose place begins so, such as `docs/counting.md` or
 *   `js/calls/api.ts:34`
 *
 * - `expression; // => value` asserts that the expression equals the value (`=> /pattern/`: that its text matches).
 *   Every block asserts a result; a block of a doc comment imports what it uses.
 * - `# => text` under a shell command asserts that its output contains the text.
 * - `<!-- before`, lines, `-->` above a block of Markdown are lines that run before it; `<!-- after` ones run after it.
 *   `<!-- not run: reason -->` leaves a block out.
 *
 * Blocks run in one process against the built package, in a copy of `fixtures/`; commands run beside them. Requests to
 * the providers' own addresses reach the scripted model of tests/server; `vscode` is the module in `vscode/`, and
 * page.mjs provides what only a page has. Afterwards `tsc` checks all blocks, and sdks.ts, against the types of the
 * SDKs in package.json.
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import { answer, modelServer, SUMMARY } from "../server/model.mjs";
import { installed } from "../../scripts/installed.mjs";
import { installSdks, linkPackages } from "../sdk/install.mjs";
import { providePage } from "./page.mjs";
import { blocksOf, commentsOf, fault, tested } from "./blocks.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const here = join(root, "tests/docs");
const build = join(here, "build");

install();
const markdown = [
  "README.md",
  "pkg-template/README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const sources = readdirSync(join(root, "js"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => `js/${name}`);
const all = [
  ...markdown.flatMap((file) => blocksOf(file, readFileSync(join(root, file), "utf8"))),
  ...sources.flatMap((file) => commentsOf(file, readFileSync(join(root, file), "utf8"))),
];
const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? all : all.filter(({ place }) => wanted.some((start) => place.startsWith(start)));
const blocks = chosen.filter(({ skipped }) => !skipped);
const failures = [];

rmSync(build, { recursive: true, force: true });
mkdirSync(build, { recursive: true });
const server = await modelServer();
// One answer serves a summary and a chat alike.
server.script(answer({ text: `<summary>\n${SUMMARY}\n</summary>` }));
const shim = join(build, "bin");
mkdirSync(shim);
writeFileSync(
  join(shim, "npx"),
  `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(root, "pkg/dist/cli.js")}" "$@"\n`,
);
chmodSync(join(shim, "npx"), 0o755);
process.env.DOCS_SERVER = server.url;
Object.assign(process.env, { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", OPENAI_AGENTS_DISABLE_TRACING: "1" });
const redirect = pathToFileURL(join(here, "redirect.mjs")).href;
await import(redirect);
await providePage();

const repository = join(build, "repository");
cpSync(join(here, "fixtures"), repository, { recursive: true });
for (const args of [
  ["init", "-q"],
  ["add", "."],
  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
])
  execFileSync("git", args, { cwd: repository });
const isShell = ({ language }) => language === "sh";
await Promise.all([
  runAll(blocks.filter(isShell), repository, shell),
  runAll(
    blocks.filter((block) => !isShell(block)),
    join(here, "fixtures"),
    script,
  ),
]);
await server.close();
types();
const skipped = chosen.filter(({ skipped }) => skipped);
console.log(`${blocks.length - failures.length} passed, ${failures.length} failed, ${skipped.length} not run`);
process.exit(failures.length > 0 ? 1 : 0);

/** Runs blocks one after the other, each in its own copy of a folder. */
async function runAll(blocks, fixtures, runBlock) {
  for (const block of blocks) {
    const folder = mkdtempSync(join(tmpdir(), "espalier-docs-"));
    cpSync(fixtures, folder, { recursive: true });
    try {
      const reason = fault(block);
      if (reason) throw new Error(`the block ${reason}`);
      await runBlock(block, folder);
      console.log(`ok     ${block.place}`);
    } catch (error) {
      failures.push(block.place);
      console.log(
        `FAILED ${block.place}\n       ${String(error?.stack ?? error)
          .split("\n")
          .slice(0, 8)
          .join("\n       ")}`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function script(block, folder) {
  process.chdir(folder);
  const { code } = transformSync(tested(block), {
    loader: "tsx",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "espalier",
    target: "es2022",
  });
  const file = join(build, `${blocks.indexOf(block)}.mjs`);
  writeFileSync(file, code);
  try {
    await Promise.race([
      import(pathToFileURL(file).href),
      new Promise((_, reject) => setTimeout(() => reject(new Error("the block did not end")), 60_000).unref()),
    ]);
  } finally {
    process.chdir(root);
  }
}

/** Runs the commands of a block one after the other; the text under a command is expected in its output. */
async function shell({ code, place }, folder) {
  const commands = [];
  for (const line of code.split("\n")) {
    const expected = /^# => (.*)$/.exec(line);
    if (expected) commands.at(-1).expected.push(expected[1]);
    else if (line.trim() !== "" && !line.startsWith("#"))
      commands.push({ line: line.replace(/\s+#.*$/, ""), expected: [] });
  }
  const env = { ...process.env, PATH: `${shim}:${process.env.PATH}`, NODE_OPTIONS: `--import ${redirect}` };
  for (const { line, expected } of commands) {
    // These commands fetch or build the package itself.
    if (/^npm /.test(line)) continue;
    const { status, stdout, stderr } = await spawned(line, folder, env);
    if (status !== 0) throw new Error(`${place}: \`${line}\` ended with ${status}: ${stderr || stdout}`);
    for (const text of expected)
      if (!`${stdout}${stderr}`.includes(text))
        throw new Error(`${place}: \`${line}\` printed no ${JSON.stringify(text)}, but\n${stdout}${stderr}`);
  }
}

/** The server is in this process, so this must not block. */
function spawned(line, cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (text) => (texts[name] += text));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...texts }));
  });
}

/** Type-checks the blocks as they are printed. */
function types() {
  const files = [];
  for (const [at, { language, before, code, after, place }] of blocks.entries()) {
    if (language === "sh") continue;
    const file = join(build, `block${at}.${language.startsWith("ts") ? "tsx" : "jsx"}`);
    writeFileSync(file, `${before}\n${code}\n${after}\nexport {};\n`);
    files.push({ file, place });
  }
  // Passes the package's results to the SDKs. It is type-checked, not run.
  files.push({ file: join(here, "sdks.ts"), place: "tests/docs/sdks.ts" });
  const options = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      allowJs: true,
      checkJs: true,
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable"],
      module: "esnext",
      moduleResolution: "bundler",
      skipLibCheck: true,
      customConditions: ["node"],
      jsx: "react-jsx",
      jsxImportSource: "espalier",
      types: ["node", "vscode"],
      typeRoots: [join(here, "node_modules/@types")],
    },
    files: files.map(({ file }) => file),
  };
  writeFileSync(join(build, "tsconfig.json"), JSON.stringify(options));
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", join(build, "tsconfig.json")],
    { encoding: "utf8", cwd: build },
  );
  if (status === 0) return console.log(`ok     types of ${files.length - 1} blocks and sdks.ts`);
  failures.push("types");
  console.log(
    `FAILED types\n${files.reduce((text, { file, place }) => text.replaceAll(relative(build, file), `${place} (${relative(build, file)})`), stdout)}`,
  );
}

/** Installs the SDKs once for each version of package.json, and links them and the built package. */
function install() {
  const modules = join(here, "node_modules");
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(modules);
  // Those of docs/sdks.md, which tests/sdk needs, too. Of packages that both have, ours remain.
  linkPackages(installSdks().modules, modules);
  linkPackages(installed(join(here, "package.json"), "docs").modules, modules);
  symlinkSync(join(root, "pkg"), join(modules, "espalier"), "dir");
  symlinkSync(join(here, "vscode"), join(modules, "vscode"), "dir");
}
