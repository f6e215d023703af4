/** Sessions that people reported as dead: what was refused is named, and after mending nothing is. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import type { RequestLimits } from "../../../js/types/limits.ts";

await espalier.init();

const user = (content: unknown) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const text = (words: string) => ({ type: "text", text: words });
const call = (id: string, name = "bash", input: object = { command: "npm test" }) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (id: string, content: unknown = "62 tests passed") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const thinking = (words: string) => ({ type: "thinking", thinking: words, signature: "c2lnbmF0dXJl" });
/** A PNG of the given number of bytes: a header that says 10 by 10, and zeros. */
function png(bytes: number) {
  const header = Buffer.from("89504e470d0a1a0a0000000d494844520000000a0000000a0802000000", "hex");
  const data = Buffer.concat([header, Buffer.alloc(Math.max(0, bytes - header.length))]).toString("base64");
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

interface Case {
  messages: unknown;
  provider?: ProviderName;
  limits?: RequestLimits;
  rules?: string[];
  exceeded?: string[];
  untouched?: number[];
}

async function check({ messages, provider = "anthropic", limits, rules = [], exceeded = [], untouched = [] }: Case) {
  const before = structuredClone(messages);
  const options = { provider, ...(limits && { limits }) };
  const found = espalier.diagnose(messages, options);
  assert.deepEqual([...new Set(found.findings.map(({ rule }) => rule))].sort(), [...rules].sort());
  assert.deepEqual(found.exceeded.map(({ limit }) => limit).sort(), [...exceeded].sort());
  const mended = await espalier.mend(messages, options);
  assert.deepEqual(mended.left, []);
  assert.equal(espalier.diagnose(mended.messages, options).isAccepted, true);
  assert.deepEqual(messages, before, "the input is untouched");
  if (found.isAccepted) assert.equal(mended.messages, messages);
  for (const index of untouched)
    assert.ok((mended.messages as unknown[]).includes((messages as unknown[])[index]), `message ${index} stays`);
  return mended;
}

const run = (one: Case) => async () => void (await check(one));

const opening = [
  user("Run the tests."),
  assistant(text("I will."), call("t1")),
  user([result("t1")]),
  assistant(text("They pass.")),
];

test("a healthy conversation is accepted, and comes back as it is", run({ messages: [...opening, user("Thanks.")] }));

test(
  "a call whose result was never written",
  run({ messages: [...opening.slice(0, 2), user("Go on.")], rules: ["lost-call"], untouched: [0, 1] }),
);

test(
  "a result whose call is gone",
  run({
    messages: [user("Go on."), assistant(text("Yes.")), user([result("t9"), text("And?")])],
    rules: ["orphan-result"],
  }),
);

test("a session that was stopped while a call ran", async () => {
  const { messages } = await check({ messages: opening.slice(0, 2), rules: ["pending-call"] });
  assert.equal((messages as { role: string }[]).at(-1)?.role, "user");
});

test("[thinking, text, thinking, call] stays as the API gave it", async () => {
  const answer = assistant(thinking("First."), text("Then."), thinking("Second."), call("t1"));
  await check({ messages: [user("Run the tests."), answer, user([result("t1")])], untouched: [1] });
});

test(
  "blank texts, which an interrupted answer leaves behind",
  run({ messages: [user("Hi"), assistant(text("")), user("Hello?")], rules: ["empty"] }),
);

test(
  "ids that come twice",
  run({ messages: [...opening, user("Again."), assistant(call("t1")), user([result("t1")])], rules: ["double-id"] }),
);

test("101 pictures: the oldest becomes a note", async () => {
  const messages = [
    user([text("Look."), ...Array.from({ length: 101 }, () => png(100))]),
    assistant(text("I see.")),
    user("And?"),
  ];
  const { messages: mended } = await check({ messages, exceeded: ["maxImages"], untouched: [1, 2] });
  assert.deepEqual((mended as { content: object[] }[])[0]?.content.slice(0, 2), [
    text("Look."),
    text("[picture removed]"),
  ]);
});

test(
  "a screenshot of 6 MB in a tool result",
  run({
    messages: [user("Look."), assistant(call("t1", "screenshot", {})), user([result("t1", [png(6_000_000)])])],
    exceeded: ["maxImageBytes"],
  }),
);

/** Beginnings of pictures of 3,000 by 10 pixels, as the formats say it. */
const WIDE = {
  png: "89504e470d0a1a0a0000000d4948445200000bb80000000a0802000000",
  gif: "474946383961b80b0a00f70000",
  jpeg: "ffd8ffe000104a46494600010100000100010000ffc00011080 00a0bb80301220002110103110100".replace(" ", ""),
  webp: "524946460000000057454250565038580a00000000000000b70b00090000",
};

for (const [kind, hex] of Object.entries(WIDE)) {
  const data = Buffer.from(hex, "hex").toString("base64");
  const wide = { type: "image", source: { type: "base64", media_type: `image/${kind}`, data } };

  test(`a ${kind} of 3,000 pixels among more than 20 pictures`, async () => {
    const few = [user([text("Look."), wide]), assistant(text("I see.")), user("And?")];
    await check({ messages: few });
    const many = [
      user([text("Look."), wide, ...Array.from({ length: 20 }, () => png(100))]),
      assistant(text("I see.")),
      user("And?"),
    ];
    const { messages } = await check({ messages: many, exceeded: ["maxImageSide"] });
    assert.deepEqual((messages as { content: object[] }[])[0]?.content[1], text("[picture removed]"));
    const image = new Uint8Array(Buffer.from(hex, "hex"));
    const inBytes = [{ role: "user", content: Array.from({ length: 21 }, () => ({ type: "image", image })) }];
    const { exceeded } = espalier.diagnose(inBytes, { provider: "anthropic", format: "ai-sdk" });
    assert.deepEqual(
      exceeded.map(({ limit }) => limit),
      ["maxImageSide"],
    );
  });
}

test(
  "a body of 33 MB",
  run({
    messages: [user(Array.from({ length: 7 }, () => png(3_600_000))), assistant(text("I see.")), user("And?")],
    exceeded: ["maxBytes"],
  }),
);

test(
  "a prompt that is too long",
  run({
    messages: [
      user("Begin."),
      ...Array.from({ length: 40 }, (_, at) => [
        assistant(text(`Step ${at}.`), call(`t${at}`)),
        user([result(`t${at}`, `line ${at}\n`.repeat(200))]),
      ]).flat(),
    ],
    limits: { maxTokens: 8_000 },
    exceeded: ["maxTokens"],
  }),
);

test(
  "a conversation of another format is judged as what would be sent",
  run({
    messages: [
      user("Hi"),
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }],
      },
      user("Go on."),
    ],
    rules: ["lost-call"],
  }),
);

