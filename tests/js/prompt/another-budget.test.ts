/**
 * A rendered prompt at another budget: texts are cut anew, elements of ours make their content anew, and no component
 * is asked again.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { fragment, h } from "./pieces.ts";
import { rehearsal } from "./subject.ts";

const { UserMessage, SystemMessage, TextChunk, Expandable, SourceDocument, PromptElement, render } = espalier;
const log = Array.from({ length: 20_000 }, (_, at) => `line${at % 97} failed`).join(" ");
const source = Array.from(
  { length: 300 },
  (_, at) => `export function part${at}(input: string): string {\n  return input.repeat(${at});\n}\n`,
).join("\n");

interface Asked {
  calls: string[];
  piece: any;
}

/** A prompt of components that log their calls, around `content`. */
function prompt(content: () => any): Asked {
  const calls: string[] = [];
  const Rules = async (): Promise<any> => (calls.push("Rules"), "Rules. ");
  class Inner extends PromptElement<any, number> {
    override prepare(): Promise<number> {
      calls.push("Inner.prepare");
      return Promise.resolve(7);
    }

    render(state: number): any {
      calls.push(`Inner ${state}`);
      return h(fragment, {}, content(), "end");
    }
  }
  const piece = h(
    fragment,
    {},
    h(SystemMessage, { priority: 9 }, h(Rules)),
    h(UserMessage, { priority: 5, flexGrow: 1 }, h(Inner, { flexGrow: 2 }), h(Rules, { flexGrow: 3 })),
  );
  return { calls, piece };
}

const contents: Record<string, () => any> = {
  "a text that breaks": () => h(TextChunk, { priority: 1, breakOnWhitespace: true }, log),
  "two texts that break": () => [1, 2].map((priority) => h(TextChunk, { priority, breakOn: " " }, log)),
  "an expandable": () =>
    h(Expandable, { priority: 1, value: ({ tokenBudget }: any) => "word ".repeat(Math.max(0, tokenBudget - 1)) }),
  "a component inside an expandable": () =>
    h(Expandable, {
      priority: 1,
      value: ({ tokenBudget }: any) => h(() => "word ".repeat(Math.max(0, tokenBudget - 3))) as any,
    }),
  "a source file": () => h(SourceDocument, { priority: 1, path: "part.ts", text: source }),
  "a text and an expandable": () => [contents["an expandable"]!(), contents["a text that breaks"]!()],
};

for (const [name, content] of Object.entries(contents)) {
  test(`${name}: the same as a prompt rendered for that budget`, { skip: rehearsal }, async () => {
    const { calls, piece } = prompt(content);
    const whole = await render(piece, { budget: 8000, format: "raw" });
    const before = JSON.stringify(whole.request);
    const asked = calls.splice(0);
    assert.deepEqual([...asked].sort(), ["Inner 7", "Inner.prepare", "Rules", "Rules"]);
    for (const budget of [4000, 300, 60, 16_000, 8000]) {
      const cut = await whole.prune(budget);
      assert.deepEqual(calls, []);
      const fresh = await render(prompt(content).piece, { budget, format: "raw" });
      assert.deepEqual(cut.request, fresh.request, `budget ${budget}`);
      assert.equal(cut.tokens, fresh.tokens);
      assert.ok(cut.tokens <= budget);
      assert.deepEqual((await cut.prune(8000)).request, whole.request);
      assert.equal(cut.trace().budget, budget);
      cut.free();
    }
    assert.equal(JSON.stringify(whole.request), before);
    assert.equal(whole.trace().budget, 8000);
    whole.free();
  });
}

test("a text that was cut fills a smaller and a larger budget too", { skip: rehearsal }, async () => {
  const whole = await render(h(UserMessage, {}, h(TextChunk, { breakOnWhitespace: true }, log)), { budget: 8000 });
  for (const budget of [4000, 100, 16_000]) {
    const { tokens } = await whole.prune(budget);
    assert.ok(tokens <= budget && tokens > budget - 12, `${tokens} of ${budget}`);
  }
});

test("pieces that hold an iterator are cut from what the first render made of them", { skip: rehearsal }, async () => {
  function* parts(): Generator<any> {
    yield h(TextChunk, { priority: 1, breakOnWhitespace: true }, log);
    yield "the question";
  }
  const whole = await render(
    h(
      UserMessage,
      {},
      h(() => parts() as any),
    ),
    { budget: 8000, format: "raw" },
  );
  assert.ok(whole.tokens > 7900);
  const cut = await whole.prune(4000);
  assert.equal((cut.messages[0] as any).content[0].text, "the question");
});

test("a failure at another budget names the largest element, and the first result can be used again", {
  skip: rehearsal,
}, async () => {
  const { piece } = prompt(contents["a text that breaks"]!);
  const whole = await render(piece, { budget: 8000, format: "raw" });
  await assert.rejects(whole.prune(2), { code: "budget_exceeded" });
  assert.ok((await whole.prune(4000)).tokens > 3900);
  whole.free();
  await assert.rejects(whole.prune(4000), { code: "freed" });
});

test("a prompt whose signal was aborted later is cut no further", { skip: rehearsal }, async () => {
  const controller = new AbortController();
  const { piece } = prompt(contents["a text that breaks"]!);
  const whole = await render(piece, { budget: 8000, signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(whole.prune(4000), /enough/);
});
