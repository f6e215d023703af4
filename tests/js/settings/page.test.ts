/** docs/profiles.md shows the tables as they are: `node --import tsx scripts/profiles.mjs` writes them anew. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
// @ts-expect-error A script without types.
import { tablesFor, withTables } from "../../../scripts/profiles.mjs";

const page = readFileSync(new URL("../../../docs/profiles.md", import.meta.url), "utf8");

test("the tables of the page are current", async () => {
  const made: string = withTables(page, await tablesFor(espalier.profile));
  const [old, now] = [page.split("\n"), made.split("\n")];
  const changed = now.flatMap((line, at) => (line === old[at] ? [] : [{ line: at + 1, is: old[at], shouldBe: line }]));
  assert.deepEqual(changed.slice(0, 3), [], "run node --import tsx scripts/profiles.mjs");
  assert.equal(made, page);
});

test("a constant that changes makes the page stale", async () => {
  const tables = await tablesFor(espalier.profile);
  tables.profiles["gemini-cli"] = espalier.profile({ name: "gemini-cli", start: { cold: 0.51 } });
  assert.notEqual(withTables(page, tables), page);
});
