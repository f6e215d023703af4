/** Options that a call does not have: every public call refuses them by path, with the name that was meant. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
// @ts-expect-error The bundle has no declarations beside it.
import * as providersBundle from "../../../pkg/dist/providers.js";
import type * as ProviderSources from "../../../js/providers/index.ts";

const providers = providersBundle as typeof ProviderSources;
const e = espalier as any;
const messages = [{ role: "user", content: "hello" }];
const model = { specificationVersion: "v2", modelId: "m", doGenerate: () => undefined, doStream: () => undefined };
const provider = () => providers.openai({ model: "m", apiKey: "k", baseUrl: "http://127.0.0.1:9" }) as any;
const opened = () => e.openConversation({ format: "openai-chat", messages });
const log = () => e.ConversationLog.from(messages);

/** One row for each public call: the call with unknown options, the path of the error, and the name that was meant. */
const ROWS: [name: string, call: () => unknown, path: string, nearest: string | undefined][] = [
  ["count", () => e.count("x", { enc: "cl100k_base" }), "options.enc", "encoding"],
  ["count", () => e.count("x", { encodingName: "cl100k_base" }), "options.encodingName", "encoding"],
  ["countBatch", () => e.countBatch(["x"], { encodng: "cl100k_base" }), "options.encodng", "encoding"],
  ["encode", () => e.encode("x", { Encoding: "cl100k_base" }), "options.Encoding", "encoding"],
  ["decode", () => e.decode([1], { encding: "cl100k_base" }), "options.encding", "encoding"],
  ["tokenOffsets", () => e.tokenOffsets("x", { tokenizer: "cl100k_base" }), "options.tokenizer", "encoding"],
  ["prefixWithin", () => e.prefixWithin("x", 1, { enc: "o200k_base" }), "options.enc", "encoding"],
  ["suffixWithin", () => e.suffixWithin("x", 1, { enc: "o200k_base" }), "options.enc", "encoding"],
  ["estimate", () => e.estimate("x", { rules: "quarter" }), "options.rules", "rule"],
  ["countMessages", () => e.countMessages(messages, { modelName: "gpt-4o" }), "options.modelName", "model"],
  ["countTools", () => e.countTools([], { cost_model: "espalier" }), "options.cost_model", "costModel"],
  ["countPart", () => e.countPart({ type: "text", text: "x" }, { roll: "user" }), "options.roll", "role"],
  ["breakdown", () => e.breakdown(messages, { tag: {} }), "options.tag", "tags"],
  ["breakdown", () => e.breakdown(messages, { room: { windw: 1 } }), "options.room.windw", "window"],
  ["prune", () => e.prune(messages, { maxTokens: 100 }), "options.maxTokens", "budget"],
  ["prune", () => e.prune(messages, { budgett: 100 }), "options.budgett", "budget"],
  [
    "prune",
    () => e.prune(messages, { model: { maxPromptToken: 100 } }),
    "options.model.maxPromptToken",
    "maxPromptTokens",
  ],
  ["prune", () => e.prune(messages, { zzz: 1 }), "options.zzz", undefined],
  ["Pruner", () => new e.Pruner().prune(messages, { budjet: 100 }), "options.budjet", "budget"],
  ["request", () => e.request(messages, { abortSignal: 1 }, () => 0), "options.abortSignal", "signal"],
  ["Recovery", () => new e.Recovery().begin("m", 10, { outputReserv: 1 }), "options.outputReserv", "outputReserve"],
  ["validate", () => e.validate(messages, "anthropic", { pendng: "keep" }), "options.pendng", "pending"],
  ["convert", () => e.convert(messages, "anthropic", { form: "openai-chat" } as never), "options.form", "from"],
  ["diagnose", () => e.diagnose(messages, { providr: "anthropic" } as never), "options.providr", "provider"],
  ["mend", () => e.mend(messages, { limit: {} } as never), "options.limit", "limits"],
  ["repair", () => e.repair(messages, { provider: "anthropic", orphan: "text" }), "options.orphan", "orphans"],
  ["placeMarks", () => e.placeMarks(messages, { max: 2 } as never), "options.max", "maxMarks"],
  ["placeMarks", () => e.placeMarks(messages, { lifetime: { prefx: "1h" } }), "options.lifetime.prefx", "prefix"],
  ["stablePrefix", () => e.stablePrefix(messages, messages, { reports: {} }), "options.reports", "report"],
  ["cacheCost", () => e.cacheCost({ total: 1, hitrate: 1 }), "options.hitrate", "hitRate"],
  ["replayCost", () => e.replayCost([], { budgett: 1 }), "options.budgett", "budget"],
  ["clearingPays", () => e.clearingPays({ cleared: 1, suffix: 1, request: 2 }), "options.request", "requests"],
  ["usageCost", () => e.usageCost({}, { inputs: 1 }), "options.prices.inputs", "input"],
  ["usageCost", () => e.usageCost({}, {}, { lifeTime: "1h" }), "options.lifeTime", "lifetime"],
  ["truncate", () => e.truncate("x", { maxTokens: 1, limit: 2 } as never), "options.limit", "maxTokens"],
  ["jsonSchema", () => e.jsonSchema("{}", { maxTokn: 2 } as never), "options.maxTokn", "maxTokens"],
  ["fitResults", () => e.fitResults([], { budget: 1, levl: 2 }), "options.levl", "level"],
  ["fitTools", () => e.fitTools([], { budget: 1, maxTool: 2 } as never), "options.maxTool", "maxTools"],
  ["reduceOutput", () => e.reduceOutput("x", { comand: "ls" } as never), "options.comand", "command"],
  [
    "offload",
    () => e.offload("x", { store: () => ({}), maxInlineToken: 2 }),
    "options.maxInlineToken",
    "maxInlineTokens",
  ],
  [
    "searchMessages",
    () => e.searchMessages({ hits: [] }, { format: "openai-chat", budgett: 2 } as never),
    "options.budgett",
    "budget",
  ],
  [
    "log.search",
    () => new e.ConversationLog({ format: "openai-chat" }).search("x", { maxResultts: 2 } as never),
    "options.maxResultts",
    "maxResults",
  ],
  ["toolContent", () => e.toolContent("x", { maxResource: 2 }), "options.maxResource", "maxResources"],
  [
    "budgetResults",
    () => e.budgetResults(messages, { budget: 9, maxResultToken: 2 }),
    "options.maxResultToken",
    "maxResultTokens",
  ],
  ["clearResults", () => e.clearResults(messages, { minFreedToken: 2 }), "options.minFreedToken", "minFreedTokens"],
  ["compact", () => e.compact(messages, { budget: 9, profle: "gemini-cli" }), "options.profle", "profile"],
  ["compact", () => e.compact(messages, { maxTokens: 9 }), "options.maxTokens", "budget"],
  ["compact", () => e.compact(messages, { budget: 9, ledger: { fact: [] } }), "options.ledger.fact", "facts"],
  [
    "compact",
    () => e.compact(messages, { budget: 9, ledger: { tools: [{ name: "a", kind: "read", pathh: [] }] } }),
    "options.ledger.tools[0].pathh",
    "path",
  ],
  [
    "compact",
    () => e.compact(messages, { budget: 9, transcript: { path: "a", line: 3 } }),
    "options.transcript.line",
    "lines",
  ],
  [
    "compact",
    () => e.compact(messages, { budget: 9, hooks: { precompact: () => 0 } }),
    "options.hooks.precompact",
    "preCompact",
  ],
  ["compact", () => e.compact(messages, { budget: 9, cover: { form: "m0" } }), "options.cover.form", "from"],
  [
    "compact",
    () => e.compact(messages, { budget: 9, prices: { cacheread: 1 } }),
    "options.prices.cacheread",
    "cacheRead",
  ],
  [
    "summarize",
    () => e.summarize(messages, { purpose: "handoff", llm: () => "", maxLlmToken: 2 }),
    "options.maxLlmToken",
    "maxLlmTokens",
  ],
  ["quality", () => e.quality(messages, messages, { sumary: "x" }), "options.sumary", "summary"],
  [
    "renderRequest",
    () => e.renderRequest(e.createPiece(e.UserMessage, {}, "x"), { budgett: 9 }),
    "options.budgett",
    "budget",
  ],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", storrage: {} }),
    "options.storrage",
    "storage",
  ],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", "chat.summarize": false }),
    'options["chat.summarize"]',
    undefined,
  ],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", compact: { ladders: [] } }),
    "options.compact.ladders",
    "ladder",
  ],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", compact: { ledger: { tols: [] } } }),
    "options.compact.ledger.tols",
    "tools",
  ],
  [
    "openConversation",
    () =>
      e.openConversation({
        format: "openai-chat",
        compact: { ledger: { tools: [{ name: "a", kind: "read", pathh: [] }] } },
      }),
    "options.compact.ledger.tools[0].pathh",
    "path",
  ],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", compact: { transcript: { path: "a", lins: 3 } } }),
    "options.compact.transcript.lins",
    "lines",
  ],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", hooks: { preCompct: () => 0 } }),
    "options.hooks.preCompct",
    "preCompact",
  ],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", compact: { hooks: { postcompact: () => 0 } } }),
    "options.compact.hooks.postcompact",
    "postCompact",
  ],
  ["Conversation.pin", async () => (await opened()).pin({ message: "m0", reson: "x" }), "pin.reson", "reason"],
  [
    "openConversation",
    () => e.openConversation({ format: "openai-chat", timeoutsMs: { wiat: 1 } }),
    "options.timeoutsMs.wiat",
    "wait",
  ],
  ["Conversation.prepare", async () => (await opened()).prepare({ tool: [] }), "options.tool", "tools"],
  ["Conversation.compact", async () => (await opened()).compact({ focuss: "x" }), "options.focuss", "focus"],
  [
    "Conversation.compactRange",
    async () => (await opened()).compactRange("m0", "m0", { fokus: "x" }),
    "options.fokus",
    "focus",
  ],
  ["Conversation.preview", async () => (await opened()).preview({ summery: "x" }), "options.summery", "summary"],
  [
    "Conversation.memoryPressure",
    async () => (await opened()).memoryPressure({ modell: true }),
    "options.modell",
    "model",
  ],
  ["ConversationLog", () => new e.ConversationLog({ format: "openai-chat", moddel: "x" }), "options.moddel", "model"],
  ["ConversationLog.from", () => e.ConversationLog.from(messages, { formt: "openai-chat" }), "options.formt", "format"],
  ["ConversationLog.import", () => e.ConversationLog.import("", { message: [] }), "options.message", "messages"],
  ["ConversationLog.adopt", () => log().adopt([], { sinse: 0 }), "options.sinse", "since"],
  ["ConversationLog.compact", () => log().compact({ budget: 9, profle: "x" }), "options.profle", "profile"],
  ["ConversationLog.setCounting", () => log().setCounting({ encodin: "o200k_base" }), "counting.encodin", "encoding"],
  ["documentStructure", () => e.documentStructure("x", { lang: "python" }), "options.lang", "language"],
  ["documentStructureSync", () => e.documentStructureSync("x", { tabsize: 2 }), "options.tabsize", "tabSize"],
  [
    "documentStructureSync",
    () => e.documentStructureSync("x", { limits: { maxByte: 2 } }),
    "options.limits.maxByte",
    "maxBytes",
  ],
  ["summarizeDocument", () => e.summarizeDocument("x", { budget: 9, selction: 0 }), "options.selction", "selection"],
  [
    "summarizeDocument",
    () => e.summarizeDocument("x", { budget: 9, profile: "copilot-chat", copilotChat: { atached: true } }),
    "options.copilotChat.atached",
    "attached",
  ],
  [
    "summarizeDocumentSync",
    () => e.summarizeDocumentSync("x", { budget: 9, filePath: "a.ts" }),
    "options.filePath",
    "path",
  ],
  ["summarizeDocuments", () => e.summarizeDocuments([], { budget: 9, path: "a.ts" }), "options.path", undefined],
  [
    "summarizeDocuments",
    () => e.summarizeDocuments([{ text: "x", selecton: 0 }], { budget: 9 }),
    "documents[0].selecton",
    "selection",
  ],
  ["reduceChanges", () => e.reduceChanges({ files: [], budget: 9, overheads: 1 }), "options.overheads", "overhead"],
  [
    "reduceChanges",
    () => e.reduceChanges({ files: [{ path: "a", text: "x", selection: [] }], budget: 9 }),
    "files[0].selection",
    "selections",
  ],
  ["reduceCompatible", () => e.reduceCompatible({ files: [], budgget: 9 }), "options.budgget", "budget"],
  ["outline", () => e.outline("x", { lineNumber: true }), "options.lineNumber", "lineNumbers"],
  ["repositoryMap", () => e.repositoryMap([], { budget: 9, mentionned: [] }), "options.mentionned", "mentioned"],
  ["loadGrammar", () => e.loadGrammar("python", { wsam: "x" }), "options.wsam", "wasm"],
  [
    "registerGrammar",
    () => e.registerGrammar({ language: "x", wasm: "x", extension: [] }),
    "registration.extension",
    "extensions",
  ],
  ["render", () => e.render("x", { maxTokens: 9 }), "options.maxTokens", "budget"],
  [
    "BuiltinTokenizer",
    () => new e.BuiltinTokenizer({ mode: "openai", costmodel: "espalier" }),
    "options.costmodel",
    "costModel",
  ],
  ["TokenWorker", () => new e.TokenWorker({ creat: () => 0 }), "options.creat", "create"],
  ["init", () => e.init({ encoding: ["o200k_base"] }), "options.encoding", "encodings"],
  ["openai", () => providers.openai({ model: "m", baseURL: "http://x" } as any), "options.baseURL", "baseUrl"],
  [
    "openaiResponses",
    () => providers.openaiResponses({ model: "m", maxRetries: 1 } as any),
    "options.maxRetries",
    "retries",
  ],
  ["anthropic", () => providers.anthropic({ model: "m", apikey: "x" } as any), "options.apikey", "apiKey"],
  ["gemini", () => providers.gemini({ model: "m", maxOutputTokens: 1 } as any), "options.maxOutputTokens", "maxTokens"],
  ["aiSdk", () => providers.aiSdk({ model, maxRetries: 1 } as any), "options.maxRetries", "retries"],
  ["generator", () => providers.generator({ generat: () => 0 } as any), "options.generat", "generate"],
  [
    "serverWindow",
    () => providers.serverWindow({ baseUrl: "http://127.0.0.1:9", timeout: 1 } as any),
    "options.timeout",
    "timeoutMs",
  ],
  ["vscode", () => providers.vscode({ model: {}, justificaton: "x" } as any), "options.justificaton", "justification"],
  ["toRequest", () => provider().toRequest(messages, { max_tokens: 1 }), "options.max_tokens", "maxTokens"],
  ["send", () => provider().send({}, { abortSignal: 1 }), "options.abortSignal", "signal"],
  ["stream", () => provider().stream({}, { onTxt: 1 }), "options.onTxt", "onText"],
];

