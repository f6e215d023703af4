/** The readers of all layouts, and known files without a conversation. */

import { aider } from "./aider.ts";
import { amp } from "./amp.ts";
import { atif } from "./atif.ts";
import { chatgpt } from "./chatgpt.ts";
import { claudeCode } from "./claude-code.ts";
import { cline, clinePanel, clineSession } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueDev } from "./continue.ts";
import { copilotCli } from "./copilot-cli.ts";
import { copilotReplay } from "./copilot-replay.ts";
import { crush } from "./crush.ts";
import { cursor } from "./cursor.ts";
import { droid } from "./droid.ts";
import { geminiChat } from "./gemini-chat.ts";
import { geminiCheckpoint } from "./gemini-checkpoint.ts";
import { geminiStream } from "./gemini-stream.ts";
import { goose } from "./goose.ts";
import { hermes } from "./hermes.ts";
import { inspect } from "./inspect.ts";
import { kimi } from "./kimi.ts";
import { kiro, kiroSettings } from "./kiro.ts";
import { langchain } from "./langchain.ts";
import { langfuse } from "./langfuse.ts";
import { letta } from "./letta.ts";
import { mistralVibe } from "./mistral-vibe.ts";
import { opencode, opencodePiece } from "./opencode.ts";
import { openhandsEvents } from "./openhands-events.ts";
import { openhands } from "./openhands.ts";
import { otel } from "./otel.ts";
import { pi } from "./pi.ts";
import { claudePrompts, codexPrompts, geminiPrompts, kimiScreen } from "./prompt-histories.ts";
import { qwenCode } from "./qwen-code.ts";
import type { Reader, Stranger } from "./reader.ts";
import { sweAgent } from "./swe-agent.ts";
import { vscodeChatLog } from "./vscode-chat-log.ts";
import { vscodeChat } from "./vscode-chat.ts";
import { zed } from "./zed.ts";

/** If two readers explain equally many records of a file, the first one reads it. */
export const READERS: readonly Reader[] = [
  claudeCode,
  codex,
  copilotCli,
  qwenCode,
  geminiChat,
  geminiCheckpoint,
  geminiStream,
  pi,
  opencode,
  vscodeChatLog,
  vscodeChat,
  copilotReplay,
  openhandsEvents,
  openhands,
  zed,
  cursor,
  continueDev,
  crush,
  amp,
  droid,
  clineSession,
  cline,
  sweAgent,
  atif,
  goose,
  kimi,
  kiro,
  mistralVibe,
  hermes,
  letta,
  inspect,
  langfuse,
  otel,
  langchain,
  chatgpt,
  aider,
];

export const STRANGERS: readonly Stranger[] = [
  clinePanel,
  opencodePiece,
  codexPrompts,
  claudePrompts,
  geminiPrompts,
  kimiScreen,
  kiroSettings,
];
