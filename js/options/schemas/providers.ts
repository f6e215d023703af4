/** The options of public calls: providers. */

import type { AiSdkOptions, GeneratorOptions } from "../../providers/ai-sdk.ts";
import type { ServerWindowOptions } from "../../providers/server-window.ts";
import type { HttpOptions, ToRequestOptions, SendOptions } from "../../providers/types.ts";
import type { VscodeOptions } from "../../providers/vscode.ts";
import type { Kind, Schema } from "../check.ts";
import {
  amount,
  callback,
  checkedLater,
  flag,
  milliseconds,
  name,
  number,
  positive,
  required,
  signal,
  text,
} from "../kinds.ts";

const headers: Kind<any> = (value) => {
  try {
    new Headers(value as Record<string, string>);
    return undefined;
  } catch {
    return "names and values that can be headers";
  }
};

const key: Kind<any> = (value) =>
  typeof value === "string" || typeof value === "function" ? undefined : "a text or a function";

/** How long, how often and with what all providers ask. */
const ASKING = {
  refusals: checkedLater,
  maxTokens: positive,
  clock: checkedLater,
  timeoutMs: amount,
  idleTimeoutMs: amount,
  retries: amount,
  maxRetryAfterMs: amount,
  onEvent: callback,
};

export const HTTP: Schema<HttpOptions> = {
  ...ASKING,
  model: required(name),
  apiKey: key,
  baseUrl: checkedLater,
  headers,
  fetch: callback,
};

const url: Kind<string> = (value) => (typeof value === "string" && URL.canParse(value) ? undefined : "an address");

export const SERVER_WINDOW: Schema<ServerWindowOptions> = {
  baseUrl: required(url),
  model: name,
  headers,
  fetch: callback,
  timeoutMs: milliseconds,
  signal,
};

export const AI_SDK: Schema<AiSdkOptions> = { ...ASKING, model: required(checkedLater) };

export const GENERATOR: Schema<GeneratorOptions> = { ...ASKING, model: text, generate: required(callback) };

const languageModel: Kind<any> = (value) =>
  typeof (value as { sendRequest?: unknown } | null)?.sendRequest === "function" ? undefined : "a LanguageModelChat";

export const VSCODE: Schema<VscodeOptions> = {
  ...ASKING,
  model: required(languageModel),
  api: checkedLater,
  justification: text,
};

export const TO_REQUEST: Schema<ToRequestOptions> = {
  tools: checkedLater,
  system: text,
  maxTokens: positive,
  temperature: number,
  format: checkedLater,
  contextManagement: checkedLater,
  extra: checkedLater,
};

export const SEND: Schema<SendOptions> = {
  signal,
  stream: flag,
  onText: callback,
  onPart: callback,
  timeoutMs: amount,
  idleTimeoutMs: amount,
  retries: amount,
  onEvent: callback,
};
