/** What a first visit fetches before it sees something. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { page as folder } from "../../scripts/page.mjs";
import { opened } from "./browser.mjs";

/**
 * Max bytes of JavaScript, packed as a server sends it: of the page itself, of what its worker needs to read an example
 * and show an estimate, and of the engine's part, which reads all formats, for exact counts.
 */
const MAX = { page: 30_600, worker: 10_600, engine: 65_300 };
/** Max bytes before the first view. */
const MAX_FIRST = 41_200;

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
  const scripts = names().filter((name) => name.endsWith(".js"));
  const worker = withImports("worker.js");
  const [counting] = scripts.filter((name) => name.startsWith("counting-"));
  const engine = withImports(counting);
  const sum = { page: 0, worker: 0, engine: 0 };
  for (const name of scripts) {
    const part = worker.has(name) ? "worker" : engine.has(name) ? "engine" : "page";
    sum[part] += gzipSync(readFileSync(join(folder, name)), { level: 9 }).length;
  }
  for (const part of Object.keys(sum)) assert.ok(sum[part] > 5_000 && sum[part] <= MAX[part], JSON.stringify(sum));
  assert.ok(sum.page + sum.worker <= MAX_FIRST, JSON.stringify(sum));
});

test("what is not seen at first is not fetched", () => {
  const others = names().filter((name) =>
    /sessions\.js|cl100k|grammars|workspace|source|search|inline|tokens|prompt|view\.css|code\.css/.test(name),
  );
  assert.deepEqual(others, []);
});
