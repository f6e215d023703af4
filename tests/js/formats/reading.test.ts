/** What every format reads as. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { readConversation } from "../../../js/formats/index.ts";
import { picture, reads } from "./check.ts";
import { LanguageModelChatMessage, LanguageModelDataPart, PNG, samples, uiMessages } from "./samples.ts";
import type { Format } from "../../../js/types/messages.ts";

const image = `image image/png ${PNG.length} chars`;

test("openai-chat", () =>
  reads(
    samples["openai-chat"](),
    `
  m0 system: "Be brief."
  m1 user: "Look"; image image/png low ${PNG.length} chars
  m2 assistant: call c1 read {"path":"a.ts"}; call c2 run {"command":"ls"}
  m3 tool: result c1 ["text of a"]
  m4 tool: result c2 ["failed"]
  m5 assistant: "Done \\ud800"`,
  ));

test("openai-responses", () =>
  reads(
    samples["openai-responses"](),
    `
  system system: "Be brief."
  m0 user: "Look"; image image/png low ${PNG.length} chars
  m1 assistant: think "Read it."
  m2 assistant: call c1 read {"path":"a.ts"}
  m3 assistant: call c2 run {"command":"ls"}
  m4 tool: result c1 ["text of a"]
  m5 tool: result c2 ["failed"]
  m6 assistant: "Done \\ud800"`,
  ));

test("anthropic", () =>
  reads(
    samples.anthropic(),
    `
  system system: "Be brief."; mark
  m0 user: "Look"; ${image}
  m1 assistant: think "Read it."; think ""; call c1 read {"path":"a.ts"}; call c2 run {"command":"ls"}
  m2 user: result c1 ["text of a"]; error c2 ["failed"]; mark
  m3 assistant: "Done \\ud800"`,
  ));

test("gemini: calls without ids are paired by name", () =>
  reads(
    samples.gemini(),
    `
  system system: "Be brief."
  m0 user: "Look"; ${image}
  m1 assistant: think "Read it."; call call:1.1 read {"path":"a.ts"}; call c2 run {"command":"ls"}
  m2 user: result call:1.1 read ["text of a"]; error c2 run ["failed"]
  m3 assistant: "Done \\ud800"`,
  ));

test("vscode", () =>
  reads(
    samples.vscode(),
    `
  m0 system: "Be brief."
  m1 user: "Look"; ${image}
  m2 assistant: think "Read it."; call c1 read {"path":"a.ts"}; call c2 run {"command":"ls"}
  m3 user: result c1 ["text of a"]; error c2 ["failed"]
  m4 assistant: "Done \\ud800"`,
  ));

test("ai-sdk", () =>
  reads(
    samples["ai-sdk"](),
    `
  system system: "Be brief."
  m0 user: "Look"; ${image}
  m1 assistant: think "Read it."; call c1 read {"path":"a.ts"}; call c2 run {"command":"ls"}
  m2 tool: result c1 read ["text of a"]; error c2 run ["failed"]
  m3 assistant: "Done \\ud800"`,
  ));

test("ai-sdk, messages of the page", () =>
  reads(
    uiMessages(),
    `
  m0 user: "Look"; ${image}
  m1 assistant: think "Read it."; call c1 read {"path":"a.ts"}; call c2 run {"command":"ls"}; "Done \\ud800"; |; result c1 read ["text of a"]; error c2 run ["failed"]`,
  ));

test("espalier", () =>
  reads(
    samples.espalier(),
    `
  s system: "Be brief."
  u user: "Look"; ${image}
  a assistant: think "Read it."; call c1 read {"path":"a.ts"}; call c2 run {"command":"ls"}
  t tool: result c1 ["text of a"]; error c2 ["failed"]
  b assistant: "Done \\ud800"`,
  ));

test("tools come from the request, whatever shape they have there", () => {
  for (const format of Object.keys(samples) as Format[]) {
    const { tools, format: found } = readConversation(samples[format](), {});
    assert.equal(found, format);
    assert.deepEqual(tools, [{ name: "read", description: "Reads.", schema: '{"type":"object"}' }], format);
  }
  const config = { tools: [{ function_declarations: [{ name: "f" }] }], systemInstruction: "Hi" };
  const sdk = readConversation({ contents: [{ role: "user", parts: [{ text: "x" }] }], config }, {});
  assert.deepEqual([sdk.tools, sdk.messages[0]?.id], [[{ name: "f" }], "system"]);
  const wrapped = readConversation(
    { messages: uiMessages(), tools: { f: { inputSchema: { jsonSchema: { type: "object" }, validate() {} } } } },
    {},
  );
  assert.deepEqual(wrapped.tools, [{ name: "f", schema: '{"type":"object"}' }]);
  const own = readConversation([{ role: "user", content: "x" }], { tools: [{ type: "web_search" }] });
  assert.deepEqual(own.tools, [{ name: "web_search" }]);
});

test("less common shapes", () => {
  // OpenAI's old function calls, plain texts in lists, refusals, custom tools, files, marks.
  reads(
    [
      { role: "developer", content: "Hi", name: "ops" },
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{" } },
      { role: "function", name: "f", content: "x" },
      { role: "assistant", refusal: "No." },
      { role: "assistant", tool_calls: [{ id: "k", type: "custom", custom: { name: "g", input: "free text" } }] },
      { role: "tool", content: "lost" },
      {
        role: "user",
        content: [
          { type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } },
          { type: "text", text: "y", cache_control: {} },
        ],
      },
      { role: "user", content: "z", copilot_cache_control: { type: "ephemeral" } },
    ],
    `
    m0 developer (ops): "Hi"
    m1 assistant: call function:f f {
    m2 tool: result function:f f ["x"]
    m3 assistant: "No."
    m4 assistant: call k g free text
    m5 tool: result  ["lost"]
    m6 user: document application/pdf 4; "y"; mark
    m7 user: "z"; mark`,
  );
  reads({ input: "Hello" }, 'm0 user: "Hello"');
  reads(
    {
      input: [
        { type: "local_shell_call", call_id: "s", action: { command: ["ls"] } },
        { type: "local_shell_call_output", call_id: "s", output: "a.ts" },
        {
          type: "computer_call_output",
          call_id: "t",
          output: { type: "computer_screenshot", image_url: "https://x/y.png" },
        },
        { type: "web_search_call", id: "w" },
        { type: "custom_tool_call", call_id: "u", name: "g", input: "free" },
        { role: "user", content: [{ type: "input_file", file_url: "https://x/y.pdf" }] },
      ],
    },
    `
    m0 assistant: call s local_shell {"command":["ls"]}
    m1 tool: result s ["a.ts"]
    m2 tool: result t [image https://x/y.png]
    m3 assistant: opaque {"type":"web_search_call","id":"w"}
    m4 assistant: call u g free
    m5 user: document ? 0`,
  );
  reads(
    {
      system: "S",
      messages: [
        {
          role: "user",
          content: [
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "plain" } },
            { type: "image", source: { type: "url", url: "https://x/y.png" } },
            { type: "search_result", title: "t" },
            { type: "tool_result", tool_use_id: "z", content: [{ type: "text", text: "in", cache_control: {} }] },
            { type: "tool_result", tool_use_id: "z" },
          ],
        },
      ],
    },
    `
    system system: "S"
    m0 user: document application/pdf 4; "plain"; image https://x/y.png; opaque {"type":"search_result","title":"t"}; result z ["in"]; result z []`,
  );
  reads(
    {
      system_instruction: { parts: [{ text: "S" }] },
      contents: [
        { parts: [{ text: "q" }, { file_data: { mime_type: "application/pdf", file_uri: "gs://x" } }] },
        {
          role: "model",
          parts: [{ function_call: { name: "f", args: {} } }, { function_call: { name: "f", args: { n: 2 } } }],
        },
        {
          role: "user",
          parts: [
            { function_response: { name: "f", response: { a: 1 } } },
            { function_response: { name: "f", response: { result: "two" } } },
            { function_response: { name: "f", response: {} } },
          ],
        },
        { role: "model", parts: [{ executableCode: { language: "PYTHON", code: "1" } }] },
      ],
    },
    `
    system system: "S"
    m0 user: "q"; document application/pdf 0
    m1 assistant: call call:1.0 f {}; call call:1.1 f {"n":2}
    m2 user: result call:1.0 f ["{\\"a\\":1}"]; result call:1.1 f ["two"]; result orphan:2.2 f ["{}"]
    m3 assistant: opaque {"executableCode":{"language":"PYTHON","code":"1"}}`,
  );
  const data = (text: string, kind: string) => new LanguageModelDataPart(new TextEncoder().encode(text), kind);
  reads(
    [
      new LanguageModelChatMessage(
        1,
        [data("{}", "application/json"), data("e", "cache_control"), data("%PDF", "application/pdf")],
        "me",
      ),
    ],
    'm0 user (me): "{}"; mark; document application/pdf 8',
  );
  // A bundler renamed the classes.
  reads(
    [{ role: 2, content: [{ value: ["deep", "thought"] }, { value: { node: 1 } }] }],
    'm0 assistant: think "deep\\nthought"; opaque {"node":1}',
  );
  // Version 4 of the AI SDK.
  reads(
    [
      {
        id: "1",
        role: "assistant",
        content: "",
        parts: [
          { type: "reasoning", reasoning: "hm", details: [] },
          {
            type: "tool-invocation",
            toolInvocation: { state: "result", toolCallId: "c", toolName: "f", args: { n: 1 }, result: { ok: true } },
          },
        ],
      },
    ],
    'm0 assistant: think "hm"; call c f {"n":1}; |; result c f ["{\\"ok\\":true}"]',
  );
  reads(
    [
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c", toolName: "f", result: "old", isError: true }],
      },
    ],
    'm0 tool: error c f ["old"]',
  );
  reads(
    [
      {
        role: "user",
        content: [
          { type: "file", data: new URL("https://x/y.pdf"), mediaType: "application/pdf" },
          { type: "image", image: Uint8Array.of(1, 2, 3) },
        ],
      },
    ],
    "m0 user: document application/pdf 0; image 4 chars",
  );
});

test("long pictures are passed on by their beginning", () => {
  const { messages } = readConversation(
    [
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(900_000)}` } }],
      },
    ],
    {},
  );
  assert.equal(picture(messages), "m0 user: image image/png 131072 chars");
});

test("which format it is", () => {
  const is = (input: unknown, format: Format) =>
    assert.equal(readConversation(input, {}).format, format, inspect(input));
  is([], "openai-chat");
  is([{ role: "user", content: "text" }], "openai-chat");
  is([{ role: "user", content: [{ type: "text", text: "x" }] }], "openai-chat");
  is({ model: "gpt-4o", messages: [], other: 1 }, "openai-chat");
  is({ system: "s", messages: [{ role: "user", content: "x" }] }, "anthropic");
  is([{ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }], "anthropic");
  is(
    [
      { role: "user", content: "x" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
    ],
    "anthropic",
  );
  is([{ role: "user", parts: [{ text: "x" }] }], "gemini");
  const marked = [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }];
  is([{ role: "user", content: marked }], "anthropic");
  is(
    [
      { role: "system", content: marked },
      { role: "user", content: "x" },
    ],
    "openai-chat",
  );
  is(
    [
      { role: "user", content: marked },
      { role: "assistant", tool_calls: [] },
    ],
    "openai-chat",
  );
  is([{ type: "function_call", call_id: "a", name: "f", arguments: "" }], "openai-responses");
  is([{ type: "apply_patch_call", call_id: "a" }], "openai-responses");
  is([{ role: "user", content: [{ type: "input_text", text: "x" }] }], "openai-responses");
  is([{ role: 1, content: "x" }], "vscode");
  is(uiMessages(), "ai-sdk");
  is([{ id: "a", role: "tool", parts: [{ type: "toolResult", callId: "c", content: [] }] }], "espalier");
  for (const format of Object.keys(samples) as Format[]) {
    const request = samples[format]();
    is(request, format);
    is(request["messages"] ?? request["contents"] ?? request["input"], format);
  }
});

test("real transcripts are read without loss", () => {
  const folder = new URL("../../fixtures/transcripts/", import.meta.url);
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const file = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as {
      messages: { role: string; content: unknown; tool_calls?: { function: { arguments: string } }[] }[];
    };
    const read = readConversation(file, {});
    assert.equal(read.messages.length, file.messages.length, name);
    assert.equal(read.rebuild(read.messages.map(({ id }) => ({ type: "keep", id }))), file);
    const texts = read.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "toolResult" ? part.content : [part])),
    );
    const said = texts.map((part) =>
      part.type === "text" ? part.text : part.type === "toolCall" ? part.arguments : assert.fail(part.type),
    );
    const had = file.messages.flatMap(({ content, tool_calls = [] }) => [
      ...(typeof content === "string"
        ? [content]
        : Array.isArray(content)
          ? content.map((part: { text: string }) => part.text)
          : []),
      ...tool_calls.map((call) => call.function.arguments),
    ]);
    assert.deepEqual(said, had, name);
  }
});
