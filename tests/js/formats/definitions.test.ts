/** Tool definitions with more than a name, a description and a schema. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { countTools } = espalier;

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at % 7}`).join(" ");

test("tool definitions are counted with what they hold beside a schema", () => {
  const cost = (tool: unknown) => countTools([tool] as never).total;
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const tool = { type: "function", name: "find", description: words(100), parameters: schema };
  assert.ok(cost({ type: "namespace", name: "crm", description: "x", tools: [tool, { ...tool, name: "b" }] }) > 400);
  assert.ok(cost({ type: "namespace", name: "crm", description: "x", tools: [{ ...tool, defer_loading: true }] }) < 60);
  const definition = words(300);
  assert.ok(cost({ type: "custom", name: "sql", format: { type: "grammar", syntax: "lark", definition } }) > 600);
  const custom = {
    name: "sql",
    description: words(50),
    format: { type: "grammar", grammar: { syntax: "lark", definition } },
  };
  assert.ok(cost({ type: "custom", custom }) > 700);
  const listed = [{ name: "find", description: words(100), input_schema: schema }];
  assert.ok(cost({ type: "mcp_toolset", mcp_server_name: "s", tools: listed }) > 200);
  const deferred = { default_config: { defer_loading: true } };
  assert.ok(cost({ type: "mcp_toolset", mcp_server_name: "s", tools: listed, ...deferred }) < 60);
  assert.ok(
    cost({ type: "mcp_toolset", mcp_server_name: "s", tools: listed, configs: { find: { enabled: false } } }) < 60,
  );
  assert.ok(cost({ name: "x", input_schema: schema, input_examples: [{ a: words(100) }] }) > 200);
});