for (const [name, call, path, nearest] of ROWS) {
  test(`${name} refuses ${path}`, async () => {
    await assert.rejects(
      async () => await call(),
      (error: any) => {
        assert.deepEqual([error.code, error.path], ["bad_option", path], error.message);
        assert.equal(error.details.nearest, nearest, error.message);
        assert.ok(error.message.startsWith(`${path} is unknown; `), error.message);
        if (nearest !== undefined) assert.equal(error.message, `${path} is unknown; did you mean ${nearest}?`);
        return true;
      },
    );
  });
}

test("names whose value is undefined are absent", async () => {
  assert.equal(e.count("x", { enc: undefined, encoding: undefined }), 1);
  assert.equal(e.prune(messages, { budget: undefined, maxTokens: undefined }).messages, messages);
  assert.equal((await e.compact(messages, { budget: 99, llm: undefined, nothing: undefined })).status, "unchanged");
});

test("a model object of another library may have fields of its own", () => {
  const vscodeModel = {
    name: "gpt-4o",
    id: "gpt-4o",
    vendor: "copilot",
    family: "gpt-4o",
    version: "1",
    maxInputTokens: 9_000,
    countTokens: () => 0,
  };
  assert.equal(e.prune(messages, { model: vscodeModel }).report.budget, 9_000);
});

