/**
 * Stores summaries: a numbered Markdown file for each, and an index. Old files are deleted; the log keeps everything.
 */

import type { CompactReport } from "../types/compact-report.ts";
import type { Saving } from "./saving.ts";

/** The content of one file. */
export interface CheckpointFile {
  number: number;
  title: string;
  path: string;
  edits: readonly string[];
  report: CompactReport;
  /** The message that replaces the covered messages: summary and collected facts. */
  text: string;
}

const FOLDER = "checkpoints/";
const INDEX = `${FOLDER}index.md`;
/** Max characters of a slug. */
const SLUG = 40;

/** Returns the path of a checkpoint: `checkpoints/007-fix-the-parser.md`. */
export function checkpointPath(number: number, title: string): string {
  const plain = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "");
  const slug = plain
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG)
    .replace(/^-+|-+$/g, "");
  return `${FOLDER}${String(number).padStart(3, "0")}-${slug === "" ? "summary" : slug}.md`;
}

/** Returns the title in the summary, else the first words of the user's goal. */
export function titleOf(summary: string, goal: () => string): string {
  const text = (headed(summary) ?? tagged(summary) ?? goal())
    .replace(/\s+/g, " ")
    .replace(/^[#*\-\s]+/, "")
    .trim();
  return text === "" ? "Summary" : text.split(" ").slice(0, 8).join(" ").slice(0, 80);
}

/**
 * Returns the line below a heading with the word "title". One pattern for both would backtrack: a model writes the text.
 */
function headed(summary: string): string | undefined {
  const lines = summary.split(/\r\n|\n|\r/);
  const heading = lines.findIndex((line) => /^#+ .*\btitle\b/i.test(line));
  return heading < 0 ? undefined : lines.slice(heading + 1).find((line) => line.trim() !== "");
}

/** Returns the first text of one line in `<title>` or `<checkpoint_title>`. */
function tagged(summary: string): string | undefined {
  for (const { 0: tag, index } of summary.matchAll(/<(?:checkpoint_)?title>/gi)) {
    const start = index + tag.length;
    const end = summary.indexOf("<", start);
    const text = end < 0 ? "" : summary.slice(start, end).trim();
    if (text !== "" && !/[\n\r]/.test(text)) return text;
  }
  return undefined;
}

/** Writes the file and the index, and deletes all but the newest `keep` files. */
export function storeCheckpoint(saving: Saving, file: CheckpointFile, keep: number): void {
  saving.do(async (storage, attempt) => {
    const written = await attempt("write", file.path, () => storage.write(file.path, markdown(file)));
    if (!written) return;
    const found = await attempt("list", FOLDER, () => storage.list(FOLDER));
    const files = (found?.value ?? [])
      .filter((name) => /^checkpoints\/\d{3,}-.*\.md$/.test(name))
      .toSorted((a, b) => numberOf(b) - numberOf(a));
    for (const old of files.slice(keep)) await attempt("delete", old, () => storage.delete(old));
    const before = (await attempt("read", INDEX, () => storage.read(INDEX)))?.value ?? "";
    const kept = new Set(files.slice(0, keep));
    const lines = before
      .split("\n")
      .filter(
        (line) =>
          kept.has(`${FOLDER}${/\]\(([^()]+)\)$/.exec(line)?.[1]}`) &&
          !line.includes(`](${file.path.slice(FOLDER.length)})`),
      );
    const line = `- [${String(file.number).padStart(3, "0")} ${file.title.replace(/[[\]]/g, "")}](${file.path.slice(FOLDER.length)})`;
    await attempt("write", INDEX, () => storage.write(INDEX, ["# Checkpoints", "", ...lines, line, ""].join("\n")));
  });
}

function numberOf(path: string): number {
  return Number.parseInt(path.slice(FOLDER.length), 10);
}

function markdown({ number, title, edits, report: { covered, before, after }, text }: CheckpointFile): string {
  return [
    `# ${title}`,
    "",
    `Checkpoint ${number}, edits ${edits.join(", ")}. ${covered.length} messages covered: ${covered[0] ?? ""} to ${covered.at(-1) ?? ""}.`,
    `Tokens before ${before.total}, after ${after.total}; messages before ${before.messages}, after ${after.messages}.`,
    "",
    text.trim(),
    "",
  ].join("\n");
}