test("Claude from 4.6 on refuses a conversation that ends with the assistant", async () => {
  const ended = [user("Hi"), { role: "assistant", content: "Sure, here" }];
  for (const [model, isAccepted] of [
    ["claude-opus-4-6", false],
    ["claude-sonnet-5", false],
    ["claude-opus-4-5-20251101", true],
  ] as const) {
    for (const [input, options] of [
      [ended, { provider: "anthropic", model }],
      [{ model, messages: ended }, { provider: "anthropic" }],
    ] as const) {
      const found = espalier.diagnose(input, options);
      assert.deepEqual(
        [found.isAccepted, found.findings.map(({ rule }) => rule)],
        [isAccepted, isAccepted ? [] : ["last-role"]],
      );
      const { messages, left } = await espalier.mend(input, options);
      assert.deepEqual(left, []);
      assert.equal(espalier.diagnose(messages, { ...options, model }).isAccepted, true);
    }
  }
});

test("a stored conversation may end with the assistant, in every format, and a repair adds nothing there", async () => {
  const ended = [user("Hi"), { role: "assistant", content: [{ type: "text", text: "Hello. " }] }];
  for (const [provider, model, rule] of [
    ["gemini", undefined, "last-role"],
    ["vscode", undefined, "last-role"],
    ["anthropic", "claude-opus-4-6", "last-role"],
    ["anthropic", "claude-opus-4-5", "prefill-space"],
  ] as const) {
    const { messages: input } = espalier.convert(ended, provider);
    const options = { provider, ...(model !== undefined && { model }) };
    const rules = espalier.diagnose(input, options).findings.map(({ rule }) => rule);
    assert.deepEqual(rules, [rule], provider);
    assert.equal(espalier.diagnose(input, { ...options, openEnd: true }).isAccepted, true, provider);
    assert.deepEqual((await espalier.mend(input, { ...options, openEnd: true })).changes, [], provider);
  }
  // What else is refused still is.
  const lost = [user("Hi"), { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "ls", input: {} }] }];
  const found = espalier.diagnose(lost, { provider: "anthropic", openEnd: true }).findings;
  assert.deepEqual(
    found.map(({ rule }) => rule),
    ["pending-call"],
  );
});

test("gpt-4o took the ids of calls that a recorded session uses again", () => {
  const file = new URL("../../fixtures/transcripts/tau-airline-0.json", import.meta.url);
  const { messages } = JSON.parse(readFileSync(file, "utf8")) as { messages: { role: string }[] };
  assert.deepEqual(espalier.validate(messages, "openai-chat"), []);
  const rules = espalier.diagnose(messages, { provider: "anthropic" }).findings.map(({ rule }) => rule);
  assert.deepEqual([...new Set(rules)], ["double-id"]);
});

test("what must stay and is too large is reported, not removed", async () => {
  const messages = [user("word ".repeat(5_000))];
  const mended = await espalier.mend(messages, { provider: "anthropic", limits: { maxTokens: 100 } });
  assert.deepEqual(
    mended.left.map((one) => "limit" in one && one.limit),
    ["maxTokens"],
  );
});

test("what repeats is named with its tokens", () => {
  const page = "The same page. ".repeat(40);
  const { repeats } = espalier.diagnose([
    user("Read."),
    assistant(call("a", "read"), call("b", "read")),
    user([result("a", page), result("b", page)]),
  ]);
  assert.equal(repeats.length, 1);
  const { tool, count, tokens } = repeats[0]!;
  assert.deepEqual([tool, count], ["read", 2]);
  assert.equal(tokens, espalier.count(page));
});

test("limits that make no sense are refused", () => {
  assert.throws(() => espalier.diagnose([user("Hi")], { limits: { maxTokens: -1 } }), {
    code: "bad_option",
    path: "options.limits.maxTokens",
  });
  assert.throws(() => espalier.diagnose([user("Hi")], { limits: { maxToken: 1 } as never }), {
    code: "bad_option",
    path: "options.limits.maxToken",
  });
});
