/**
 * What a page was given as a source, over doubles of the browser's handles and entries; tests/www has the real ones.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { browserFiles } from "../../../js/search/sources/browser.ts";
import type {
  BrowserFile,
  BrowserFilesOptions,
  BrowserFolder,
  BrowserInput,
} from "../../../js/search/sources/browser.ts";
import { listed, text, until } from "./trees.ts";

// The browser's own declarations fit.
const fits = (
  handle: FileSystemDirectoryHandle,
  input: FileList,
  files: File[],
  items: DataTransferItemList,
): BrowserInput[] => [handle, input, files, items];
void fits;

type Files = Record<string, string>;

class NamedError extends Error {
  constructor(name: string) {
    super(name);
    this.name = name;
  }
}

function file(path: string, content: string, lastModified = 1): File {
  return new File([content], path.split("/").at(-1)!, { lastModified });
}

/** A file of `<input webkitdirectory>`. */
function chosen(path: string, content: string): BrowserFile {
  return Object.defineProperty(file(path, content), "webkitRelativePath", { value: path });
}

const below = (files: Files, top: string) =>
  Object.keys(files)
    .filter((path) => path.startsWith(top))
    .map((path) => path.slice(top.length));

/** A `FileSystemDirectoryHandle` over an object that may change. */
function handle(
  name: string,
  files: Files,
  times: Record<string, number> = {},
  top = "",
): BrowserFolder & Record<string, any> {
  const kindOf = (child: string) =>
    files[top + child] !== undefined ? "file" : below(files, `${top}${child}/`).length > 0 ? "directory" : undefined;
  const need = (child: string, kind: string) => {
    if (kindOf(child) === undefined) throw new NamedError("NotFoundError");
    if (kindOf(child) !== kind) throw new NamedError("TypeMismatchError");
  };
  const fileHandle = (child: string) => ({
    kind: "file" as const,
    name: child,
    getFile: async () => {
      need(child, "file");
      if (files[top + child] === "forbidden") throw new NamedError("NotAllowedError");
      return file(child, files[top + child]!, times[top + child]);
    },
  });
  return {
    kind: "directory",
    name,
    async *values() {
      if (top !== "" && below(files, top).length === 0) throw new NamedError("NotFoundError");
      for (const child of new Set(below(files, top).map((path) => path.split("/")[0]!)))
        yield kindOf(child) === "file" ? fileHandle(child) : handle(child, files, times, `${top}${child}/`);
    },
    async getDirectoryHandle(child: string) {
      need(child, "directory");
      return handle(child, files, times, `${top}${child}/`);
    },
    async getFileHandle(child: string) {
      need(child, "file");
      return fileHandle(child);
    },
  };
}

/** A `FileSystemEntry`; a reader answers with two entries at a time, as Chromium does with a hundred. */
function entry(name: string, files: Files, path = ""): any {
  if (files[path] !== undefined)
    return {
      isFile: true,
      isDirectory: false,
      name,
      file: (done: (file: File) => void) => setTimeout(() => done(file(path, files[path]!))),
    };
  const top = path === "" ? "" : `${path}/`;
  return {
    isFile: false,
    isDirectory: true,
    name,
    createReader() {
      const names = [...new Set(below(files, top).map((one) => one.split("/")[0]!))];
      return {
        readEntries: (done: (entries: unknown[]) => void) =>
          setTimeout(() => done(names.splice(0, 2).map((child) => entry(child, files, top + child)))),
      };
    },
  };
}
const item = (found: any) => ({ kind: "file", webkitGetAsEntry: () => found });

const FILES: Files = {
  "src/a.ts": "export const a = 1;\n",
  "src/deep/b.ts": "b",
  "src/c.gen.ts": "c",
  "readme.md": "# Words\n",
  ".gitignore": "*.gen.ts\n/out/\n",
  "out/d.ts": "d",
  "photo.png": "x",
  "node_modules/e.js": "e",
  ".git/info/exclude": "secret.ts\n",
  "src/secret.ts": "s",
};
const PATHS = [".gitignore", "readme.md", "src/a.ts", "src/deep/b.ts"];
const NOTES = [
  ".git: ignored",
  "node_modules: ignored",
  "out: ignored",
  "photo.png: binary",
  "src/c.gen.ts: ignored",
  "src/secret.ts: ignored",
];

async function check(
  input: BrowserInput,
  paths: string[],
  notes: string[],
  options?: BrowserFilesOptions,
): Promise<void> {
  const source = browserFiles(input, options);
  const found = await listed(source);
  assert.deepEqual(found.paths, paths);
  assert.deepEqual(found.notes, notes);
  for (const path of found.paths)
    assert.deepEqual(await source.read(path), { text: await text(source, path), version: found.versions[path] }, path);
  assert.equal(await text(source, "nothing.ts"), "(gone)");
}

test("a folder handle, a chosen folder, a dropped folder: the same files, without their folder's name", async () => {
  await check(handle("app", FILES), PATHS, NOTES);
  await check([handle("app", FILES)], PATHS, NOTES);
  await check(
    Object.entries(FILES).map(([path, content]) => chosen(`app/${path}`, content)),
    PATHS,
    NOTES,
  );
  await check([item(entry("app", FILES))], PATHS, NOTES);
  await check([entry("app", FILES)], PATHS, NOTES);
  const list = Object.entries(FILES).map(([path, content]) => chosen(`app/${path}`, content));
  await check(Object.assign({}, list, { length: list.length }), PATHS, NOTES);
});

