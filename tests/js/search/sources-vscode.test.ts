/** The workspace of VS Code as a source, over a double of its API that is written from its documentation. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import { vscodeFiles } from "../../../js/search/sources/vscode.ts";
import type { VsCodeApi, VsCodeFilesOptions } from "../../../js/search/sources/vscode.ts";
import { excluding } from "../../../js/search/sources/vscode-globs.ts";
import { openIndex } from "./support.ts";
import { listed, text, until } from "./trees.ts";

// The editor's own declarations fit.
const fits = (module: typeof vscode): VsCodeApi => module;
void fits;

class Uri {
  readonly scheme: string;
  readonly path: string;
  constructor(scheme: string, path: string) {
    this.scheme = scheme;
    this.path = path;
  }
  with({ path }: { path: string }): Uri {
    return new Uri(this.scheme, path);
  }
  toString(): string {
    return `${this.scheme}://${this.path.split("/").map(encodeURIComponent).join("/")}`;
  }
}

class Emitter<T> {
  readonly listeners = new Set<(event: T) => unknown>();
  readonly event = (listener: (event: T) => unknown) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(event: T): void {
    for (const listener of this.listeners) listener(event);
  }
}

class FileSystemError extends Error {
  readonly code: string;
  constructor(code: string, uri: Uri) {
    super(`${code}: ${uri}`);
    this.name = `${code} (FileSystemError)`;
    this.code = code;
  }
}

/**
 * An editor with files by the text of their URI; `null` is a folder without permission, a number a type of `FileType`.
 */
function editor(
  files: Record<string, string | Uint8Array | null | number>,
  roots: Record<string, string> = { app: "file:///app" },
) {
  const content = new Map(Object.entries(files).map(([uri, value]) => [uri, value]));
  const [changedText, closed, folders, configuration] = [
    new Emitter<{ document: object }>(),
    new Emitter<object>(),
    new Emitter<object>(),
    new Emitter<{ affectsConfiguration(section: string): boolean }>(),
  ];
  const watchers = new Set<{ base: string; created: Emitter<Uri>; changed: Emitter<Uri>; deleted: Emitter<Uri> }>();
  const settings: Record<string, unknown> = {};
  const times = new Map<string, number>();
  const uriOf = (text: string) => {
    const [, scheme, path] = /^([a-z-]+):\/\/(.*)$/.exec(text)!;
    return new Uri(scheme!, path!);
  };
  const plain = (uri: Uri) => `${uri.scheme}://${uri.path}`;
  const typeOf = (uri: Uri): number | undefined => {
    const value = content.get(plain(uri));
    if (typeof value === "number") return value;
    if (value === null) return 2;
    if (value !== undefined) return 1;
    return [...content.keys()].some((one) => one.startsWith(`${plain(uri)}/`)) ? 2 : undefined;
  };
  const workspace = {
    workspaceFolders: Object.entries(roots).map(([name, uri], index) => ({
      name: name.replace(/~.*/, ""),
      uri: uriOf(uri),
      index,
    })) as { name: string; uri: Uri; index: number }[] | undefined,
    textDocuments: [] as { uri: Uri; isDirty: boolean; getText(): string }[],
    fs: {
      async readDirectory(uri: Uri): Promise<[string, number][]> {
        if (content.get(plain(uri)) === null) throw new FileSystemError("NoPermissions", uri);
        if (typeOf(uri) !== 2) throw new FileSystemError("FileNotFound", uri);
        const top = `${plain(uri)}/`;
        const names = new Set(
          [...content.keys()].filter((one) => one.startsWith(top)).map((one) => one.slice(top.length).split("/")[0]!),
        );
        return [...names].map((name) => [name, typeOf(uri.with({ path: `${uri.path}/${name}` }))!]);
      },
      async stat(uri: Uri) {
        const type = typeOf(uri);
        if (type === undefined) throw new FileSystemError("FileNotFound", uri);
        const value = content.get(plain(uri));
        return {
          type,
          size:
            typeof value === "string"
              ? new TextEncoder().encode(value).length
              : value instanceof Uint8Array
                ? value.length
                : 0,
          mtime: times.get(plain(uri)) ?? 1,
          ctime: 0,
        };
      },
      async readFile(uri: Uri): Promise<Uint8Array> {
        const value = content.get(plain(uri));
        if (value === null || value === undefined || typeof value === "number")
          throw new FileSystemError("FileNotFound", uri);
        return typeof value === "string" ? new TextEncoder().encode(value) : value;
      },
    },
    getConfiguration: (section: string) => ({ get: (key: string) => settings[`${section}.${key}`] }),
    createFileSystemWatcher({ base, pattern }: { base: { uri: Uri }; pattern: string }) {
      assert.equal(pattern, "**/*");
      const watcher = {
        base: plain(base.uri),
        created: new Emitter<Uri>(),
        changed: new Emitter<Uri>(),
        deleted: new Emitter<Uri>(),
      };
      watchers.add(watcher);
      return {
        onDidCreate: watcher.created.event,
        onDidChange: watcher.changed.event,
        onDidDelete: watcher.deleted.event,
        dispose: () => watchers.delete(watcher),
      };
    },
    onDidChangeTextDocument: changedText.event,
    onDidCloseTextDocument: closed.event,
    onDidChangeWorkspaceFolders: folders.event,
    onDidChangeConfiguration: configuration.event,
  };
  class RelativePattern {
    readonly base: unknown;
    readonly pattern: string;
    constructor(base: unknown, pattern: string) {
      this.base = base;
      this.pattern = pattern;
    }
  }
  /** Writes or deletes as another program does. */
  const put = (uri: string, value: string | undefined) => {
    const kind = value === undefined ? "deleted" : content.has(uri) ? "changed" : "created";
    if (value === undefined) content.delete(uri);
    else content.set(uri, value);
    times.set(uri, (times.get(uri) ?? 1) + 1);
    for (const watcher of watchers) if (uri.startsWith(`${watcher.base}/`)) watcher[kind].fire(uriOf(uri));
  };
  return {
    api: { workspace, RelativePattern } as unknown as VsCodeApi,
    workspace,
    settings,
    watchers,
    put,
    uriOf,
    events: { changedText, closed, folders, configuration },
    emitters: [changedText, closed, folders, configuration],
  };
}

