/** Budgets that a host does not state, or states as no number of tokens. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, component, h, line } from "../pieces.ts";
import type { Subject } from "../subject.ts";
import { ours, reference } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

const WORDS = "one two three four five six seven eight nine ten eleven twelve";

interface Seen {
  messages: string[];
  tokens: number;
  heard: Record<string, number>;
}

/** Renders every element that looks at its budget for an endpoint as a host hands it over. */
async function seen(s: Subject, endpoint: unknown): Promise<Seen> {
  const heard: Record<string, number> = {};
  const probe = (name: string): any => component(s, name, (_, { tokenBudget }) => void (heard[name] = tokenBudget));
  const Root = component(s, "Root", () =>
    all(
      h(probe("first")),
      h(s.UserMessage, { flexGrow: 2 }, h(s.TextChunk, { breakOnWhitespace: true }, WORDS)),
      h(
        s.UserMessage,
        { flexGrow: 2 },
        h(s.TokenLimit, { max: 20 }, h(s.TextChunk, { breakOn: " " }, WORDS), h(probe("limited"))),
      ),
      h(
        s.UserMessage,
        { flexGrow: 1 },
        h(s.Expandable, { value: ({ tokenBudget }: any) => `room for ${tokenBudget}` }),
      ),
    ),
  );
  const renderer = new s.PromptRenderer(endpoint, Root, {}, tokenizerOf(s, { count: letters }));
  const { messages, tokenCount } = await renderer.render();
  return { messages: messages.map((message: any) => line(s, message)), tokens: tokenCount, heard };
}

const ENDPOINTS: Record<string, unknown> = {
  infinity: { modelMaxPromptTokens: Infinity },
  NaN: { modelMaxPromptTokens: NaN },
  absent: { family: "mock" },
  undefined: { modelMaxPromptTokens: undefined },
  null: { modelMaxPromptTokens: null },
  huge: { modelMaxPromptTokens: 1e300 },
};

for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
  test(`a budget of ${name} is what it is in the reference`, async () => {
    assert.deepEqual(await seen(ours, endpoint), await seen(reference, endpoint));
  });
}

test("without a limit no text is lost", async () => {
  for (const endpoint of [ENDPOINTS.infinity, ENDPOINTS.absent]) {
    const { messages, heard } = await seen(ours, endpoint);
    assert.equal(messages[0], `user: ${WORDS}`);
    assert.equal(messages[1], "user: one two");
    assert.equal(heard.limited, 10);
  }
});

test("a tree as JSON needs no budget", async () => {
  for (const s of new Set([reference, ours])) {
    for (const endpoint of [...Object.values(ENDPOINTS)]) {
      const Root = component(s, "Root", () => h(s.UserMessage, {}, h(s.TextChunk, {}, "text")));
      const { node } = await new s.PromptRenderer(
        endpoint,
        Root,
        {},
        tokenizerOf(s, { count: letters }),
      ).renderElementJSON();
      assert.match(JSON.stringify(node), /"text":"text"/);
    }
  }
});
