/**
 * Rewrites the tables of docs/profiles.md: `node --import tsx scripts/profiles.mjs`, after a build. The text around
 * them is written by hand.
 *
 * The tables come from the profiles of the built package, src/compact/profile/origins.json (the source of each value)
 * and js/settings/tables.ts.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib.mjs";

/** Returns the values of a profile, with their paths. A share is one value: a table never separates its parts. */
export function leaves(value, path = "") {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isShare(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path ? `${path}.${name}` : name));
}

const isShare = (value) => Object.keys(value).join() === "share,minTokens,maxTokens";

/** Returns the row with the longest path that contains `field`. Parts of a share may have rows of their own. */
export function originOf(rows, field) {
  for (let path = field; path !== ""; path = path.slice(0, Math.max(0, path.lastIndexOf("."))))
    if (Object.hasOwn(rows, path)) return rows[path];
  throw new Error(`src/compact/profile/origins.json does not say where ${field} comes from`);
}

function shown(value) {
  if (value === null) return "none";
  if (typeof value === "number") return value.toLocaleString("en", { maximumFractionDigits: 6 });
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (typeof value !== "object") return typeof value === "string" ? `\`${value}\`` : String(value);
  if (typeof value.name === "string") return shown(value.name);
  const { share, minTokens: min, maxTokens: max } = value;
  if (share === 0) return max === null ? `${shown(min)} tokens` : `${shown(min)} to ${shown(max)} tokens`;
  const bounds = [min > 0 && `at least ${shown(min)}`, max !== null && `at most ${shown(max)}`].filter(Boolean);
  return [shown(share), ...bounds].join(", ");
}

const cell = (text) => text.replaceAll("|", "\\|");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** Returns the sources of a field, and of parts of it that have others. */
function sources(tables, rows, field) {
  const names = { ...tables.origins };
  const [source, remark] = originOf(rows, field);
  const parts = Object.entries(rows)
    .filter(([path]) => path.startsWith(`${field}.`))
    .map(([path, [part]]) => `${path.slice(field.length + 1)}: ${names[part]}`);
  return { origin: [names[source], ...parts].join("; "), remark: remark ?? "" };
}

/** Returns every field of `espalier`. */
function base(tables, espalier) {
  const rows = leaves(espalier)
    .filter(([field]) => field !== "name")
    .map(([field, value]) => {
      const { origin, remark } = sources(tables, tables.espalier, field);
      const meaning = tables.fields[field];
      if (meaning === undefined) throw new Error(`src/compact/profile/origins.json does not say what ${field} is`);
      return [`\`${field}\``, meaning, shown(value), remark ? `${origin}: ${remark}` : origin];
    });
  return table(["field", "what it is", "value", "origin"], rows);
}

/**
 * Returns every field in which a profile differs from `espalier`. A remark on several consecutive fields is written
 * once.
 */
function differences(tables, espalier, profile) {
  const usual = new Map(leaves(espalier));
  const rows = leaves(profile)
    .filter(([field, value]) => field !== "name" && shown(value) !== shown(usual.get(field)))
    .map(([field, value]) => {
      const { origin, remark } = sources(tables, tables[profile.name], field);
      return [`\`${field}\``, shown(value), shown(usual.get(field)), origin, remark];
    });
  for (let at = rows.length - 1; at > 0; at -= 1) if (rows[at][4] === rows[at - 1][4]) rows[at][4] = "";
  return table(
    ["field", `\`${profile.name}\``, "`espalier`", "origin", "where the profile differs from the system"],
    rows,
  );
}

/**
 * Returns the settings of one system and their options: names with the same meaning share one row, the first takes
 * precedence.
 */
function settings(rows) {
  const merged = new Map();
  for (const { key, kind, group = key, becomes = "", why = "" } of rows) {
    const rest = [kind.wanted, becomes, why];
    const same = [group, ...rest].join();
    merged.set(same, [[...(merged.get(same)?.[0] ?? []), `\`${key}\``], ...rest]);
  }
  return table(
    ["setting", "must be", "becomes", "without effect, because"],
    [...merged.values()].map(([keys, ...rest]) => [keys.join("<br>"), ...rest]),
  );
}

/** Returns the page with its tables rewritten. */
export function withTables(page, { tables, profiles, settingsTables }) {
  const blocks = {
    "fields espalier": () => base(tables, profiles.espalier),
    ...Object.fromEntries(
      Object.keys(profiles)
        .filter((name) => name !== "espalier")
        .map((name) => [`fields ${name}`, () => differences(tables, profiles.espalier, profiles[name])]),
    ),
    ...Object.fromEntries(
      Object.keys(settingsTables).map((name) => [`settings ${name}`, () => settings(settingsTables[name])]),
    ),
  };
  for (const [name, made] of Object.entries(blocks)) {
    const begin = `<!-- ${name} -->\n`;
    const from = page.indexOf(begin) + begin.length;
    const to = page.indexOf("<!-- end -->", from);
    if (from < begin.length || to < 0) throw new Error(`docs/profiles.md has no place for "${name}"`);
    page = `${page.slice(0, from)}\n${made()}\n\n${page.slice(to)}`;
  }
  return page;
}

/** Returns the data for the tables; `profile` is the function of the package. */
export async function tablesFor(profile) {
  const { SETTINGS } = await import("../js/settings/tables.ts");
  const tables = JSON.parse(readFileSync(join(root, "src/compact/profile/origins.json"), "utf8"));
  const profiles = Object.fromEntries(
    ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"].map((name) => [name, profile(name)]),
  );
  return { tables, profiles, settingsTables: SETTINGS };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { init } = await import("../pkg/dist/index-node.js");
  const { profile } = await import("../pkg/dist/profiles-node.js");
  await init();
  const file = join(root, "docs/profiles.md");
  writeFileSync(file, withTables(readFileSync(file, "utf8"), await tablesFor(profile)));
}
