/** The agents in examples/, run as their README says, with the packed package and the SDKs that they install. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const examples = fileURLToPath(new URL("../examples", import.meta.url));
const manifest = JSON.parse(readFileSync(`${examples}/package.json`, "utf8"));
const pages = readdirSync(new URL("docs/", import.meta.resolve("espalier/package.json")));
const WINDOW = 16_000;

/** Returns what an agent printed. Without a key it asks the model on localhost. */
function ran(name) {
  const { OPENAI_API_KEY, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", name], {
    cwd: examples,
    env,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

for (const name of ["agent-loop", "ai-sdk", "langchain"]) {
  test(`${name}: reads every page in a window of 16,000 tokens, and answers`, () => {
    const output = ran(name);
    const sent = [...output.matchAll(/(\d+) tokens: /g)].map(([, tokens]) => Number(tokens));
    assert.equal(sent.length, pages.length + 1, output);
    for (const page of pages) assert.ok(output.includes(page), `${page} was not read`);
    assert.ok(Math.max(...sent) <= WINDOW && Math.max(...sent) > WINDOW / 2, output);
    const falls = sent.filter((tokens, index) => tokens < (sent[index - 1] ?? 0));
    assert.ok(falls.length >= 2, `compacted ${falls.length} times`);
    assert.match(output, /`compact` replaces older history by a summary\.\n/);
    const [, edits] = /; (\d+) edits lie over/.exec(output);
    assert.ok(Number(edits) >= falls.length, output);
  });
}

test("the examples install the SDKs that are tested here", () => {
  const tested = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies;
  for (const [name, version] of Object.entries(manifest.dependencies))
    if (name !== "espalier") assert.equal(version, tested[name], name);
});
