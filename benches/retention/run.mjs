/**
 * `npm run bench retention`: what a view within a budget still shows, beside the alternatives of a user. Writes
 * `board.md` and `board.json`. It uses no clock and no random number, and the network only to fetch the probes once:
 * two runs write the same files. With a flag it prints the figures and their difference to `board.json`, and writes
 * nothing.
 *
 *   --only NAME,NAME    some contenders
 *   --part NAME,NAME    needed, facts, chain, labels, memory or kit alone
 *   --each              a row for each transcript (needed, facts and chain)
 *   --transcripts DIR   other conversations than the public ones, for needed, facts and chain
 *   --pkg DIR           another build of the package, for example ../other/pkg
 *   --write             write the new figures into the board, and keep its other figures
 *   --fresh             ignore cached scores
 *
 * A score is cached in `build/retention` until its scorer, its data or the built package changes. `npm run bench`
 * builds the package first; `node benches/retention/run.mjs` uses the existing build.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { cached, versions } from "./cache.mjs";
import { probes } from "./fetch.mjs";
import { kitsOwn, parts } from "./parts.mjs";
import { columns, markdown, missed } from "./tables.mjs";
import { FOLDERS as PUBLIC, transcripts } from "./transcripts.mjs";
import { contenders, PEERS } from "./views.mjs";

const { values: flags } = parseArgs({
  options: {
    transcripts: { type: "string" },
    only: { type: "string" },
    part: { type: "string" },
    pkg: { type: "string" },
    write: { type: "boolean" },
    each: { type: "boolean" },
    fresh: { type: "boolean" },
  },
});
const isWhole = !flags.transcripts && !flags.only && !flags.part && !flags.pkg && !flags.each;
const dist = flags.pkg ? resolve(flags.pkg, "dist") : new URL("../../pkg/dist", import.meta.url).pathname;
const espalier = await import(`${dist}/index-node.js`);
const file = new URL("./board.json", import.meta.url);
const before = JSON.parse(readFileSync(file, "utf8"));

const names = (flag) => flag?.split(",").map((name) => name.trim());
const isWanted = (flag, name) => flag === undefined || names(flag).includes(name);
const fetched = isWanted(flags.part, "kit") || isWanted(flags.part, "memory") ? probes() : {};
const folders = flags.transcripts && [flags.transcripts];
const sets = flags.each
  ? transcripts(folders).map(({ name }) => [`, ${name}`, parts({ folders: folders ?? PUBLIC, only: [name] })])
  : [["", parts({ folders, probes: fetched })]];
const views = Object.entries(contenders(espalier, await peers())).filter(([name]) => isWanted(flags.only, name));
const { scorers, engine } = versions(dist);
const kept = (key, make) => (flags.fresh || flags.transcripts ? make() : cached([scorers, ...key], make));

const board = {};
for (const [of, scores] of sets) {
  for (const [part, score] of Object.entries(scores).filter(([part]) => isWanted(flags.part, part))) {
    board[part] ??= {};
    for (const [name, view] of views) {
      const started = performance.now();
      const row = `${name}${of}`;
      board[part][row] = await kept([part, row, PEERS.has(name) ? "" : engine], () => score(view, name));
      process.stderr.write(`${part}: ${row}, ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    }
  }
}
if (board.kit && !flags.only) Object.assign(board.kit, await kept(["kit", "own"], () => kitsOwn(fetched.kit)));

if (isWhole || flags.write) {
  const written = isWhole ? board : merged(before, board);
  writeFileSync(file, `${JSON.stringify(written, null, 1)}\n`);
  writeFileSync(new URL("./board.md", import.meta.url), markdown(written));
}
process.stdout.write(columns(board, flags.transcripts ? {} : before) + missed(board));

async function peers() {
  const [{ trimMessages }, { pruneMessages }] = await Promise.all([
    import("@langchain/core/messages"),
    import("ai-sdk"),
  ]);
  return { trimMessages, pruneMessages };
}

function merged(older, newer) {
  const parts = [...new Set([...Object.keys(older), ...Object.keys(newer)])];
  return Object.fromEntries(parts.map((part) => [part, { ...older[part], ...newer[part] }]));
}
