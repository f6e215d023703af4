/** The tables of a board: as Markdown, or for a terminal with the difference to an older board. */

import { goals } from "./goals.mjs";
import { SHARES } from "./parts.mjs";

const HALVES = ["tune", "judge"];
/** Paths of figures that are counts. */
const COUNT = /(?:cuts|over|stale|leftOut)$/;

/** Returns Markdown of a board. */
export function markdown(board) {
  const written = tables(board).map(({ title, note, head, rows }) => {
    const cells = rows.map(({ labels, paths }) => [...labels, ...paths.map((path) => figure(get(board, path), path))]);
    const line = (row) => `| ${row.join(" | ")} |\n`;
    const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
    const above = [title && `## ${title}\n\n`, note && `${note}\n\n`].filter(Boolean);
    return [...above, ...[head, rule, ...cells].map(line), "\n"].join("");
  });
  const about = "Written by `npm run bench retention`; see `run.mjs`. Figures are percent.";
  return `# What a view still shows\n\n${about}\n\n${written.join("")}${goalTable(board)}`;
}

/** Returns the default profile's missed goals, one a line. */
export function missed(board) {
  const all = goals(board);
  const open = all.filter(({ isMet }) => !isMet);
  if (all.length === 0) return "";
  const figure = (value, { isMost }) => wanted(value, isMost);
  const lines = open.map((each) => `  ${each.name}: ${figure(each.now, each)}, not ${figure(each.goal, each)}\n`);
  return `\n== Goals: ${all.length - open.length} of ${all.length} are met; missed:\n${lines.join("")}`;
}

function goalTable(board) {
  const head = "| figure | now | goal | met |\n| --- | ---: | ---: | --- |\n";
  const rows = goals(board).map(({ name, now, goal, isMost, isMet }) => {
    const bound = `${isMost ? "<=" : ">="} ${wanted(goal, isMost)}`;
    return `| ${[name, wanted(now, isMost), bound, isMet ? "yes" : "no"].join(" | ")} |\n`;
  });
  return `## Goals of the default profile\n\n${head}${rows.join("")}`;
}

/** A goal with an upper bound is a count. */
const wanted = (value, isCount) => (isCount ? String(value) : (100 * value).toFixed(1));

/** Returns the same in columns; after a figure the difference to the one of `before`. */
export function columns(board, before) {
  return tables(board)
    .map(({ title, note, head, rows }) => {
      const cells = [
        head,
        ...rows.map(({ labels, paths }) => [...labels, ...paths.map((path) => changed(board, before, path))]),
      ].map((row) => row.map(String));
      const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at].length)));
      const line = (row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at])));
      const above = [title && `== ${title}`, note].filter(Boolean).join("\n");
      return `${above}${above ? "\n" : ""}${cells.map((row) => line(row).join("  ")).join("\n")}\n`;
    })
    .join("\n");
}

function changed(board, before, path) {
  const [now, then] = [get(board, path), get(before, path)];
  const shown = figure(now, path);
  if (typeof now !== "number" || typeof then !== "number" || Math.abs(now - then) < 0.0005) return shown;
  const by = COUNT.test(path.join(".")) ? now - then : Number((100 * (now - then)).toFixed(1));
  return `${shown} (${by > 0 ? "+" : ""}${by})`;
}

function figure(value, path) {
  if (Array.isArray(value)) return value.map((each) => figure(each, path)).join(" / ");
  if (value === null || value === undefined) return "-";
  return COUNT.test(path.join(".")) ? String(value) : (100 * value).toFixed(1);
}

/** A transcript that is smaller than a budget has no figures for it. */
const hasFigures =
  (board) =>
  ({ paths }) =>
    paths.some((path) => get(board, path));
const get = (board, path) => path.reduce((value, key) => value?.[key], board);

