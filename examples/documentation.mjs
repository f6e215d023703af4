/** What the agents of these examples read: the pages of this package's documentation, with some 80,000 tokens. */

import { readFile, readdir } from "node:fs/promises";
import { truncate } from "espalier";

const docs = new URL("docs/", import.meta.resolve("espalier/package.json"));

export const pages = await readdir(docs);
export const QUESTION = "What is the difference between prune and compact?";
export const DESCRIPTION = `Reads a page of the documentation, one of ${pages.join(", ")}.`;

/** Returns a page, cut to 4,000 tokens: one result must not fill the window. */
export async function readPage(name) {
  if (!pages.includes(name)) return `There is no page ${name}.`;
  return truncate(await readFile(new URL(name, docs), "utf8"), { maxTokens: 4_000 }).text;
}
