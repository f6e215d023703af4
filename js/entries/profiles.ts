/** `espalier/profiles`: constants of the systems that a profile follows, and the settings of their users. */

export { explainProfile, profile } from "../calls/profile.ts";
export { settingsFrom } from "../settings/settings-from.ts";
export type {
  IgnoredSetting,
  ReadSettings,
  SettingsOptions,
  SettingsProduct,
  SettingsSource,
} from "../settings/types.ts";
