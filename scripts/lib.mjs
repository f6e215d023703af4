/** Common functions of the scripts: run commands, report steps, skip current stages. They only use Node built-ins. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
/** Tools that are built once and shared by all clones of this user. */
export const tools = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "espalier", "tools");
/** The output of the build, never committed. */
export const build = join(root, "build");

export const env = {
  ...process.env,
  PATH: [join(tools, "bin"), join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
};

/** Reports a step, runs it, and reports its duration. */
export async function step(what, work) {
  const start = Date.now();
  process.stdout.write(`\n> ${what}\n`);
  const result = await work();
  process.stdout.write(
    `  ${result === "current" ? "is current" : "done"} (${((Date.now() - start) / 1000).toFixed(1)} s)\n`,
  );
  return result;
}

/**
 * Runs a command in the repository's folder and shows its output; a failure ends the script with the command's exit
 * code.
 */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: "inherit", ...options });
  if (error) fail(`${command} could not be started: ${error.message}`);
  if (status !== 0) fail(`${command} ${args.join(" ")} failed`, status ?? 1);
}

/** Runs a command and returns whether it succeeded. */
export function attempt(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, env, stdio: "inherit", ...options }).status === 0;
}

/** Runs a command and returns its output, or nothing if it fails. */
export function output(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, env, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

export function fail(message, status = 1) {
  process.stderr.write(`\n${message}\n`);
  process.exit(status);
}

const measured = new Map();

/**
 * Returns the bytes of a file uncompressed, and as servers send it, with the best brotli. Each content is measured
 * once, since brotli needs seconds for an engine.
 */
export function sizes(file) {
  const bytes = readFileSync(file);
  const content = createHash("sha256").update(bytes).digest("hex");
  const known = measured.get(content);
  if (known) return known;
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
  const result = {
    raw: bytes.length,
    brotli: brotliCompressSync(bytes, { params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24 } }).length,
  };
  measured.set(content, result);
  return result;
}

/** Returns a hash of the contents of files and folders, and of `extra`. */
export function hash(paths, extra = "") {
  const sum = createHash("sha256").update(extra);
  const add = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else sum.update(path.slice(root.length)).update("\0").update(readFileSync(path)).update("\0");
  };
  paths.map((path) => join(root, path)).forEach(add);
  return sum.digest("hex");
}

const stampOf = (name) => join(build, "stamps", name);

/** Returns whether the work was done for the same inputs, and its outputs still exist. */
export function isCurrent(name, inputs, outputs) {
  const stamp = stampOf(name);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === inputs && outputs.every((path) => existsSync(path));
}

/** Runs the work unless it was done for the same inputs and its outputs still exist. */
export async function cached(name, inputs, outputs, work) {
  if (isCurrent(name, inputs, outputs)) return "current";
  await work();
  mkdirSync(join(build, "stamps"), { recursive: true });
  writeFileSync(stampOf(name), inputs);
}