const source = (made: ReturnType<typeof editor>, options?: VsCodeFilesOptions) => vscodeFiles(made.api, options);

test("a workspace: files, notes, texts; ignore files and rules hold", async () => {
  const made = editor({
    "file:///app/src/a.ts": "export const a = 1;\n",
    "file:///app/.gitignore": "out/\n",
    "file:///app/out/b.ts": "",
    "file:///app/photo.png": "",
    "file:///app/closed": null,
    "file:///app/link": 66,
    "file:///app/link.ts": 65,
    "file:///app/odd": 0,
    "file:///app/node_modules/x.js": "",
    "file:///other/c.ts": "",
  });
  const files = source(made);
  const { paths, notes } = await listed(files);
  assert.deepEqual(paths, [".gitignore", "src/a.ts"]);
  assert.deepEqual(notes, [
    "closed: unreadable",
    "link.ts: ignored",
    "link: ignored",
    "node_modules: ignored",
    "odd: unreadable",
    "out: ignored",
    "photo.png: binary",
  ]);
  assert.equal(await text(files, "src/a.ts"), "export const a = 1;\n");
  assert.deepEqual(
    [
      await text(files, "gone.ts"),
      await text(files, "../other/c.ts"),
      await text(files, "link.ts"),
      await text(files, "out/b.ts"),
    ],
    ["(gone)", "(gone)", "(ignored)", "(ignored)"],
  );
});

test("several folders, of other file systems and of the same name; none at all", async () => {
  const files = { "file:///one/app/a.ts": "1", "vscode-vfs:///two/app/a.ts": "2", "memfs:///ключ/b c.ts": "3" };
  const made = editor(files, {
    app: "file:///one/app",
    "app~2": "vscode-vfs:///two/app",
    "odd/name": "memfs:///ключ",
  });
  const all = source(made);
  assert.deepEqual((await listed(all)).paths, ["app-2/a.ts", "app/a.ts", "odd-name/b c.ts"]);
  assert.deepEqual(
    [await text(all, "app/a.ts"), await text(all, "app-2/a.ts"), await text(all, "odd-name/b c.ts")],
    ["1", "2", "3"],
  );
  made.workspace.workspaceFolders = undefined;
  assert.deepEqual((await listed(all)).paths, []);
  made.workspace.workspaceFolders = [{ name: "gone", uri: new Uri("file", "/gone"), index: 0 }];
  await assert.rejects(listed(all), { code: "file_not_found" });
});

test("a folder in a folder of the workspace is listed once", async () => {
  const made = editor(
    { "file:///app/a.ts": "", "file:///app/sub/b.ts": "" },
    { app: "file:///app", sub: "file:///app/sub" },
  );
  assert.deepEqual(await listed(source(made)).then(({ paths, notes }) => [paths, notes]), [
    ["app/a.ts", "sub/b.ts"],
    ["app/sub: duplicate"],
  ]);
});

