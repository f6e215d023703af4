/** The extension's settings, as options of a conversation. */

import { settingsFrom } from "espalier/profiles";
import type { IgnoredSetting, SettingsOptions } from "espalier/profiles";
import * as vscode from "vscode";

export interface Settings {
  options: SettingsOptions;
  /** Settings that are set but have no effect, with the reason. */
  ignored: IgnoredSetting[];
  /** Id or family of the model that writes summaries; empty for the chat's own, `rules` for none. */
  summaryModel: string;
}

/** Max share and min tokens of `espalier.compaction.threshold`. */
const SHARE = 1;
const MIN_TOKENS = 100;

const PROFILES = ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"];
const MODES = ["auto", "background", "wait"];

export function readSettings(): Settings {
  const all = vscode.workspace.getConfiguration();
  const wrong: IgnoredSetting[] = [];
  const read = <T>(name: string, otherwise: T): T => all.get(`espalier.compaction.${name}`) ?? otherwise;
  // VS Code marks a wrong value in the file of settings, but passes it on.
  const readOneOf = (name: string, values: readonly string[]): string => {
    const value = read(name, values[0]!);
    if (values.includes(value)) return value;
    const why = `It must be one of ${values.join(", ")}, and is ${JSON.stringify(value)}.`;
    wrong.push({ key: `espalier.compaction.${name}`, why });
    return values[0]!;
  };
  const profile = readOneOf("profile", PROFILES);
  const { options, ignored } =
    profile === "copilot-chat"
      ? settingsFrom("copilot-chat", all)
      : { options: { profile: { name: profile } } as SettingsOptions, ignored: [] };
  const mode = readOneOf("mode", MODES);
  if (mode !== "auto") options.background = mode === "background";
  const threshold = read<number | null>("threshold", null);
  if (threshold !== null) {
    if ((threshold > 0 && threshold <= SHARE) || threshold >= MIN_TOKENS) options.threshold = threshold;
    else
      wrong.push({
        key: "espalier.compaction.threshold",
        why: `It must be a share of the model's window up to ${SHARE}, or ${MIN_TOKENS} tokens or more, and is ${threshold}.`,
      });
  }
  if (!read("enabled", true)) options.automatic = false;
  return { options, ignored: [...ignored, ...wrong], summaryModel: read("model", "").trim() };
}