test("elements of a conversation refuse a misspelt name", async () => {
  for (const [element, props, right] of [
    ["AgentPrompt", { messages, resultshare: 1 }, "resultShare"],
    ["ConversationHistory", { mesages: messages }, "messages"],
  ] as const) {
    await assert.rejects(
      async () => e.render(e.createPiece(e[element], props), { budget: 99 }),
      (error: any) => {
        assert.equal(error.details.nearest, right);
        return error.code === "bad_option" && error.message.startsWith(`<${element}>.`);
      },
    );
  }
});

test("fields of a profile are refused by name, wherever a profile is given", async () => {
  const summary = { form: { tagg: "x" } };
  const profile = { name: "gemini-cli", summary } as any;
  const fails = (run: () => unknown, path: string) =>
    assert.rejects(
      async () => run(),
      (error: any) => {
        assert.deepEqual([error.code, error.path], ["bad_option", path], error.message);
        return /there is no field "tagg"; there are tag, /.test(error.message);
      },
    );
  await fails(() => e.profile(profile), "profile.summary.form.tagg");
  await fails(() => e.compact(messages, { budget: 9, profile }), "options.profile.summary.form.tagg");
  await fails(() => e.openConversation({ format: "openai-chat", profile }), "options.profile.summary.form.tagg");
  await fails(
    () => e.openConversation({ format: "openai-chat", compact: { profile } }),
    "options.compact.profile.summary.form.tagg",
  );
});

