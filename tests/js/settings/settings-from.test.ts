/**
 * Settings of other systems as options: the values that they take, what is reported of the others, and what a
 * conversation does with them.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { SettingsProduct, SettingsSource } from "../../../js/settings/types.ts";
import { SUMMARY, begin, rest, round } from "../conversation/support.ts";
import type { Fields } from "../conversation/support.ts";

const { settingsFrom, openConversation, memoryStorage } = espalier;

const CHAT = "github.copilot.chat.";

/** What settings become, without the name of the profile; what is ignored, by its key. */
function check(
  product: SettingsProduct,
  settings: Fields,
  options: object,
  ignored: Record<string, RegExp> = {},
): void {
  const name = product === "claude-code" ? "espalier" : product;
  const found = settingsFrom(product, (key) => settings[key]);
  const what = `${product} ${JSON.stringify(settings)}`;
  const { profile = {}, ...rest } = options as { profile?: object };
  assert.deepEqual(found.options, { profile: { name, ...profile }, ...rest }, what);
  assert.deepEqual(
    found.ignored.map(({ key }) => key),
    Object.keys(ignored),
    what,
  );
  for (const { key, why } of found.ignored) {
    assert.match(why, ignored[key]!, what);
    assert.match(why, /^[A-Z`].*\.$/s, `a sentence: ${why}`);
  }
}

test("nothing set is the system as it is", () => {
  for (const product of ["copilot-chat", "gemini-cli", "copilot-cli", "claude-code"] as const) {
    for (const nothing of [undefined, null, ""]) {
      const found = settingsFrom(product, () => nothing);
      assert.deepEqual(found, {
        options: { profile: { name: product === "claude-code" ? "espalier" : product } },
        ignored: [],
      });
    }
  }
});

test("Copilot Chat", () => {
  const chat = (settings: Fields, options: object, ignored: Record<string, RegExp> = {}) =>
    check(
      "copilot-chat",
      Object.fromEntries(Object.entries(settings).map(([key, value]) => [CHAT + key, value])),
      options,
      Object.fromEntries(Object.entries(ignored).map(([key, why]) => [CHAT + key, why])),
    );
  chat({ "summarizeAgentConversationHistory.enabled": false }, { automatic: false });
  chat({ "summarizeAgentConversationHistory.enabled": true }, {});
  chat(
    { "summarizeAgentConversationHistory.enabled": "false" },
    {},
    { "summarizeAgentConversationHistory.enabled": /must be true or false, and is "false"/ },
  );
  chat({ summarizeAgentConversationHistoryThreshold: 90_000 }, { threshold: 90_000 });
  chat({ summarizeAgentConversationHistoryThreshold: 0.8 }, { threshold: 0.8 });
  chat({ "advanced.summarizeAgentConversationHistoryThreshold": 100_000 }, { threshold: 100_000 });
  for (const bad of [1.5, 99, 0, -1, NaN, Infinity, "90000", [], {}, true]) {
    chat(
      { summarizeAgentConversationHistoryThreshold: bad },
      {},
      { summarizeAgentConversationHistoryThreshold: /must be a share up to 1, or tokens from 100 on/ },
    );
  }
  chat(
    { summarizeAgentConversationHistoryThreshold: 0.5, "advanced.summarizeAgentConversationHistoryThreshold": 0.7 },
    { threshold: 0.5 },
    {
      "advanced.summarizeAgentConversationHistoryThreshold":
        /`github\.copilot\.chat\.summarizeAgentConversationHistoryThreshold` is set as well, and takes precedence/,
    },
  );
  // A value that cannot be used does not hide the older name.
  chat(
    { summarizeAgentConversationHistoryThreshold: 7, "advanced.summarizeAgentConversationHistoryThreshold": 0.7 },
    { threshold: 0.7 },
    { summarizeAgentConversationHistoryThreshold: /and is 7/ },
  );
  chat({ agentHistorySummarizationMode: "simple" }, { profile: { summary: { overflowModes: ["simple"] } } });
  chat(
    { "advanced.agentHistorySummarizationMode": "full" },
    { profile: { summary: { overflowModes: ["full", "simple"] } } },
  );
  chat(
    { agentHistorySummarizationMode: "auto" },
    {},
    { agentHistorySummarizationMode: /must be "simple" or "full", and is "auto"/ },
  );
  chat(
    { agentHistorySummarizationMode: "simple", agentHistorySummarizationWithPromptCache: true },
    { profile: { summary: { overflowModes: ["simple"], fullHeadroom: 1.05 } } },
  );
  chat({ backgroundCompaction: false }, { background: false });
  chat({ "preferLongContext.enabled": true }, { preferLongContext: true });
  chat(
    { "conversationCompaction.model": "gpt-5-mini" },
    { compact: { llmModel: "gpt-5-mini" } },
    { "conversationCompaction.model": /Your `llm` must call this model/ },
  );
  chat(
    {
      agentHistorySummarizationForceGpt41: true,
      "conversationCompaction.usePrismCompaction": true,
      "conversationTranscriptLookup.enabled": true,
    },
    {},
    {
      agentHistorySummarizationForceGpt41: /`llm` decides which model/,
      "conversationTranscriptLookup.enabled": /compact\.transcript/,
      "conversationCompaction.usePrismCompaction": /`llm` decides/,
    },
  );
  chat({ useResponsesApiTruncation: true }, {}, { useResponsesApiTruncation: /serverManaged: true/ });
  chat(
    { "agent.largeToolResultsToDisk.thresholdBytes": 20_480 },
    {},
    { "agent.largeToolResultsToDisk.thresholdBytes": /`offload`/ },
  );
});

/** VS Code answers with the default of every setting that an installed extension declares. */
test("defaults are reported to nobody", () => {
  const defaults: Fields = {
    "summarizeAgentConversationHistory.enabled": true,
    summarizeAgentConversationHistoryThreshold: null,
    agentHistorySummarizationMode: "",
    "conversationCompaction.model": "",
    "conversationCompaction.usePrismCompaction": false,
    "conversationCompaction.prismModelFilter":
      "claude-haiku-4.5,claude-sonnet-4.5,claude-sonnet-4.6,gemini-2.5-pro,gemini-3-flash,gemini-3.5-flash",
    "agent.largeToolResultsToDisk.enabled": true,
    "agent.largeToolResultsToDisk.thresholdBytes": 8192,
    "anthropic.contextEditing.mode": "off",
    useResponsesApiTruncation: false,
    "responsesApiContextManagement.enabled": false,
    "preferLongContext.enabled": false,
  };
  check("copilot-chat", Object.fromEntries(Object.entries(defaults).map(([key, value]) => [CHAT + key, value])), {});
});

test("gemini-cli", () => {
  const at = (share: number) => ({ profile: { start: { warm: share, spread: 0, cold: share } } });
  check("gemini-cli", { "model.compressionThreshold": 0.2 }, at(0.2));
  check("gemini-cli", { "model.compressionThreshold": 1 }, at(1));
  check("gemini-cli", { "model.compressionThreshold": 0 }, {});
  check("gemini-cli", { "chatCompression.contextPercentageThreshold": 0.6 }, at(0.6));
  for (const bad of [20, -0.1, "0.2", []]) {
    check(
      "gemini-cli",
      { "model.compressionThreshold": bad },
      {},
      { "model.compressionThreshold": /must be a share of the window, above 0 and up to 1/ },
    );
  }
  check("gemini-cli", { "tools.truncateToolOutputThreshold": 8_000 }, { profile: { cap: { each: 2_000 } } });
  check("gemini-cli", { "tools.truncateToolOutputThreshold": 1 }, { profile: { cap: { each: 1 } } });
  check("gemini-cli", { "tools.truncateToolOutputThreshold": -1 }, { profile: { cap: { each: null } } });
  const masking = "experimental.toolOutputMasking.";
  check("gemini-cli", { [`${masking}enabled`]: false }, { profile: { ladder: ["cap", "summary", "offline", "fit"] } });
  check(
    "gemini-cli",
    {
      [`${masking}toolProtectionThreshold`]: 20_000,
      [`${masking}minPrunableTokensThreshold`]: 5_000,
      [`${masking}protectLatestTurn`]: false,
    },
    { profile: { protect: { tokens: { minTokens: 20_000 }, turn: false }, gain: { clear: { minTokens: 5_000 } } } },
  );
  check(
    "gemini-cli",
    { "hooks.PreCompress": [{ hooks: [{ type: "command", command: "./save.sh" }] }] },
    {},
    { "hooks.PreCompress": /`hooks\.preCompact`/ },
  );
  check("gemini-cli", { "hooks.PreCompact": [] }, {}, { "hooks.PreCompact": /hooks\.PreCompress/ });
});

test("Copilot CLI", () => {
  const at = (share: number) => ({ start: { warm: share, spread: 0, cold: share } });
  check(
    "copilot-cli",
    { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: "0.5", COPILOT_BUFFER_EXHAUSTION_THRESHOLD: "0.99" },
    { profile: { ...at(0.5), block: 0.99 } },
  );
  check("copilot-cli", { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: " 5e-1 " }, { profile: at(0.5) });
  check(
    "copilot-cli",
    { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: "0.8", COPILOT_BUFFER_EXHAUSTION_THRESHOLD: "0.95" },
    {},
  );
  for (const bad of ["80%", "80", "0x1", "half", "1e999", "-0.5", " ", "0"]) {
    check(
      "copilot-cli",
      { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: bad },
      {},
      { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: /must be a share of the window, above 0 and up to 1, and is "/ },
    );
  }
  check(
    "copilot-cli",
    { COPILOT_BUFFER_EXHAUSTION_THRESHOLD: "0.9", "infiniteSessions.bufferExhaustionThreshold": 0.85 },
    { profile: { block: 0.9 } },
    { "infiniteSessions.bufferExhaustionThreshold": /COPILOT_BUFFER_EXHAUSTION_THRESHOLD` is set as well/ },
  );
  check(
    "copilot-cli",
    { infiniteSessions: { enabled: false, backgroundCompactionThreshold: 0.6 } },
    { automatic: false, profile: at(0.6) },
  );
});

