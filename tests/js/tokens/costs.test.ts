/**
 * What pictures, parts and tools cost, and how every number says where it comes from, on the package as it is shipped.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CountOptions, ImageModel } from "../../../js/types/count.ts";
import type { Format, Part } from "../../../js/types/messages.ts";
import { samples } from "../formats/samples.ts";
import { espalier } from "../built.ts";
import { conversation } from "../providers/conversations.ts";
import { refused } from "../refused.ts";
import { runs } from "../runs.ts";

const { Calibration, countMessages, countPart, countTools, prune } = espalier;

/** The header of a picture of 1,024 x 1,024. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAABAAAAAQA";
const url = "https://example.com/a.avif";

test("pictures as the model sees them", () => {
  const cost = (options: CountOptions) => countPart({ type: "image", data: PNG }, options);
  const check = (options: CountOptions, tokens: number, origin: string) =>
    assert.deepEqual(cost(options), { tokens, origin });
  check({}, 765, "exact");
  check({ model: "gpt-4.1-mini" }, 1_659, "exact");
  check({ model: "gpt-5" }, 630, "exact");
  check({ model: "claude-opus-4-5" }, 1_399, "prior");
  check({ model: "gemini-2.5-pro" }, 1_032, "prior");
  // The format says whose model it is, where nothing else does.
  check({ format: "anthropic" }, 1_399, "prior");
  check({ format: "gemini" }, 1_032, "prior");
  check({ format: "anthropic", encoding: "o200k_base" }, 1_399, "exact");
  const images = (images: ImageModel, tokens: number, origin = "exact") => check({ images }, tokens, origin);
  images("openai-tiles", 765);
  images("openai-patches", 1_024);
  images("anthropic", 1_399);
  images("gemini", 1_032);
  images("gemini-cli", 3_000, "estimate");
  images({ kind: "openai-tiles", base: 1, tile: 10 }, 41);
  images({ kind: "openai-patches", factor: 2.46 }, 2_520);
  check({ model: "claude-opus-4-5", images: "openai-tiles" }, 765, "prior");
  assert.deepEqual(countPart({ type: "document", dataLength: 1_000 }, { images: "gemini-cli" }), {
    tokens: 25_800,
    origin: "estimate",
  });
});

test("a picture of unknown size costs more with a model whose tiles cost more", () => {
  const cost = (model: string) => countPart({ type: "image", url }, { model });
  assert.deepEqual(cost("gpt-4o"), { tokens: 1_105, origin: "estimate" });
  assert.deepEqual(cost("gpt-4o-mini"), { tokens: 36_835, origin: "estimate" });
  assert.deepEqual(cost("claude-sonnet-4-6"), { tokens: 1_105, origin: "estimate" });
});

test("recordings and text files by their bytes", () => {
  const cost = (mediaType: string) =>
    countPart({ type: "document", mediaType, dataLength: 40_000 }, { images: "gemini-cli" }).tokens;
  assert.equal(cost("audio/wav"), 30);
  assert.equal(cost("audio/mpeg"), 240);
  assert.equal(cost("Video/MP4"), 240);
  assert.equal(cost("text/csv"), 10_000);
  assert.equal(cost("application/pdf"), 25_800);
});

test("sizes that only the host knows", () => {
  const asked: unknown[] = [];
  const imageSize = (image: { url?: string; data?: string }) => {
    asked.push(image.url ?? image.data);
    return image.url === url ? { width: 1_500, height: 749.5 } : undefined;
  };
  const cost = (part: Part) => countPart(part, { imageSize, images: "anthropic" });
  assert.deepEqual(cost({ type: "image", url }), { tokens: 1_500, origin: "exact" });
  assert.deepEqual(cost({ type: "image", url: "https://example.com/other" }), { tokens: 1_105, origin: "estimate" });
  assert.deepEqual(cost({ type: "image", data: "AAAA" }), { tokens: 1_105, origin: "estimate" });
  assert.deepEqual(cost({ type: "toolResult", callId: "c", content: [{ type: "image", url }] }), {
    tokens: 1_504,
    origin: "exact",
  });
  cost({ type: "image", data: PNG });
  assert.deepEqual(asked, [url, "https://example.com/other", "AAAA"], "only what the data do not tell, and once");
  const messages = [url, url].map((url) => ({ role: "user", content: [{ type: "image_url", image_url: { url } }] }));
  assert.equal(countMessages(messages, { imageSize, images: "anthropic" }).total, 3 + 2 * (4 + 1_500));
  assert.equal(asked.length, 3);
  assert.equal(
    prune(messages, { budget: 10_000, imageSize, images: "anthropic" }).report.before.total,
    3 + 2 * (4 + 1_500),
  );
});

test("picture options that make no sense", () => {
  const bad = (options: object, path: string) =>
    refused(() => countPart({ type: "image", url }, options), "bad_option", path);
  bad({ images: "tiles" }, "options.images");
  bad({ images: null }, "options.images");
  bad({ images: { kind: "openai-tiles", base: -1, tile: 1 } }, "options.images.base");
  bad({ images: { kind: "openai-patches", factor: "2" } }, "options.images.factor");
  bad({ imageSize: {} }, "options.imageSize");
  bad({ imageSize: () => ({ width: 0, height: 1 }) }, "options.imageSize");
  bad({ imageSize: () => "large" }, "options.imageSize");
  // What the host's own function throws is the host's.
  assert.throws(
    () =>
      countPart(
        { type: "image", url },
        {
          imageSize: () => {
            throw new TypeError("mine");
          },
        },
      ),
    TypeError,
  );
});

test("pages of a PDF, where they can be read", () => {
  const pdf = (body: string) =>
    Buffer.from(`%PDF-1.4\n${body}\ntrailer << /Root 1 0 R >>\n%%EOF`, "latin1").toString("base64");
  const check = (data: string, tokens: number) => {
    const messages = [
      {
        role: "user",
        content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data } }],
      },
    ];
    const report = countMessages(messages, { format: "anthropic" });
    assert.deepEqual([report.total - 7, report.origin], [tokens, "estimate"]);
    // Bytes, and base64 as `base64` and Python's `encodebytes` write it, have the same pages.
    for (const given of [new Uint8Array(Buffer.from(data, "base64")), data.replace(/.{76}/g, "$&\n")]) {
      const content = [{ type: "file", data: given, mediaType: "application/pdf" }];
      const asFile = countMessages([{ role: "user", content }], { format: "ai-sdk" }).total - 7;
      assert.ok(data.length % 4 > 0 || data.includes("*") || asFile === tokens, `${asFile} of ${tokens}`);
    }
  };
  const tree =
    "2 0 obj << /Type /Pages /Kids [3 0 R 4 0 R] /Count 12 >> endobj 3 0 obj << /Type/Pages /Count 5 >> endobj";
  check(pdf(tree), 12 * 1_500);
  // An outline counts something else; and no tree can be seen here.
  const outline = pdf("2 0 obj << /Type /Outlines /Count 99 >> endobj");
  check(outline, Math.ceil(Math.floor((outline.length / 4) * 3) / 8));
  const large = pdf(`${"x".repeat(200_000)} ${tree}`);
  check(large, 12 * 1_500);
  check(large.slice(0, -3), 12 * 1_500);
  const middle = pdf(`${"x".repeat(200_000)} ${tree} ${"x".repeat(200_000)}`);
  check(middle, Math.ceil(Math.floor((middle.length / 4) * 3) / 8));
  check("JVBERi*not base64*", 2);
});

test("parts and tools alone", () => {
  assert.deepEqual(countPart({ type: "text", text: "Hello world!" }), { tokens: 3, origin: "exact" });
  assert.deepEqual(countPart({ type: "cacheMark" }), { tokens: 0, origin: "exact" });
  assert.deepEqual(countPart({ type: "opaque", json: "{}", tokens: 42 }, { costModel: "copilot-chat" }), {
    tokens: 42,
    origin: "exact",
  });
  assert.deepEqual(countPart({ type: "document", dataLength: 4_000 }, { costModel: "copilot-chat" }), {
    tokens: 375,
    origin: "estimate",
  });
  assert.equal(countPart({ type: "image", data: PNG }, { costModel: "copilot-chat", role: "system" }).tokens, 0);
  // A field that is undefined is absent; fields of other types do not count.
  const result: Part = { type: "toolResult", callId: "c", content: [{ type: "text", text: "a" }] };
  assert.deepEqual(countPart({ ...result, name: undefined, isError: undefined } as never), countPart(result));
  assert.deepEqual(countPart({ type: "text", text: "Hello world!", content: 7 } as never), {
    tokens: 3,
    origin: "exact",
  });
  refused(() => countPart({ type: "text", text: 5 } as never), "bad_input", "part.text");
  refused(
    () =>
      countPart({
        ...result,
        content: [
          { type: "text", text: "a" },
          { type: "toolCall", callId: {} },
        ],
      } as never),
    "bad_input",
    "part.content[1].callId",
  );
  refused(() => countPart({ type: "picture" } as never), "bad_input", "part.type");
  refused(() => countPart(null as never), "bad_input", "part");
  refused(() => countPart({ type: "text", text: "" }, { role: "robot" as never }), "bad_option", "options.role");

  const tools = [
    { type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } },
    { type: "function", function: { name: "run" } },
  ];
  const { total, overhead, perTool, origin } = countTools(tools);
  assert.deepEqual(
    [overhead, overhead + perTool.reduce((sum, { tokens }) => sum + tokens, 0), perTool.length, origin],
    [16, total, 2, "exact"],
  );
  assert.equal(countMessages([{ role: "user", content: "go" }], { tools }).tools, total);
  assert.deepEqual(countTools([]), {
    total: 0,
    overhead: 0,
    perTool: [],
    origin: "exact",
    encoding: "o200k_base",
    costModel: "espalier",
  });
  refused(() => countTools(7 as never), "bad_option", "options.tools");
});

test("no provider without a public encoding is counted exactly", () => {
  const origins: Record<Format, string> = {
    "openai-chat": "exact",
    // Its thoughts are encrypted.
    "openai-responses": "estimate",
    anthropic: "prior",
    gemini: "prior",
    vscode: "exact",
    "ai-sdk": "exact",
    langchain: "exact",
    "openai-agents": "exact",
    raw: "exact",
    espalier: "exact",
  };
  for (const [format, origin] of Object.entries(origins))
    assert.equal(countMessages(samples[format as Format]()).origin, origin, format);
});

test("a factor that was learned is worth keeping", () => {
  const kept = Calibration.withFactor("claude-sonnet-4", 1.1);
  assert.equal(kept.factor, 1.1);
  assert.deepEqual(kept.predict(10_000), { tokens: 11_000, bound: 3_000, origin: "prior" });
  assert.equal(Calibration.withFactor("claude-sonnet-4", 9).factor, 1.3);
  assert.equal(Calibration.withFactor("claude-sonnet-4", Number.NaN).factor, 1.3);
  assert.equal(new Calibration("llama-3").factor, 1.07);
  const learning = new Calibration("gpt-4o");
  for (let tokens = 1_000; tokens <= 9_000; tokens += 1_000) {
    learning.sent({ id: `${tokens}`, tokens });
    learning.reported({ id: `${tokens}`, tokens: tokens * 1.5 + 30_000 });
  }
  assert.ok(Math.abs(learning.factor - 1.5) < 0.01);
  refused(() => Calibration.withFactor("gpt-4o", "1.1" as never), "bad_option", "factor");
});

test("property: messages sum to the total, and what goes frees what it cost", () => {
  const models: NonNullable<CountOptions["costModel"]>[] = ["espalier", "copilot-chat", "copilot-chat-extension"];
  const tools = [
    { name: "read", description: "Reads.", schema: '{"type":"object","properties":{"path":{"type":"string"}}}' },
  ];
  fc.assert(
    fc.property(
      conversation,
      fc.constantFrom(...models),
      fc.boolean(),
      fc.nat(),
      (messages, costModel, withTools, at) => {
        const options: CountOptions = { format: "espalier", costModel, ...(withTools && { tools }) };
        const {
          total,
          frame,
          conversation,
          tools: definitions,
          perMessage,
          perTool,
        } = countMessages(messages, options);
        assert.equal(perMessage.length, messages.length);
        assert.equal(
          perMessage.reduce((sum, { tokens }) => sum + tokens, 3 + definitions),
          total,
        );
        // What a list costs by itself is the conversation's.
        assert.equal(frame + conversation + definitions, total);
        assert.equal(perTool.length, withTools ? 1 : 0);
        const gone = at % messages.length;
        const less = countMessages(
          messages.filter((_, index) => index !== gone),
          options,
        ).total;
        assert.equal(total - less, perMessage[gone]!.tokens);
      },
    ),
    { numRuns: runs(300) },
  );
});
