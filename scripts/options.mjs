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

/** Returns the members of the body of an interface, which the formatter indents by two spaces. */
function membersOf(body) {
  const members = new Map();
  for (const part of body.split(/^(?= {2}\/\*\*)|(?<!\*\/\n)^(?= {2}\w)/m)) {
    const [, comment = "", name, type] =
      /^(?: {2}\/\*\*(.*?)\*\/\n)?^ {2}(?:readonly )?(\w+)\??(?::|(?=[(<]))(.*);/ms.exec(part) ?? [];
    if (name !== undefined) members.set(name, { doc: sentences(comment), type: type.replace(/\s+/g, " ").trim() });
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

/** Maximum number of options in an object that get rows of their own. */
const EXPANDED = 12;

/** Returns the rows of a schema: an option that is an object has rows for its fields. */
function rows(all, schema, type, accepted, prefix = "") {
  return Object.entries(schema).flatMap(([option, spec]) => {
    const [member] = type.split(" & ").flatMap((one) => memberOf(all, one, option) ?? []);
    if (!member) throw new Error(`${type} has no member ${option}`);
    const isGroup = typeof spec === "object" && !Array.isArray(spec) && Object.keys(spec).length <= EXPANDED;
    const inner = isGroup ? [...member.type.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name) : [];
    const holder = inner.find((name) => Object.keys(spec).every((one) => memberOf(all, name, one)));
    const accepts = accepted(spec) ?? `\`${member.type.replace(/ \| undefined$/, "")}\``;
    const name = `\`${prefix}${option}\`${spec.isRequired ? " (required)" : ""}`;
    const own = [name, isGroup && holder ? "an object:" : accepts, member.doc];
    return isGroup && holder ? [own, ...rows(all, spec, holder, accepted, `${prefix}${option}.`)] : [own];
  });
}

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
  const parts = page.split(/(<!-- options .*? -->\n.*?<!-- end -->)/s);
  const made = parts.map((part) => {
    const [, name, type, without] = /^<!-- options (\w+) of (\w+(?: & \w+)*)(?:, without (\w+))? -->/.exec(part) ?? [];
    if (name === undefined) return part;
    const shared = without === undefined ? {} : schemas[without];
    const own = Object.fromEntries(Object.entries(schemas[name]).filter(([option, spec]) => shared[option] !== spec));
    const table = [
      ["option", "accepts", "what it is"],
      ["---", "---", "---"],
      ...rows(all, own, type, (spec) => accepted(need, spec)),
    ];
    const lines = table.map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
    return `${part.slice(0, part.indexOf("\n"))}\n\n${lines}\n\n<!-- end -->`;
  });
  return made.join("");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const file = join(root, "docs/options.md");
  writeFileSync(file, await withOptions(readFileSync(file, "utf8")));
}
