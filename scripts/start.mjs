/**
 * `npm start`: set-up, build, and the playground on localhost. PORT chooses the port (default 4173, or a free one). The
 * engine is not optimised unless an optimised one is current.
 */

import { buildPackage } from "./build.mjs";
import { step } from "./lib.mjs";
import { buildPage, page } from "./page.mjs";
import { serve } from "./serve.mjs";
import { setUp } from "./setup.mjs";

await setUp();
await buildPackage(true);
await step("The playground in build/www", buildPage);
const { url } = await serve(page, Number(process.env.PORT) || 4173);
console.log(`\nThe playground is at ${url} (Ctrl+C stops it)`);
