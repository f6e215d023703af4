// A corpus of real projects: the sources in packages of npm, crates.io and PyPI, as listed in `sources.txt`. The
// clients of the registries download them into `build/corpus`, each once. `node search/corpus.mjs` prints the available
// ones.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../build/corpus/", import.meta.url));

const EXTENSIONS = /(?<!\.d|\.min)\.(ts|tsx|js|jsx|mjs|cjs|rs|py|md|rst)$/;

/** Max files of one package, so that no project is half of the corpus. */
const MAX_FILES = 2500;

/** Max bytes of a file and max characters of a line: a larger file is data, or minified. */
const MAX_SIZE = 1.5 * 1024 * 1024;
const MAX_LINE = 10_000;

/** The packages in their order, each with the folders of its sources. */
export const sources = readFileSync(new URL("sources.txt", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [kind, spec, folders = ""] = line.split(" ");
    const end = spec.lastIndexOf("@");
    return {
      kind,
      name: spec.slice(0, end),
      version: spec.slice(end + 1),
      folders: folders ? folders.split(",") : [],
    };
  });

const downloads = { npm: fromNpm, crate: fromCrates, pypi: fromPypi };

/** Returns the folder of a package; downloads it if it is missing. */
function unpacked(source) {
  const place = join(folder, source.kind, `${source.name.replace("/", "+")}-${source.version}`);
  if (existsSync(place)) return place;
  mkdirSync(join(folder, source.kind), { recursive: true });
  const work = mkdtempSync(join(folder, "download-"));
  try {
    renameSync(downloads[source.kind](source, work), place);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return place;
}

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

function fromNpm({ name, version }, work) {
  run("npm", ["pack", `${name}@${version}`], work);
  const [archive] = readdirSync(work);
  run("tar", ["-xzf", archive], work);
  return join(
    work,
    readdirSync(work).find((item) => item !== archive),
  );
}

/** `cargo info` puts the sources of a crate into cargo's own folder. */
function fromCrates({ name, version }, work) {
  run("cargo", ["info", `${name}@${version}`], tmpdir());
  const registries = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  const places = readdirSync(registries).map((registry) => join(registries, registry, `${name}-${version}`));
  const copy = join(work, name);
  cpSync(
    places.find((place) => existsSync(place)),
    copy,
    { recursive: true },
  );
  return copy;
}

/** Wheels contain the sources, without a build. */
function fromPypi({ name, version }, work) {
  run("pip", ["download", "--no-deps", "--only-binary=:all:", "--python-version=3.14", `${name}==${version}`], work);
  run("python3", ["-m", "zipfile", "-e", readdirSync(work)[0], "files"], work);
  return join(work, "files");
}

/** Returns the source files of a package, by path. */
export function filesOf(source) {
  const place = unpacked(source);
  const isWanted = (path) =>
    source.folders.length === 0 || !path.includes("/") || source.folders.some((one) => path.startsWith(`${one}/`));
  const found = [];
  for (const item of readdirSync(place, { recursive: true }).sort()) {
    const path = item.split(sep).join("/");
    if (found.length === MAX_FILES) break;
    if (!EXTENSIONS.test(path) || path.includes("node_modules/") || !isWanted(path)) continue;
    const file = join(place, item);
    const stat = statSync(file);
    const text = stat.isFile() && stat.size <= MAX_SIZE ? readFileSync(file, "utf8") : "";
    if (text.trim() === "" || text.includes("\uFFFD") || text.split("\n").some((line) => line.length > MAX_LINE))
      continue;
    found.push({ path: `${source.name}/${path}`, text });
  }
  return found;
}

/** Returns the first `count` files. */
export function corpus(count) {
  const files = [];
  for (const source of sources) {
    if (files.length >= count) break;
    files.push(...filesOf(source));
  }
  return files.slice(0, count);
}

export const megabytes = (files) => files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1e6;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let all = [];
  for (const source of sources) {
    const files = filesOf(source);
    all = all.concat(files);
    console.log(
      `${source.name} ${source.version}: ${files.length} files, ${megabytes(files).toFixed(1)} MB; ${all.length} so far`,
    );
  }
  for (const count of [5000, 25_000]) {
    const part = all.slice(0, count);
    console.log(
      `${part.length} files: ${megabytes(part).toFixed(1)} MB, ${part.reduce((sum, { text }) => sum + text.split("\n").length, 0)} lines`,
    );
  }
}
