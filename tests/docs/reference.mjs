/** Builds the API reference, which must have no warning, and follows the links of its pages. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildReference, declaredEntries, reference } from "../../scripts/reference.mjs";
import { serve, under } from "../../scripts/serve.mjs";

const start = Date.now();
await buildReference();
const pages = readdirSync(reference, { recursive: true }).filter((name) => name.endsWith(".html"));
const modules = pages.filter((name) => name.startsWith("modules/")).map(titleOf);
for (const name of declaredEntries().keys())
  assert.ok(
    modules.some((title) => title === name),
    `no page of ${name}`,
  );
const docs = pages.filter((name) => name.startsWith("documents/"));
assert.ok(docs.length > 15, `${docs.length} pages of docs/`);

let links = 0;
for (const page of pages) {
  for (const [, href] of readFileSync(join(reference, page), "utf8").matchAll(/ (?:href|src)="([^"#]+)/g)) {
    if (/^[a-z]+:/.test(href)) continue;
    links += 1;
    const target = join(reference, dirname(page), decodeURIComponent(href));
    assert.ok(existsSync(target), `${page} links to ${href}`);
  }
}
// As `npm start` serves it: beside another folder, which here is its own assets.
const { url, close } = await serve(join(reference, "assets"), 0, under("/reference/", reference));
for (const [path, status, type] of [
  ["reference/", 200, /^text\/html/],
  ["reference/functions/espalier.prune.html", 200, /^text\/html/],
  ["reference/assets/icons.svg", 200, /^image\/svg/],
  ["main.js", 200, /javascript/],
  ["reference/..%2f..%2fpackage.json", 404],
]) {
  const response = await fetch(url + path);
  assert.equal(response.status, status, path);
  if (type) assert.match(response.headers.get("content-type") ?? "", type, path);
  await response.arrayBuffer();
}
close();
console.log(`ok     the reference: ${pages.length} pages, ${links} links (${Date.now() - start} ms)`);

function titleOf(page) {
  return /<title>([^<|]+?) \|/.exec(readFileSync(join(reference, page), "utf8"))?.[1];
}
