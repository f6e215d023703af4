/**
 * Mistakes of authors in the drop-in module: an `EspalierError` with `code` and `path`, where the reference throws
 * whatever JavaScript says, or nothing.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { all, component, h, render, rendererOf } from "./pieces.ts";
import type { RenderOptions } from "./pieces.ts";
import { ours as s, reference, rehearsal } from "./subject.ts";
import { letters, tokenizerOf } from "./tokenizers.ts";

const skip = rehearsal;

interface Expected {
  code: string;
  path: string;
  message: RegExp;
}

/** Expects the error, and that the reference throws too unless `isSilent`. */
function refused(
  name: string,
  content: any,
  expected: Partial<Expected>,
  { isSilent = false, ...options }: RenderOptions & { isSilent?: boolean } = {},
): void {
  test(name, { skip }, async () => {
    const error: any = await render(s, content(s), options).then(
      () => assert.fail("it rendered"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof espalier.EspalierError, String(error));
    const { message, ...fields } = { code: "bad_element", ...expected };
    assert.deepEqual({ code: error.code, path: error.path }, { path: undefined, ...fields });
    if (message) assert.match(error.message, message);
    const theirs = render(reference, content(reference), options);
    await (isSilent ? assert.doesNotReject(theirs) : assert.rejects(theirs));
  });
}

const inside =
  (make: (s: any) => any): any =>
  (s: any) =>
    h(s.UserMessage, {}, make(s), "x");

for (const src of [undefined, null, 5])
  refused(
    `a picture whose src is ${src}`,
    inside(({ Image }) => h(Image, { src })),
    {
      path: "Root > UserMessage > Image",
      message: /src must be an address or base64, and is/,
    },
  );
for (const name of ["references", "usedContext", "ignoredFiles"])
  refused(
    `<${name}> without a value`,
    inside(() => h(name)),
    {
      path: "Root > UserMessage",
      message: new RegExp(`<${name} /> needs a list as its \`value\`, and has undefined`),
    },
  );
refused(
  "an Expandable without a value",
  inside(({ Expandable }) => h(Expandable)),
  {
    path: "Root > UserMessage > Expandable",
    message: /value must be a function/,
  },
);
refused(
  "a component in a TextChunk that is cut",
  inside((s) => h(s.TextChunk, { breakOnWhitespace: true }, h(component(s)))),
  { path: "Root > UserMessage > TextChunk", message: /must be text literals/ },
);
refused(
  "a break without the flag g",
  inside(({ TextChunk }) => h(TextChunk, { breakOn: / / }, "a b")),
  {
    path: "Root > UserMessage > TextChunk",
    message: /must have the global flag set \(got \/ \/\) \(at tsx element Root > UserMessage > TextChunk\)$/,
  },
);

for (const [prop, value] of [
  ["priority", NaN],
  ["priority", "high"],
  ["flexGrow", NaN],
  ["flexBasis", "x"],
  ["flexReserve", "/0"],
  ["flexReserve", "/"],
  ["flexReserve", "/-2"],
] as const)
  refused(
    `${prop}={${JSON.stringify(value)}}`,
    inside(({ TextChunk }) => h(TextChunk, { [prop]: value }, "a")),
    { path: "Root > UserMessage > TextChunk", message: new RegExp(`${prop} must be a number.*, and is ("|NaN)`) },
    { isSilent: true },
  );
for (const max of [NaN, "x"])
  refused(
    `max={${max}}`,
    inside(({ TokenLimit }) => h(TokenLimit, { max }, "a")),
    { path: "Root > UserMessage > TokenLimit", message: /max must be a number, and is ("x"|NaN)/ },
    { isSilent: true },
  );

const broken = (s: any): any => {
  const call = { id: "7", type: "function", function: { name: "f", arguments: "{" } };
  return all(h(s.AssistantMessage, { toolCalls: [call] }, "x"), h(s.ToolMessage, { toolCallId: "7" }, "r"));
};

test("arguments of a call that are no JSON, in VS Code's form", { skip }, async () => {
  const { OutputMode, Raw, toMode } = s;
  const tokenizer = { ...tokenizerOf(s, { count: letters }), mode: OutputMode.VSCode, countMessageTokens: () => 4 };
  const message = /^Invalid JSON in tool call arguments for tool call: 7/;
  await assert.rejects(render(s, broken(s), { tokenizer }), (error: any) => {
    assert.deepEqual([error.code, error.path], ["bad_input", "toolCalls[0].function.arguments"]);
    assert.match(error.message, message);
    assert.match(error.message, /\(at tsx element Root > AssistantMessage\)$/);
    return true;
  });
  const call = { id: "7", type: "function", function: { name: "f", arguments: "{" } };
  const messages = [
    { role: Raw.ChatRole.User, content: [] },
    { role: Raw.ChatRole.Assistant, content: [], toolCalls: [call] },
  ];
  assert.throws(() => toMode(OutputMode.VSCode, messages), {
    code: "bad_input",
    path: "messages[1].toolCalls[0].function.arguments",
    message,
  });
});

test("a tokenizer without a mode, as those for 0.3, and no tokenizer", { skip }, async () => {
  const { mode: _, ...old } = tokenizerOf(s, { count: letters });
  const content = h(s.UserMessage, {}, "x");
  await assert.rejects(render(s, content, { tokenizer: old }), (error: any) => {
    assert.deepEqual([error.code, error.path], ["bad_option", "tokenizer.mode"]);
    assert.match(error.message, /OutputMode\.Raw.*has undefined.*0\.3/);
    return true;
  });
  // Nothing is in a mode yet, so that plain data is made as before.
  const data = await rendererOf(s, h(s.TextChunk, {}, "x"), { tokenizer: old }).renderElementJSON();
  assert.equal(data.node.children[0].children[0].text, "x");
  for (const counter of [undefined, null, "gpt-4o"])
    await assert.rejects(s.renderPrompt(component(s), {}, { modelMaxPromptTokens: 9 }, counter), {
      code: "bad_option",
      path: "tokenizer.tokenLength",
    });
});

test("messages of the reference inside a prompt of ours", { skip }, async () => {
  await assert.rejects(render(s, h(reference.UserMessage, {}, "text")), {
    code: "text_outside_message",
    path: "Root > UserMessage",
    message: /Text: "text" UserMessage is an element of another package here, such as @vscode\/prompt-tsx;/,
  });
  const outside = await render(s, h(component(s), {}, "text")).catch(({ message }) => message);
  assert.doesNotMatch(outside, /another package/);
});
