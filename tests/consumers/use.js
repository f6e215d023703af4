/** The calls that every consumer makes: counts, prunes, compacts, summarises a TypeScript file, outlines it. */

import { outline, summarizeDocument } from "espalier/documents";

const CODE = ["one", "two", "three"]
  .map((name) => `export function ${name}(): number {\n${"  let a = 1;\n".repeat(20)}  return a;\n}\n`)
  .join("\n");

/**
 * Returns one line on what worked: the count, the messages that pruning kept, the outcome of compaction, the basis of
 * the summary and the outline. A grammar that failed shows its error.
 */
export async function use({ compact, count, prune }) {
  const messages = Array.from({ length: 20 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${"words ".repeat(90)}${at}`,
  }));
  messages.push({ role: "user", content: "And now?" });
  const pruned = prune(messages, { budget: 300 });
  const compacted = await compact(messages, {
    budget: 600,
    llm: async () => ({ text: "<summary>They counted words.</summary>" }),
  });
  const summary = await summarizeDocument(CODE, { path: "a.ts", budget: 80, selection: CODE.indexOf("two") });
  const { basis, definitions } = await outline(CODE, { path: "a.ts" });
  const way = ({ path, why, error }) =>
    path === "syntax" ? path : `${path} (${why}${error ? `: ${error.code}: ${error.message}` : ""})`;
  const kept = pruned.messages.length < 21 && pruned.messages.at(-1) === messages.at(-1);
  return [
    count("Hello world!"),
    count("Hello world!", { encoding: "cl100k_base" }),
    kept,
    compacted.status,
    way(summary.basis),
    way(basis),
    definitions.length,
  ].join(" ");
}

export { WANTED } from "./wanted.js";
