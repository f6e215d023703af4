/** `npm run bench`: the benchmarks in benches/, each beside its peers. Arguments are passed on. */

import { join } from "node:path";
import { buildPackage } from "./build.mjs";
import { root, run, step } from "./lib.mjs";
import { setUp } from "./setup.mjs";

await setUp();
await buildPackage();
const benches = join(root, "benches");
await step("The peers (npm packages of their own, not part of the repository)", () => run("npm", ["install", "--no-audit", "--no-fund"], { cwd: benches }));
run(process.execPath, [join(benches, "tokens", "run.mjs"), ...process.argv.slice(2)], { cwd: benches });
