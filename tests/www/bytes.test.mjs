/** What a first visit fetches before it sees something. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { page as folder } from "../../scripts/page.mjs";
import { opened } from "./browser.mjs";

/**
 * Max bytes of JavaScript, packed as a server sends it: of the page itself, and of its worker, which is the package
 * with the glue of its engine.
 */
const MAX = { page: 40_000, worker: 80_000 };

let close, url;
const fetched = new Set();

before(async () => {
  const listen = (page) => page.on("request", (request) => fetched.add(request.url()));
  const options = {
    ready: "#conversation:not([data-estimate]) [role=option]",
    before: listen,
  };
  const { server, ...others } = await opened("", options);
  ({ close } = others);
  url = server.url;
});
after(() => close?.());

const names = () =>
  [...fetched]
    .filter((address) => address.startsWith(url))
    .map((address) => address.slice(url.length).replace(/#.*/, ""));

/** Returns a script and those that it imports at once. */
function withImports(name, all = new Set()) {
  if (all.has(name)) return all;
  all.add(name);
  for (const [, other] of readFileSync(join(folder, name), "utf8").matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g))
    withImports(other, all);
  return all;
}

test("the scripts of the first view are small", () => {
  const worker = withImports("worker.js");
  const sum = { page: 0, worker: 0 };
  for (const name of names().filter((name) => name.endsWith(".js")))
    sum[worker.has(name) ? "worker" : "page"] += gzipSync(readFileSync(join(folder, name)), { level: 9 }).length;
  assert.ok(sum.page > 10_000 && sum.worker > 10_000, JSON.stringify(sum));
  assert.ok(sum.page <= MAX.page && sum.worker <= MAX.worker, JSON.stringify(sum));
});

test("what is not seen at first is not fetched", () => {
  const others = names().filter((name) =>
    /sessions\.js|cl100k|grammars|workspace|source|search|inline|tokens|prompt|view\.css|code\.css/.test(name),
  );
  assert.deepEqual(others, []);
});
