/** Ignore files as git reads them: git itself lists the files of generated trees, and shares no code with ours. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nodeFiles } from "../../../js/search/sources/node.ts";
import { runs } from "../runs.ts";
import { folder, listed, write } from "./trees.ts";

/** No rules but those of the ignore files. */
const rules = { binary: [], generated: [], folders: [".git"], names: [".git"] };
const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-C", root, "-c", "core.excludesFile=/dev/null", "-c", "core.ignoreCase=false", ...args], {
    encoding: "utf8",
    env: { ...process.env, HOME: root },
  });
const wanted = (root: string) =>
  git(root, "ls-files", "--others", "--exclude-standard", "-z")
    .split("\0")
    .filter((path) => path !== "")
    .sort();

/** Numbers that are the same in each run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

// ASCII: a `?` of git is a byte, ours is a letter.
const NAMES = ["a", "b", "ab", "a.b", "a.js", "b.js", "a.min.js", "build", "a b", "[a]", "#a", "!a", "a ", "-"];
const PIECES = [
  "a",
  "b",
  "ab",
  "*",
  "**",
  "?",
  "*.js",
  "a*",
  "*b",
  "[ab]",
  "[!a]",
  "[a-c]*",
  "build",
  "a.b",
  "\\#a",
  "\\!a",
  "\\[a]",
  "a\\ ",
  "a ",
  "a*b",
  "**a",
  "*\\",
];
const FILES = [".gitignore", ".git/info/exclude"];

function pattern(random: (below: number) => number): string {
  const pick = () => PIECES[random(PIECES.length)]!;
  const body = Array.from({ length: 1 + random(3) * random(2) }, pick).join("/");
  const ends = ["", "", "", " ", "\t", "\r", "  "];
  return `${random(4) === 0 ? "!" : ""}${random(5) === 0 ? "/" : ""}${body}${random(4) === 0 ? "/" : ""}${ends[random(ends.length)]}`;
}

test("generated trees, with ignore files in every folder: what git lists", async () => {
  for (let seed = 1; seed <= runs(60); seed++) {
    const random = numbers(seed);
    const root = folder();
    git(root, "init", "-q");
    const folders = [""];
    for (let count = 0; count < 60; count++) {
      const place = folders[random(folders.length)]!;
      const path = join(place, NAMES[random(NAMES.length)]!);
      try {
        if (random(3) === 0 && place.split("/").length < 5) {
          mkdirSync(join(root, path));
          folders.push(path);
        } else writeFileSync(join(root, path), "", { flag: "wx" });
      } catch {
        // That name is taken.
      }
    }
    for (const place of folders) {
      if (random(3) === 0)
        writeFileSync(
          join(root, place, ".gitignore"),
          `${random(4) === 0 ? "\ufeff" : ""}${Array.from({ length: 1 + random(5) }, () => pattern(random)).join("\n")}\n`,
        );
    }
    if (random(2) === 0) write(root, { ".git/info/exclude": `${pattern(random)}\n${pattern(random)}` });
    const { paths } = await listed(nodeFiles(root, { rules }));
    const why = () =>
      `seed ${seed}: ${folders
        .flatMap((place) => FILES.map((file) => join(place, file)))
        .flatMap((file) => {
          try {
            return [
              `${file}: ${JSON.stringify(execFileSync("cat", [join(root, file)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))}`,
            ];
          } catch {
            return [];
          }
        })
        .join("; ")}`;
    assert.deepEqual(paths, wanted(root), why());
  }
});

test("a folder within a repository: the rules of those above it hold", async () => {
  const root = folder({
    ".gitignore": "*.gen\n/pkg/out/\n!keep.gen\n",
    "pkg/.gitignore": "/local\n",
    "pkg/src/a.ts": "",
    "pkg/src/b.gen": "",
    "pkg/src/keep.gen": "",
    "pkg/out/c.ts": "",
    "pkg/local": "",
  });
  git(root, "init", "-q");
  write(root, { ".git/info/exclude": "*.own\n", "pkg/src/d.own": "" });
  for (const place of ["pkg", "pkg/src"])
    assert.deepEqual((await listed(nodeFiles(join(root, place), { rules }))).paths, wanted(join(root, place)), place);
  assert.deepEqual(
    (await listed(nodeFiles(join(root, "pkg/out"), { rules }))).paths,
    ["c.ts"],
    "what is asked for by name is listed",
  );
});

test("a repository in a repository begins anew; a worktree has the exclude file of its repository", async () => {
  const root = folder({
    ".gitignore": "*.log\n",
    "a.log": "",
    "inner/b.log": "",
    "inner/c.txt": "",
    "inner/d.own": "",
  });
  git(root, "init", "-q");
  git(join(root, "inner"), "init", "-q");
  write(root, { "inner/.git/info/exclude": "*.own\n" });
  assert.deepEqual((await listed(nodeFiles(root, { rules }))).paths, [
    ".gitignore",
    ...wanted(join(root, "inner")).map((path) => `inner/${path}`),
  ]);
  git(
    join(root, "inner"),
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@example.com",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "Begin",
  );
  const tree = join(folder(), "tree");
  git(join(root, "inner"), "worktree", "add", "-q", tree);
  write(tree, { "e.txt": "", "f.own": "" });
  const expected = wanted(tree);
  assert.deepEqual(expected, ["e.txt"]);
  assert.deepEqual((await listed(nodeFiles(tree, { rules }))).paths, expected);
});

test(".ignore decides before .gitignore; neither holds if the caller says so", async () => {
  const root = folder({
    ".gitignore": "*.log\n",
    ".ignore": "!keep.log\nsecret/\n",
    "a.log": "",
    "keep.log": "",
    "secret/b.ts": "",
    "sub/.ignore": "c.ts\n",
    "sub/c.ts": "",
  });
  assert.deepEqual((await listed(nodeFiles(root, { rules }))).paths, [
    ".gitignore",
    ".ignore",
    "keep.log",
    "sub/.ignore",
  ]);
  assert.equal((await listed(nodeFiles(root, { rules, ignoreFiles: false }))).paths.length, 7);
});

test("ignore files that are folders, huge or binary ignore nothing, or what they can", async () => {
  const root = folder({
    ".gitignore/a.ts": "",
    "b.ts": "",
    "sub/.gitignore": "x".repeat(2_000_000),
    "sub/x.ts": "",
    "bin/.gitignore": Uint8Array.of(0, 255, 10, 0x2a),
    "bin/c.ts": "",
  });
  const { paths } = await listed(nodeFiles(root, { rules, ignoreFiles: true }));
  assert.deepEqual(paths, [".gitignore/a.ts", "b.ts", "sub/x.ts"]);
});

test("a file that nobody listed is read only if it would be listed", async () => {
  const root = folder({ ".gitignore": "built/\n", "built/a.ts": "", "node_modules/x.js": "", "b.ts": "text" });
  const source = nodeFiles(root);
  for (const path of ["built/a.ts", "node_modules/x.js"])
    assert.deepEqual({ ...(await source.read(path)), detail: "" }, { path, reason: "ignored", detail: "" });
  assert.equal("text" in (await source.read("b.ts")), true);
});