/** Returns `[{ title, note, head, rows: [{ labels, paths }] }]` of the parts that the board has. */
function tables(board) {
  const { needed = {}, facts = {}, chain = {}, labels = {}, memory = {}, kit = {} } = board;
  const by = (part, scores, columns) =>
    Object.keys(scores).flatMap((name) =>
      Object.keys(scores[name]).map((size) => ({
        name,
        size,
        paths: columns.map((column) => [part, name, size, column]),
      })),
    );
  const ordered = (rows, shown = (size) => size) =>
    rows
      .toSorted((one, other) => Number(one.size) - Number(other.size))
      .map(({ name, size, paths }) => ({ labels: [name, shown(size)], paths }));
  const kindsOf = (scores) => Object.keys(Object.values(Object.values(scores)[0] ?? {}).at(-1) ?? {});
  const kinds = kindsOf(facts);
  const all = [
    {
      title: "Needed next",
      note: "Lines and names of the next 20 calls' arguments that stood in the history, in view; files to read again.",
      head: ["view", "budget", "cuts", "lines", "names", "read again", "budget used", "over", "left out with room"],
      rows: ordered(by("needed", needed, ["cuts", "lines", "names", "readAgain", "fill", "over", "leftOut"])),
    },
    {
      title: "Facts in view",
      head: ["view", "budget", ...kinds],
      rows: ordered(by("facts", facts, kinds)),
    },
    {
      title: "Facts after a chain",
      note: "Long transcripts at 16,000 tokens: 20 views, each of the last and what came since; one of the whole.",
      head: ["view", "made", ...kindsOf(chain)],
      rows: by("chain", chain, kindsOf(chain)).map(({ name, size, paths }) => ({ labels: [name, size], paths })),
    },
    ...labelTables(labels),
    {
      title: "Answers of long talks (BFCL memory)",
      head: ["view", ...SHARES.map((size) => `${size * 100} % of the tokens`)],
      rows: Object.keys(memory).map((name) => ({
        labels: [name],
        paths: SHARES.map((size) => ["memory", name, size]),
      })),
    },
    {
      title: "compaction-conformance-kit, after five rounds",
      head: ["view", "budget", "survival", "updates resolved", "stale values", "distinct pairs", "output"],
      rows: by("kit", kit, ["survival", "resolved", "stale", "pairs", "output"]).map(({ name, size, paths }) => ({
        labels: [name, `${size * 100}`],
        paths,
      })),
    },
  ];
  const shown = all.map((table) => ({ ...table, rows: table.rows.filter(hasFigures(board)) }));
  return shown.filter(({ rows }) => rows.length > 0);
}

/** A view without lists scores nothing in the first two; the figures of the whole view are comparable. */
function labelTables(labels) {
  const names = Object.keys(labels);
  if (names.length === 0) return [];
  const languages = Object.keys(labels[names[0]].judge.languages);
  const listing = names.filter((name) => typeof labels[name].judge.languages.en.precision === "number");
  const rows = (shown, paths) =>
    shown.flatMap((name) =>
      HALVES.map((half) => ({ labels: [name, half], paths: paths.map((path) => ["labels", name, half, ...path]) })),
    );
  const places = [...languages.map((language) => ["languages", language]), ["transcripts"]];
  const story = {
    "request listed": ["outcomes", "listed"],
    "has an outcome": ["outcomes", "any"],
    "outcome right": ["outcomes", "right"],
    "outcome in view": ["outcomes", "inView"],
    "error shown": ["states", "shown"],
    "state right": ["states", "right"],
    "action in view": ["actions", "inView"],
    "at 16k": ["actions", "at16k"],
    "its result right": ["actions", "result"],
    "reads listed": ["actions", "reads"],
  };
  const constraints = (note, figure, shown) => ({
    note,
    head: ["view", "half", ...languages, "transcripts"],
    rows: rows(
      shown,
      places.map((place) => [...place, figure]),
    ),
  });
  return [
    {
      title: "Labelled cases",
      note: "Labelled by hand (labels/README.md); rules may be tuned on the half `tune` only.",
      head: ["view", "half", ...Object.keys(story)],
      rows: rows(names, Object.values(story)),
    },
    constraints("Listed constraints that are constraints.", "precision", listing),
    constraints("Constraints that are listed.", "recall", listing),
    constraints("Superseded constraints that are still listed.", "superseded", listing),
    constraints("Constraints in view, in the words of the user.", "inView", names),
  ];
}
