/** docs/options.md shows the options as they are: `node --import tsx scripts/options.mjs` writes its tables anew. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error A script without declarations.
import { withOptions } from "../../../scripts/options.mjs";

const page = readFileSync(new URL("../../../docs/options.md", import.meta.url), "utf8");

test("the tables of docs/options.md are current", async () => {
  const lines = page.split("\n");
  const changed = ((await withOptions(page)) as string).split("\n").filter((line, index) => line !== lines[index]);
  assert.deepEqual(changed.slice(0, 3), [], "run node --import tsx scripts/options.mjs");
});

test("the page shows every option with what it is", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  assert.ok(rows.length > 300, String(rows.length));
  assert.deepEqual(
    rows.filter((row) => /\| \|$|undefined \|/.test(row)),
    [],
  );
});
