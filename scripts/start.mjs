/**
 * `npm start`: set-up, build, and the playground on localhost, with the reference at /reference/. PORT chooses the port
 * (default 4173, or a free one). The engine is not optimised unless an optimised one is current.
 */

import { buildPackage } from "./build.mjs";
import { step } from "./lib.mjs";
import { buildPage, page } from "./page.mjs";
import { buildReference, reference } from "./reference.mjs";
import { serve, under } from "./serve.mjs";
import { setUp } from "./setup.mjs";

await setUp();
await buildPackage(true);
await step("The playground in build/www", buildPage);
// Without it, or with one that has warnings, the playground still works.
await step("The API reference in build/reference", () =>
  buildReference().catch(({ message }) => console.warn(message)),
);
const { url } = await serve(page, Number(process.env.PORT) || 4173, under("/reference/", reference));
console.log(`\nThe playground is at ${url}, the reference at ${url}reference/ (Ctrl+C stops both)`);
