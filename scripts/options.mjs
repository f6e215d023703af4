/**
 * Rewrites the tables of docs/options.md: `node --import tsx scripts/options.mjs`. The text around them is written by
 * hand.
 *
 * The accepted values of an option come from its schema (js/options/schemas), its description from the doc comment of
 * its type, so that each exists once.
 */

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib.mjs";

const SCHEMAS = join(root, "js/options/schemas");

/**
 * Returns the interfaces of `js/` by name: their members with doc comment and type, and the text that says what they
 * extend.
 */
export function interfaces() {
  const found = new Map();
  const files = readdirSync(join(root, "js"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  for (const file of files) {
    const source = readFileSync(join(root, "js", file), "utf8");
    for (const [, name, base, body] of source.matchAll(
      /^export interface (\w+)([^{]*(?:\{[^}]*\}[^{]*)??)\{\n(.*?)^\}/gms,
    ))
      found.set(`${file}#${name}`, { name, base, members: membersOf(body) });
    for (const [, name, base] of source.matchAll(/^export type (\w+)[^=;]*= ((?:Omit|Pick|Partial)<.*?);$/gms))
      found.set(`${file}#${name}`, { name, base, members: new Map() });
  }
  return found;
}

/** Returns the values of types that are texts to choose from, by name. The page lists `Format` once. */
function choices() {
  const found = new Map();
  const files = readdirSync(join(root, "js"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  for (const file of files) {
    const source = readFileSync(join(root, "js", file), "utf8").replace(/\/\*.*?\*\//gs, "");
    for (const [, name, texts] of source.matchAll(/^export type (\w+) =\s*((?:\|?\s*"[^"]*"\s*)+);/gm))
      found.set(name, listed(texts));
  }
  found.delete("Format");
  return found;
}

/** Returns a union of texts as a list of them. */
function listed(union) {
  const texts = union.match(/"[^"]*"/g);
  return [texts.slice(0, -1).join(", "), texts.at(-1)].filter(Boolean).join(" or ");
}

/** Returns the members of the body of an interface, which the formatter indents by two spaces. */
function membersOf(body) {
  const members = new Map();
  for (const part of body.split(/^(?= {2}\/\*\*)|(?<!\*\/\n)^(?= {2}\w)/m)) {
    const [, comment = "", name, optional, type] =
      /^(?: {2}\/\*\*(.*?)\*\/\n)?^ {2}(?:readonly )?(\w+)(\??)(?::|(?=[(<]))(.*);/ms.exec(part) ?? [];
    if (name === undefined) continue;
    members.set(name, {
      doc: sentences(comment),
      type: type.replace(/\s+/g, " ").trim(),
      isRequired: optional === "",
    });
  }
  return members;
}

/** Returns a doc comment as one line: without examples, links as code. */
function sentences(comment) {
  return comment
    .replace(/^\s*\* ?/gm, "")
    .replace(/```.*?```/gs, "")
    .replace(/\{@link (.*?)\}/g, "`$1`")
    .replace(/^\|.*\|$/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns a member of an interface or of one that it extends. */
function memberOf(all, name, option, seen = new Set()) {
  for (const { name: own, base, members } of all.values()) {
    if (own !== name || seen.has(members)) continue;
    seen.add(members);
    if (members.has(option)) return members.get(option);
    for (const [parent] of base.matchAll(/\b[A-Z]\w+/g)) {
      const member = memberOf(all, parent, option, seen);
      if (member) return member;
    }
  }
  return undefined;
}

/**
 * Returns the constraint of a type parameter of an interface, such as `Format` of `F extends Format`; else the type.
 */
function constraintOf(all, types, type) {
  if (!/^\w+$/.test(type)) return type;
  for (const { name, base } of all.values()) {
    const found = types.includes(name) && new RegExp(`\\b${type} extends ([^,=>]+)`).exec(base)?.[1];
    if (found) return found.trim();
  }
  return type;
}

/**
 * Returns what a list accepts, and the rows of its items if they are objects of an interface: the error only says that
 * it must be a list. Objects have rows where they appear first.
 */
function itemsOf({ all, texts, shown }, type, place) {
  const item = /^(?:readonly )?(\w+)\[\]$/.exec(type)?.[1];
  const found = [...all.values()].find(({ name, members }) => name === item && members.size > 0);
  if (!found || found.members.size > EXPANDED) return ["a list", []];
  if (shown.has(item)) return [`a list of objects, as \`${shown.get(item)}\` above`, []];
  shown.set(item, `${place}[]`);
  const fields = [...found.members].map(([field, { doc, type, isRequired }]) => [
    `\`${place}[].${field}\`${isRequired ? " (required)" : ""}`,
    texts.get(type) ?? KINDS.get(type) ?? (/^"[^"]*"( \| "[^"]*")*$/.test(type) ? listed(type) : `\`${type}\``),
    doc,
  ]);
  return ["a list of objects:", fields];
}

/** The usual types in words. */
const KINDS = new Map([
  ["string", "a text"],
  ["boolean", "true or false"],
  ["readonly string[]", "a list of texts"],
]);

/** Maximum number of options in an object that get rows of their own. */
const EXPANDED = 12;

/** Returns the rows of a schema: an option that is an object, or a list of objects, has rows for its fields. */
function rows(known, schema, type, accepted, prefix = "") {
  const { all, texts } = known;
  return Object.entries(schema).flatMap(([option, spec]) => {
    const types = type.split(" & ");
    const [member] = types.flatMap((one) => memberOf(all, one, option) ?? []);
    if (!member) throw new Error(`${type} has no member ${option}`);
    const isGroup = typeof spec === "object" && !Array.isArray(spec) && Object.keys(spec).length <= EXPANDED;
    const inner = isGroup ? [...member.type.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name) : [];
    const holder = inner.find((name) => Object.keys(spec).every((one) => memberOf(all, name, one)));
    const name = `\`${prefix}${option}\`${spec.isRequired ? " (required)" : ""}`;
    if (isGroup && holder)
      return [[name, "an object:", member.doc], ...rows(known, spec, holder, accepted, `${prefix}${option}.`)];
    const declared = constraintOf(all, types, member.type.replace(/ \| undefined$/, ""));
    const accepts = withType(texts, accepted(spec), declared);
    const [list, items] = accepts === "a list" ? itemsOf(known, declared, `${prefix}${option}`) : [accepts, []];
    return [[name, list, member.doc], ...items];
  });
}

/** Returns what an option accepts: by its check, and by its type where that says more. */
function withType(texts, accepts, declared) {
  const [, item] = /^(?:readonly )?(\w+)\[\]$/.exec(declared) ?? [];
  if (accepts === undefined || accepts === "a text") return texts.get(declared) ?? accepts ?? `\`${declared}\``;
  if (accepts === "a list of texts" && texts.has(item)) return `a list of ${texts.get(item).replace(" or ", ", ")}`;
  const isShort = declared.length <= LONGEST_TYPE;
  return accepts === "a function" && isShort ? `a function, \`${declared}\`` : accepts;
}

/** Maximum length of a function's type on the page. */
const LONGEST_TYPE = 160;

/**
 * Returns the accepted values of an option, as in the error; undefined if only the code that reads the value can tell.
 */
function accepted(need, spec) {
  try {
    need(Symbol("nothing"), spec, "it");
    return undefined;
  } catch (error) {
    return /^it must be (.*), and is Symbol\(nothing\)$/.exec(error.message)?.[1] ?? String(error.message);
  }
}

const cell = (text) => text.replaceAll("|", "\\|");

/**
 * Returns the page with its tables rewritten: each follows a line `<!-- options SCHEMA of Type & Type, without OTHER
 * -->`.
 */
export async function withOptions(page) {
  const schemas = {};
  for (const file of readdirSync(SCHEMAS)) Object.assign(schemas, await import(pathToFileURL(join(SCHEMAS, file))));
  const { need } = await import("../js/options/check.ts");
  const all = interfaces();
  const texts = choices();
  const shown = new Map();
  const parts = page.split(/(<!-- options .*? -->\n.*?<!-- end -->)/s);
  const made = parts.map((part) => {
    const [, name, type, without] = /^<!-- options (\w+) of (\w+(?: & \w+)*)(?:, without (\w+))? -->/.exec(part) ?? [];
    if (name === undefined) return part;
    const shared = without === undefined ? {} : schemas[without];
    const own = Object.fromEntries(Object.entries(schemas[name]).filter(([option, spec]) => shared[option] !== spec));
    const table = [
      ["option", "accepts", "what it is"],
      ["---", "---", "---"],
      ...rows({ all, texts, shown }, own, type, (spec) => accepted(need, spec)),
    ];
    const lines = table.map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
    const types = type.split(" & ").map((one) => `\`${one}\``);
    return `${part.slice(0, part.indexOf("\n"))}\n\nType ${types.join(" and ")}:\n\n${lines}\n\n<!-- end -->`;
  });
  return made.join("");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const file = join(root, "docs/options.md");
  writeFileSync(file, await withOptions(readFileSync(file, "utf8")));
}
