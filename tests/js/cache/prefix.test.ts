/** What two requests share. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Format } from "../../../js/types/messages.ts";
import { samples } from "../formats/samples.ts";
import { espalier } from "../built.ts";
import { refused } from "../refused.ts";

const { countMessages, placeMarks, prune, stablePrefix } = espalier;

type Fields = Record<string, unknown>;

const turns = (count: number): Fields[] =>
  Array.from({ length: count }, (_, at) => [
    { role: "user", content: `request ${at} `.repeat(20) },
    { role: "assistant", content: `answer ${at} `.repeat(20) },
  ]).flat();

test("what two requests share", () => {
  const [before, after] = [turns(3), turns(4)];
  const grown = stablePrefix(before, after);
  assert.deepEqual([grown.messages, grown.extends, grown.difference], [6, true, undefined]);
  assert.equal(grown.tokens, countMessages(before).total);
  const changed = after.map((message, at) =>
    at === 2 ? { ...message, content: `${String(message["content"])}!` } : message,
  );
  const shared = stablePrefix(after, changed);
  assert.equal(shared.tokens, countMessages(after.slice(0, 2)).total);
  assert.deepEqual(shared.difference, {
    index: 2,
    id: "m2",
    part: 0,
    kind: "text",
    offset: String(after[2]!["content"]).length,
  });
  const { perMessage } = countMessages(after);
  assert.deepEqual(stablePrefix(after, changed, { counts: perMessage.map(({ tokens }) => tokens) }), shared);
  // Whether messages are the same objects or only equal ones makes no difference either.
  const copied = structuredClone(after);
  assert.deepEqual(stablePrefix(copied, changed), shared);
  assert.deepEqual(stablePrefix(before, copied), grown);
  const [one, other] = [
    { system: "Be brief.", messages: before },
    { system: "Be brief.", messages: after },
  ];
  assert.deepEqual(stablePrefix(one, other), stablePrefix(structuredClone(one), other));
  // Marks make no difference.
  assert.ok(stablePrefix(after, placeMarks(after, { minPrefixTokens: 0 }).messages).extends);
});

test("tools, formats, system prompts", () => {
  const request = samples.anthropic();
  assert.ok(stablePrefix(request, { ...request }).extends);
  const tools = [...(request["tools"] as unknown[]), { name: "other", input_schema: {} }];
  assert.deepEqual(stablePrefix(request, { ...request, tools }).difference, { index: 1, id: "other", kind: "tools" });
  assert.deepEqual(stablePrefix(request, request, { tools, previousTools: [] }).difference?.kind, "tools");
  assert.equal(stablePrefix(request, { ...request, system: "Be long." }).difference?.id, "system");
  for (const format of Object.keys(samples) as Format[])
    assert.ok(stablePrefix(samples[format](), samples[format]()).extends, format);
});

test("the rule behind a difference", () => {
  const history = turns(20);
  const first = prune(history.slice(0, 30), { budget: 1_000 });
  const next = prune(history, { budget: 1_000 });
  const { difference } = stablePrefix(first.messages, next.messages, {
    report: next.report,
    previousReport: first.report,
  });
  const dropped = next.report.messages.filter(({ fate }) => fate === "dropped").map(({ id }) => id);
  assert.equal(difference?.cause?.rule, next.report.messages.find(({ fate }) => fate === "dropped")?.rule);
  assert.ok(difference!.cause!.ids.every((id) => dropped.includes(id)));
  const gone = new Set(first.report.messages.filter(({ fate }) => fate === "dropped").map(({ id }) => id));
  assert.ok(
    difference!.cause!.ids.every((id) => !gone.has(id)),
    "what had gone before is not to blame",
  );
  const own = stablePrefix(history, [{ role: "user", content: "other" }], {
    report: { messages: [{ id: "m0", role: "user", before: 1, after: 1, fate: "kept" }] },
  });
  assert.equal(own.difference?.cause?.rule, "input");
});

test("prefix options that make no sense", () => {
  refused(() => stablePrefix(turns(1), turns(1), { counts: [1] }), "bad_option", "options.counts");
  refused(() => stablePrefix(turns(1), turns(1), { counts: [1, -1] }), "bad_option", "options.counts[1]");
  refused(() => stablePrefix(turns(1), turns(1), { report: 7 as never }), "bad_option", "options.report");
  refused(() => stablePrefix(7, turns(1)), "unknown_format", "messages");
});