test("Claude Code", () => {
  const at = (share: number) => ({ profile: { start: { warm: share, spread: 0, cold: share } } });
  check("claude-code", { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "60" }, at(0.6));
  check(
    "claude-code",
    { env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "60", CLAUDE_CODE_AUTO_COMPACT_WINDOW: "500000" } },
    { ...at(0.6), maxContextTokens: 500_000 },
  );
  check(
    "claude-code",
    { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "0.6" },
    {},
    { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: /must be a percentage from 1 to 100, and is "0\.6"/ },
  );
  check("claude-code", { autoCompactWindow: 300_000 }, { maxContextTokens: 300_000 });
  check("claude-code", { autoCompactWindow: "auto" }, {});
  check(
    "claude-code",
    { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200k" },
    {},
    { CLAUDE_CODE_AUTO_COMPACT_WINDOW: /must be tokens from 100,000 to 1,000,000, and is "200k"/ },
  );
  check(
    "claude-code",
    { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000", autoCompactWindow: 300_000 },
    { maxContextTokens: 200_000 },
    { autoCompactWindow: /takes precedence/ },
  );
  check("claude-code", { autoCompactEnabled: false }, { automatic: false });
  for (const [value, options] of [
    ["1", { automatic: false }],
    ["TRUE", { automatic: false }],
    [1, { automatic: false }],
    [true, { automatic: false }],
    ["0", {}],
    [false, {}],
  ] as const) {
    check("claude-code", { DISABLE_AUTO_COMPACT: value }, options);
  }
  check(
    "claude-code",
    { DISABLE_AUTO_COMPACT: "maybe" },
    {},
    { DISABLE_AUTO_COMPACT: /must be 1 or true, 0 or false, and is "maybe"/ },
  );
  check(
    "claude-code",
    { DISABLE_COMPACT: "1", autoCompactEnabled: true },
    { automatic: false },
    { DISABLE_COMPACT: /`\/compact`/ },
  );
  check("claude-code", { autoCompact: false }, {}, { autoCompact: /autoCompactEnabled/ });
  check("claude-code", { hooks: { PreCompact: [{ hooks: [] }] } }, {}, { "hooks.PreCompact": /pass a function/ });
});

// ------------------------------------------------------------ where settings come from

test("a function, an object with `get`, nested objects, full names", () => {
  const nested = { github: { copilot: { chat: { summarizeAgentConversationHistoryThreshold: 0.5 } } } };
  const flat: Fields = { [`${CHAT}summarizeAgentConversationHistoryThreshold`]: 0.5 };
  class Configuration {
    get(key: string): unknown {
      return this.values[key];
    }
    private readonly values: Fields = flat;
  }
  const sources: SettingsSource[] = [
    nested,
    flat,
    new Map(Object.entries(flat)),
    new Configuration(),
    (key: string) => flat[key],
    Object.freeze(Object.assign(Object.create(null), flat)),
  ];
  for (const source of sources) assert.equal(settingsFrom("copilot-chat", source).options.threshold, 0.5);
  // Nothing comes from the prototype of an object.
  assert.deepEqual(settingsFrom("gemini-cli", Object.create({ hooks: { PreCompress: [] } })).ignored, []);
});

test("a source that throws is reported for each setting, and the others count", () => {
  const { options, ignored } = settingsFrom("copilot-cli", (key) => {
    if (key.startsWith("infiniteSessions.enabled")) throw new Error("The store is closed");
    if (key === "hooks.preCompact")
      throw {
        toString: () => {
          throw new Error("no text");
        },
      };
    return key === "COPILOT_BUFFER_EXHAUSTION_THRESHOLD" ? "0.9" : undefined;
  });
  assert.deepEqual(options, { profile: { name: "copilot-cli", block: 0.9 } });
  assert.deepEqual(ignored, [
    { key: "infiniteSessions.enabled", why: "Reading it failed: The store is closed." },
    { key: "hooks.preCompact", why: "Reading it failed: an error without a text." },
  ]);
});

test("no value of a setting throws, or is repeated at length", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const values = [
    Promise.resolve(0.5),
    revoked.proxy,
    Symbol("s"),
    7n,
    () => 0.5,
    new Date(NaN),
    [0.5],
    { valueOf: () => 0.5 },
    "x".repeat(100_000),
    "\ud800",
    new Proxy({}, {}),
    Object.create(null),
    NaN,
    -0,
  ];
  for (const product of ["copilot-chat", "gemini-cli", "copilot-cli", "claude-code"] as const) {
    for (const value of values) {
      const { ignored } = settingsFrom(product, () => value);
      for (const { why } of ignored) assert.ok(why.length < 300, why);
    }
  }
  const promised = settingsFrom("gemini-cli", (key) =>
    key === "model.compressionThreshold" ? Promise.resolve(0.3) : undefined,
  );
  assert.match(promised.ignored[0]!.why, /is a promise; settings are read at once/);
});