test("settings: what the editor's search leaves out", async () => {
  const files = Object.fromEntries(
    [
      "a.ts",
      "a.js",
      "b.js",
      "dist/c.ts",
      "src/dist/d.ts",
      "x.spec.ts",
      "x.snap",
      "logs/e.txt",
      "keep/f.ts",
      ".gitignore",
    ].map((path) => [`file:///app/${path}`, path === ".gitignore" ? "keep/\n" : ""]),
  );
  const made = editor(files);
  made.settings["files.exclude"] = { "**/*.js": { when: "$(basename).ts" }, dist: true, "**/*.spec.ts": false };
  made.settings["search.exclude"] = { "**/*.{snap,tmp}": true, "logs/**": true };
  assert.deepEqual((await listed(source(made))).paths, [".gitignore", "a.ts", "b.js", "src/dist/d.ts", "x.spec.ts"]);
  for (const [path, expected] of [
    ["a.js", "(ignored)"],
    ["b.js", ""],
    ["dist/c.ts", "(ignored)"],
    ["logs/e.txt", "(ignored)"],
  ] as const)
    assert.equal(await text(source(made), path), expected, path);
  assert.equal((await listed(source(made, { settings: false }))).paths.length, 9);
  made.settings["search.useIgnoreFiles"] = false;
  assert.ok((await listed(source(made))).paths.includes("keep/f.ts"));
});

test("patterns of settings", () => {
  const check = (pattern: string, path: string, expected: boolean) =>
    assert.equal(
      excluding([{ [pattern]: true }])(path, () => false),
      expected,
      `${pattern} ${path}`,
    );
  for (const [pattern, path] of [
    ["**/a", "a"],
    ["**/a", "x/a"],
    ["a", "a"],
    ["*.js", "a.js"],
    ["**/*.{js,ts}", "x/a.ts"],
    ["{a,b/{c,d}}/e", "b/d/e"],
    ["a/**", "a"],
    ["/a", "a"],
    ["a/", "a"],
    ["[ab].ts", "b.ts"],
    ["{a}", "a"],
    ["{,a}b", "b"],
  ] as const)
    check(pattern, path, true);
  for (const [pattern, path] of [
    ["a", "x/a"],
    ["*.js", "x/a.js"],
    ["{a,b", "a"],
    ["**/*.js", "a.ts"],
    ["", "a"],
    [`${"{a,b}".repeat(20)}`, "a".repeat(20)],
  ] as const)
    check(pattern, path, false);
});

test("unsaved changes come before the disk", async () => {
  const made = editor({ "file:///app/a b.ts": "disk" });
  const files = source(made);
  const before = (await listed(files)).versions["a b.ts"];
  made.workspace.textDocuments.push({ uri: new Uri("file", "/app/a b.ts"), isDirty: true, getText: () => "editor" });
  const { versions } = await listed(files);
  assert.notEqual(versions["a b.ts"], before);
  assert.deepEqual(await files.read("a b.ts"), { text: "editor", version: versions["a b.ts"] });
  assert.equal(await text(source(made, { unsaved: false }), "a b.ts"), "disk");
  made.workspace.textDocuments[0]!.isDirty = false;
  assert.deepEqual(await files.read("a b.ts"), { text: "disk", version: before });
});

test("the encoding of the settings", async () => {
  const bytes = (...values: (number | string)[]) =>
    Uint8Array.from(
      values.flatMap((value) => (typeof value === "number" ? [value] : [...new TextEncoder().encode(value)])),
    );
  const made = editor({
    "file:///app/latin.txt": bytes("caf", 0xe9, " pelican\n"),
    "file:///app/utf8.txt": "café heron\n",
    "file:///app/min.js": bytes("x", 0xe9, "y".repeat(20_000)),
  });
  const files = source(made, { delayMs: 1 });
  assert.equal(await text(files, "latin.txt"), "(encoding)");
  // As the editor: an unknown byte becomes U+FFFD, and a text of the setting's encoding is read.
  made.settings["files.encoding"] = "utf8";
  const asked: string[] = [];
  Object.assign(made.workspace, {
    async decode(content: Uint8Array, { uri }: { uri: Uri }) {
      asked.push(uri.path);
      return new TextDecoder(made.settings["files.encoding"] as string).decode(content);
    },
  });
  assert.equal(await text(files, "latin.txt"), "(encoding)");
  const index = await openIndex({ source: files });
  const hits = async () => (await index.search("pelican", { fullWorkspace: false })).hits.map(({ path }) => path);
  assert.deepEqual([(await index.sync()).notes.length, await hits()], [2, []]);
  const changed: string[] = [];
  const stop = index.watch({ onChange: ({ added }) => void (added > 0 && changed.push("latin.txt")) });
  await until(() => made.watchers.size === 1, "a watcher");
  made.settings["files.encoding"] = "windows-1252";
  made.events.configuration.fire({ affectsConfiguration: (section) => section === "files.encoding" });
  await until(() => changed.length > 0, "a change");
  assert.deepEqual(await hits(), ["latin.txt"]);
  await index.dispose();
  stop();
  assert.equal(await text(files, "latin.txt"), "café pelican\n");
  assert.equal(await text(files, "utf8.txt"), "café heron\n");
  assert.equal(await text(files, "min.js"), "(minified)");
  assert.ok(!asked.includes("/app/utf8.txt"));
});

