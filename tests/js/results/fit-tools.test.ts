/** Tool definitions within a budget, in the formats of providers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FitToolsOptions } from "../../../js/tools/fit-tools.ts";
import { espalier } from "../built.ts";
import { freeze } from "../formats/common.ts";
import { runs } from "../runs.ts";

const { countTools, fitTools } = espalier;

type Schema = {
  type: "object";
  properties: Record<string, { type: string; description?: string }>;
  required: string[];
};

const schema = (words: number): Schema => ({
  type: "object",
  properties: { path: { type: "string", description: "word ".repeat(words).trim() }, description: { type: "string" } },
  required: ["path"],
});

/** A definition whose description has this many words, as OpenAI writes it. */
const tool = (name: string, words: number, ofParameter = 3) => ({
  type: "function",
  function: { name, description: `Does ${name}. ${"word ".repeat(words)}`.trim(), parameters: schema(ofParameter) },
});
const many = (count: number, words: number) => Array.from({ length: count }, (_, at) => tool(`tool_${at}`, words));
const named = (tools: readonly unknown[]) =>
  tools.map((one) => (one as ReturnType<typeof tool>).function?.name ?? (one as { name?: string }).name);

/** Fits, and checks what holds for all results, by counting again. */
function fitted(tools: ReturnType<typeof tool>[], options: FitToolsOptions & { budget: number }) {
  freeze(tools);
  const done = fitTools(tools, options);
  const { report } = done;
  assert.equal(report.before, countTools(tools).total);
  assert.equal(report.after, countTools(done.tools).total);
  assert.ok(report.after <= options.budget, `${report.after} of ${options.budget}`);
  for (const one of done.tools) {
    const own = tools.find(({ function: { name } }) => name === one.function.name);
    if (!own) continue;
    const bare = (value: unknown) =>
      JSON.stringify(value, (key, held: unknown) => (key === "description" && typeof held === "string" ? "" : held));
    assert.equal(bare(one), bare(own), "names, types and required fields are the same");
    if (!report.shortened.some(({ name }) => name === one.function.name)) assert.equal(one, own);
  }
  const out = new Set(report.deferred.map(({ name }) => name));
  assert.deepEqual(
    named(done.tools).filter((name) => name !== "load_tools"),
    tools.map(({ function: { name } }) => name).filter((name) => !out.has(name)),
  );
  return done;
}

test("definitions that fit are the very same", () => {
  const tools = many(3, 10);
  const { tools: same, report, loader } = fitted(tools, { budget: 10_000 });
  assert.equal(same, tools);
  assert.deepEqual([report.shortened, report.deferred, report.cut, loader], [[], [], { deferred: [] }, undefined]);
});

test("the longest descriptions are shortened to one length; short ones stay", () => {
  const tools = [tool("a", 300), tool("b", 5), tool("c", 200), tool("d", 5, 150)];
  const { report } = fitted(tools, { budget: 400 });
  assert.deepEqual(
    report.shortened.map(({ name }) => name),
    ["a", "c", "d"],
  );
  assert.ok(report.after > 360, `${report.after}: the room is used`);
  assert.deepEqual(report.deferred, []);
});

test("tools that were not called for the longest time are deferred, and can be loaded", () => {
  const tools = many(40, 30);
  const calls = (name: string, id: string, args = "{}") => [
    { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: args } }] },
    { role: "tool", tool_call_id: id, content: "done" },
  ];
  const messages: object[] = [{ role: "user", content: "Go." }, ...calls("tool_7", "c1"), ...calls("tool_30", "c2")];
  const first = fitted(tools, { budget: 1_500, messages });
  assert.ok(first.report.deferred.length > 5);
  assert.ok(!first.report.deferred.some(({ name }) => ["tool_7", "tool_30"].includes(name)));
  assert.match(first.report.deferred[0]!.why, /never called/);
  const loader = first.tools.at(-1)!.function;
  assert.equal(loader.name, "load_tools");
  const [gone, other] = first.report.deferred.map(({ name }) => name) as [string, string];
  assert.match(loader.description, new RegExp(`^${gone}: Does ${gone}\\.$`, "m"));
  assert.equal(
    first.loader!.call(JSON.stringify({ names: [gone, "nothing"] })).split("\n")[0],
    `You can call now: ${gone}.`,
  );
  assert.match(first.loader!.call({ names: ["nothing"] }), /There is no tool nothing\. There are: tool_/);
  assert.throws(() => first.loader!.call("{"), { code: "bad_input", path: "input" });
  // The model loads one: the next request has it, and what was decided before stays.
  messages.push(...calls("load_tools", "c3", JSON.stringify({ names: [gone] })));
  const next = fitted(tools, { budget: 1_500, messages, previous: first.report.cut });
  assert.ok(named(next.tools).includes(gone) && !named(next.tools).includes(other));
});

test("the next request has the same definitions although other tools were called", () => {
  const tools = many(40, 30);
  const first = fitted(tools, { budget: 1_500 });
  const kept = named(first.tools)[0]!;
  const messages = [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: kept, arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "done" },
  ];
  const next = fitted(tools, { budget: 1_500, messages, previous: first.report.cut });
  assert.deepEqual(next.tools, first.tools);
});

test("a number of tools is a limit, too: by default that of the provider", () => {
  const tools = many(150, 2);
  const { tools: fitting, report } = fitted(tools, { budget: 1_000_000 });
  assert.equal(fitting.length, 128);
  assert.equal(report.deferred.length, 23);
  assert.equal(fitted(tools, { budget: 1_000_000, maxTools: 20, search: "none" }).tools.length, 20);
  assert.equal(fitTools(tools, { budget: 1_000_000, maxTools: Infinity }).tools, tools);
});

