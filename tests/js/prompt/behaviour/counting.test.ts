/** Counts of the result. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, render } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, tokenizerOf, words } from "../tokenizers.ts";

test("the count is that of the messages, each counted as it is sent", async () => {
  const tokenizer = tokenizerOf(s, { count: words });
  const content = all(
    h(s.SystemMessage, {}, "Be brief."),
    h(s.UserMessage, { name: "ann" }, h(s.TextChunk, {}, "multi"), h(s.TextChunk, {}, "line")),
  );
  const { messages, tokenCount } = await render(s, content, { tokenizer });
  let fresh = 0;
  for (const message of messages) fresh += await tokenizer.countMessageTokens(message);
  assert.equal(tokenCount, fresh);
  assert.equal(tokenCount, 3 + 3 + (3 + 2 + 3));
});

test("tokens merge where texts meet", async () => {
  const { tokenCount } = await render(s, h(s.UserMessage, {}, "to", "ken"), {
    tokenizer: tokenizerOf(s, { count: words }),
  });
  assert.equal(tokenCount, 3 + 1);
});

test("in OpenAI mode the messages of that mode are counted", async () => {
  const tokenizer = tokenizerOf(s, { count: letters, mode: "OpenAI" });
  const { messages, tokenCount } = await render(s, all(h(s.SystemMessage, {}, "abc"), h(s.UserMessage, {}, "de")), {
    tokenizer,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(messages)), [
    { role: "system", content: "abc" },
    { role: "user", content: "de" },
  ]);
  assert.equal(tokenCount, 6 + 5);
});

test("a tokenizer may answer later", async () => {
  const tokenizer = tokenizerOf(s, { count: letters, later: true });
  const chunks = ["aaaa", "bbbb", "cccc"].map((text, priority) => h(s.TextChunk, { priority }, text));
  const { messages, tokenCount } = await render(s, h(s.UserMessage, {}, ...chunks), { tokenizer, budget: 12 });
  assert.equal(tokenCount, 12);
  assert.equal(messages[0].content[0].text, "bbbb\ncccc");
});

test("renderPrompt takes a tokenizer, and adds the used context", async () => {
  class Root extends s.PromptElement {
    render(): any {
      return all(h("usedContext", { value: [{ version: 1 }] }), h(s.UserMessage, {}, "hello"));
    }
  }
  const result = await s.renderPrompt(Root, {}, { modelMaxPromptTokens: 50 }, tokenizerOf(s, { count: letters }));
  assert.equal(result.tokenCount, 8);
  assert.deepEqual(result.usedContext, [{ version: 1 }]);
});

test("a model of VS Code counts in VS Code's mode only", async () => {
  const model = { countTokens: (): Promise<number> => Promise.resolve(1) };
  class Root extends s.PromptElement {
    render(): any {
      return h(s.UserMessage, {}, "hello");
    }
  }
  await assert.rejects(
    async () => s.renderPrompt(Root, {}, { modelMaxPromptTokens: 50 }, model, undefined, undefined, s.OutputMode.Raw),
    /`mode` must be set to vscode/,
  );
});
