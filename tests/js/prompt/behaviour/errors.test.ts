/** Errors say where they come from. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { component, h, render } from "../pieces.ts";
import { ours as s } from "../subject.ts";

test("what is thrown in render or prepare is the same error, with a path added once", async () => {
  const error = new RangeError("no luck");
  const Fails = component(s, "Fails", () => {
    throw error;
  });
  const Outer = component(s, "Outer");
  await assert.rejects(render(s, h(s.UserMessage, {}, h(Outer, {}, h(Fails)))), (thrown) => thrown === error);
  assert.equal(error.message, "no luck (at tsx element Root > UserMessage > Outer > Fails)");
  await assert.rejects(render(s, h(s.UserMessage, {}, h(Fails))));
  assert.equal(error.message, "no luck (at tsx element Root > UserMessage > Outer > Fails)");

  const Unready = component(s, "Unready");
  Unready.prototype.prepare = () => Promise.reject(new TypeError("not ready"));
  await assert.rejects(render(s, h(Unready)), {
    name: "TypeError",
    message: "not ready (at tsx element Root > Unready)",
  });
});

test("a cancellation is left alone, and so is what is no error", async () => {
  class CancellationError extends Error {}
  const cancels = h(component(s, "Cancels", () => Promise.reject(new CancellationError("stop"))));
  await assert.rejects(render(s, cancels), { message: "stop" });
  await assert.rejects(
    render(s, h(component(s, "Odd", () => Promise.reject("just text")))),
    (thrown) => thrown === "just text",
  );
});

test("a missing component is reported with its path", async () => {
  const wording = "Invalid ChatMessage child! Child must be a TSX component that extends PromptElement at";
  await assert.rejects(render(s, h(s.UserMessage, {}, h(undefined))), {
    message: `${wording} Root > UserMessage > undefined`,
  });
  await assert.rejects(render(s, h(s.UserMessage, {}, h(s.LogicalWrapper, {}, h(undefined)))), {
    message: `${wording} Root > UserMessage > LogicalWrapper > undefined`,
  });
});

test("a module that threw can be used again", async () => {
  const Fails = component(s, "Fails", () => {
    throw new Error("once");
  });
  await assert.rejects(render(s, h(Fails)));
  assert.equal((await render(s, h(s.UserMessage, {}, "fine"))).tokenCount, 7);
});

test("an exception of the tokenizer passes through", async () => {
  const tokenizer = {
    mode: s.OutputMode.Raw,
    tokenLength: () => 1,
    countMessageTokens: () => {
      throw new Error("no vocabulary");
    },
  };
  await assert.rejects(render(s, h(s.UserMessage, {}, "x"), { tokenizer }), /no vocabulary/);
});
