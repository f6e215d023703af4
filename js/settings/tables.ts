/**
 * The settings of each system: its name, its values, and the option that it becomes or why it has none.
 * docs/profiles.md shows these tables.
 *
 * Sources: the settings pages of VS Code and of gemini-cli, `extensions/copilot` in microsoft/vscode (July 2026) and
 * its older builds, the types of github/copilot-sdk, and the pages on settings and environment variables of Claude
 * Code.
 */

import { ANY, ENV_SWITCH, envNumber, type Kind, number, oneOf, SWITCH, TEXT } from "./kinds.ts";
import type { SettingsOptions, SettingsProduct } from "./types.ts";

export interface Setting {
  /** The name as users write it. */
  key: string;
  kind: Kind<any>;
  /** Values that count as not set besides `undefined`, `null` and an empty text: the system's own default values. */
  unset?: readonly unknown[];
  /**
   * Settings of one group have the same meaning: the first that is set takes precedence. Default: a group of its own.
   */
  group?: string;
  /** The options that it becomes, for docs/profiles.md. */
  becomes?: string;
  options?: (value: any) => SettingsOptions;
  /** Why it has no effect, or only a partial one. */
  why?: string;
}

/** Starts compaction at a share of the window, whatever the state of the cache. */
const startAt = (share: number): SettingsOptions => ({ profile: { start: { warm: share, spread: 0, cold: share } } });
const START = "`profile.start.warm` and `.cold`";

const SHARE = "a share of the window, above 0 and up to 1";
const isShare = (value: number) => value > 0 && value <= 1;
const COMMANDS = "Espalier runs no commands: pass a function as `hooks.preCompact`, and let it run them.";

// ---------------------------------------------------------------- Copilot Chat

/** Returns the rows of a setting of the extension, and of its older name. */
function chat(name: string, rest: Omit<Setting, "key" | "group">, hasOlder = false): Setting[] {
  const named = (key: string): Setting => ({ key: `github.copilot.chat.${key}`, group: name, ...rest });
  return hasOlder ? [named(name), named(`advanced.${name}`)] : [named(name)];
}

