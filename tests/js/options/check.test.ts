/** What checks the options of every call: paths, kinds, nested values, values that no host should pass. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { badInput, EspalierError } from "../../../js/errors/errors.ts";
import { check, checkForeign, items, need } from "../../../js/options/check.ts";
import type { Kind, Schema } from "../../../js/options/check.ts";
import * as kinds from "../../../js/options/kinds.ts";

interface Options {
  budget: number;
  share?: number;
  snap?: "lines" | "characters";
  room?: { window?: number };
  rules?: readonly { name: string }[];
  signal?: AbortSignal;
}

const OPTIONS: Schema<Options> = {
  budget: kinds.required(kinds.whole),
  share: kinds.share,
  snap: ["lines", "characters"],
  room: { window: kinds.whole },
  rules: (value, path, refuse) => items(value, { name: kinds.required(kinds.text) }, path, refuse),
  signal: kinds.signal,
};

function refusal(run: () => unknown): [code: string, path: string | undefined, message: string] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof EspalierError, String(error));
    return [error.code, error.path, error.message];
  }
  assert.fail("it was accepted");
}

test("options that are right come back as they are", () => {
  const options = { budget: 1, share: 0.5, room: { window: 0 }, rules: [{ name: "a" }], snap: undefined };
  assert.equal(check(options, OPTIONS), options);
});

test("errors say what is wrong, where, and what is accepted", () => {
  const rows: [options: unknown, path: string, message: string][] = [
    [{}, "options.budget", "options.budget must be a whole number, 0 or more, and is undefined"],
    [{ budget: "8000" }, "options.budget", 'options.budget must be a whole number, 0 or more, and is "8000"'],
    [{ budget: 1, share: 2 }, "options.share", "options.share must be a number from 0 to 1, and is 2"],
    [{ budget: 1, snap: "words" }, "options.snap", 'options.snap must be "lines" or "characters", and is "words"'],
    [{ budget: 1, room: 5 }, "options.room", "options.room must be an object with window, and is 5"],
    [{ budget: 1, room: { windw: 5 } }, "options.room.windw", "options.room.windw is unknown; did you mean window?"],
    [
      { budget: 1, room: { window: -1 } },
      "options.room.window",
      "options.room.window must be a whole number, 0 or more, and is -1",
    ],
    [{ budget: 1, rules: {} }, "options.rules", "options.rules must be a list, and is an object"],
    [
      { budget: 1, rules: [{ name: "a" }, {}] },
      "options.rules[1].name",
      "options.rules[1].name must be a text, and is undefined",
    ],
    [{ budget: 1, signal: {} }, "options.signal", "options.signal must be an AbortSignal, and is an object"],
    [null, "options", "options must be an object, and is null"],
    [[], "options", "options must be an object, and is a list"],
    [() => 1, "options", "options must be an object, and is a function"],
  ];
  for (const [options, path, message] of rows)
    assert.deepEqual(
      refusal(() => check(options as object, OPTIONS)),
      ["bad_option", path, message],
    );
});

test("holes of a list are refused", () => {
  const rules = new Array(2);
  assert.equal(refusal(() => check({ budget: 1, rules }, OPTIONS))[1], "options.rules[0]");
});

test("names that every object has are unknown options", () => {
  for (const name of ["constructor", "toString", "__proto__x"])
    assert.equal(refusal(() => check({ budget: 1, [name]: 1 }, OPTIONS))[1], `options.${name}`);
});

test("input has a code of its own, and names of its own object", () => {
  assert.deepEqual(refusal(() => check({ budget: -1 }, OPTIONS, "file", badInput)).slice(0, 2), [
    "bad_input",
    "file.budget",
  ]);
});

test("an object of another library may have more, but no slips", () => {
  const model = { maxPromptTokens: 5, vendor: "copilot", sendRequest: () => 1 };
  const schema = { maxPromptTokens: kinds.whole };
  assert.equal(checkForeign(model, schema, "options.model"), model);
  assert.equal(
    refusal(() => checkForeign({ maxPromptToken: 5 }, schema, "options.model"))[1],
    "options.model.maxPromptToken",
  );
  assert.equal(
    refusal(() => checkForeign({ maxPromptTokens: "5" }, schema, "options.model"))[1],
    "options.model.maxPromptTokens",
  );
});

test("values are quoted short, and a function without its source", () => {
  assert.ok(refusal(() => need("x".repeat(1_000), kinds.whole, "it"))[2].length < 120);
  assert.match(refusal(() => need(() => "secret", kinds.whole, "it"))[2], /and is a function$/);
  assert.match(refusal(() => need(Symbol("x"), kinds.whole, "it"))[2], /and is Symbol\(x\)$/);
});

test("every declared option refuses a value that is no option", async () => {
  const folder = new URL("../../../js/options/schemas/", import.meta.url);
  let checked = 0;
  for (const file of readdirSync(folder)) {
    const schemas = (await import(new URL(file, folder).href)) as Record<string, unknown>;
    for (const [name, schema] of Object.entries(schemas)) {
      if (typeof schema !== "object" || Array.isArray(schema)) continue;
      for (const [option, spec] of Object.entries(schema as Record<string, Kind<unknown>>)) {
        if (spec === kinds.checkedLater || (spec.isRequired && accepts(spec))) continue;
        for (const value of [Symbol("nothing"), Number.NaN, Object.create(null)]) {
          if (accepts(spec, value)) continue;
          const [code, path] = refusal(() => need(value, spec, "it"));
          assert.equal(code, "bad_option", `${name}.${option}`);
          assert.ok(path === "it" || path?.startsWith("it."), `${name}.${option}: ${path}`);
          checked += 1;
        }
      }
    }
  }
  assert.ok(checked > 800, String(checked));
});

/** Some kinds accept anything, a few any object. */
function accepts(spec: Kind<unknown>, value: unknown = Symbol("nothing")): boolean {
  try {
    need(value, spec, "it");
    return true;
  } catch {
    return false;
  }
}

test("another library's name of a model's limit is refused, in a literal", () => {
  const messages = [{ role: "user", content: "Hi." }];
  for (const name of ["contextWindow", "maxTokens", "maxContextTokens", "context_length", "contextSize"])
    assert.throws(
      () => espalier.prune(messages, { model: { name: "gpt-4o", [name]: 8_000 } }),
      (error) => error instanceof espalier.EspalierError && error.path === `options.model.${name}`,
    );
  class Model {
    name = "gpt-4o";
    maxTokens = 500;
  }
  assert.equal(espalier.prune(messages, { model: new Model() }).messages, messages);
});
