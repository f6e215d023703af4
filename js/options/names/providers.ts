/** The options of public calls: providers. The compiler holds each list equal to its type. */

import type { AiSdkOptions, GeneratorOptions } from "../../providers/ai-sdk.ts";
import type { HttpOptions, RequestOptions as ProviderRequestOptions, SendOptions } from "../../providers/types.ts";
import type { VscodeOptions } from "../../providers/vscode.ts";
import type { Names } from "../known.ts";

export const HTTP: Names<HttpOptions> = {
  model: 1,
  apiKey: 1,
  baseUrl: 1,
  headers: 1,
  fetch: 1,
  maxTokens: 1,
  refusals: 1,
  timeout: 1,
  idleTimeout: 1,
  retries: 1,
  maxRetryAfter: 1,
  onEvent: 1,
  clock: 1,
};

export const AI_SDK: Names<AiSdkOptions> = {
  model: 1,
  refusals: 1,
  maxTokens: 1,
  clock: 1,
  timeout: 1,
  idleTimeout: 1,
  retries: 1,
  maxRetryAfter: 1,
  onEvent: 1,
};

export const GENERATOR: Names<GeneratorOptions> = {
  model: 1,
  generate: 1,
  refusals: 1,
  maxTokens: 1,
  clock: 1,
  timeout: 1,
  idleTimeout: 1,
  retries: 1,
  maxRetryAfter: 1,
  onEvent: 1,
};

export const VSCODE: Names<VscodeOptions> = {
  model: 1,
  api: 1,
  justification: 1,
  refusals: 1,
  maxTokens: 1,
  clock: 1,
  timeout: 1,
  idleTimeout: 1,
  retries: 1,
  maxRetryAfter: 1,
  onEvent: 1,
};

export const TO_REQUEST: Names<ProviderRequestOptions> = {
  tools: 1,
  system: 1,
  maxTokens: 1,
  temperature: 1,
  format: 1,
  contextManagement: 1,
  extra: 1,
};

export const SEND: Names<SendOptions> = {
  signal: 1,
  stream: 1,
  onText: 1,
  onPart: 1,
  timeout: 1,
  idleTimeout: 1,
  retries: 1,
  onEvent: 1,
};