test("what is no product and no source", () => {
  const refused = (product: unknown, get: unknown, path: string) =>
    assert.throws(() => settingsFrom(product as SettingsProduct, get as SettingsSource), { code: "bad_option", path });
  refused("cursor", () => undefined, "product");
  refused("constructor", () => undefined, "product");
  refused(undefined, () => undefined, "product");
  for (const get of [undefined, null, "settings.json", 7, []]) refused("gemini-cli", get, "get");
});

// ------------------------------------------------------------ what a conversation does

/** The ratio at which the first summary is asked for. */
async function startsAt(product: SettingsProduct, settings: Fields): Promise<number> {
  let asked = 0;
  const { options, ignored } = settingsFrom(product, settings);
  assert.deepEqual(ignored, []);
  const conversation = await openConversation<Fields>({
    ...options,
    format: "openai-chat",
    model: { maxPromptTokens: 8_000 },
    entropy: 7,
    llm: async () => ((asked += 1), SUMMARY),
    storage: memoryStorage(),
  });
  conversation.append(begin());
  for (let number = 0; ; number += 1) {
    conversation.append(round(number, 5));
    const ratio = conversation.usage().used / 8_000;
    const { report } = await conversation.prepare();
    await rest();
    if (asked > 0 || report.compactions.length > 0) return await conversation.dispose(), ratio;
    if (ratio > 1.2) return Infinity;
  }
}

