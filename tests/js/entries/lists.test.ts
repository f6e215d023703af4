/** What each entry of the package exports: few verbs at the root, and one home for every other name. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
// @ts-expect-error A script of the build has no declarations.
import { ENTRIES as table } from "../../../scripts/entries.mjs";

const ENTRIES = table as { name: string; path: string; chunk: string; list: string }[];
const dist = new URL("../../../pkg/dist/", import.meta.url);
const require = createRequire(dist);
const names = async (file: string) => Object.keys((await import(new URL(file, dist).href)) as object).sort();
const core = ENTRIES.filter(({ chunk, list }) => chunk === "core" && list.startsWith("entries/"));

test("the root has at most 30 values", async () => {
  const root = await names("index-node.js");
  assert.ok(root.length <= 30, `${root.length}: ${root.join(" ")}`);
});

test("every name has one home; only what renders is at the root, too", async () => {
  const homes = new Map<string, string[]>();
  for (const { name, path } of core)
    for (const value of await names(`${name}-node.js`)) homes.set(value, [...(homes.get(value) ?? []), path]);
  const twice = [...homes].filter(([, paths]) => paths.length > 1);
  assert.deepEqual(Object.fromEntries(twice), { render: [".", "./prompt"], renderRequest: [".", "./prompt"] });
  assert.deepEqual(await names("slim.js"), [...homes.keys()].sort(), "slim has all of them");
  assert.deepEqual(await names("inline.js"), [...homes.keys()].sort(), "inline has all of them");
});

for (const { name } of ENTRIES)
  test(`${name}: every variant has the same names`, async () => {
    const wanted = await names(`${name}-node.js`);
    assert.deepEqual(Object.keys(require(`./${name}-node.cjs`) as object).sort(), wanted, "node.cjs");
    assert.deepEqual(Object.keys(require(`./${name}-inline.cjs`) as object).sort(), wanted, "inline.cjs");
    for (const variant of ["bundle", "web", "inline"])
      assert.deepEqual(await names(`${name}-${variant}.js`), wanted, variant);
  });
