/** The options of public calls: requests. */

import type { AnsweredRequest, RefusedRequest } from "../../calls/recovery.ts";
import type { RequestOptions } from "../../calls/request.ts";
import type * as T from "../../types/index.ts";
import { PROVIDERS } from "../../validity/providers.ts";
import { badValue } from "../../errors/errors.ts";
import { check, checkForeign, items } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import {
  amount,
  callback,
  ceiling,
  checkedLater,
  flag,
  messageId,
  messageIds,
  methods,
  name,
  number,
  required,
  share,
  signal,
  text,
  texts,
  values,
  whole,
} from "../kinds.ts";
import { COUNTING, model } from "./counting.ts";
import { LIMITS } from "./limits.ts";

const PASSES: readonly T.PrunePass[] = [
  "oversize",
  "turns",
  "rounds",
  "requests",
  "currentRounds",
  "results",
  "arguments",
  "media",
];

const order: Kind<any> = (value, path, refuse) =>
  value === "drop" || value === "shrink"
    ? undefined
    : items(value, PASSES, path, refuse) && '"drop", "shrink" or a list of passes';

const priorities: Kind<any> = (value, path, refuse) =>
  values(value, number, "an object of numbers by message id", path, refuse);

export const PRUNE: Schema<T.PruneOptions> = {
  ...COUNTING,
  model,
  budget: whole,
  headroom: whole,
  keep: messageIds,
  backfill: flag,
  order,
  priorities,
  note: flag,
  sentenceShare: share,
  previous: checkedLater,
  cacheStepShare: share,
  dropMedia: ["none", "old", "all"],
  maxImageBytes: ceiling,
  provider: PROVIDERS,
  limits: LIMITS,
  serverManaged: flag,
};

/** A shortened part in a cut, which has more fields. */
export const SHORTENED = { part: required(whole), item: whole, limit: whole };

// By what they do: a host may have loaded this package in two module formats.
const recovery: Kind<any> = (value, path, refuse) => methods(value, ["begin"], path, refuse) && "a Recovery";
const pruner: Kind<any> = (value, path, refuse) => methods(value, ["pruneRead"], path, refuse) && "a Pruner";

export const REQUEST: Schema<RequestOptions> = {
  ...PRUNE,
  signal,
  onEvent: callback,
  recovery,
  pruner,
  lowerOutput: flag,
  promptTokens: callback,
  predict: callback,
  date: text,
};

const RULE: Schema<T.ValidityRule> = {
  provider: PROVIDERS,
  model: text,
  purpose: ["answer", "summary"],
  textOnly: flag,
  noPictures: flag,
  noPrefill: flag,
  signatures: flag,
  answersResults: flag,
  dropTools: texts,
};

const VALIDITY: Schema<T.ValidityOptions> = {
  format: checkedLater,
  tools: checkedLater,
  model: text,
  purpose: ["answer", "summary"],
  rules: (value, path, refuse) => items(value, RULE, path, refuse),
  openEnd: flag,
};

export const VALIDATE: Schema<T.ValidateOptions> = { ...VALIDITY, provider: PROVIDERS, pending: ["report", "keep"] };

const visible: Kind<string> = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "a text that is not blank";

export const PROVIDER = required(PROVIDERS);

export const REPAIR: Schema<T.RepairOptions> = {
  ...VALIDITY,
  provider: PROVIDER,
  orphans: ["drop", "text"],
  lostCalls: ["synthesize", "drop"],
  pending: ["keep", "refuse", "synthesize", "drop"],
  dropThoughts: flag,
  opening: visible,
  closing: visible,
  lostText: visible,
};

export const LIFETIMES: readonly T.CacheLifetime[] = ["5m", "1h"];

const LIFETIME: Schema<{ prefix?: T.CacheLifetime; messages?: T.CacheLifetime }> = {
  prefix: LIFETIMES,
  messages: LIFETIMES,
};

const lifetime: Kind<any> = (value, path, refuse) => {
  if (value === "5m" || value === "1h") return undefined;
  if (typeof value !== "object" || value === null) return '"5m", "1h", or an object with prefix and messages';
  return void check(value, LIFETIME, path, refuse);
};

const NEWEST: Schema<T.NewestMark> = { message: required(text), part: whole, prefix: text };

export const MARKS: Schema<T.MarkOptions> = {
  ...COUNTING,
  profile: ["espalier", "copilot-chat"],
  scheme: ["openai", "anthropic"],
  maxMarks: whole,
  lifetime,
  previousNewest: (value, path, refuse) =>
    value === null ? undefined : void checkForeign(value as object, NEWEST, path, refuse),
  minPrefixTokens: whole,
  summary: messageId,
  system: checkedLater,
  style: ["message", "part"],
  providerKey: name,
  dataPart: callback,
};

const report: Kind<any> = (value) =>
  Array.isArray((value as { messages?: unknown } | null)?.messages) ? undefined : "a report of prune or compact";

export const PREFIX: Schema<T.PrefixOptions> = {
  ...COUNTING,
  previousTools: checkedLater,
  report,
  previousReport: report,
  counts: (value, path, refuse) => items(value, whole, path, refuse),
};

export const PRICES: Schema<T.Prices> = { input: amount, cacheRead: amount, cacheWrite: amount, output: amount };

export const CACHE_COST: Schema<T.CacheCostOptions> = {
  total: required(whole),
  shared: whole,
  marked: whole,
  output: whole,
  hitRate: share,
  prices: PRICES,
  lifetime: LIFETIMES,
};

export const CLEARING: Schema<T.ClearingOptions> = {
  cleared: required(whole),
  suffix: required(whole),
  replacement: whole,
  extra: amount,
  requests: amount,
  hitRate: share,
  prices: PRICES,
  lifetime: LIFETIMES,
};

export const USAGE_COST: Schema<{ lifetime?: T.CacheLifetime }> = { lifetime: LIFETIMES };

export const TRIES: Schema<{ outputReserve?: number }> = { outputReserve: whole };

/** What a provider said to a request: data of the host's, which may hold more than is read. */
export const REFUSAL: Schema<RefusedRequest> = {
  kind: required(checkedLater),
  used: whole,
  limit: whole,
  output: whole,
  total: whole,
  sent: required(whole),
  hasMedia: checkedLater,
  date: checkedLater,
  buffer: (value) =>
    Array.isArray(value) && value.length === 2 && value.every((one) => share(one, "", badValue) === undefined)
      ? undefined
      : "two shares from 0 to 1",
};

export const ANSWER: Schema<AnsweredRequest> = {
  sent: required(whole),
  reported: whole,
  predicted: whole,
  bound: whole,
  window: whole,
  date: checkedLater,
};