test("a summary starts where the settings say", async () => {
  const between = async (product: SettingsProduct, settings: Fields, least: number, most: number) => {
    const ratio = await startsAt(product, settings);
    assert.ok(ratio >= least && ratio < most, `${product} ${JSON.stringify(settings)}: ${ratio}`);
  };
  await between("copilot-chat", {}, 0.78, 0.85);
  await between("copilot-chat", { [`${CHAT}summarizeAgentConversationHistoryThreshold`]: 0.5 }, 0.39, 0.44);
  await between("copilot-chat", { [`${CHAT}summarizeAgentConversationHistoryThreshold`]: 2_000 }, 0.195, 0.23);
  await between("copilot-cli", {}, 0.8, 0.83);
  await between("copilot-cli", { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: "0.4" }, 0.4, 0.43);
  await between("copilot-cli", { infiniteSessions: { backgroundCompactionThreshold: 0.6 } }, 0.6, 0.63);
  await between("claude-code", { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "30" }, 0.3, 0.33);
});

test("gemini-cli compresses at the share that the setting names, before the request", async () => {
  for (const [settings, share] of [
    [{}, 0.5],
    [{ model: { compressionThreshold: 0.3 } }, 0.3],
  ] as const) {
    const { options } = settingsFrom("gemini-cli", settings);
    const conversation = await openConversation<Fields>({
      ...options,
      format: "openai-chat",
      model: { maxPromptTokens: 8_000 },
      llm: async () => SUMMARY,
    });
    conversation.append(begin());
    let [ratio, number] = [0, 0];
    for (let done = false; !done; number += 1) {
      conversation.append(round(number, 20));
      ({ ratio } = conversation.usage());
      done = (await conversation.prepare()).report.compactions.some(({ status }) => status === "applied");
      assert.ok(ratio < 1);
    }
    assert.ok(ratio >= share && ratio < share + 0.04, `${share}: ${ratio}`);
    await conversation.dispose();
  }
});

