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

export function readSettings(): Settings {
  const all = vscode.workspace.getConfiguration();
  const read = <T>(name: string, otherwise: T): T => all.get(`espalier.compaction.${name}`) ?? otherwise;
  const profile = read<string>("profile", "espalier");
  const { options, ignored } =
    profile === "copilot-chat"
      ? settingsFrom("copilot-chat", all)
      : { options: { profile: { name: profile } } as SettingsOptions, ignored: [] };
  const mode = read<string>("mode", "auto");
  if (mode !== "auto") options.background = mode === "background";
  const threshold = read<number | null>("threshold", null);
  if (threshold !== null) {
    if ((threshold > 0 && threshold <= SHARE) || threshold >= MIN_TOKENS) options.threshold = threshold;
    else
      ignored.push({
        key: "espalier.compaction.threshold",
        why: `It must be a share of the model's window up to ${SHARE}, or ${MIN_TOKENS} tokens or more, and is ${threshold}.`,
      });
  }
  if (!read("enabled", true)) options.automatic = false;
  return { options, ignored, summaryModel: read("model", "").trim() };
}
