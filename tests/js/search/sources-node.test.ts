/** Folders of the file system as a source: what is found, what is left out and why, and what changes meanwhile. */

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { nodeFiles } from "../../../js/search/sources/node.ts";
import { folder, listed, text, until, write } from "./trees.ts";

const isUnix = process.platform !== "win32";

test("a folder: its files, their texts, and a note for everything that is left out", async () => {
  const root = folder({
    "src/a.ts": "export const a = 1;\n",
    "src/deep/b.py": "b = 1\n",
    "photo.png": "x",
    "package-lock.json": "{}",
    "node_modules/x/index.js": "x",
    ".git/HEAD": "ref",
    "app.min.js": "x",
    "built.ts": "x",
    ".gitignore": "built.ts\n/out/\n",
    "out/c.ts": "x",
  });
  const source = nodeFiles(root);
  const { paths, notes } = await listed(source);
  assert.deepEqual(paths, [".gitignore", "src/a.ts", "src/deep/b.py"]);
  assert.deepEqual(notes, [
    ".git: ignored",
    "app.min.js: ignored",
    "built.ts: ignored",
    "node_modules: ignored",
    "out: ignored",
    "package-lock.json: ignored",
    "photo.png: binary",
  ]);
  assert.equal(await text(source, "src/a.ts"), "export const a = 1;\n");
});

test("several roots: paths begin with the names of theirs, each of which is its own", async () => {
  const root = folder({ "one/app/a.ts": "1", "two/app/a.ts": "2", "three/b.ts": "3" });
  const source = nodeFiles([join(root, "one/app"), join(root, "two/app"), join(root, "three")]);
  assert.deepEqual((await listed(source)).paths, ["app-2/a.ts", "app/a.ts", "three/b.ts"]);
  assert.deepEqual(
    [await text(source, "app/a.ts"), await text(source, "app-2/a.ts"), await text(source, "a.ts")],
    ["1", "2", "(gone)"],
  );
});

test("a root in a root is listed once", async () => {
  const root = folder({ "a.ts": "1", "sub/b.ts": "2" });
  const { paths, notes } = await listed(nodeFiles([root, join(root, "sub")]));
  assert.deepEqual(paths.map((path) => path.replace(/^espalier-sources-\w+/, "top")).sort(), ["sub/b.ts", "top/a.ts"]);
  assert.equal(notes.length, 1);
  assert.match(notes[0]!, /sub: duplicate$/);
});

test("links lead nowhere: to a folder above, to a file twice, out of the root, to nothing, to themselves", {
  skip: !isUnix,
}, async () => {
  const outside = folder({ "secret.ts": "secret" });
  const root = folder({ "src/a.ts": "1" });
  symlinkSync(root, join(root, "src/up"));
  symlinkSync(".", join(root, "src/here"));
  symlinkSync("src", join(root, "again"));
  symlinkSync("src/a.ts", join(root, "b.ts"));
  symlinkSync(outside, join(root, "out"));
  symlinkSync(join(outside, "secret.ts"), join(root, "secret.ts"));
  symlinkSync("nothing", join(root, "dangling"));
  symlinkSync("self", join(root, "self"));
  const source = nodeFiles(root);
  const { paths, notes } = await listed(source);
  assert.deepEqual(paths, ["src/a.ts"]);
  assert.deepEqual(notes, [
    "again: duplicate",
    "b.ts: duplicate",
    "dangling: gone",
    "out: ignored",
    "secret.ts: ignored",
    "self: loop",
    "src/here: loop",
    "src/up: loop",
  ]);
  // Nor by their name.
  for (const path of [
    "out/secret.ts",
    "secret.ts",
    "again/a.ts",
    "b.ts",
    "../secret.ts",
    "src/../src/a.ts",
    "",
    "/etc/passwd",
    "a\0b",
  ])
    assert.match(await text(source, path), /^\((?:ignored|gone)\)$/, path);
  // A file that becomes a link after it was listed.
  unlinkSync(join(root, "src/a.ts"));
  symlinkSync(join(outside, "secret.ts"), join(root, "src/a.ts"));
  assert.equal(await text(source, "src/a.ts"), "(ignored)");
  // A folder on its way that does.
  rmSync(join(root, "src"), { recursive: true });
  symlinkSync(outside, join(root, "src"));
  write(outside, { "a.ts": "secret" });
  assert.equal(await text(source, "src/a.ts"), "(ignored)");
});

