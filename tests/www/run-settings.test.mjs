/** The settings of the run view in the address, and its figures for other programs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { register } from "tsx/esm/api";

register();
const { DEFAULTS, differencesOf, settingsOf, withB, withSetting, withUndo } = await import("../../www/run/settings.ts");
const { figuresOf } = await import("../../www/run/figures.ts");

const of = (params) => settingsOf(params, 64_000, "o200k_base");

test("without fields the settings are the defaults, and B is as A unless it says otherwise", () => {
  assert.deepEqual(of({}), [{ ...DEFAULTS, budget: 64_000, encoding: "o200k_base" }]);
  const [a, b] = of({ "run.latency": "3", "run.undo": "7,5", "run.b": "1", "run.b.profile": "gemini-cli" });
  assert.deepEqual(
    [a.latency, a.undo, b.latency, b.undo, b.profile, b.budget],
    [3, [5, 7], 3, [], "gemini-cli", 64_000],
  );
});

test("values that are not understood are left out", () => {
  const wrong = {
    "run.profile": "toString",
    "run.latency": "-1",
    "run.pace": "soon",
    "run.writer": "",
    "run.failures": "often",
    "run.undo": "x,0,-3,2.5",
    "run.b.budget": "1e99",
  };
  assert.deepEqual(of(wrong), of({}));
  assert.deepEqual(of({ ...wrong, "run.b": "1" })[1], of({})[0]);
});

test("changes are written as they are read", () => {
  const params = withB(withSetting({ "search.q": "x" }, 0, "latency", "5"), true, 64_000);
  assert.deepEqual(
    of(params).map(({ latency, budget }) => [latency, budget]),
    [
      [5, 64_000],
      [5, 32_000],
    ],
  );
  assert.deepEqual(withB(params, false, 64_000), { "search.q": "x", "run.latency": "5" });
  const undone = withUndo(withUndo({}, 1, [], 9), 1, [9], 4);
  assert.deepEqual(of({ ...undone, "run.b": "1" })[1].undo, [4, 9]);
  assert.deepEqual(of({ ...withUndo(undone, 1, [4, 9], 9), "run.b": "1" })[1].undo, [4]);
});

test("what differs is said in words", () => {
  const [a, b] = of({ "run.b": "1", "run.b.budget": "8000", "run.b.undo": "3", "run.b.failures": "always" });
  assert.deepEqual(differencesOf(a, b), ["window 64,000 / 8,000", "failures never / always", "undone before none / 3"]);
  assert.deepEqual(differencesOf(a, a), []);
});

test("figures with commas and quotes stay one field", () => {
  const row = { number: 1, messages: 2, history: 3, cached: 0, lost: 0, whole: 0, waited: 0, trimmed: 0 };
  const text = figuresOf([{ requests: [{ ...row, error: 'it says "no", twice' }], compactions: [], calls: [] }]);
  assert.equal(text.split("\n")[1], 'A,1,2,3,,0,0,0,0,"it says ""no"", twice"');
});
