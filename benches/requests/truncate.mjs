// A megabyte of a tool's output made short: node requests/truncate.mjs [--limit=500,2000,10000] [--reps=30].
// Milliseconds, best and median.
import { count, truncate } from "../../pkg/dist/index-node.js";
import { measure, option, table } from "./shared.mjs";

/** The log of a build: every 97th line is an error. */
const log = Array.from({ length: 14_000 }, (_, at) =>
  at % 97 === 5
    ? `src/file${at}.rs:${at}:9: error[E0308]: mismatched types in \`call_${at}\``
    : at % 11 === 0
      ? `   Compiling package-${at} v1.${at}.0 (/home/ann/package-${at})`
      : `     Running \`rustc --crate-name package_${at} --edition=2024 src/lib.rs\``,
).join("\n");
const json = JSON.stringify(
  Array.from({ length: 9_500 }, (_, id) => ({
    id,
    name: `item number ${id}`,
    tags: ["a", `b${id}`],
    score: (id % 100) + 0.5,
    text: `Some words here, ${id} of them`,
  })),
);

const row = table("limit", "count alone", "log, ends", "log, errors", "JSON");
for (const limit of option("limit", "500,2000,10000")) {
  row([
    limit,
    measure(() => count(log)),
    measure(() => truncate(log, { maxTokens: limit })),
    measure(() => truncate(log, { maxTokens: limit, keep: "errors" })),
    measure(() => truncate(json, { maxTokens: limit })),
  ]);
}
