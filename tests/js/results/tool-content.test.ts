/** What tools give back, made ready for the model. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

const { count, toolContent } = espalier;

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const words = (text: string) => ({ type: "text", text });
const picture = (kib: number) => ({
  type: "image",
  mimeType: "image/png",
  data: PNG + "A".repeat(Math.ceil((kib * 4_096) / 3) - PNG.length),
});
const link = (at: number, more: object = {}) => ({
  type: "resource_link",
  uri: `file:///${at}.txt`,
  name: `file ${at}`,
  ...more,
});
const lines = (many: number) => Array.from({ length: many }, (_, line) => `line ${line}\n`).join("");

async function check(result: unknown, options: object, expected: string, rest: object = {}): Promise<void> {
  const { text, content, ...made } = await toolContent(result, options);
  assert.equal(text, expected);
  assert.ok(content.length > 0);
  assert.deepEqual({ ...made }, { isError: false, withheld: 0, pictures: 0, resources: [], ...rest });
}

test("texts, lists, and what MCP and VS Code wrap them in", async () => {
  await check("plain", {}, "plain");
  await check([words("a"), words("b")], {}, "a\nb");
  await check({ content: [words("a")], isError: true }, {}, "a", { isError: true });
  await check({ content: [{ value: "from the editor" }] }, {}, "from the editor");
  await check({ content: [{ data: new TextEncoder().encode("{}"), mimeType: "application/json" }] }, {}, "{}");
  await check({ content: [], structuredContent: { a: 1 } }, {}, '{"a":1}');
  await check({ content: [{ type: "audio", mimeType: "audio/wav", data: "" }] }, {}, "[audio left out: audio/wav]");
  await check({ content: [{ odd: true }, 7, null] }, {}, '{"odd":true}\n7\nnull');
});

test("what is not for the model is left out, and nothing is (empty)", async () => {
  const hidden = { ...words("secret"), annotations: { audience: ["user"] } };
  await check({ content: [hidden, words("a")] }, {}, "a", { withheld: 1 });
  await check({ content: [hidden, { value: "x", audience: [1, 2] }] }, {}, "(empty)", { withheld: 2 });
  await check({ content: [] }, {}, "(empty)");
  await check({ content: [words(" \n")] }, {}, "(empty)");
  await check("", {}, "(empty)");
});

test("the last pictures stay, as far as they are within their bytes", async () => {
  await check({ content: [picture(1_000), picture(1_000)] }, {}, "[image]\n[image]");
  await check(
    { content: [picture(1_000), picture(1_000), picture(1_000)] },
    {},
    "[image left out: image/png, 1,000 KB]\n[image]\n[image]",
    { pictures: 1 },
  );
  await check(
    { content: [picture(10), picture(9_000), picture(10)] },
    {},
    "[image]\n[image left out: image/png, 9,000 KB]\n[image]",
    { pictures: 1 },
  );
  await check({ content: [picture(10)] }, { maxImageBytes: 0 }, "[image left out: image/png, 10 KB]", { pictures: 1 });
  await check({ content: [picture(9_000)] }, { maxImageBytes: Infinity }, "[image]");
  const { content } = await toolContent({
    content: [{ data: Uint8Array.from(atob(PNG), (letter) => letter.charCodeAt(0)), mimeType: "image/png" }],
  });
  assert.deepEqual(
    content.map(({ type }) => type),
    ["image"],
  );
});

test("links are read, up to nine of them and five hundred lines each", async () => {
  const readResource = (uri: string) =>
    uri.endsWith("1.txt") ? lines(600) : uri.endsWith("2.txt") ? lines(500) : "short";
  const shown = { resources: [{ uri: "file:///1.txt", shown: true }] };
  await check({ content: [link(1)] }, { readResource }, `[file:///1.txt]\n${lines(500)}[cut: 100 lines]`, shown);
  await check(
    { content: [link(1)] },
    { readResource, maxResourceLines: 2 },
    "[file:///1.txt]\nline 0\nline 1\n[cut: 598 lines]",
    shown,
  );
  await check({ content: [link(2)] }, { readResource }, `[file:///2.txt]\n${lines(500)}`, {
    resources: [{ uri: "file:///2.txt", shown: true }],
  });
  // Without somebody who reads them they are listed.
  await check(
    { content: [link(3, { mimeType: "text/plain", description: "what it is" })] },
    {},
    "[resource: file:///3.txt, file 3, text/plain, what it is]",
    { resources: [{ uri: "file:///3.txt", shown: false }] },
  );
  const many = (count: number) =>
    toolContent({ content: Array.from({ length: count }, (_, at) => link(at + 3)) }, { readResource });
  assert.ok((await many(9)).resources.every(({ shown }) => shown));
  const ten = await many(10);
  assert.ok(ten.resources.every(({ shown }) => !shown) && ten.text.split("\n").length === 10);
});

test("embedded resources: texts, pictures, and what is neither", async () => {
  const of = (resource: object) => ({ content: [{ type: "resource", resource: { uri: "a://b", ...resource } }] });
  const one = (shown: boolean) => ({ resources: [{ uri: "a://b", shown }] });
  await check(of({ text: "inside" }), {}, "[a://b]\ninside", one(true));
  await check(of({ blob: PNG, mimeType: "image/png" }), {}, "[image]", one(true));
  await check(of({ blob: PNG, mimeType: "application/zip" }), {}, "[resource: a://b, application/zip]", one(false));
});

test("a link that cannot be read is listed, and a warning says so", async () => {
  const readers: [unknown, boolean][] = [
    [
      () => {
        throw new Error("gone");
      },
      true,
    ],
    [() => Promise.reject(new Error("gone")), true],
    [() => undefined, false],
    [() => 7, false],
    [() => new Promise(() => undefined), true],
  ];
  for (const [readResource, warns] of readers) {
    const events: { code?: string }[] = [];
    const { text } = await toolContent({ content: [link(1)] }, {
      readResource,
      timeoutMs: 20,
      onEvent: (event: object) => events.push(event),
    } as never);
    assert.equal(text, "[resource: file:///1.txt, file 1]");
    assert.deepEqual(
      events.map(({ code }) => code),
      warns ? ["resource_failed"] : [],
    );
  }
});

test("long texts are stored or cut", async () => {
  const long = `${lines(2_000)}error: no rule\n${lines(2_000)}`;
  const cut = await toolContent({ content: [words(long), words("b")] }, { maxTokens: 500, keep: "errors" });
  assert.ok(count((cut.content[0] as { text: string }).text) <= 500 && cut.text.includes("error: no rule"));
  const files: string[] = [];
  const stored = await toolContent(
    { content: [words(long), words("b")] },
    {
      tool: "make",
      store: ({ content }) => {
        files.push(content);
        return "/out/1";
      },
    },
  );
  assert.deepEqual(files, [long]);
  assert.match(stored.text, /^\[Result of make: .* stored in \/out\/1\./);
  const failed = await toolContent(
    { content: [words(long)] },
    {
      maxTokens: 300,
      store: () => {
        throw new Error("full");
      },
    },
  );
  assert.ok(count(failed.text) <= 300);
  assert.equal((failed.storeError as Error).message, "full");
  assert.equal("storeError" in stored, false);
});

test("a reduced output that cannot be stored is cut as without a store", async () => {
  const passed = Array.from({ length: 900 }, (_, at) => `PASS src/${at % 7}/unit-${at}.test.ts (${at}.1 s)`).join("\n");
  const failing = Array.from({ length: 900 }, (_, at) => `  at step ${at} of ${at * 31} (src/a${at}.ts:${at})`);
  const output = `${passed}\nFAIL src/a.test.ts\n${failing.join("\n")}\nTests: 1 failed, 900 passed\n`;
  const options = { command: "npx jest", maxTokens: 3_000 };
  const without = await toolContent(output, options);
  const failed = await toolContent(output, {
    ...options,
    maxInlineTokens: 0,
    store: () => Promise.reject(new Error("full")),
  });
  assert.equal(failed.text, without.text);
  assert.equal((failed.storeError as Error).message, "full");
});

test("input and options that make no sense are named", async () => {
  for (const result of [undefined, null, 7, {}, { content: "text" }])
    await assert.rejects(toolContent(result), { code: "bad_input", path: "result" });
  for (const [options, path] of [
    [null, "options"],
    [{ maxImageBytes: -1 }, "options.maxImageBytes"],
    [{ maxResources: 0.5 }, "options.maxResources"],
    [{ maxResourceLines: "9" }, "options.maxResourceLines"],
    [{ readResource: "file" }, "options.readResource"],
    [{ maxTokens: -1 }, "options.maxTokens"],
    [{ store: 1 }, "options.store"],
  ] as const)
    await assert.rejects(toolContent("a", options as never), { code: "bad_option", path });
  await assert.rejects(toolContent("a", { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
});

test("whatever a tool gives back, there is something to say", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.anything(),
          fc.record({
            type: fc.constantFrom("text", "image", "resource", "resource_link", "audio"),
            text: fc.anything(),
            data: fc.anything(),
            uri: fc.anything(),
            resource: fc.anything(),
          }),
        ),
      ),
      async (content) => {
        const made = await toolContent({ content }, { maxTokens: 100 });
        assert.ok(made.content.length > 0 && made.text !== "");
      },
    ),
    { seed: 1, numRuns: runs(300) },
  );
});
