/** Calls of the root on messages, tool results and definitions, caches and prices. */

import { espalier as e } from "../built.ts";
import { chat, COUNTING, using } from "./entry.ts";
import type { Entry } from "./entry.ts";

const RESULTS = `${COUNTING} keep exempt store timeoutMs onEvent signal`;

export const CALLS: readonly Entry[] = [
  {
    name: "prune",
    args: () => [chat(), { budget: 400 }],
    run: e.prune,
    options: `${COUNTING} headroom keep backfill order priorities note sentenceShare previous cacheStepShare dropMedia limits`,
  },
  {
    name: "new Pruner",
    args: () => [undefined],
    run: (cut) => using(new e.Pruner(cut), (made) => made.prune(chat(), { budget: 400 })),
  },
  {
    name: "pruner.prune",
    args: () => [chat(), { budget: 400 }],
    run: (messages, options) => using(new e.Pruner(), (made) => made.prune(messages, options)),
    options: `${COUNTING} previous model`,
  },
  {
    name: "compact",
    args: () => [chat(), { budget: 250 }],
    run: e.compact,
    options: `${COUNTING} llm focus force onFailure keep signal maxLlmTokens timeoutMs onProgress ledger profile ladder protect exempt trigger shape cacheWarm recordProfile verify strict llmModel modelRules instructions blocks transcript recallTool readFile hooks hookTimeoutMs jobId limits`,
  },
  {
    name: "quality",
    args: () => [chat(), chat().slice(2), {}],
    run: e.quality,
    options: `${COUNTING} ledger summary continuation`,
  },
  {
    name: "summarize",
    args: () => [chat(), { purpose: "handoff", llm: async () => ({ text: "<summary>Words.</summary>" }) }],
    run: e.summarize,
    options: `${COUNTING} maxLlmTokens focus signal timeoutMs onProgress ledger recordProfile verify llmModel modelRules instructions jobId profile onFailure`,
  },
  {
    name: "toolContent",
    args: () => [{ content: [{ type: "text", text: "a" }] }, {}],
    run: e.toolContent,
    options:
      "maxTokens keep maxImageBytes readResource maxResources maxResourceLines store timeoutMs signal onEvent encoding model",
  },
  { name: "profile", args: () => ["espalier"], run: e.profile },
  {
    name: "settingsFrom",
    args: () => ["copilot-cli", { COPILOT_BUFFER_EXHAUSTION_THRESHOLD: "0.9", infiniteSessions: { enabled: false } }],
    run: e.settingsFrom,
  },
  { name: "explainProfile", args: () => ["espalier", { name: "gemini-cli" }], run: e.explainProfile },
  {
    name: "request",
    args: () => [chat(), { budget: 400 }, () => ({ usage: { prompt_tokens: 10 } })],
    run: (messages, options, send) => e.request(messages, options, send),
  },
  {
    name: "request (options)",
    args: () => [chat(), () => ({}), { budget: 400 }],
    run: (messages, send, options) => e.request(messages, options, send),
    options: `${COUNTING} model signal onEvent recovery pruner lowerOutput promptTokens predict date`,
  },
  { name: "new Recovery", args: () => [{ models: {} }], run: (state) => new e.Recovery(state).begin("m", 100) },
  {
    name: "recovery.begin",
    args: () => ["m", 100, {}],
    run: (...args) => new e.Recovery().begin(...(args as [string, number])),
    options: "outputReserve",
  },
  {
    name: "recovery.refused",
    args: () => [new e.Recovery().begin("m", 100), { kind: "context_length", sent: 100 }],
    options: "used limit hasMedia date",
    // It changes the tries.
    run: (tries, refusal) => {
      const recovery = new e.Recovery();
      const next = recovery.refused(typeof tries === "object" && tries ? { ...tries } : tries, refusal);
      return [next, recovery.state];
    },
  },
  {
    name: "recovery.accepted",
    args: () => ["m", { sent: 100 }],
    run: (...args) => new e.Recovery().accepted(...(args as [string, never])),
    options: "reported predicted bound window date",
  },
  {
    name: "recovery.clear",
    args: () => ["m"],
    run: (model) => {
      const recovery = new e.Recovery();
      recovery.clear(model);
      return recovery.state;
    },
  },

  {
    name: "truncate",
    args: () => ["line\n".repeat(200), { limit: 50 }],
    run: e.truncate,
    options: "headShare snap keep json clean command recall marker profile encoding",
  },
  {
    name: "fitTools",
    args: () => [
      [{ name: "a", description: "word ".repeat(200), input_schema: {} }],
      { budget: 100, format: "anthropic" },
    ],
    run: e.fitTools,
    options: "encoding tokenizer model costModel images imageSize maxTools messages keep previous search",
  },
  {
    name: "reduceOutput",
    args: () => ["test a ... ok\n".repeat(30), { command: "cargo test" }],
    run: e.reduceOutput,
    options: "command recall earlier encoding",
  },
  { name: "jsonSchema", args: () => ['{"a":1}', {}], run: e.jsonSchema, options: "maxTokens profile encoding" },
  { name: "fitResults", args: () => [[{ tokens: 900, age: 1 }], { budget: 650 }], run: e.fitResults, options: "level" },
  {
    name: "offload",
    args: () => ["line\n".repeat(400), { store: async () => "kept/it", threshold: 100 }],
    run: e.offload,
    options:
      "tool exempt readTool maxSchemaTokens maxPreviewTokens maxTokens timeoutMs profile encoding signal onEvent",
  },
  {
    name: "budgetResults",
    args: () => [chat(), { budget: 100 }],
    run: e.budgetResults,
    options: `${RESULTS} rule level maxResultTokens profile`,
  },
  {
    name: "clearResults",
    args: () => [chat(), { budget: 400, newest: 1, rounds: 1, minKeptTokens: 0, minFreedTokens: 0 }],
    run: e.clearResults,
    options: `${RESULTS} profile above protectLatest`,
  },

  {
    name: "validate",
    args: () => [chat(), { provider: "openai-chat" }],
    run: e.validate,
    options: "format tools model purpose rules pending",
  },
  {
    name: "repair",
    args: () => [chat().slice(3), { provider: "openai-chat" }],
    run: e.repair,
    options: "format tools model purpose rules orphans lostCalls pending opening closing lostText dropThoughts",
  },
  { name: "convert", args: () => [chat(), "anthropic", {}], run: e.convert, options: "from tools" },
  {
    name: "diagnose",
    args: () => [chat(), { provider: "openai-chat" }],
    run: e.diagnose,
    options: `${COUNTING} limits`,
  },
  {
    name: "mend",
    args: () => [chat().slice(3), { provider: "openai-chat" }],
    run: e.mend,
    options: `${COUNTING} limits`,
  },
  {
    name: "placeMarks",
    args: () => [chat(), { minPrefixTokens: 0 }],
    run: e.placeMarks,
    options: `${COUNTING} system profile scheme maxMarks lifetime previousNewest summary style providerKey dataPart`,
  },
  {
    name: "stablePrefix",
    args: () => [chat().slice(0, 5), chat(), {}],
    run: e.stablePrefix,
    options: `${COUNTING} previousTools report previousReport counts`,
  },
  {
    name: "cacheCost",
    args: () => [{ total: 100 }],
    run: e.cacheCost,
    options: "shared marked output hitRate prices lifetime",
  },
  {
    name: "clearingPays",
    args: () => [{ cleared: 100, suffix: 10 }],
    run: e.clearingPays,
    options: "replacement extra requests hitRate prices lifetime",
  },
  {
    name: "replayCost",
    args: () => [chat(), {}],
    run: e.replayCost,
    options: `${COUNTING} window budget lifetime times paceMs prices summaryTokens profile`,
  },
  { name: "addUsage", args: () => [{ input: 1, output: 2 }], run: e.addUsage },
  { name: "usageCost", args: () => [{ input: 1 }, { input: 2 }, {}], run: e.usageCost, options: "lifetime" },
];