test("a field of a profile says what it must be", async () => {
  const cases: [object, string, string][] = [
    [{ start: { warm: "0.5" } }, "start.warm", 'it must be a number, and is string "0.5"'],
    [{ shares: { relief: {} } }, "shares.relief", "it must be a number, and is an object"],
    [{ cap: { each: -1 } }, "cap.each", "it must be a whole number, 0 or more, and is integer `-1`"],
    [{ ladder: "summary" }, "ladder", 'it must be a list, and is string "summary"'],
    [{ background: 1 }, "background", "it must be true or false, and is integer `1`"],
    [
      { cut: { at: "token" } },
      "cut.at",
      "it must be one of `tokens`, `fraction`, `lastRound`, `snapshot`, and is `token`",
    ],
  ];
  for (const [profile, path, message] of cases)
    await assert.rejects(e.openConversation({ format: "openai-chat", profile }), {
      code: "bad_option",
      path: `options.profile.${path}`,
      message: `${message} (at options.profile.${path})`,
    });
});

test("without a near name the error lists what there is", () => {
  assert.throws(() => e.count("x", { zzz: 1 }), { message: "options.zzz is unknown; it may have encoding, model" });
  assert.throws(() => e.count("x", { constructor: "x" }), { code: "bad_option" });
  assert.throws(() => e.count("x", JSON.parse('{"__proto__": 1}')), { code: "bad_option" });
});

