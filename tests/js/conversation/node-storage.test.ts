/** A folder as storage: what names may not reach, and who may read it. */

import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { nodeStorage } from "../../../js/conversation/node-storage.ts";
import type { HostStorage } from "../../../js/conversation/storage.ts";

let outside: string;
let root: string;
let storage: HostStorage;

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), "espalier-outside-"));
  root = join(outside, "session");
  mkdirSync(join(outside, "sibling"));
  writeFileSync(join(outside, "sibling", "secret"), "secret");
  storage = nodeStorage(root);
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

const refused = { code: "bad_input", path: "name" };

/** Every method refuses the name, and nothing is created or changed beside the folder. */
async function check(name: string): Promise<void> {
  await assert.rejects(async () => storage.read(name), refused, name);
  await assert.rejects(async () => storage.append(name, "x"), refused, name);
  await assert.rejects(async () => storage.write(name, "x"), refused, name);
  await assert.rejects(async () => storage.delete(name), refused, name);
  assert.deepEqual(
    readdirSync(outside).filter((entry) => entry !== "session"),
    ["sibling"],
    name,
  );
  assert.equal(readFileSync(join(outside, "sibling", "secret"), "utf8"), "secret");
}

test("names outside of the folder, of the folder itself, of no file", async () => {
  for (const name of [
    "",
    ".",
    "./",
    "a/..",
    "..",
    "../sibling/secret",
    "a/../../sibling/secret",
    join(outside, "sibling", "secret"),
    "checkpoints/",
    "a\0b",
  ])
    await check(name);
});

test("a list stays in the folder", async () => {
  await storage.write("a/b", "x");
  for (const prefix of ["../", "../sibling/", "../../../../../etc/pass", "a/../../sibling/", "/etc/"])
    await assert.rejects(async () => storage.list(prefix), refused, prefix);
  assert.deepEqual([await storage.list(""), await storage.list("a/"), await storage.list("b")], [["a/b"], ["a/b"], []]);
});

test("links are not followed", { skip: process.platform === "win32" }, async () => {
  mkdirSync(root);
  symlinkSync(join(outside, "sibling", "secret"), join(root, "log.jsonl"));
  symlinkSync(join(outside, "sibling", "new"), join(root, "dangling"));
  symlinkSync(join(outside, "sibling"), join(root, "checkpoints"));
  for (const name of ["log.jsonl", "dangling", "checkpoints/secret", "checkpoints/more"]) await check(name);
  assert.deepEqual(readdirSync(join(outside, "sibling")), ["secret"]);
  // What a write goes through on its way is replaced, not followed.
  symlinkSync(join(outside, "sibling", "secret"), join(root, "plain.new"));
  await storage.write("plain", "new words");
  assert.deepEqual(
    [readFileSync(join(root, "plain"), "utf8"), readFileSync(join(outside, "sibling", "secret"), "utf8")],
    ["new words", "secret"],
  );
  // The folder itself may be one: it is the host's own.
  symlinkSync(join(outside, "sibling"), join(outside, "link"));
  await nodeStorage(join(outside, "link")).write("own", "x");
  assert.ok(existsSync(join(outside, "sibling", "own")));
});

test("files and folders are for their owner alone", { skip: process.platform === "win32" }, async () => {
  await storage.append("log.jsonl", "{}\n");
  await storage.write("checkpoints/001.md", "x");
  const modes = ["", "checkpoints", "log.jsonl", "checkpoints/001.md"].map((name) =>
    (statSync(join(root, name)).mode & 0o777).toString(8),
  );
  assert.deepEqual(modes, ["700", "700", "600", "600"]);
});

test("texts are kept as before", async () => {
  assert.equal(await storage.read("a"), undefined);
  await storage.append("a", "1");
  await storage.append("a", "2");
  assert.equal(await storage.read("a"), "12");
  await storage.write("a", "3");
  assert.equal(await storage.read("a"), "3");
  await storage.delete("a");
  await storage.delete("a");
  assert.deepEqual([await storage.read("a"), await storage.list("")], [undefined, []]);
});

test("a write that fails leaves nothing behind", async () => {
  await storage.write("checkpoints/001.md", "x");
  await assert.rejects(async () => storage.write("checkpoints", "y"));
  await assert.rejects(async () => storage.writeBytes("checkpoints", new Uint8Array(3)));
  assert.deepEqual(await storage.list(""), ["checkpoints/001.md"]);
  assert.deepEqual(readdirSync(root), ["checkpoints"]);
});

test("several writers of one name at the same moment: all succeed, and one text is there whole", async () => {
  const texts = Array.from({ length: 20 }, (_, at) => `${at} `.repeat(2_000 * (at + 1)));
  await Promise.all(texts.map((text) => nodeStorage(root).write("owner", text)));
  assert.ok(texts.includes((await storage.read("owner"))!));
  assert.deepEqual(readdirSync(root), ["owner"]);
});
