/** Tools and models as the AI SDK's version 7 and today's schema libraries have them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aiSdk } from "../../../js/providers/ai-sdk.ts";
import type { AiSdkOptions } from "../../../js/providers/ai-sdk.ts";
import { espalier } from "../built.ts";
import { readConversation } from "../../../js/formats/index.ts";
import { toPrompt } from "../../../js/formats/ai-sdk/request.ts";
import { conversation } from "../../../js/formats/request.ts";

const { countTools, openConversation, prune } = espalier;
const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const said = JSON.stringify(schema);
const read = (tools: unknown) => readConversation([], { tools: tools as never }).tools;

test("tools by name are tools", async () => {
  const tools = { read: { description: "Reads.", inputSchema: { jsonSchema: schema } }, run: { inputSchema: schema } };
  assert.deepEqual(read(tools), [
    { name: "read", description: "Reads.", schema: said },
    { name: "run", schema: said },
  ]);
  const listed = [
    { name: "read", description: "Reads.", parameters: schema },
    { name: "run", parameters: schema },
  ];
  assert.deepEqual(countTools(tools), countTools(listed));
  const messages = [{ role: "user", content: "go" }];
  assert.deepEqual(
    prune(messages, { budget: 1_000, tools }).report.after,
    prune(messages, { budget: 1_000, tools: listed }).report.after,
  );
  const open = await openConversation<object>({ format: "openai-chat", messages, tools });
  const prepared = await open.prepare({ tools });
  assert.equal(prepared.report.usage.tools, countTools(listed).total);
  await open.dispose();
});

test("the schema that is sent is found in whatever holds it", () => {
  const check = (inputSchema: unknown) =>
    assert.deepEqual(read({ read: { inputSchema } }), [{ name: "read", schema: said }]);
  const hidden = (extra: object) =>
    Object.defineProperty({ ...schema, ...extra }, "~standard", { value: { vendor: "zod" }, enumerable: false });
  check(schema);
  // What zod makes has a `~standard` that nobody sees.
  check(hidden({}));
  check({ jsonSchema: schema });
  check(() => ({ jsonSchema: schema }));
  // zod's own schemas, and those of Standard JSON Schema: objects and functions.
  class Zod {
    "~standard" = { vendor: "zod" };
    toJSONSchema() {
      return this instanceof Zod && schema;
    }
  }
  check(new Zod());
  const standard = {
    "~standard": {
      version: 1,
      vendor: "valibot",
      jsonSchema: { input: ({ target }: { target: string }) => target === "draft-07" && schema },
    },
  };
  check(standard);
  check(Object.assign(() => true, standard));
  const refused = (inputSchema: unknown) =>
    assert.throws(() => read({ read: { inputSchema } }), { code: "bad_option", path: "tools[0]" });
  refused({ "~standard": { vendor: "old" } });
  refused({ jsonSchema: Promise.resolve(schema), "~standard": {} });
  refused({
    "~standard": {
      jsonSchema: {
        input() {
          throw new Error("no");
        },
      },
    },
  });
});

test("a model of version 4 is taken, and files are said as it wants them", () => {
  const model = { specificationVersion: "v4", provider: "x", modelId: "m", doGenerate() {}, doStream() {} };
  assert.equal(aiSdk({ model } as unknown as AiSdkOptions).name, "ai-sdk");
  assert.throws(() => aiSdk({ model: { ...model, specificationVersion: "v5" } } as unknown as AiSdkOptions), {
    code: "bad_option",
  });
  const prompt = (messages: unknown[]) => {
    const turns = conversation(messages, "ai-sdk", "m", {}, () => undefined);
    return (["v3", "v4"] as const).map((version) =>
      JSON.stringify((toPrompt(turns, version) as { prompt: unknown[] }).prompt),
    );
  };
  const png = "iVBORw0KGgo=";
  const [three, four] = prompt([
    {
      role: "user",
      content: [
        { type: "image", image: png },
        { type: "file", data: "https://a/b.pdf", mediaType: "application/pdf" },
      ],
    },
  ]);
  assert.match(three!, /"data":"iVBORw0KGgo="/);
  assert.match(four!, /"data":\{"type":"data","data":"iVBORw0KGgo="\}/);
  assert.match(four!, /"data":\{"type":"url","url":"https:\/\/a\/b.pdf"\}/);
  const output = {
    type: "content",
    value: [
      { type: "text", text: "t" },
      { type: "image-data", data: png, mediaType: "image/png" },
    ],
  };
  const [, results] = prompt([
    { role: "user", content: "q" },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output }] },
  ]);
  assert.match(results!, /\{"type":"file","data":\{"type":"data","data":"iVBORw0KGgo="\},"mediaType":"image\/png"\}/);
});

test("a schema that has no JSON is refused, not counted as a few tokens", () => {
  type Schema = { type: string; properties?: Record<string, unknown>; toJSON?: () => never };
  let deep: Schema = { type: "string" };
  for (let level = 0; level < 20_000; level += 1) deep = { type: "object", properties: { a: deep } };
  const throws = {
    type: "object",
    toJSON() {
      throw new Error("no");
    },
  };
  for (const parameters of [deep, throws]) {
    const tools = [
      { type: "function", function: { name: "ls", parameters: { type: "object" } } },
      { type: "function", function: { name: "t", description: "d", parameters } },
    ];
    assert.throws(() => countTools(tools), { code: "bad_option", path: "tools[1]" });
    assert.throws(() => prune([{ role: "user", content: "q" }], { budget: 500, tools }), { code: "bad_option" });
  }
});
