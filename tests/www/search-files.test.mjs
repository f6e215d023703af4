/**
 * Files that a page is given, in a real Chromium: folder handles, a chosen folder, changes that the browser reports.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/lib.mjs";
import { serve } from "../../scripts/serve.mjs";
import { launch } from "./browser.mjs";

const FILES = {
  "src/a.ts": "export const a = 1;\n",
  "src/deep/ключ.ts": "b",
  ".gitignore": "*.gen.ts\n",
  "src/c.gen.ts": "c",
  "photo.png": "x",
  "node_modules/e.js": "e",
};
const PATHS = [".gitignore", "src/a.ts", "src/deep/ключ.ts"];
const NOTES = ["node_modules: ignored", "photo.png: binary", "src/c.gen.ts: ignored"];
const folder = mkdtempSync(join(tmpdir(), "espalier-files-"));
let server, browser, page;

before(async () => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, "app", path)), { recursive: true });
    writeFileSync(join(folder, "app", path), text);
  }
  server = await serve(join(root, "pkg"));
  browser = await launch();
  page = await browser.newPage();
  page.on("pageerror", (error) => assert.fail(error.message));
  await page.goto(`${server.url}package.json`);
  await page.evaluate(async () => {
    const { browserFiles } = await import("/dist/search-web.js");
    globalThis.browserFiles = browserFiles;
    globalThis.listed = async (source) => {
      const [paths, notes, texts] = [[], [], {}];
      for await (const { path, version } of source.list({
        note: ({ path, reason }) => notes.push(`${path}: ${reason}`),
      })) {
        const read = await source.read(path);
        if (read.version !== version) throw new Error(`${path} has changed`);
        paths.push(path);
        texts[path] = read.text;
      }
      return { paths: paths.sort(), notes: notes.sort(), texts };
    };
    globalThis.write = async (top, path, text) => {
      const parts = path.split("/");
      let place = top;
      for (const part of parts.slice(0, -1)) place = await place.getDirectoryHandle(part, { create: true });
      const stream = await (await place.getFileHandle(parts.at(-1), { create: true })).createWritable();
      await stream.write(text);
      await stream.close();
    };
  });
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const check = ({ paths, notes, texts }) => {
  assert.deepEqual([paths, notes], [PATHS, NOTES]);
  for (const path of PATHS) assert.equal(texts[path], FILES[path], path);
};

test("a folder handle", async () => {
  check(
    await page.evaluate(async (files) => {
      const top = await (await navigator.storage.getDirectory()).getDirectoryHandle("app", { create: true });
      for (const [path, text] of Object.entries(files)) await write(top, path, text);
      return listed(browserFiles(top));
    }, FILES),
  );
});

test("a chosen folder", async () => {
  await page.setContent('<input type="file" webkitdirectory>');
  await page.setInputFiles("input", join(folder, "app"));
  check(await page.evaluate(() => listed(browserFiles(document.querySelector("input").files))));
});

test("a folder handle that is gone, and a file that is", async () => {
  const said = await page.evaluate(async () => {
    const home = await navigator.storage.getDirectory();
    const top = await home.getDirectoryHandle("gone", { create: true });
    await write(top, "a.ts", "1");
    const source = browserFiles(top);
    await listed(source);
    await top.removeEntry("a.ts");
    const { reason } = await source.read("a.ts");
    await home.removeEntry("gone", { recursive: true });
    return [reason, await listed(source).catch(({ code }) => code)];
  });
  assert.deepEqual(said, ["gone", "file_not_found"]);
});

test("changes, by the browser's own observer or by looking", async () => {
  const rounds = await page.evaluate(async () => {
    const top = await (await navigator.storage.getDirectory()).getDirectoryHandle("watched", { create: true });
    await write(top, "a.ts", "1");
    const rounds = [];
    for (const options of ["FileSystemObserver" in globalThis ? {} : { pollMs: 20 }, { pollMs: 20 }]) {
      const seen = new Set();
      const errors = [];
      const source = browserFiles(top, options);
      await listed(source);
      const end = source.watch(
        (paths) => paths.forEach((path) => seen.add(path)),
        (error) => errors.push(error.message),
      );
      await new Promise((resolve) => setTimeout(resolve, 300));
      await write(top, "a.ts", `changed ${Math.random()}`);
      await write(top, "new/b.ts", "2");
      for (let turn = 0; turn < 300 && seen.size < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 20));
      rounds.push([[...seen].sort(), errors]);
      end();
      await top.removeEntry("new", { recursive: true });
    }
    return rounds;
  });
  assert.deepEqual(rounds, [
    [["a.ts", "new/b.ts"], []],
    [["a.ts", "new/b.ts"], []],
  ]);
});
