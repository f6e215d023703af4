/**
 * `npm run bench`: the benchmarks in benches/, each beside its peers: all, or one by its name. Arguments are passed on.
 */

import { join } from "node:path";
import { buildPackage } from "./build.mjs";
import { root, run, step } from "./lib.mjs";
import { setUp } from "./setup.mjs";

await setUp();
await buildPackage();
const benches = join(root, "benches");
await step("The peers (npm packages of their own, not part of the repository)", () =>
  run("npm", ["install", "--no-audit", "--no-fund"], { cwd: benches }),
);
const named = process.argv[2]?.startsWith("--") ? undefined : process.argv[2];
for (const name of named ? [named] : ["tokens", "prompt", "sessions", "retention"]) {
  run(process.execPath, [join(benches, name, "run.mjs"), ...process.argv.slice(named ? 3 : 2)], { cwd: benches });
}
