/**
 * `npm run bench retention`: what a view within a budget still shows, beside what a user would pick instead. Writes
 * `board.md` and `board.json`. It uses no clock and no random number, and the network only to fetch the probes once:
 * two runs write the same files. With a flag it prints the figures and their difference to `board.json`, and writes
 * nothing.
 *
 *   --only NAME,NAME    some contenders
 *   --part NAME,NAME    needed, facts, chain, labels, memory or kit alone
 *   --transcripts DIR   other conversations than the public ones, for needed, facts and chain
 *   --write             write what was run into the board, and keep its other figures
 *   --fresh             score again what is known
 *
 * A score is kept in `build/retention` until its scorer, its data or the built package changes. `npm run bench` builds
 * the package first; `node benches/retention/run.mjs` takes it as it is.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as espalier from "../../pkg/dist/node.js";
import { cached, versions } from "./cache.mjs";
import { probes } from "./fetch.mjs";
import { kitsOwn, parts } from "./parts.mjs";
import { columns, markdown, missed } from "./tables.mjs";
import { contenders, PEERS } from "./views.mjs";

const { values: flags } = parseArgs({
  options: {
    transcripts: { type: "string" },
    only: { type: "string" },
    part: { type: "string" },
    write: { type: "boolean" },
    fresh: { type: "boolean" },
  },
});
const isWhole = !flags.transcripts && !flags.only && !flags.part;
const file = new URL("./board.json", import.meta.url);
const before = JSON.parse(readFileSync(file, "utf8"));

const names = (flag) => flag?.split(",").map((name) => name.trim());
const isWanted = (flag, name) => flag === undefined || names(flag).includes(name);
const fetched = isWanted(flags.part, "kit") || isWanted(flags.part, "memory") ? probes() : {};
const wanted = Object.entries(parts({ folders: flags.transcripts && [flags.transcripts], probes: fetched })).filter(
  ([part]) => isWanted(flags.part, part),
);
const views = Object.entries(contenders(espalier, await peers())).filter(([name]) => isWanted(flags.only, name));
const { scorers, engine } = versions();
const kept = (key, make) => (flags.fresh || flags.transcripts ? make() : cached([scorers, ...key], make));

const board = {};
for (const [part, score] of wanted) {
  board[part] = {};
  for (const [name, view] of views) {
    const started = performance.now();
    board[part][name] = await kept([part, name, PEERS.has(name) ? "" : engine], () => score(view, name));
    process.stderr.write(`${part}: ${name}, ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  }
  if (part === "kit" && !flags.only) Object.assign(board.kit, await kept(["kit", "own"], () => kitsOwn(fetched.kit)));
}

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