test("several folders and files together", async () => {
  const a = { "a.ts": "a" };
  await check([handle("one", a), handle("two", a), handle("one", a)], ["one-2/a.ts", "one/a.ts", "two/a.ts"], []);
  await check([item(entry("one", a)), item(entry("b.ts", { "": "b" })), item(null)], ["b.ts", "one/a.ts"], []);
  await check(
    [chosen("one/a.ts", "a"), chosen("two/a.ts", "a"), file("c.ts", "c")],
    ["c.ts", "one/a.ts", "two/a.ts"],
    [],
  );
  await check([file("a.ts", "a"), file("b.png", "b")], ["a.ts"], ["b.png: binary"]);
  await check([], [], []);
});

test("files that go, and those that may not be read", async () => {
  const files: Files = { "a.ts": "1", "b/c.ts": "2", "d.ts": "forbidden" };
  const source = browserFiles(handle("app", files));
  assert.deepEqual(await listed(source).then(({ paths, notes }) => [paths, notes]), [
    ["a.ts", "b/c.ts"],
    ["d.ts: unreadable"],
  ]);
  delete files["a.ts"];
  delete files["b/c.ts"];
  assert.deepEqual(
    [await text(source, "a.ts"), await text(source, "b/c.ts"), await text(source, "d.ts")],
    ["(gone)", "(gone)", "(unreadable)"],
  );
  const refused = {
    ...handle("app", {}),
    async *values() {
      throw new NamedError("NotAllowedError");
    },
  } as unknown as BrowserFolder;
  await assert.rejects(listed(browserFiles(refused)), { code: "file_not_found" });
});

test("watch: by polling where it is asked for, by the browser where it can; else there is none", async () => {
  const files: Files = { "a.ts": "1", "b/c.ts": "2" };
  const times: Record<string, number> = {};
  const root = handle("app", files, times);
  assert.equal(browserFiles(root).watch, undefined);
  assert.equal(browserFiles([file("a.ts", "a")], { pollMs: 5 }).watch, undefined);
  const follow = async (options: BrowserFilesOptions, tell: (type: string, ...parts: string[]) => void) => {
    const source = browserFiles(root, options);
    await listed(source);
    const seen = new Set<string>();
    const errors: { code?: string }[] = [];
    const end = source.watch!(
      (paths) => paths.forEach((path) => seen.add(path)),
      (error) => errors.push(error as { code?: string }),
    );
    files["a.ts"] += "changed";
    tell("modified", "a.ts");
    await until(() => seen.has("a.ts"), "a change");
    delete files["b/c.ts"];
    files["new/d.ts"] = "3";
    tell("disappeared", "b");
    tell("appeared", "new");
    await until(() => seen.has("b/c.ts") && seen.has("new/d.ts"), "folders");
    times["a.ts"] = (times["a.ts"] ?? 1) + 1;
    seen.clear();
    tell("unknown");
    await until(() => seen.has("a.ts"), "a new time");
    files["b/c.ts"] = "2";
    delete files["new/d.ts"];
    end();
    return errors;
  };
  assert.deepEqual(await follow({ pollMs: 5 }, () => undefined), []);
  let disconnected = 0;
  const global = globalThis as { FileSystemObserver?: unknown };
  let report: (records: object[]) => void = () => undefined;
  global.FileSystemObserver = class {
    constructor(callback: (records: object[]) => void) {
      report = callback;
    }
    async observe(folder: BrowserFolder, { recursive }: { recursive: boolean }): Promise<void> {
      assert.deepEqual([folder, recursive], [root, true]);
    }
    disconnect(): void {
      disconnected++;
    }
  };
  try {
    assert.deepEqual(
      await follow({}, (type, ...parts) =>
        report([{ type, relativePathComponents: type === "unknown" ? undefined : parts, relativePathMovedFrom: null }]),
      ),
      [],
    );
    assert.equal(disconnected, 1);
    const errors: { code?: string }[] = [];
    const end = browserFiles(root).watch!(
      () => undefined,
      (error) => errors.push(error as { code?: string }),
    );
    report([{ type: "errored" }]);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["watch_failed"],
    );
    end();
  } finally {
    delete global.FileSystemObserver;
  }
});

test("what is none of these, and options that are none", () => {
  const wrong = (input: unknown, path: string) =>
    assert.throws(() => browserFiles(input as never), { code: "bad_option", path }, String(input));
  for (const input of [undefined, null, 5, "files", {}, () => 1]) wrong(input, "input");
  wrong([5], "input[0]");
  wrong([file("a.ts", "a"), {}], "input[1]");
  wrong([chosen("../a.ts", "a")], "input[0]");
  assert.throws(() => browserFiles([], { pollMs: -1 }), { code: "bad_option", path: "options.pollMs" });
  assert.throws(() => browserFiles([], { poll: 5 } as never), { code: "bad_option", path: "options.poll" });
});