const COPILOT_CHAT: readonly Setting[] = [
  ...chat("summarizeAgentConversationHistory.enabled", {
    kind: SWITCH,
    unset: [true],
    becomes: "`automatic`",
    options: (automatic) => ({ automatic }),
  }),
  ...chat(
    "summarizeAgentConversationHistoryThreshold",
    {
      kind: number("a share up to 1, or tokens from 100 on", (value) => value > 0 && (value <= 1 || value >= 100)),
      becomes: "`threshold`",
      options: (threshold) => ({ threshold }),
    },
    true,
  ),
  ...chat(
    "agentHistorySummarizationMode",
    {
      kind: oneOf("simple", "full"),
      becomes: "`profile.summary.overflowModes`",
      options: (mode: "simple" | "full") => ({
        profile: { summary: { overflowModes: mode === "simple" ? ["simple"] : ["full", "simple"] } },
      }),
    },
    true,
  ),
  ...chat(
    "agentHistorySummarizationWithPromptCache",
    {
      kind: SWITCH,
      unset: [false],
      becomes: "`profile.summary.fullHeadroom`: 1.05",
      options: (isOn) => (isOn ? { profile: { summary: { fullHeadroom: 1.05 } } } : {}),
    },
    true,
  ),
  ...chat(
    "agentHistorySummarizationForceGpt41",
    {
      kind: SWITCH,
      unset: [false],
      why: "Your `llm` decides which model writes summaries: call GPT-4.1 there, and name it in `compact.llmModel`.",
    },
    true,
  ),
  ...chat(
    "agentHistorySummarizationInline",
    {
      kind: SWITCH,
      unset: [false],
      why: "A summary is a request of its own here; with a warm cache it reuses the prefix of the running one.",
    },
    true,
  ),
  ...chat(
    "backgroundCompaction",
    { kind: SWITCH, becomes: "`background`", options: (background) => ({ background }) },
    true,
  ),
  ...chat("conversationTranscriptLookup.enabled", {
    kind: SWITCH,
    unset: [false],
    why: "The host writes the transcript: pass its path as `compact.transcript`.",
  }),
  ...chat("conversationCompaction.model", {
    kind: TEXT,
    becomes: "`compact.llmModel`",
    options: (llmModel) => ({ compact: { llmModel } }),
    why: "It decides how much of the history a request for a summary holds. Your `llm` must call this model itself.",
  }),
  ...chat("conversationCompaction.usePrismCompaction", {
    kind: SWITCH,
    unset: [false],
    why: "The model of this route belongs to Copilot: your `llm` decides which model writes summaries.",
  }),
  ...chat("conversationCompaction.prismModelFilter", {
    kind: TEXT,
    unset: ["claude-haiku-4.5,claude-sonnet-4.5,claude-sonnet-4.6,gemini-2.5-pro,gemini-3-flash,gemini-3.5-flash"],
    why: "It belongs to `usePrismCompaction`, which has no effect.",
  }),
  ...chat("preferLongContext.enabled", {
    kind: SWITCH,
    unset: [false],
    becomes: "`preferLongContext`",
    options: (preferLongContext) => ({ preferLongContext }),
  }),
  ...chat("agent.largeToolResultsToDisk.enabled", {
    kind: SWITCH,
    unset: [true],
    why: "Results are stored before they are appended: leave out the call of `offload`.",
  }),
  ...chat("agent.largeToolResultsToDisk.thresholdBytes", {
    kind: number("a number, 0 or more", (value) => value >= 0),
    unset: [8192],
    why: 'Results are stored before they are appended: pass it to `offload` as `maxInlineTokens`, with `profile: "copilot-chat"`.',
  }),
  ...chat("responsesApiContextManagement.enabled", {
    kind: SWITCH,
    unset: [false],
    why: "It only applies to models of the Responses API: pass `serverManaged: true` for those.",
  }),
  ...chat(
    "useResponsesApiTruncation",
    {
      kind: SWITCH,
      unset: [false],
      why: "It only applies to models of the Responses API: pass `serverManaged: true` for those.",
    },
    true,
  ),
  ...chat("anthropic.contextEditing.mode", {
    kind: TEXT,
    unset: ["off"],
    why: "Anthropic's server clears results and thinking: pass `contextManagement` to `toRequest`.",
  }),
];

// ---------------------------------------------------------------- gemini-cli

const MASKING = "experimental.toolOutputMasking";
const isCount = (value: number) => value >= 0;
const threshold = (key: string, unset: readonly unknown[]): Setting => ({
  key,
  group: "threshold",
  kind: number(SHARE, isShare),
  unset,
  becomes: START,
  options: startAt,
});

const GEMINI_CLI: readonly Setting[] = [
  threshold("model.compressionThreshold", [0, 0.5]),
  threshold("model.chatCompression.contextPercentageThreshold", [0]),
  threshold("chatCompression.contextPercentageThreshold", [0]),
  {
    key: "tools.truncateToolOutputThreshold",
    kind: number("a number of characters", () => true),
    unset: [40_000],
    becomes: "`profile.cap.each`, a token for four characters; no cap if it is 0 or less",
    options: (characters: number) => ({
      profile: { cap: { each: characters > 0 ? Math.max(1, Math.floor(characters / 4)) : null } },
    }),
  },
  {
    key: `${MASKING}.enabled`,
    kind: SWITCH,
    unset: [true],
    becomes: "`profile.ladder` without `clear`",
    options: (isOn) => (isOn ? {} : { profile: { ladder: ["cap", "summary", "offline", "fit"] } }),
  },
  {
    key: `${MASKING}.toolProtectionThreshold`,
    kind: number("a number of tokens", isCount),
    unset: [50_000],
    becomes: "`profile.protect.tokens.minTokens`",
    options: (tokens: number) => ({ profile: { protect: { tokens: { minTokens: Math.floor(tokens) } } } }),
  },
  {
    key: `${MASKING}.minPrunableTokensThreshold`,
    kind: number("a number of tokens", isCount),
    unset: [30_000],
    becomes: "`profile.gain.clear.minTokens`",
    options: (tokens: number) => ({ profile: { gain: { clear: { minTokens: Math.floor(tokens) } } } }),
  },
  {
    key: `${MASKING}.protectLatestTurn`,
    kind: SWITCH,
    unset: [true],
    becomes: "`profile.protect.turn`",
    options: (turn) => ({ profile: { protect: { turn } } }),
  },
  {
    key: "model.summarizeToolOutput",
    kind: ANY,
    why: "No model is asked for single results: `budgetResults` and `truncate` shorten them by rule.",
  },
  {
    key: "experimental.contextManagement",
    kind: ANY,
    unset: [false],
    why: 'The newer context manager is not followed; `profile: { cut: { at: "tokens" } }` with `shares.keepRecent` keeps a tail of a given size.',
  },
  { key: "hooks.PreCompress", kind: ANY, why: COMMANDS },
  { key: "hooks.PreCompact", kind: ANY, why: `The name in gemini-cli is \`hooks.PreCompress\`. ${COMMANDS}` },
];

