/** The source of settings, and their result. */

import type { ConversationOptions } from "../conversation/types.ts";

/** A system whose settings {@link settingsFrom} knows. */
export type SettingsProduct = "copilot-chat" | "gemini-cli" | "copilot-cli" | "claude-code";

/**
 * Reads one setting by its full name, synchronously; `undefined` means that it is not set. Instead of a function it may
 * be
 *
 * - an object with such a method: `vscode.workspace.getConfiguration()`, a `Map`;
 * - an object of settings, named in full (`"model.compressionThreshold"`) or nested (`{ model: { compressionThreshold }
 *   }`): a parsed `settings.json`, or `process.env`.
 */
export type SettingsSource =
  | ((key: string) => unknown)
  | { get(key: string): unknown }
  | Readonly<Record<string, unknown>>;

/** The options of {@link openConversation} that settings decide. */
export type SettingsOptions = Pick<
  ConversationOptions<unknown>,
  "profile" | "threshold" | "maxContextTokens" | "preferLongContext" | "automatic" | "background" | "compact"
>;

/** A setting that is set but has no effect. */
export interface IgnoredSetting {
  /** The full name of the setting. */
  key: string;
  /** The reason, a sentence. */
  why: string;
}

/** What {@link settingsFrom} returns. */
export interface ReadSettings {
  /** Pass it to `openConversation({ ...options, format, model, llm })`. */
  options: SettingsOptions;
  /** Settings that are set but have no effect, in the order of the table in docs/profiles.md. */
  ignored: IgnoredSetting[];
}