test("with compaction switched off nothing starts, and a request that is too large is pruned", async () => {
  const OFF: [SettingsProduct, Fields][] = [
    ["copilot-chat", { [`${CHAT}summarizeAgentConversationHistory.enabled`]: false }],
    ["copilot-cli", { infiniteSessions: { enabled: false } }],
    ["claude-code", { env: { DISABLE_AUTO_COMPACT: "1" } }],
  ];
  for (const [product, settings] of OFF) {
    let asked = 0;
    const conversation = await openConversation<Fields>({
      ...settingsFrom(product, settings).options,
      format: "openai-chat",
      model: { maxPromptTokens: 4_000 },
      llm: async () => ((asked += 1), SUMMARY),
    });
    conversation.append(begin(60));
    const { report } = await conversation.prepare();
    assert.deepEqual([asked, report.compactions.length, report.trimmed.length > 0], [0, 0, true], product);
    await conversation.dispose();
  }
});

test("the mode of a setting is the shape of the request", async () => {
  const tools = [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }];
  const shapes = async (mode: string) => {
    const seen: string[] = [];
    const { options } = settingsFrom("copilot-chat", { [`${CHAT}agentHistorySummarizationMode`]: mode });
    const conversation = await openConversation<Fields>({
      ...options,
      format: "openai-chat",
      model: { maxPromptTokens: 30_000 },
      tools,
      llm: async ({ shape }) => (seen.push(shape!), { text: "" }),
    });
    conversation.append(begin(30));
    await conversation.compact();
    await conversation.dispose();
    return seen;
  };
  assert.deepEqual(
    [await shapes("simple"), await shapes("full")],
    [
      ["simple", "simple"],
      ["full", "simple"],
    ],
  );
});
