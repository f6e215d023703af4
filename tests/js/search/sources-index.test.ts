/**
 * An index over a folder, from end to end, as the package is shipped: changes on the disk are found by the next search.
 */

import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type * as Search from "../../../js/entries/search.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../../pkg/dist/search-node.js";
import { folder, write } from "./trees.ts";

const { nodeFiles, openIndex } = bundle as typeof Search;

/** Paths of the hits. */
async function found(index: Search.WorkspaceIndex, query: string): Promise<string[]> {
  return (await index.search(query, { fullWorkspace: false })).hits.map(({ path }) => path).sort();
}

/** Waits until a search finds these files. */
async function check(index: Search.WorkspaceIndex, query: string, ...paths: string[]): Promise<void> {
  let last: string[] = [];
  for (let turn = 0; turn < 400; turn++) {
    last = await found(index, query);
    if (last.join() === paths.join()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.deepEqual(last, paths, query);
}

test("files that come, change, move and go while an index watches", async () => {
  const root = folder({ "a.ts": "export const whale = 1;\n", "src/b.ts": "export const heron = 2;\n" });
  const index = await openIndex({ source: nodeFiles(root, { delayMs: 20 }) });
  try {
    const { added } = await index.sync();
    assert.equal(added, 2);
    const errors: unknown[] = [];
    const end = index.watch({ onError: (error) => errors.push(error) });
    await check(index, "whale", "a.ts");
    write(root, { "c.ts": "export const whale = 3;\n" });
    await check(index, "whale", "a.ts", "c.ts");
    write(root, { "a.ts": "export const otter = 1;\n" });
    await check(index, "whale", "c.ts");
    renameSync(join(root, "src"), join(root, "lib"));
    await check(index, "heron", "lib/b.ts");
    write(root, { ".gitignore": "lib/\n" });
    await check(index, "heron");
    rmSync(join(root, ".gitignore"));
    await check(index, "heron", "lib/b.ts");
    rmSync(join(root, "lib"), { recursive: true });
    await check(index, "heron");
    write(root, { "c.ts": Uint8Array.of(0x77, 0, 0xff) });
    await check(index, "whale");
    assert.deepEqual(errors, []);
    end();
  } finally {
    await index.dispose();
  }
});

test("a root that is gone: the index keeps its files, and says why it cannot be brought up to date", async () => {
  const root = folder({ "one/a.ts": "export const whale = 1;\n", "two/b.ts": "export const whale = 2;\n" });
  const index = await openIndex({ source: nodeFiles([join(root, "one"), join(root, "two")]) });
  try {
    await index.sync();
    renameSync(join(root, "two"), join(root, "away"));
    await assert.rejects(index.sync(), { code: "file_not_found" });
    assert.equal((await index.state()).files, 2);
    renameSync(join(root, "away"), join(root, "two"));
    assert.equal((await index.sync()).unchanged, 2);
    assert.deepEqual(await found(index, "whale"), ["one/a.ts", "two/b.ts"]);
  } finally {
    await index.dispose();
  }
});