test("every exported call with options has a row", () => {
  const covered = new Set(ROWS.map(([name]) => name.split(".")[0]));
  const WITHOUT = new Set([
    // Take no options, or only values of their own.
    "addUsage",
    "classify",
    "clearCache",
    "createPiece",
    "explainProfile",
    "profile",
    "flattenTree",
    "hasEncoding",
    "hasGrammar",
    "indexedDbStorage",
    "initFrom",
    "initSync",
    "isReady",
    "resetEngine",
    "encodingForModel",
    "modelFacts",
    "isEspalierError",
    "isChatMessagePromptElement",
    "rankRounds",
    "languageOf",
    "languages",
    "loadEncoding",
    "loadEncodingSync",
    "loadGrammarSync",
    "mementoStorage",
    "memoryStorage",
    "nodeStorage",
    "parseDiff",
    "setVSCode",
    "signalFrom",
    "toAnthropic",
    "toGemini",
    "toMode",
    "toOpenAI",
    "toVSCode",
    "useKeepWith",
    "usageFrom",
    "recallTool",
    "settingsFrom",
    "workspaceStorage",
    "Calibration",
    "Conversation",
    "DocumentSummary",
    "EspalierError",
    "BudgetExceededError",
    "EventStream",
    "Rendered",
    "MetadataMap",
    "PromptMetadata",
    "PromptReference",
    "HTMLTracer",
    "VSCodeTokenizer",
    "PromptRenderer",
    "PromptElement",
    "Fragment",
  ]);
  const isElement = (value: any) => value?.prototype instanceof e.PromptElement;
  const missing = Object.entries({ ...e, ...providers })
    .filter(
      ([name, value]) => typeof value === "function" && !covered.has(name) && !WITHOUT.has(name) && !isElement(value),
    )
    .map(([name]) => name);
  assert.deepEqual(missing, []);
});
