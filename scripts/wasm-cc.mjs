/** Selects and calls the compiler that turns C into wasm. Uses only Node built-ins; see `scripts/wasm-cc`. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { root, tools } from "./lib.mjs";

/** Pinned, so that every build with it has the same bytes. */
export const npmClang = { name: "@yowasp/clang", version: "22.0.0-git20542-10" };
/** The folder where set-up installs it, 100 MB, once for all clones of this user. */
export const npmClangFolder = join(tools, "clang");
const bundle = join(npmClangFolder, "node_modules", npmClang.name, "gen", "bundle.js");

/**
 * Objects that this clang compiled. Without this cache, the parser takes a minute in each clone and for each cargo
 * profile.
 */
const objects = join(tools, "objects");

/** Homebrew's clang supports wasm32, Apple's does not. */
const NATIVE = ["clang", "/opt/homebrew/opt/llvm/bin/clang", "/usr/local/opt/llvm/bin/clang"];

/** Returns a native clang with the wasm32 backend; `undefined` if there is none. */
export function nativeClang() {
  const named = process.env.ESPALIER_WASM_CC;
  return (named ? [named] : NATIVE).find((command) => {
    const { status, stdout } = spawnSync(command, ["--print-targets"], { encoding: "utf8" });
    return status === 0 && /\bwasm32\b/.test(stdout);
  });
}

/** Returns whether clang from npm is installed in the pinned version. */
export function hasNpmClang() {
  const manifest = join(npmClangFolder, "node_modules", npmClang.name, "package.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === npmClang.version;
}

/** Runs the compiler; resolves with its exit code. */
export async function compile(argv) {
  // Our version of the parser's runtime; see that file.
  const args = argv.map((arg) =>
    /tree-sitter-[^/\\]*[/\\]src[/\\]lib\.c$/.test(arg) ? join(root, "scripts", "tree-sitter.c") : arg,
  );
  const native = nativeClang();
  if (native) return spawnSync(native, args, { stdio: "inherit" }).status ?? 1;
  if (!hasNpmClang()) {
    process.stderr.write(
      "There is no C compiler for wasm: run `node scripts/setup.mjs`, or name a clang in ESPALIER_WASM_CC.\n",
    );
    return 1;
  }
  return inWasm(args);
}

/** Runs clang in wasm. It sees only the files passed to it: the source, and the include folders. */
async function inWasm(argv) {
  const files = {};
  const args = ["clang"];
  let output;
  for (let at = 0; at < argv.length; at++) {
    const arg = argv[at];
    if (arg === "-o") {
      output = resolve(argv[++at]);
      args.push("-o", "/out");
    } else if (/^-(I|isystem|include)/.test(arg)) {
      const [flag] = /^-(I|isystem|include)/.exec(arg);
      const path = resolve(arg.length > flag.length ? arg.slice(flag.length) : argv[++at]);
      add(files, path);
      args.push(flag, path);
    } else if (!arg.startsWith("-") && existsSync(arg)) {
      // Sources include files of their folder.
      add(files, dirname(resolve(arg)));
      args.push(resolve(arg));
    } else {
      args.push(arg);
    }
  }
  const kept = join(objects, `${keyOf(args, files)}.o`);
  if (output && existsSync(kept)) {
    mkdirSync(dirname(output), { recursive: true });
    copyFileSync(kept, output);
    return 0;
  }
  const { runClang, Exit } = await import(pathToFileURL(bundle).href);
  const write = (stream) => (bytes) => bytes && stream.write(Buffer.from(bytes));
  const io = { stdout: write(process.stdout), stderr: write(process.stderr) };
  let made;
  try {
    made = await runClang(args, files, io);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    if (error.code !== 0) return error.code;
    made = error.files;
  }
  if (output && made?.out) {
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, made.out);
    mkdirSync(objects, { recursive: true });
    // Two builds may write the same object: each renames its own complete file.
    writeFileSync(`${kept}.${process.pid}`, made.out);
    renameSync(`${kept}.${process.pid}`, kept);
  }
  return 0;
}

/** Returns the hash of everything that affects an object. The clone's own folder does not. */
function keyOf(args, files) {
  const sum = createHash("sha256").update(JSON.stringify([npmClang, args]).replaceAll(root, "/"));
  const hashFiles = (tree, path) => {
    for (const [name, entry] of Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const at = `${path}/${name}`;
      if (entry instanceof Uint8Array)
        sum.update(`${at}/`.replaceAll(root, "/")).update("\0").update(entry).update("\0");
      else hashFiles(entry, at);
    }
  };
  hashFiles(files, "");
  return sum.digest("hex");
}

/** Adds a file, or the C files of a folder and its subfolders, with their own paths. */
function add(files, path) {
  if (!existsSync(path)) return;
  const entries = readEntries(path);
  if (!entries) return put(files, path, readFileSync(path));
  for (const entry of entries) {
    if (entry.isDirectory() || /\.(c|h|inc|txt)$/.test(entry.name)) add(files, join(path, entry.name));
  }
}

function readEntries(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

function put(files, path, bytes) {
  const parts = path.split("/").filter(Boolean);
  const folder = parts.slice(0, -1).reduce((tree, name) => (tree[name] ??= {}), files);
  folder[parts.at(-1)] = bytes;
}
