/** Converts the settings of other systems' users to options of a conversation. */

import { badOption } from "../errors/errors.ts";
import { SETTINGS } from "./tables.ts";
import type { IgnoredSetting, ReadSettings, SettingsOptions, SettingsProduct, SettingsSource } from "./types.ts";

/** Max characters of a setting's text that a reason repeats. */
const LONGEST = 60;

/**
 * Reads the settings by which users of a system control its compaction, and returns equivalent options for {@link
 * openConversation}. Settings without an equivalent, of the wrong type or out of range change nothing and are reported
 * with the reason. docs/profiles.md lists all names.
 *
 * ```ts
 * import { openConversation } from "espalier";
 * import { settingsFrom } from "espalier/profiles";
 *
 * const settings = new Map<string, unknown>([["github.copilot.chat.summarizeAgentConversationHistoryThreshold", 60_000]]);
 * // In VS Code: settingsFrom("copilot-chat", vscode.workspace.getConfiguration())
 * const { options, ignored } = settingsFrom("copilot-chat", settings);
 * options; // => { profile: { name: "copilot-chat" }, threshold: 60_000 }
 * ignored.length; // => 0
 *
 * const conversation = await openConversation({ ...options, format: "openai-chat", model: "gpt-4o" });
 * conversation.usage().limit; // => 60000
 * await conversation.dispose();
 * ```
 *
 * Settings are read once, now: open the conversation again when they change. A setting never throws, whatever its
 * value.
 *
 * @param get reads one setting by its full name, or holds the settings: `vscode.workspace.getConfiguration()`, a parsed
 *   `settings.json`, `process.env`
 * @throws EspalierError `bad_option` if there is no such product, or `get` is neither a function nor an object
 */
export function settingsFrom(product: SettingsProduct, get: SettingsSource): ReadSettings {
  const table = typeof product === "string" && Object.hasOwn(SETTINGS, product) ? SETTINGS[product] : undefined;
  if (!table)
    throw badOption(
      "",
      Object.keys(SETTINGS)
        .map((name) => JSON.stringify(name))
        .join(", "),
      product,
      "product",
    );
  const isObject = typeof get === "object" && get !== null && !Array.isArray(get);
  if (typeof get !== "function" && !isObject)
    throw badOption("", "a function that reads a setting by its name, or an object of settings", get, "get");

  const read = reader(product, typeof get === "function" ? get : (key) => fieldOf(get, key));
  // Claude Code has no profile here: its settings change the default profile.
  const options: SettingsOptions = { profile: { name: product === "claude-code" ? "espalier" : product } };
  const ignored: IgnoredSetting[] = [];
  const first = new Map<string, string>();
  for (const { key, kind, unset = [], group = key, options: made, why } of table) {
    const ignore = (reason: string) => ignored.push({ key, why: reason });
    const found = read(key);
    if ("error" in found) {
      ignore(`Reading it failed: ${shortened(found.error)}.`);
      continue;
    }
    const { value } = found;
    if (value === undefined || value === null || value === "") continue;
    const parsed: unknown = kind.read(value);
    if (unset.includes(value) || (parsed !== undefined && unset.includes(parsed))) continue;
    const earlier = first.get(group);
    if (earlier !== undefined) {
      ignore(`\`${earlier}\` is set as well, and takes precedence.`);
    } else if (parsed === undefined) {
      ignore(`It must be ${kind.wanted}, and is ${shown(value)}.`);
    } else {
      first.set(group, key);
      if (made) merge(options as Fields, made(parsed) as Fields);
      if (why !== undefined) ignore(why);
    }
  }
  return { options, ignored };
}

/** Returns a field of an object of settings, through its method `get` if it has one. */
function fieldOf(from: Exclude<SettingsSource, Function>, key: string): unknown {
  return typeof from.get === "function" ? (from as { get(key: string): unknown }).get(key) : own(from, key);
}

type Found = { value: unknown } | { error: string };

/**
 * Reads a setting by its full name, else as a field of the object that its first word names, else from `env` of Claude
 * Code's settings.
 */
function reader(product: SettingsProduct, get: (key: string) => unknown): (key: string) => Found {
  const within = (path: readonly string[]): unknown =>
    path.slice(1).reduce((value: unknown, name) => own(value, name), get(path[0]!));
  return (key) => {
    try {
      const value = get(key);
      if (value !== undefined) return { value };
      if (key.includes(".")) return { value: within(key.split(".")) };
      return { value: product === "claude-code" && key === key.toUpperCase() ? within(["env", key]) : undefined };
    } catch (error) {
      return { error: message(error) };
    }
  };
}

function own(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Fields)[name]
    : undefined;
}

function message(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "an error without a text";
  }
}

type Fields = Record<string, unknown>;

/** Merges the fields of `from` into `into`, recursively while both are objects. */
function merge(into: Fields, from: Fields): void {
  for (const [name, value] of Object.entries(from)) {
    const there = into[name];
    const areObjects = [there, value].every((one) => typeof one === "object" && one !== null && !Array.isArray(one));
    if (areObjects) merge(there as Fields, value as Fields);
    else into[name] = value;
  }
}

/** Formats a value for an error text, without long or private content. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shortened(value));
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  try {
    if (value instanceof Promise) return "a promise; settings are read at once";
    return Array.isArray(value) ? "a list" : "an object";
  } catch {
    // Any access to a proxy may throw.
    return "an object";
  }
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
