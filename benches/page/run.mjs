/**
 * How long the playground's tasks hold the page's thread while a person drags, types and opens large files: the tests
 * of the page that do so, one after the other, with the browser's trace on.
 *
 *   node page/run.mjs [FILE...]     all, or those of the named files of tests/www, such as `dragging`
 */

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tests = join(root, "tests", "www");

const TEST = ".test.mjs";
const isMeasured = (file) => file.endsWith(TEST) && readFileSync(join(tests, file), "utf8").includes("busy(");
const all = readdirSync(tests).filter(isMeasured);
const files = process.argv.length > 2 ? process.argv.slice(2) : all.map((file) => file.slice(0, -TEST.length));

const env = { ...process.env, ESPALIER_TASKS: "1" };
const built = spawnSync(process.execPath, [join(root, "scripts", "page.mjs")], {
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
console.log("| what | tasks | longest, ms of its own time | those longer than 50 ms |\n| --- | --- | --- | --- |");
let failed = false;
for (const file of files) {
  const { stdout, status } = spawnSync(process.execPath, [join(tests, "run.mjs"), file], {
    encoding: "utf8",
    env,
    maxBuffer: 1 << 26,
  });
  for (const [row] of stdout.matchAll(/^\| .*\|$/gm)) console.log(row);
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
