/**
 * Runs the tests of the page, two files at once: cases wait more than they work. Files in which something failed run
 * once more, alone, if they are not too many: Chromium loses a frame, a key or a click now and then while the machine
 * is busy. A defect fails twice.
 *
 *   node tests/www/run.mjs [FILE...]     all files, or the named ones, such as `tokens` or `run-replay`
 */

import { readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Files that may fail once and hold when they run again. Where more fail, the machine is not the reason. */
const SECOND_TRIES = 8;

const names = process.argv.slice(2);
const all = readdirSync(here).filter((file) => file.endsWith(".test.mjs"));
const unknown = names.find((name) => !all.includes(`${name}.test.mjs`));
if (unknown) throw new Error(`tests/www/${unknown}.test.mjs does not exist`);
const chosen = names.length > 0 ? names.map((name) => `${name}.test.mjs`) : all.sort();

let failed = await failing(
  chosen.map((file) => join(here, file)),
  2,
);
if (failed.length > 0 && failed.length <= SECOND_TRIES) {
  console.log(`A second try of ${failed.map((file) => relative(here, file)).join(" and ")}:`);
  const again = await failing(failed, 1);
  console.log(`${failed.length - again.length} of ${failed.length} held the second time.`);
  failed = again;
}
process.exit(failed.length > 0 ? 1 : 0);

/** Runs test files, this number at once; returns those in which something failed. */
async function failing(files, concurrency) {
  const failed = new Set();
  const tests = run({ files, concurrency });
  tests.on("test:fail", ({ file, name }) => failed.add(file ?? resolve(name)));
  for await (const text of tests.compose(new Spec())) process.stdout.write(text);
  return [...failed];
}
