// Queries with their answers, from real sources. A query is the first sentence of a doc comment without the names of
// its definition; the answer is that function or type (its lines), or the file that begins with the comment. The
// comment is removed from the text. `node search/labelled.mjs` writes `build/corpus/labelled.json` for `cargo bench -p
// espalier-search --bench quality`.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { filesOf, megabytes, sources } from "./corpus.mjs";
import { definitionsOf } from "./definitions.mjs";
import { documented } from "./doc-comments.mjs";

/** Max files and queries of one package: many packages rather than much of one. */
const MAX_FILES = 150;
const MAX_QUERIES = 14;

const order = (text) => createHash("sha256").update(text).digest("hex");
const inOrder = (list, key) =>
  list
    .map((item) => [order(key(item)), item])
    .sort((one, other) => (one[0] < other[0] ? -1 : 1))
    .map(([, item]) => item);

/** Words of a name: `parseHTMLText2` has parse, html, text. */
const partsOf = (name) =>
  name.split(/[_$\d]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((part) => part.length > 1);

const COMMON = new Set(
  (
    "a an and are as at be been but by can do does for from had has have if in into is it its may must no not of on or returns return " +
    "set get given else so such than that the their then there these they this to used uses use using was were when where which while will with would you your " +
    "all any each one"
  ).split(" "),
);

/** Returns the first sentence of a comment, as text. */
function sentence(prose) {
  const paragraph = [];
  for (const line of prose.map((one) => one.trim())) {
    if (/^(@|\.\.|#|[-=~`]{3}|>>>|:\w+|```|\|)/.test(line) || (line === "" && paragraph.length > 0)) break;
    if (line !== "") paragraph.push(line);
  }
  const text = paragraph
    .join(" ")
    .replace(/\{@\w+\s+([^}]*)\}/g, "$1")
    .replace(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?/g, "$1")
    .replace(/:\w+:`[~!]?([^`]*)`/g, "$1")
    .replace(/<[^>]*>|[`*]|https?:\S+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return /^.*?[.!?](?=\s+[A-Z]|\s*$)/.exec(text)?.[0] ?? text;
}

/** Returns a sentence without the names of its definition. */
function query(text, name) {
  const names = new Set([name, ...partsOf(name)].map((one) => one.toLowerCase()));
  const words = text.split(/([^\p{L}\p{N}_$]+)/u);
  const kept = words.map((word) =>
    names.has(word.toLowerCase()) || partsOf(word).some((part) => names.has(part.toLowerCase())) ? "" : word,
  );
  return kept.join("").replace(/\s+/g, " ").trim();
}

const isSaying = (text) => {
  const words = text.toLowerCase().match(/[\p{L}]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word))).size >= 4 && words.length <= 40;
};

const plain = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Returns queries of a package in a pseudo-random order; all but a query's own file may be searched. */
function candidates(files) {
  return files.flatMap((file) =>
    /(^|[/_.-])(tests?|specs?|__tests__|examples?|bench(es|marks)?|generated)([/_.-]|$)/.test(file.path)
      ? []
      : documented(file.path, file.text)
          .map((one) => ({ ...one, file, said: sentence(one.prose) }))
          .map((one) => ({
            ...one,
            query: query(one.said, one.definition ? one.name : file.path.split("/").pop().split(".")[0]),
          }))
          .filter((one) => isSaying(one.query) && plain(one.said).length > 30),
  );
}

/** Returns the package's files without the comments of the queries, and the queries. */
function without(comments, files) {
  const queries = [];
  const texts = files.map(({ path, text }) => {
    const own = comments
      .filter((one) => one.file.path === path)
      .sort((one, other) => one.comment[0] - other.comment[0]);
    if (own.length === 0) return { path, text };
    const isGone = (line) => own.some(({ comment: [first, behind] }) => line >= first && line < behind);
    const lines = text.split("\n");
    const numbers = [];
    let kept = 0;
    for (let line = 0; line <= lines.length; line++) {
      numbers.push(kept);
      if (!isGone(line)) kept++;
    }
    for (const { query, definition, said } of own) {
      const range = definition && { firstLine: numbers[definition[0]], lastLine: numbers[definition[1]] - 1 };
      queries.push({ query, said, path, ...range });
    }
    return { path, text: lines.filter((_, line) => !isGone(line)).join("\n") };
  });
  return { texts, queries };
}

/** Returns all files, and the queries of both halves. */
export function labelled() {
  const files = [];
  const queries = [];
  const counts = {};
  for (const source of sources) {
    const own = inOrder(filesOf(source), ({ path }) => path).slice(0, MAX_FILES);
    const chosen = inOrder(candidates(own), ({ file, name, comment }) => `${file.path} ${name} ${comment[0]}`).slice(
      0,
      2 * MAX_QUERIES,
    );
    const { texts, queries: some } = without(chosen, own);
    files.push(...texts);
    const half = (counts[source.kind] = (counts[source.kind] ?? 0) + 1) % 2 ? "tuning" : "judged";
    queries.push(...some.map((one) => ({ ...one, package: source.name, language: source.kind, half })));
  }
  // A sentence that occurs elsewhere, too, would be found there.
  const all = plain(files.map(({ text }) => text).join("\n"));
  const alone = queries.filter(
    ({ said }, at) => !all.includes(plain(said)) && queries.findIndex((one) => one.said === said) === at,
  );
  const taken = {};
  const kept = alone.filter((one) => (taken[one.package] = (taken[one.package] ?? 0) + 1) <= MAX_QUERIES);
  return { files, queries: kept.map(({ said, ...one }) => one) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, queries } = labelled();
  for (const file of files) file.definitions = await definitionsOf(file);
  writeFileSync(new URL("../../build/corpus/labelled.json", import.meta.url), JSON.stringify({ files, queries }));
  const packages = (half) => new Set(queries.filter((one) => one.half === half).map((one) => one.package)).size;
  for (const half of ["tuning", "judged"])
    console.log(`${half}: ${queries.filter((one) => one.half === half).length} queries of ${packages(half)} packages`);
  console.log(
    `${files.length} files, ${megabytes(files).toFixed(1)} MB, ${files.reduce((sum, file) => sum + file.definitions.length, 0)} definitions`,
  );
}
