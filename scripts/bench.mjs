/**
 * `npm run bench`: set-up, the package, and the comparisons in `benches/`, whose own packages are the peers and the texts. What follows
 * `--` goes to the comparison: `npm run bench -- --peers=espalier,tiktoken --tasks=code`.
 */

import { join } from "node:path";
import { buildPackage } from "./build.mjs";
import { cached, hash, root, run, step } from "./lib.mjs";
import { setUp } from "./setup.mjs";

const benches = join(root, "benches");

await setUp();
await buildPackage();
await step("The peers (npm packages, about 200 MB)", () =>
  // Their versions are exact in package.json, so that no lock is needed.
  cached("benches", hash(["benches/package.json"]), [join(benches, "node_modules", "tiktoken")], () =>
    run("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund"], { cwd: benches })));
run(process.execPath, [join(benches, "tokens", "run.mjs"), ...process.argv.slice(2)], { cwd: benches });
