/** Pictures in prompts cost what they cost the model that is named. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { fragment, h } from "./pieces.ts";
import { ours } from "./subject.ts";

/** The header of a PNG of this size: all that counting reads. */
function png(width: number, height: number): string {
  const bytes = new Uint8Array(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return Buffer.from(bytes).toString("base64");
}

/** Tokens that a picture of 1,092 x 1,092 adds to a prompt. */
async function picture(options: Record<string, unknown>): Promise<number> {
  const tokens = async (...children: unknown[]) =>
    (
      await espalier.render(
        h(ours.UserMessage, {}, "Look.", ...children) as never,
        { budget: 1e6, ...options } as never,
      )
    ).tokens;
  return (await tokens(h(ours.Image, { src: png(1_092, 1_092) }))) - (await tokens());
}

test("by the model's rule, else by the provider's, else as OpenAI's tiles", async () => {
  const tiles = 85 + 4 * 170;
  const area = Math.ceil((1_092 * 1_092) / 750);
  assert.equal(await picture({}), tiles);
  assert.equal(await picture({ model: "gpt-4o" }), tiles);
  assert.equal(await picture({ model: "claude-sonnet-4-5" }), area);
  assert.equal(await picture({ format: "anthropic" }), area);
  assert.equal(await picture({ model: "gemini-2.5-pro" }), await picture({ format: "gemini" }));
  assert.notEqual(await picture({ format: "gemini" }), tiles);
  assert.equal(await picture({ model: "gpt-4o", images: "anthropic" }), area);
  assert.equal(await picture({ images: { kind: "openai-tiles", base: 1, tile: 2 } }), 1 + 4 * 2);
});

test("the same as countMessages says of the request", async () => {
  for (const [format, model] of [
    ["openai-chat", "gpt-4o"],
    ["openai-chat", "claude-sonnet-4-5"],
    ["anthropic", "claude-sonnet-4-5"],
    ["gemini", "gemini-2.5-pro"],
  ] as const) {
    const prompt = h(ours.UserMessage, {}, "Look.", h(ours.Image, { src: png(640, 480) }));
    const { request, tokens } = await espalier.render(prompt as never, { budget: 1e6, format, model });
    assert.equal(espalier.countMessages(request, { format, model }).total, tokens, `${format} ${model}`);
  }
});

test("elements that count pictures themselves see the same", async () => {
  class Asks extends ours.PromptElement {
    static seen: number[] = [];
    async render(_state: unknown, sizing: any): Promise<any> {
      Asks.seen.push(
        await sizing.countTokens({
          type: ours.Raw.ChatCompletionContentPartKind.Image,
          imageUrl: { url: `data:image/png;base64,${png(1_092, 1_092)}` },
        }),
      );
      return h(ours.UserMessage, {}, "x");
    }
  }
  await espalier.render(h(Asks as never, {}) as never, { budget: 1e6, model: "claude-sonnet-4-5" });
  assert.deepEqual(Asks.seen, [Math.ceil((1_092 * 1_092) / 750)]);
});

test("the package's tokenizer of the drop-in module takes a model, too", () => {
  const part = {
    type: ours.Raw.ChatCompletionContentPartKind.Image,
    imageUrl: { url: `data:image/png;base64,${png(1_092, 1_092)}` },
  } as never;
  const of = (options: object) =>
    new ours.BuiltinTokenizer({ mode: ours.OutputMode.Raw, ...options }).tokenLength(part);
  assert.equal(of({ model: "claude-sonnet-4-5", costModel: "espalier" }), Math.ceil((1_092 * 1_092) / 750));
  // Copilot Chat's rule is one for all models.
  assert.equal(of({ model: "claude-sonnet-4-5" }), 85 + 4 * 170);
});

test("documents, and pictures in low detail, cost what countMessages says of the request", async () => {
  const data = Buffer.from("%PDF-1.4 1 0 obj << /Type /Pages /Count 12 >> endobj").toString("base64");
  const elements = [
    h(ours.Document, { data, mediaType: "application/pdf" }),
    h(ours.Document, { data, mediaType: "audio/wav" }),
    h(ours.Image, { src: png(1_092, 1_092), detail: "low" }),
  ];
  for (const element of elements) {
    for (const format of ["raw", "gemini", "ai-sdk"] as const) {
      const tree = h(ours.UserMessage, {}, "Look.", element) as never;
      const { messages, tokens } = await espalier.render(tree, { budget: 1e6, format });
      assert.equal(
        tokens,
        espalier.countMessages(messages, { format }).total,
        `${format}: ${JSON.stringify(messages)}`,
      );
    }
  }
});

test("a picture in a tool's result reaches the AI SDK", async () => {
  const call = { id: "c", type: "function", function: { name: "look", arguments: "{}" } };
  const render = (...result: unknown[]) =>
    espalier.render(
      h(
        fragment,
        {},
        h(ours.AssistantMessage, { toolCalls: [call] }),
        h(ours.ToolMessage, { toolCallId: "c" }, ...(result as [])),
      ) as never,
      { budget: 1e6, format: "ai-sdk" },
    );
  const src = png(1_092, 1_092);
  const { messages, tokens } = await render("See: ", h(ours.Image, { src }));
  assert.deepEqual((messages[1] as any).content[0].output, {
    type: "content",
    value: [
      { type: "text", text: "See: " },
      { type: "image-data", data: src, mediaType: "image/png" },
    ],
  });
  assert.equal(tokens, espalier.countMessages(messages, { format: "ai-sdk" }).total);
  const plain = await render("See: ", "nothing");
  assert.deepEqual((plain.messages[1] as any).content[0].output, { type: "text", value: "See: nothing" });
});

test("content costs tokens wherever it is sent, and nowhere else", async () => {
  const data = Buffer.from("%PDF-1.4 1 0 obj << /Type /Pages /Count 3 >> endobj").toString("base64");
  const picture = png(640, 480);
  const contents: [string, unknown][] = [
    [picture, h(ours.Image, { src: picture })],
    ["e.org/picture.png", h(ours.Image, { src: "https://e.org/picture.png" })],
    [data, h(ours.Document, { data, mediaType: "application/pdf" })],
    ["a thought", h("opaque", { value: { type: "thinking", thinking: "a thought" }, tokenUsage: 9 })],
  ];
  const call = { id: "c", type: "function", function: { name: "look", arguments: "{}" } };
  const around: Record<string, (...content: any[]) => unknown[]> = {
    system: (...content) => [h(ours.SystemMessage, {}, ...(content as []))],
    user: (...content) => [h(ours.UserMessage, {}, ...(content as []))],
    assistant: (...content) => [h(ours.AssistantMessage, {}, ...(content as []))],
    tool: (...content) => [
      h(ours.AssistantMessage, { toolCalls: [call] }),
      h(ours.ToolMessage, { toolCallId: "c" }, ...(content as [])),
    ],
  };
  for (const format of ["openai-chat", "anthropic", "gemini", "ai-sdk", "raw"] as const) {
    for (const [role, messages] of Object.entries(around)) {
      const rendered = async (...content: unknown[]) => {
        const tree = h(fragment, {}, h(ours.UserMessage, {}, "q"), ...(messages("x", ...content) as []));
        return espalier.render(tree as never, { budget: 1e6, format });
      };
      const alone = await rendered();
      for (const [mark, content] of contents) {
        const { request, tokens } = await rendered(content);
        const isSent = JSON.stringify(request).includes(mark);
        assert.equal(tokens > alone.tokens, isSent, `${format} ${role} ${mark.slice(0, 20)}: ${tokens - alone.tokens}`);
      }
    }
  }
});

test("VS Code takes pictures as bytes: one with an address is not sent and costs nothing", async () => {
  class Part {}
  const message = (content: string) => ({ content: [content] });
  ours.setVSCode({
    LanguageModelChatMessage: { User: message, Assistant: message },
    LanguageModelTextPart: Part,
    LanguageModelDataPart: Part,
    LanguageModelToolCallPart: Part,
    LanguageModelToolResultPart: Part,
  });
  try {
    const tokens = async (...content: unknown[]) => {
      const tree = h(ours.UserMessage, {}, "x", ...(content as []));
      return (await espalier.render(tree as never, { budget: 1e6, format: "vscode" })).tokens;
    };
    const alone = await tokens();
    assert.equal(await tokens(h(ours.Image, { src: "https://e.org/picture.png" })), alone);
    assert.ok((await tokens(h(ours.Image, { src: png(640, 480) }))) > alone);
  } finally {
    ours.setVSCode();
  }
});

test("formulas that make no sense are named", async () => {
  for (const images of ["monet", 5, { kind: "openai-tiles", base: -1 }])
    await assert.rejects(picture({ images }), { code: "bad_option" });
});
