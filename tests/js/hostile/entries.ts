/** Every function and method that hosts call, with valid arguments for each, and the names of its options. */

import { espalier } from "../built.ts";
import { INLINE } from "./inline-entries.ts";
import type * as Providers from "../../../js/providers/index.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../../pkg/dist/providers.js";
import type * as Search from "../../../js/entries/search.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as searchBundle from "../../../pkg/dist/search-node.js";

const e = espalier;
const p = bundle as typeof Providers;
const s = searchBundle as typeof Search;

export interface Entry {
  name: string;
  /** Returns valid arguments, made for each call. */
  args: () => unknown[];
  run: (...args: any[]) => unknown;
  /** Options of the last argument that the valid ones omit. */
  options?: string;
}

const COUNTING = "format encoding model costModel tools images imageSize";
const RESULTS = `${COUNTING} keep exempt store timeoutMs onEvent signal`;
const round = (at: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${at}`, type: "function", function: { name: "bash", arguments: '{"command":"make"}' } }],
  },
  { role: "tool", tool_call_id: `c${at}`, content: `part ${at}\n`.repeat(40) },
];
export const chat = () => [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Fix it." },
  ...[0, 1, 2, 3].flatMap(round),
  { role: "user", content: "Go on." },
];
const tool = () => ({
  type: "function",
  function: { name: "bash", description: "Runs.", parameters: { type: "object" } },
});
const CODE = "export function add(a: number, b: number) {\n  const sum = a + b;\n  return sum;\n}\n";
const DIFF = "@@ -2,1 +2,1 @@\n-  const sum = a - b;\n+  const sum = a + b;\n";
const answered = async () =>
  new Response(
    '{"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}',
  );

const found = () => ({ query: "add", hits: [{ path: "a.ts", text: CODE, firstLine: 0, lastLine: 3, header: "" }] });

const log = () => e.ConversationLog.from(chat(), { now: () => 0 });
const learned = () => {
  const calibration = new e.Calibration("gpt-4o");
  calibration.sent({ id: "1", tokens: 100 });
  return calibration;
};
const opened = (options = {}) =>
  e.openConversation({
    messages: chat(),
    entropy: 1,
    clock: { now: () => 0 },
    model: { name: "gpt-4o", maxPromptTokens: 2_000 },
    ...options,
  });
const httpOptions = () => ({
  model: "gpt-4o",
  apiKey: "sk-test",
  baseUrl: "http://127.0.0.1:1/v1",
  retries: 0,
  fetch: answered,
});
const HTTP = "maxTokens headers refusals timeoutMs idleTimeoutMs clock onEvent";
const finish = { finishReason: "stop", usage: { inputTokens: 5, outputTokens: 2 } };
const language = {
  specificationVersion: "v2",
  modelId: "m",
  doGenerate: async () => ({ content: [{ type: "text", text: "Hi." }], ...finish }),
  doStream: async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "finish", ...finish });
        controller.close();
      },
    }),
  }),
};

/** An operation on a new log, whose state is part of the answer. */
const onLog = (name: string, args: () => unknown[], options?: string): Entry => ({
  name: `log.${name}`,
  args,
  ...(options !== undefined && { options }),
  async run(...args) {
    const made = log() as any;
    const before = made.hash();
    try {
      const answer = await made[name](...args);
      return [answer, made.view().messages];
    } catch (error) {
      if (made.hash() !== before) throw new Error(`log.${name} was refused, and changed the log`, { cause: error });
      throw error;
    } finally {
      made.close();
    }
  },
});

/** The same on a conversation. */
const onConversation = (name: string, args: () => unknown[], options?: string): Entry => ({
  name: `conversation.${name}`,
  args,
  ...(options !== undefined && { options }),
  async run(...args) {
    const made = (await opened()) as any;
    try {
      return [await made[name](...args), made.log.view().messages.length];
    } finally {
      await made.dispose();
    }
  },
});

const http = (name: "openai" | "openaiResponses" | "anthropic" | "gemini"): Entry[] => [
  { name: `providers.${name}`, args: () => [httpOptions()], run: (options) => p[name](options).name, options: HTTP },
  {
    name: `providers.${name}.toRequest`,
    args: () => [chat(), { maxTokens: 100 }],
    options: "tools system temperature format contextManagement extra",
    run: (...args) => p[name](httpOptions()).toRequest(...(args as [unknown])),
  },
];

export const ENTRIES: readonly Entry[] = [
  { name: "count", args: () => ["Hello.", {}], run: e.count, options: "encoding model" },
  { name: "countMessages", args: () => [chat(), { tools: [tool()] }], run: e.countMessages, options: COUNTING },
  {
    name: "countTools",
    args: () => [[tool()], {}],
    run: e.countTools,
    options: "format encoding model costModel images",
  },
  {
    name: "countPart",
    args: () => [{ type: "text", text: "a" }, { role: "user" }],
    run: e.countPart,
    options: "format encoding model costModel images imageSize",
  },
  {
    name: "breakdown",
    args: () => [chat(), { room: { window: 1_000 }, tags: { file: "Files" } }],
    run: e.breakdown,
    options: COUNTING,
  },
  { name: "countBatch", args: () => [["a", "b"], {}], run: e.countBatch, options: "encoding" },
  { name: "encode", args: () => ["a b", {}], run: e.encode, options: "encoding" },
  { name: "decode", args: () => [[1, 2], {}], run: e.decode, options: "encoding" },
  { name: "tokenOffsets", args: () => ["a b", {}], run: e.tokenOffsets, options: "encoding" },
  { name: "prefixWithin", args: () => ["a b", 1, {}], run: e.prefixWithin, options: "encoding" },
  { name: "suffixWithin", args: () => ["a b", 1, {}], run: e.suffixWithin, options: "encoding" },
  { name: "encodingForModel", args: () => ["gpt-4"], run: e.encodingForModel },
  { name: "modelFacts", args: () => ["gpt-4"], run: e.modelFacts },
  { name: "estimate", args: () => ["a b", { rule: "quarter" }], run: e.estimate, options: "encoding" },
  {
    name: "signalFrom",
    args: () => [{ isCancellationRequested: false, onCancellationRequested: () => undefined }],
    run: (token) => e.signalFrom(token).aborted,
  },
  {
    name: "new Calibration",
    args: () => ["gpt-4o", undefined],
    run: (model, state) => new e.Calibration(model, state).predict(100),
  },
  {
    name: "Calibration.withFactor",
    args: () => ["gpt-4o", 1.1],
    run: (model, factor) => e.Calibration.withFactor(model, factor).predict(100),
  },
  {
    name: "calibration.sent",
    args: () => [{ id: "2", tokens: 5, model: "gpt-4o", frame: "f" }],
    run: (request) => {
      const c = learned();
      c.sent(request);
      return c.state;
    },
  },
  { name: "calibration.reported", args: () => [{ id: "1", tokens: 120 }], run: (report) => learned().reported(report) },
  { name: "calibration.predict", args: () => [100], run: (tokens) => learned().predict(tokens) },

  {
    name: "prune",
    args: () => [chat(), { budget: 400 }],
    run: e.prune,
    options: `${COUNTING} headroom keep backfill order priorities note sentenceShare previous cacheStepShare dropMedia limits`,
  },
  {
    name: "new Pruner",
    args: () => [undefined],
    run: (cut) => {
      const made = new e.Pruner(cut);
      try {
        return made.prune(chat(), { budget: 400 });
      } finally {
        made.free();
      }
    },
  },
  {
    name: "pruner.prune",
    args: () => [chat(), { budget: 400 }],
    run: (messages, options) => {
      const made = new e.Pruner();
      try {
        return made.prune(messages, options);
      } finally {
        made.free();
      }
    },
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
    name: "recallTool",
    args: () => [{ limit: 500 }],
    options: "name format",
    async run(options) {
      const made = log();
      try {
        const { name, definition, handle } = e.recallTool(made, options);
        return [name, definition, await handle({ id: "m1" })];
      } finally {
        made.close();
      }
    },
  },
  {
    name: "recallTool (handle)",
    args: () => [{ id: "m1" }],
    async run(input) {
      const made = log();
      try {
        return await e.recallTool(made).handle(input);
      } finally {
        made.close();
      }
    },
  },
  {
    name: "searchMessages",
    args: () => [found(), { format: "openai-chat", budget: 200, call: { id: "c1" } }],
    run: e.searchMessages,
    options: "encoding model costModel",
  },
  { name: "SearchResults", args: () => [found()], run: (answer) => new e.SearchResults({ answer }).props.answer },
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
    args: () => [chat(), "openai-chat", {}],
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

  {
    name: "new ConversationLog",
    args: () => [{ format: "openai-chat" }],
    run: (options) => new e.ConversationLog(options).view(),
    options: "encoding model costModel tools now",
  },
  {
    name: "ConversationLog.from",
    args: () => [chat(), { now: () => 0 }],
    run: (messages, options) => e.ConversationLog.from(messages, options).view().messages,
    options: "format encoding model costModel tools",
  },
  {
    name: "ConversationLog.import",
    args: () => [log().export(), { messages: chat(), now: () => 0 }],
    run: (text, options) => e.ConversationLog.import(text, options).report,
    options: "format encoding model costModel tools exact salvage",
  },
  onLog("append", () => [[{ role: "user", content: "More." }]]),
  onLog("record", () => ["note", { a: 1 }]),
  onLog(
    "edit",
    () => [
      { kind: "truncate", rule: "mine", targets: [{ message: "m3", part: 0, to: { type: "text", text: "short" } }] },
    ],
    "range data consumed id",
  ),
  onLog(
    "preview",
    () => [
      { kind: "truncate", rule: "mine", targets: [{ message: "m3", part: 0, to: { type: "text", text: "short" } }] },
    ],
    "range data",
  ),
  onLog("undo", () => [undefined]),
  onLog("redo", () => [undefined]),
  onLog("rewind", () => ["m4"]),
  onLog("pin", () => [{ message: "m3" }], "part range text"),
  onLog("unpin", () => ["e1"]),
  onLog("checkpoint", () => [{ title: "t", edits: [] }], "path"),
  onLog("adopt", () => [[], {}], "since trigger planId data"),
  onLog("previewAdopted", () => [[], {}], "since trigger planId data"),
  onLog("compact", () => [{ budget: 250 }], "llm keep signal trigger planId profile"),
  onLog("setCounting", () => [{}], "encoding model costModel"),
  onLog("setTools", () => [[tool()]]),
  onLog("counts", () => ["m1"]),
  onLog("recall", () => ["m1"]),
  onLog("search", () => ["make part 1", {}], "maxResults onlyHidden"),
  onLog("compare", () => [0, 1]),
  onLog("fingerprint", () => [["m1"]]),
  onLog("originalsFrom", () => [1]),
  onLog("original", () => ["m1"]),
  onLog("export", () => [0]),

  {
    name: "openConversation",
    args: () => [{ messages: chat(), entropy: 1 }],
    run: async (options) => {
      const made = await e.openConversation(options);
      try {
        return made.opened;
      } finally {
        await made.dispose();
      }
    },
    options: `${COUNTING} log storage profile system llm threshold maxContextTokens automatic background clock timeoutsMs checkpoints hooks compact onEvent eventProfile`,
  },
  onConversation("append", () => [[{ role: "user", content: "More." }]]),
  onConversation("prepare", () => [{}], "tools model system signal"),
  onConversation("reportUsage", () => [{ prompt_tokens: 100 }]),
  onConversation("contextRefused", () => [new Error("prompt is too long: 213462 tokens > 200000 maximum")]),
  onConversation("compact", () => [{}], "focus signal"),
  onConversation("compactRange", () => ["m2", "m5", {}], "focus signal"),
  onConversation("preview", () => [{}], "focus summary model signal from to"),
  onConversation("apply", () => [{ edits: [], since: 1, trigger: "manual" }]),
  onConversation("modelSwitch", () => ["gpt-4.1"]),
  onConversation("agentRequest", () => [undefined]),
  onConversation("memoryPressure", () => [{}], "model"),
  onConversation("pin", () => [{ message: "m3" }]),
  onConversation("unpin", () => ["e1"]),
  onConversation("undo", () => [undefined]),
  onConversation("rewind", () => ["m4"]),
  onConversation("recall", () => ["m1"]),
  onConversation("search", () => ["make part 1", {}], "maxResults onlyHidden"),
  onConversation("redo", () => [undefined]),
  onConversation("compare", () => [0, 1]),
  onConversation("setThreshold", () => [0.9]),
  onConversation("setMaxContextTokens", () => [1_500]),
  {
    name: "conversation.on",
    args: () => ["*", () => undefined],
    run: async (type, listener) => {
      const made = await opened();
      try {
        made.on(type, listener)();
      } finally {
        await made.dispose();
      }
    },
  },
  { name: "memoryStorage", args: () => [new Map([["a", "text"]])], run: (texts) => e.memoryStorage(texts).list("") },
  { name: "nodeStorage", args: () => ["/nowhere/at/all"], run: (folder) => typeof e.nodeStorage(folder) },
  {
    name: "mementoStorage",
    args: () => [{ get: () => undefined, update: async () => undefined, keys: () => [] }, "a"],
    run: (memento, name) => typeof e.mementoStorage(memento, name),
  },
  { name: "indexedDbStorage", args: () => ["a", {}], run: (name, options) => typeof e.indexedDbStorage(name, options) },
  {
    name: "tokenWorker.count",
    args: () => [["a b"], {}],
    options: "encoding signal",
    // The worker cannot be made, so this thread counts.
    run: (texts, options) =>
      new e.TokenWorker({
        create: () => {
          throw new Error("no workers here");
        },
        vocabularies: {},
        onWarning: () => undefined,
      }).count(texts, options),
  },

  {
    name: "AgentPrompt",
    args: () => [{ messages: chat(), format: "openai-chat", system: "Be brief." }],
    options: "context conversation resultShare cacheBreakpoint",
    run: async (props) => (await e.render(e.createPiece(e.AgentPrompt, props), { budget: 5_000 })).messages,
  },
  {
    name: "renderRequest",
    args: () => [e.createPiece(e.AgentPrompt, { messages: chat(), format: "openai-chat" }), { budget: 300 }],
    options: "conversation format encoding model images costModel tools backfill signal token tracer llm drop",
    run: async (prompt, options) => {
      const made = await e.renderRequest(prompt, options);
      try {
        return [made.status, made.messages];
      } finally {
        made.rendered.free();
      }
    },
  },
  {
    name: "ConversationHistory",
    args: () => [{ messages: chat(), format: "openai-chat" }],
    options: "conversation resultShare cacheBreakpoint priority flexGrow passPriority",
    run: async (props) => (await e.render(e.createPiece(e.ConversationHistory, props), { budget: 5_000 })).messages,
  },
  {
    name: "render",
    args: () => [{ ctor: e.UserMessage, props: {}, children: ["Hello."] }, { budget: 100 }],
    run: async (prompt, options) => {
      const made = await e.render(prompt, options);
      try {
        return made.messages;
      } finally {
        made.free();
      }
    },
    options: "format encoding model images costModel tools backfill signal token tracer",
  },
  {
    name: "summarizeDocument",
    args: () => [CODE, { budget: 10, path: "a.ts" }],
    run: (text, options) => e.summarizeDocument(text, options).then(({ text }) => text),
    options:
      "unit encoding model lineNumbers marker imports profile copilotChat signal selection comments language tabSize limits",
  },
  {
    name: "summarizeDocumentSync",
    args: () => [CODE, { budget: 10, language: undefined }],
    run: (text, options) => e.summarizeDocumentSync(text, options).text,
    options:
      "unit encoding model lineNumbers marker imports profile copilotChat signal selection comments path tabSize limits",
  },
  {
    name: "summarizeDocuments",
    args: () => [[{ text: CODE }], { budget: 10 }],
    run: (documents, options) => e.summarizeDocuments(documents, options).then(({ tokens }) => tokens),
    options: "unit encoding model lineNumbers marker imports profile copilotChat signal",
  },
  {
    name: "documentStructure",
    args: () => [CODE, {}],
    run: (text, options) => e.documentStructure(text, options),
    options: "language path tabSize limits tree signal profile",
  },
  {
    name: "documentStructureSync",
    args: () => [CODE, {}],
    run: (text, options) => e.documentStructureSync(text, options),
    options: "language path tabSize limits tree profile",
  },
  {
    name: "outline",
    args: () => [CODE, { path: "a.ts" }],
    run: (text, options) => e.outline(text, options),
    options: "language tabSize limits budget lineNumbers encoding signal",
  },
  {
    name: "repositoryMap",
    args: () => [[{ path: "a.ts", text: CODE }], { budget: 100 }],
    run: (files, options) => e.repositoryMap(files, options),
    options: "mentioned focus encoding signal",
  },
  { name: "parseDiff", args: () => [DIFF], run: e.parseDiff },
  {
    name: "reduceChanges",
    args: () => [{ files: [{ path: "a.ts", text: CODE, diff: DIFF }], budget: 100 }],
    run: e.reduceChanges,
    options: "unit overhead lineNumbers wording maxBatches encoding signal",
  },
  {
    name: "reduceCompatible",
    args: () => [{ files: [{ path: "a.ts", text: CODE, diff: DIFF }], budget: 100 }],
    run: e.reduceCompatible,
    options: "unit maxBatches encoding signal",
  },
  {
    name: "flattenTree",
    args: () => [
      {
        walk: () => ({
          nodeType: "a",
          nodeIsNamed: true,
          startIndex: 0,
          endIndex: 1,
          currentFieldName: null,
          gotoFirstChild: () => false,
          gotoNextSibling: () => false,
          gotoParent: () => false,
        }),
      },
    ],
    run: e.flattenTree,
  },
  { name: "languageOf", args: () => ["a.ts"], run: e.languageOf },
  { name: "hasGrammar", args: () => ["typescript"], run: e.hasGrammar },
  { name: "loadGrammarSync", args: () => ["typescript", undefined], run: e.loadGrammarSync },
  { name: "loadGrammar", args: () => ["typescript", undefined], run: e.loadGrammar },
  { name: "registerGrammar", args: () => [{ language: "toy", grammar: new Uint8Array(4) }], run: e.registerGrammar },
  { name: "hasEncoding", args: () => ["o200k_base"], run: e.hasEncoding },
  { name: "loadEncoding", args: () => ["o200k_base", new Uint8Array(3)], run: e.loadEncoding },
  { name: "loadEncodingSync", args: () => ["o200k_base", new Uint8Array(3)], run: e.loadEncodingSync },
  { name: "toAnthropic", args: () => [[{ role: 1, content: [{ type: 1, text: "Hi." }] }]], run: e.toAnthropic },
  { name: "toGemini", args: () => [[{ role: 1, content: [{ type: 1, text: "Hi." }] }]], run: e.toGemini },

  ...http("openai"),
  ...http("openaiResponses"),
  ...http("anthropic"),
  ...http("gemini"),
  {
    name: "provider.send",
    args: () => [{ model: "gpt-4o", messages: [] }, {}],
    run: (request, options) => p.openai(httpOptions()).send(request, options),
    options: "signal stream onText onPart timeoutMs idleTimeoutMs retries onEvent",
  },
  {
    name: "providers.aiSdk",
    args: () => [{ model: language }],
    run: (options) => p.aiSdk(options).name,
    options: "refusals maxTokens clock retries timeoutMs idleTimeoutMs onEvent",
  },
  {
    name: "providers.aiSdk.send",
    args: () => [{ prompt: [] }, {}],
    run: (request, options) => p.aiSdk({ model: language }).send(request, options),
    options: "signal stream onText onPart timeoutMs idleTimeoutMs retries onEvent",
  },
  {
    name: "providers.aiSdk.toRequest",
    args: () => [chat(), {}],
    run: (...args) => p.aiSdk({ model: language }).toRequest(...(args as [unknown])),
    options: "tools system temperature format contextManagement extra maxTokens",
  },
  {
    name: "providers.generator",
    args: () => [{ generate: async () => ({ text: "Hi.", finishReason: "stop" }) }],
    run: (options) => p.generator(options).name,
    options: "model refusals maxTokens clock retries timeoutMs idleTimeoutMs onEvent",
  },
  {
    name: "providers.vscode",
    args: () => [{ model: { id: "m", sendRequest: async () => ({ stream: [] }) } }],
    run: (options) => p.vscode(options).name,
    options: "api justification refusals maxTokens clock retries timeoutMs idleTimeoutMs onEvent",
  },
  {
    name: "providers.serverWindow",
    args: () => [{ baseUrl: "http://127.0.0.1:9/v1", timeoutMs: 500 }],
    run: (options) => p.serverWindow(options),
    options: "model headers fetch signal",
  },
  {
    name: "classify",
    args: () => [{ status: 400, text: "prompt is too long" }, []],
    run: (refused, rules) => p.classify(refused, rules),
  },
  { name: "usageFrom", args: () => ["openai-chat", { prompt_tokens: 1, completion_tokens: 1 }], run: p.usageFrom },

  {
    name: "search.openMessageIndex",
    args: () => [[{ id: "m0", number: 0, round: 0, role: "user", about: "", text: "Fix it." }], "fix", {}],
    options: "maxResults",
    async run(messages, query, options) {
      const index = await s.openMessageIndex();
      try {
        index.put(messages);
        return index.search(query, options);
      } finally {
        index.free();
      }
    },
  },
  {
    name: "search.messageIndex.remove",
    args: () => [["m0"]],
    async run(ids) {
      const index = await s.openMessageIndex();
      try {
        index.remove(ids);
        return index.isUsable;
      } finally {
        index.free();
      }
    },
  },
  {
    name: "search.memoryFiles",
    args: () => [{ "a.ts": "export const a = 1;", "b.png": new Uint8Array(2) }, {}],
    run: (files, options) => sourced(s.memoryFiles(files, options)),
    options: "rules ignoreFiles",
  },
  {
    name: "search.memoryFiles (rules)",
    args: () => [{ binary: ["png"], larger: "cut" }],
    run: (rules) => sourced(s.memoryFiles({ "a.ts": "x" }, { rules })),
    options: "generated folders names maxBytes binaryBytes minifiable maxLineLength maxAverageLineLength ignore",
  },
  {
    name: "search.nodeFiles",
    args: () => ["tests/js/hostile/no-such-folder", { delayMs: 5 }],
    run: (roots, options) => typeof s.nodeFiles(roots, options).list,
    options: "rules ignoreFiles",
  },
  {
    name: "search.vscodeFiles",
    args: () => [vscode(), {}],
    run: (api, options) => sourced(s.vscodeFiles(api, options)),
    options: "rules ignoreFiles settings unsaved delayMs",
  },
  {
    name: "search.browserFiles",
    args: () => [[new File(["export const a = 1;"], "a.ts", { lastModified: 1 })], {}],
    run: (input, options) => sourced(s.browserFiles(input, options)),
    options: "rules ignoreFiles pollMs",
  },
  {
    name: "search.openIndex",
    args: () => [
      {
        profile: "espalier",
        encoding: "o200k_base",
        maxChunkTokens: 100,
        sliceMs: 8,
        source: s.memoryFiles(files()),
        storage: s.memoryStorage(),
      },
    ],
    run: async (options) => indexed(await s.openIndex(options), (index) => index.sync()),
    options: "definitions embeddings onWarning vocabulary worker",
  },
  {
    name: "search.openIndex (embeddings)",
    args: () => [
      {
        embed: async (texts: string[]) => texts.map((text) => [text.length, 1]),
        model: "m",
        batchSize: 2,
        concurrency: 1,
        timeoutMs: 50,
      },
    ],
    run: async (embeddings) =>
      indexed(await s.openIndex({ source: s.memoryFiles(files()), embeddings }), (index) => index.sync()),
  },
  ...INLINE,
  onIndex(
    "put",
    () => [[{ path: "c.ts", text: "const c = 3;", version: "1", definitions: [] }], {}],
    "signal onProgress",
  ),
  onIndex("sync", () => [{}], "signal onProgress"),
  onIndex("refresh", () => [["a.ts"], {}], "signal onProgress"),
  onIndex("remove", () => [["a.ts"]]),
  onIndex("save", () => [{}], "signal onProgress"),
  onIndex(
    "search",
    () => ["const a", { budget: 100 }],
    "maxResults maxSpread contributions filter remote remoteTimeoutMs embeddingsTimeoutMs minSimilarityShare rerank rerankTimeoutMs keywords keywordsTimeoutMs fullWorkspace combine rrfK readTimeoutMs hitShare summarize summarizeTimeoutMs signal",
  ),
  { name: "search.renderHits", args: () => [[{ rendered: "`a.ts`, line 1\n```ts\nx\n```\n" }]], run: s.renderHits },
];

function files(): Record<string, string> {
  return { "a.ts": "export const a = 1;", "b.ts": "export const b = 2;" };
}

/** An operation on an index, and the index's answers afterwards, without times. */
function onIndex(
  name: "put" | "sync" | "refresh" | "remove" | "save" | "search",
  args: () => unknown[],
  options?: string,
): Entry {
  const run = async (...passed: unknown[]) =>
    indexed(await s.openIndex({ source: s.memoryFiles(files()) }), async (index) => {
      await index.sync();
      return (index[name] as (...args: unknown[]) => Promise<object>)(...passed);
    });
  return { name: `search.index.${name}`, args, run, ...(options !== undefined && { options }) };
}

async function indexed(
  index: Search.WorkspaceIndex,
  work: (index: Search.WorkspaceIndex) => Promise<object>,
): Promise<unknown> {
  try {
    const result = await work(index);
    const { hits } = await index.search("export const");
    return { ...result, ms: 0, tried: [], found: hits.map(({ path }) => path) };
  } finally {
    await index.dispose();
  }
}

/** Returns an editor with an empty workspace. */
function vscode() {
  const fs = {
    readDirectory: async () => [],
    stat: async () => ({ type: 2, size: 0, mtime: 0 }),
    readFile: async () => new Uint8Array(),
  };
  return { workspace: { workspaceFolders: [], fs, textDocuments: [] } };
}

/** Returns everything that a source reports. */
async function sourced(source: Search.FileSource): Promise<unknown> {
  const said: unknown[] = [];
  for await (const file of source.list({ note: (note) => said.push(note) }))
    said.push(file, await source.read(file.path));
  return said;
}