test("the root itself may be a link", { skip: !isUnix }, async () => {
  const root = folder({ "real/a.ts": "1" });
  symlinkSync("real", join(root, "link"));
  assert.deepEqual((await listed(nodeFiles(join(root, "link")))).paths, ["a.ts"]);
  const both = nodeFiles([join(root, "real"), join(root, "link")]);
  assert.deepEqual((await listed(both)).paths, ["real/a.ts"]);
});

test("sockets and pipes are noted, and block nothing", { skip: !isUnix }, async () => {
  const root = folder({ "a.ts": "1" });
  execFileSync("mkfifo", [join(root, "pipe.ts")]);
  execFileSync("mkfifo", [join(root, ".gitignore")]);
  const server = createServer().listen(join(root, "socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  const source = nodeFiles(root);
  const { paths, notes } = await listed(source);
  server.close();
  assert.deepEqual([paths, notes], [["a.ts"], [".gitignore: unreadable", "pipe.ts: unreadable", "socket: unreadable"]]);
  assert.equal(await text(source, "pipe.ts"), "(unreadable)");
  unlinkSync(join(root, "a.ts"));
  execFileSync("mkfifo", [join(root, "a.ts")]);
  assert.equal(await text(source, "a.ts"), "(unreadable)");
});

test("files and folders that are deleted meanwhile", async () => {
  const root = folder({ "a.ts": "1", "b/c.ts": "2" });
  const source = nodeFiles(root);
  await listed(source);
  rmSync(join(root, "a.ts"));
  rmSync(join(root, "b"), { recursive: true });
  assert.deepEqual([await text(source, "a.ts"), await text(source, "b/c.ts")], ["(gone)", "(gone)"]);
  assert.deepEqual(await listed(source), { paths: [], notes: [], versions: Object.create(null) });
});

test("a folder that is missing, and a file in its place, end the list", async () => {
  const root = folder({ "a.ts": "1" });
  await assert.rejects(listed(nodeFiles(join(root, "missing"))), { code: "file_not_found", path: "roots" });
  await assert.rejects(listed(nodeFiles([root, join(root, "a.ts")])), { code: "file_not_found", path: "roots[1]" });
  // Once it is there, it is found.
  const source = nodeFiles(join(root, "late"));
  await assert.rejects(listed(source), { code: "file_not_found" });
  mkdirSync(join(root, "late"));
  assert.deepEqual((await listed(source)).paths, []);
  rmSync(join(root, "late"), { recursive: true });
  await assert.rejects(listed(source), { code: "file_not_found" }, "an index keeps its files");
});

/** Runs a program as a process of its own; `list(folder)` in it prints what `nodeFiles` says. */
function ran(root: string, program: string, ...flags: string[]): string {
  const repository = fileURLToPath(new URL("../../../", import.meta.url));
  const bundle = join(folder(), "program.mjs");
  const contents = `
    import { nodeFiles } from "./js/search/sources/node.ts";
    const list = async (folder) => {
      const lines = [];
      const source = nodeFiles(folder);
      try {
        for await (const { path } of source.list({ note: ({ path, reason }) => lines.push(path + ": " + reason) })) lines.push(path + " = " + (await source.read(path)).text);
      } catch (error) {
        lines.push(error.code + " " + error.path);
      }
      console.log(lines.sort().join("\\n"));
    };
    ${program}`;
  const options = {
    stdin: { contents, resolveDir: repository },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: bundle,
    logLevel: "error",
  };
  execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { build } = await import("esbuild"); await build(${JSON.stringify(options)});`,
    ],
    { cwd: repository },
  );
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...flags.map((flag) => flag.replace("PROGRAM", bundle)), bundle],
    { encoding: "utf8", cwd: root },
  );
  assert.equal(status, 0, stderr);
  return stdout;
}

test("folders and files without permission", { skip: !isUnix }, () => {
  const root = folder({ "a.ts": "1", "closed/b.ts": "2", "open/c.ts": "3", "open/d.ts": "4" });
  chmodSync(join(root, "closed"), 0);
  chmodSync(join(root, "open/d.ts"), 0);
  chmodSync(root, 0o755);
  // Root may read everything: such a process becomes somebody else.
  const lines = ran(
    root,
    `if (process.getuid() === 0) process.setuid(65534); await list(${JSON.stringify(root)}); await list(${JSON.stringify(join(root, "closed"))});`,
  );
  assert.equal(lines, "a.ts = 1\nclosed: unreadable\nopen/c.ts = 3\nopen/d.ts = undefined\nfile_not_found roots\n");
});

test("Node's permission model: what it forbids is noted", () => {
  const root = folder({ "tree/a.ts": "1", "tree/open/c.ts": "3", "other/b.ts": "2" });
  const program = `await list(${JSON.stringify(join(root, "tree"))}); await list(${JSON.stringify(join(root, "other"))});`;
  const lines = ran(
    root,
    program,
    "--no-warnings",
    "--experimental-permission",
    "--allow-fs-read=PROGRAM",
    `--allow-fs-read=${join(root, "tree/*")}`,
  );
  assert.equal(lines, "a.ts = 1\nopen/c.ts = 3\nfile_not_found roots\n");
});

test("a version changes with the contents", async () => {
  const root = folder({ "a.ts": "1" });
  const source = nodeFiles(root);
  const {
    versions: { "a.ts": first },
  } = await listed(source);
  assert.deepEqual(await source.read("a.ts"), { text: "1", version: first });
  write(root, { "a.ts": "22" });
  const {
    versions: { "a.ts": second },
  } = await listed(source);
  utimesSync(join(root, "a.ts"), 1, 1);
  const {
    versions: { "a.ts": third },
  } = await listed(source);
  assert.equal(new Set([first, second, third]).size, 3);
});

test("names with spaces, quotes, line ends, other scripts, and some that are not UTF-8", {
  skip: !isUnix,
}, async () => {
  const names = [
    "a b.ts",
    "a\nb.ts",
    'a"b.ts',
    "a\\b.ts",
    "ключ.ts",
    "日本語/ファイル.ts",
    "e\u0301.ts",
    "\u00e9.ts",
    "😀.ts",
    "-rf.ts",
    "a\tb.ts",
    " .ts",
    "...ts",
  ];
  const root = folder(Object.fromEntries(names.map((name) => [name, name])));
  const source = nodeFiles(root);
  assert.deepEqual((await listed(source)).paths, [...names].sort());
  for (const name of names) assert.equal(await text(source, name), name);
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0x61, 0xff, 0x2e, 0x74, 0x73)]), "x");
  assert.deepEqual((await listed(source)).notes, ["a\ufffd.ts: unreadable"]);
});

test("3,000 files in 300 folders, in the same order each time; an abort ends it", async () => {
  const root = folder();
  for (let at = 0; at < 300; at++) {
    const place = join(root, `folder${at % 10}`, `sub${at % 100}`, `${at}`);
    mkdirSync(place, { recursive: true });
    for (let file = 0; file < 10; file++) writeFileSync(join(place, `${file}.ts`), `export const n = ${at};\n`);
  }
  const paths = async () => {
    const out: string[] = [];
    for await (const { path } of nodeFiles(root).list({ note: () => undefined })) out.push(path);
    return out;
  };
  const first = await paths();
  assert.equal(first.length, 3_000);
  assert.deepEqual(await paths(), first);
  const controller = new AbortController();
  let count = 0;
  await assert.rejects(async () => {
    for await (const _ of nodeFiles(root).list({ note: () => undefined, signal: controller.signal }))
      if (++count === 100) controller.abort(new Error("enough"));
  }, /enough/);
  assert.ok(count < 2_000);
});

test("folders 300 deep", async () => {
  const root = folder();
  let place = root;
  for (let depth = 0; depth < 300; depth++) place = join(place, "d");
  mkdirSync(place, { recursive: true });
  write(root, { [`${"d/".repeat(150)}a.ts`]: "1", [`${"d/".repeat(290)}b.ts`]: "1" });
  const { paths, notes } = await listed(nodeFiles(root));
  assert.deepEqual([paths.length, notes.length], [1, 1]);
  assert.match(notes[0]!, /: loop$/);
});

test("watch: files that come, change, go and are renamed; folders; ignore files", async () => {
  const root = folder({ "a.ts": "1", "src/b.ts": "2", "old/c.ts": "3", "node_modules/d.js": "4", "x.log2": "5" });
  const source = nodeFiles(root, { delayMs: 20 });
  await listed(source);
  const seen = new Set<string>();
  const errors: unknown[] = [];
  const end = source.watch!(
    (paths) => paths.forEach((path) => seen.add(path)),
    (error) => errors.push(error),
  );
  // Events begin when the watchers do: the first file is written until it is seen.
  await until(() => (write(root, { "first.ts": String(Math.random()) }), seen.has("first.ts")), "the first event");
  const check = async (change: () => void, ...paths: string[]) => {
    seen.clear();
    change();
    await until(() => paths.every((path) => seen.has(path)), `${paths} of ${[...seen]}`);
  };
  await check(() => write(root, { "a.ts": "changed" }), "a.ts");
  await check(() => write(root, { "src/new.ts": "new" }), "src/new.ts");
  await check(() => unlinkSync(join(root, "src/b.ts")), "src/b.ts");
  await check(() => renameSync(join(root, "a.ts"), join(root, "renamed.ts")), "a.ts", "renamed.ts");
  await check(() => write(root, { "fresh/deep/e.ts": "1", "fresh/f.ts": "2" }), "fresh/deep/e.ts", "fresh/f.ts");
  await check(() => write(root, { "fresh/deep/e.ts": "changed" }), "fresh/deep/e.ts");
  await check(() => renameSync(join(root, "old"), join(root, "moved")), "old/c.ts", "moved/c.ts");
  await check(() => write(root, { "moved/c.ts": "changed" }), "moved/c.ts");
  await check(() => rmSync(join(root, "moved"), { recursive: true }), "moved/c.ts");
  await check(() => write(root, { ".gitignore": "*.log2\n" }), "x.log2", ".gitignore");
  await check(() => write(root, { ".gitignore": "src/\n" }), "x.log2", "src/new.ts");
  await check(() => {
    write(root, {
      "node_modules/d.js": "changed",
      "node_modules/new.js": "x",
      "src/new.ts": "ignored",
      "photo.png": "x",
    });
    write(root, { "last.ts": "1" });
  }, "last.ts");
  assert.deepEqual([...seen], ["last.ts"]);
  assert.deepEqual(errors, []);
  end();
  seen.clear();
  write(root, { "last.ts": "22" });
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.deepEqual([...seen], []);
});

test("watch: a folder that is not there is reported, and a process that only watches ends", async () => {
  const root = folder({ "a.ts": "1" });
  const errors: { code?: string }[] = [];
  const end = nodeFiles(join(root, "missing")).watch!(
    () => undefined,
    (error) => errors.push(error as { code?: string }),
  );
  await until(() => errors.length > 0, "an error");
  end();
  assert.ok(errors.every(({ code }) => code === "watch_failed"));
  const program = `import { nodeFiles } from ${JSON.stringify(new URL("../../../js/search/sources/node.ts", import.meta.url).href)}; nodeFiles(${JSON.stringify(root)}).watch(() => undefined);`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    cwd: fileURLToPath(new URL("../../../", import.meta.url)),
  });
  assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 0);
});

test("roots and options that make no sense", () => {
  const check = (fields: object, ...args: unknown[]) =>
    assert.throws(() => nodeFiles(...(args as [string])), fields, JSON.stringify(args));
  for (const roots of ["", [], [""], 5, null, undefined, ["a", 5], "a\0b", {}]) check({ code: "bad_option" }, roots);
  check({ code: "bad_option", path: "roots[1]" }, ["a", "./a"]);
  check({ code: "bad_option", path: "options.rulez" }, ".", { rulez: {} });
  check({ code: "bad_option", path: "options.rules" }, ".", { rules: 5 });
  check({ code: "bad_option", path: "options.rules.maxByte" }, ".", { rules: { maxByte: 5 } });
  check({ code: "bad_option", path: "options.rules.larger" }, ".", { rules: { larger: "drop" } });
  for (const delayMs of [-1, NaN, "5"]) check({ code: "bad_option", path: "options.delayMs" }, ".", { delayMs });
});