test("watch: the disk, editors, folders of the workspace, settings", async () => {
  const made = editor({
    "file:///app/a.ts": "1",
    "file:///app/sub/b.ts": "1",
    "file:///app/.gitignore": "*.log2\n",
    "file:///lib/c.ts": "1",
  });
  const files = source(made, { delayMs: 1 });
  await listed(files);
  const seen = new Set<string>();
  const errors: unknown[] = [];
  const end = files.watch!(
    (paths) => paths.forEach((path) => seen.add(path)),
    (error) => errors.push(error),
  );
  const check = async (change: () => void, ...paths: string[]) => {
    seen.clear();
    change();
    await until(() => paths.every((path) => seen.has(path)), `${paths} of ${[...seen]}`);
  };
  await check(() => made.put("file:///app/a.ts", "22"), "a.ts");
  await check(() => made.put("file:///app/new.ts", "1"), "new.ts");
  await check(() => made.put("file:///app/sub/b.ts", undefined), "sub/b.ts");
  await check(() => {
    made.put("file:///app/x.log2", "1");
    made.put("file:///app/last.ts", "1");
  }, "last.ts");
  assert.deepEqual([...seen], ["last.ts"]);
  await check(() => made.put("file:///app/.gitignore", ""), "x.log2");
  const document = { uri: new Uri("file", "/app/a.ts"), isDirty: true, getText: () => "typed" };
  made.workspace.textDocuments.push(document);
  await check(() => made.events.changedText.fire({ document }), "a.ts");
  await check(() => {
    made.workspace.textDocuments.pop();
    made.events.closed.fire(document);
  }, "a.ts");
  await check(() => {
    made.settings["files.exclude"] = { "new.ts": true };
    made.events.configuration.fire({ affectsConfiguration: (section) => section === "files.exclude" });
  }, "new.ts");
  await check(
    () => {
      made.workspace.workspaceFolders = [
        ...made.workspace.workspaceFolders!,
        { name: "lib", uri: new Uri("file", "/lib"), index: 1 },
      ];
      made.events.folders.fire({});
    },
    "a.ts",
    "app/a.ts",
    "lib/c.ts",
  );
  await check(() => made.put("file:///lib/c.ts", "33"), "lib/c.ts");
  assert.equal(made.watchers.size, 2);
  end();
  assert.equal(made.watchers.size, 0);
  assert.ok(made.emitters.every(({ listeners }) => listeners.size === 0));
  assert.deepEqual(errors, []);
});

test("a watcher that cannot be made is reported", async () => {
  const made = editor({ "file:///app/a.ts": "1" });
  (made.workspace as { createFileSystemWatcher: unknown }).createFileSystemWatcher = () => {
    throw new Error("too many watchers");
  };
  const errors: { code?: string }[] = [];
  source(made).watch!(
    () => undefined,
    (error) => errors.push(error as { code?: string }),
  )();
  assert.deepEqual(
    errors.map(({ code }) => code),
    ["watch_failed"],
  );
});

test("what is not VS Code, and options that are none", () => {
  for (const api of [undefined, null, {}, { workspace: {} }, { workspace: { fs: { stat() {} } } }])
    assert.throws(() => vscodeFiles(api as never), { code: "bad_option", path: "vscode" });
  const { api } = editor({});
  assert.throws(() => vscodeFiles(api, { unsaved: 5 } as never), { code: "bad_option", path: "options.unsaved" });
  assert.throws(() => vscodeFiles(api, { delay: 5 } as never), { code: "bad_option", path: "options.delay" });
});