test("what must stay whole stays, or the error says how large it is", () => {
  const tools = many(10, 100);
  const { report } = fitted(tools, { budget: 600, keep: ["tool_3"] });
  assert.ok(!report.shortened.some(({ name }) => name === "tool_3"));
  assert.throws(() => fitTools(tools, { budget: 50, keep: ["tool_3"] }), {
    code: "budget_exceeded",
    path: "options.budget",
  });
  assert.throws(() => fitTools(tools, { budget: 50, keep: ["tool_99"] }), {
    code: "bad_option",
    path: "options.keep[0]",
  });
  assert.throws(() => fitTools(tools, { budgets: 50 } as never), { code: "bad_option", path: "options.budgets" });
});

test("a list of what is deferred that is longer than the definitions is no reason to fail", () => {
  const tools = Array.from({ length: 30 }, (_, at) => ({
    type: "function",
    function: { name: `a_rather_long_name_of_a_tool_${at}`, description: "", parameters: { type: "object" } },
  }));
  const { total } = countTools([...tools, tool("large", 400)]);
  const { tools: fitting } = fitTools([...tools, tool("large", 400)], { budget: total - 300 });
  assert.equal(fitting.length, 31);
});

test("a share of the model's limit is a budget", () => {
  const tools = many(60, 60);
  const at = (options: FitToolsOptions) => fitTools(tools, options).report;
  assert.equal(at({ toolsShare: 0.2, model: "gpt-4" }).budget, 1_228);
  assert.equal(at({ toolsShare: 0.25, model: { maxPromptTokens: 8_000 } }).budget, 2_000);
  assert.ok(at({ toolsShare: 0.25, model: { maxPromptTokens: 8_000 } }).after <= 2_000);
  assert.equal(at({ toolsShare: 0.25, budget: 3_000, model: "gpt-4" }).budget, 3_000);
  assert.deepEqual(at({ toolsShare: 0.5, model: "gpt-4o" }).deferred, []);
  const refused = (options: FitToolsOptions, path: string, code = "bad_option") =>
    assert.throws(() => at(options), { code, path });
  refused({}, "options.budget");
  refused({ toolsShare: 0 }, "options.toolsShare");
  refused({ toolsShare: 1.1 }, "options.toolsShare");
  refused({ toolsShare: 0.01, model: { maxPromptTokens: 100 } }, "options.toolsShare", "budget_exceeded");
  refused({ toolsShare: 0.1, model: { maxPromptTokens: -1 } }, "options.model.maxPromptTokens");
});

test("the provider's own search: deferred definitions are marked and cost nothing", () => {
  const tools = many(30, 40).map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  const { tools: sent, report } = fitTools(tools, { budget: 1_000, format: "anthropic", search: "provider" });
  const deferred = sent.filter((one) => (one as { defer_loading?: boolean }).defer_loading);
  assert.deepEqual(
    named(deferred),
    report.deferred.map(({ name }) => name),
  );
  assert.deepEqual(sent.at(-1), { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" });
  assert.equal(sent.length, 31);
  assert.ok(report.after <= 1_000);
  assert.throws(() => fitTools(many(30, 40), { budget: 500, search: "provider" }), {
    code: "bad_option",
    path: "options.search",
  });
});

test("the shapes of other formats stay", () => {
  const declarations = many(30, 40).map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  const gemini = fitTools([{ functionDeclarations: declarations }, { googleSearch: {} }], {
    budget: 900,
    format: "gemini",
  });
  assert.deepEqual(Object.keys(gemini.tools[0]!), ["functionDeclarations"]);
  assert.equal(
    (gemini.tools.at(-1) as { functionDeclarations: { name: string }[] }).functionDeclarations[0]!.name,
    "load_tools",
  );
  // A group counts its declarations, also where nothing tells the format.
  const snake = declarations.map(({ parametersJsonSchema, ...rest }) => ({
    ...rest,
    parameters_json_schema: parametersJsonSchema,
  }));
  const { total, perTool } = countTools(declarations);
  assert.equal(perTool.length, 30);
  assert.equal(countTools([{ functionDeclarations: declarations }]).total, total);
  assert.equal(countTools([{ function_declarations: snake }]).total, total);
  const object = Object.fromEntries(
    declarations.map(({ name, description, parametersJsonSchema: jsonSchema }) => [
      name,
      { description, inputSchema: { jsonSchema } },
    ]),
  );
  const sdk = fitTools(object, { budget: 900, format: "ai-sdk" });
  assert.equal(Object.keys(sdk.tools).at(-1), "load_tools");
  assert.ok(sdk.report.deferred.every(({ name }) => !(name in sdk.tools)));
  assert.equal(sdk.report.after, countTools(sdk.tools, { format: "ai-sdk" }).total);
});

test("random definitions fit random budgets, or the error says by how much not", () => {
  const list = fc.array(fc.tuple(fc.nat({ max: 200 }), fc.nat({ max: 60 })), { minLength: 1, maxLength: 20 });
  let fits = 0;
  const tries = runs(100);
  fc.assert(
    fc.property(
      list,
      fc.integer({ min: 100, max: 3_000 }),
      fc.constantFrom("loader", "none"),
      (sizes, budget, search) => {
        const tools = sizes.map(([words, ofParameter], at) => tool(`t${at}`, words, ofParameter));
        try {
          fitted(tools, { budget, search });
          fits += 1;
        } catch (error) {
          const { code, details } = error as { code?: string; details?: { needed: number } };
          if (code !== "budget_exceeded") throw error;
          assert.ok(details!.needed > budget);
        }
      },
    ),
    { seed: 3, numRuns: tries },
  );
  assert.ok(fits * 2 > tries, `${fits}`);
});
