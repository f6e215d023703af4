/**
 * Makes script and style of the page of `HTMLTracer` from `www/prompt`, so that the package and the playground show a
 * prompt in one way. In the package they are a file of their own (`dist/trace-page.js`), which is read when a page is
 * made: a caller without traces does not load it.
 */

import { join } from "node:path";
import { root } from "./lib.mjs";
import { refuseUnlisted } from "./licences.mjs";

/** What the page is made from, for the hash of a build. */
export const TRACE_PAGE_SOURCES = [
  "www/prompt",
  "www/parts",
  "www/app/address.ts",
  "www/colours.css",
  "scripts/trace-page.mjs",
];

export async function tracePage() {
  const esbuild = await import("esbuild");
  const folder = join(root, "www", "prompt");
  const common = { bundle: true, write: false, minify: true, charset: "utf8", legalComments: "none", target: "es2022" };
  const [script, style] = await Promise.all([
    esbuild.build({
      ...common,
      entryPoints: [join(folder, "inlined.tsx")],
      format: "iife",
      platform: "browser",
      metafile: true,
    }),
    esbuild.build({
      ...common,
      stdin: { contents: '@import "./inlined.css"; @import "./prompt.css";', loader: "css", resolveDir: folder },
    }),
  ]);
  refuseUnlisted(Object.keys(script.metafile.inputs));
  const [text, css] = [script, style].map(({ outputFiles: [file] }) => file.text.trim());
  // Inside the page's elements these would end them.
  if (/<\/script|<!--/i.test(text) || /<\/style/i.test(css)) throw new Error("the tracer's page would end early");
  return { script: text, style: css };
}