// ---------------------------------------------------------------- Copilot CLI

const at = (key: string, group: "background" | "exhaustion", fallback: number): Setting => ({
  key,
  group,
  kind: envNumber(SHARE, isShare),
  unset: [fallback],
  ...(group === "background"
    ? { becomes: START, options: startAt }
    : { becomes: "`profile.block`", options: (block: number) => ({ profile: { block } }) }),
});

const COPILOT_CLI: readonly Setting[] = [
  at("COPILOT_BACKGROUND_COMPACTION_THRESHOLD", "background", 0.8),
  at("infiniteSessions.backgroundCompactionThreshold", "background", 0.8),
  at("COPILOT_BUFFER_EXHAUSTION_THRESHOLD", "exhaustion", 0.95),
  at("infiniteSessions.bufferExhaustionThreshold", "exhaustion", 0.95),
  {
    key: "infiniteSessions.enabled",
    kind: SWITCH,
    unset: [true],
    becomes: "`automatic`",
    options: (automatic) => ({ automatic }),
  },
  { key: "hooks.preCompact", kind: ANY, why: COMMANDS },
];

// ---------------------------------------------------------------- Claude Code

const window = (key: string): Setting => ({
  key,
  group: "window",
  kind: envNumber("tokens from 100,000 to 1,000,000", (value) => value >= 100_000 && value <= 1_000_000),
  unset: ["auto"],
  becomes: "`maxContextTokens`",
  options: (maxContextTokens) => ({ maxContextTokens }),
});
const off = (isOff: boolean): SettingsOptions => (isOff ? { automatic: false } : {});

const CLAUDE_CODE: readonly Setting[] = [
  {
    key: "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    kind: envNumber("a percentage from 1 to 100", (value) => value >= 1 && value <= 100),
    becomes: `${START}, a hundredth of it`,
    options: (percent: number) => startAt(percent / 100),
  },
  window("CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
  window("autoCompactWindow"),
  {
    key: "autoCompactEnabled",
    kind: SWITCH,
    unset: [true],
    becomes: "`automatic`",
    options: (automatic) => ({ automatic }),
  },
  { key: "autoCompact", kind: ANY, why: "Claude Code has no such setting: it is `autoCompactEnabled`." },
  { key: "DISABLE_AUTO_COMPACT", kind: ENV_SWITCH, becomes: "`automatic: false`", options: off },
  {
    key: "DISABLE_COMPACT",
    kind: ENV_SWITCH,
    unset: [false],
    becomes: "`automatic: false`",
    options: off,
    why: "It also removes `/compact`. Here `conversation.compact()` still works: do not offer it.",
  },
  { key: "hooks.PreCompact", kind: ANY, why: COMMANDS },
  { key: "hooks.PostCompact", kind: ANY, why: COMMANDS.replace("preCompact", "postCompact") },
];

export const SETTINGS: Readonly<Record<SettingsProduct, readonly Setting[]>> = {
  "copilot-chat": COPILOT_CHAT,
  "gemini-cli": GEMINI_CLI,
  "copilot-cli": COPILOT_CLI,
  "claude-code": CLAUDE_CODE,
};
