/** prepare runs for a whole group at once, render after it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, render, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

/** An element that says when its parts begin and end. */
function staged(log: string[], name: string, milliseconds: number): any {
  return class extends s.PromptElement {
    async prepare(): Promise<string> {
      log.push(`prepare ${name}`);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      log.push(`ready ${name}`);
      return `state of ${name}`;
    }
    render(state: string): any {
      log.push(`render ${name}`);
      return all(h(s.TextChunk, {}, state), this.props.children);
    }
  };
}

test("siblings of a group are prepared in parallel, and rendered when all are ready", async () => {
  const log: string[] = [];
  const [A, B] = [staged(log, "a", 15), staged(log, "b", 1)];
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h(A), h(B))), ["user: state of a|state of b"]);
  assert.deepEqual(log, ["prepare a", "prepare b", "ready b", "ready a", "render a", "render b"]);
});

test("a later group waits until the earlier one is done, children included", async () => {
  const log: string[] = [];
  const [A, B, C] = [staged(log, "a", 1), staged(log, "b", 1), staged(log, "c", 1)];
  await render(s, h(s.UserMessage, {}, h(A, { flexGrow: 1 }), h(B, {}, h(C))));
  assert.deepEqual(
    log.filter((entry) => entry.startsWith("prepare")),
    ["prepare b", "prepare c", "prepare a"],
  );
});

test("progress and the cancellation token reach both", async () => {
  const seen: unknown[] = [];
  class Root extends s.PromptElement {
    async prepare(_sizing: unknown, progress: unknown, token: unknown): Promise<void> {
      seen.push(progress, token);
    }
    render(_state: unknown, _sizing: unknown, progress: unknown, token: unknown): any {
      seen.push(progress, token);
      return h(s.UserMessage, {}, "x");
    }
  }
  const [progress, token] = [{ report: () => {} }, { isCancellationRequested: false }];
  await new s.PromptRenderer({ modelMaxPromptTokens: 9 }, Root, {}, tokenizerOf(s, { count: letters })).render(
    progress,
    token,
  );
  assert.deepEqual(seen, [progress, token, progress, token]);
});

test("both methods of an element get one sizing", async () => {
  const sizings: unknown[] = [];
  class Root extends s.PromptElement {
    async prepare(sizing: unknown): Promise<void> {
      sizings.push(sizing);
    }
    render(_state: unknown, sizing: unknown): any {
      sizings.push(sizing);
      return h(s.UserMessage, {}, "x");
    }
  }
  await new s.PromptRenderer({ modelMaxPromptTokens: 9 }, Root, {}, tokenizerOf(s, { count: letters })).render();
  assert.equal(sizings.length, 2);
  assert.equal(sizings[0], sizings[1]);
});
