/** JSX, compiled the three ways that compilers know, makes the same pieces. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { transform } from "esbuild";
import * as runtime from "../../../js/jsx/jsx-runtime.ts";
import * as devRuntime from "../../../js/jsx/jsx-dev-runtime.ts";
import { UserMessage } from "../../../js/prompt/elements/index.ts";
import { createPiece, Fragment } from "../../../js/prompt/piece.ts";
import type { TransformOptions } from "esbuild";

const source = `<UserMessage priority={1} name="a">Hello {name}<br />{[1, 2].map((i) => <Part key={i} {...rest}>{i}</Part>)}<><opaque value={3} /></>{[]}</UserMessage>`;
const Part = () => undefined;
const values: Record<string, unknown> = { UserMessage, Part, name: "you", rest: { flexGrow: 2 } };

async function compiled(options: TransformOptions, more: Record<string, unknown> = {}): Promise<unknown> {
  const { code } = await transform(`result(${source});`, { loader: "jsx", format: "cjs", ...options });
  const all = { ...values, ...more };
  let result: unknown;
  new Function(...Object.keys(all), "result", "require", code)(
    ...Object.values(all),
    (made: unknown) => (result = made),
    (name: string) => {
      assert.match(name, /^espalier\/jsx-(dev-)?runtime$/);
      return name.endsWith("dev-runtime") ? devRuntime : runtime;
    },
  );
  return result;
}

const part = (i: number) => createPiece(Part, { key: i, flexGrow: 2 }, i);
const expected = createPiece(
  UserMessage,
  { priority: 1, name: "a" },
  "Hello ",
  "you",
  createPiece("br", null),
  [part(1), part(2)],
  createPiece(Fragment, null, createPiece("opaque", { value: 3 })),
  [],
);

/** Without props some compilers say `null`, some `{}`. */
function same(made: unknown, wanted: unknown): void {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    const { ctor, props, children } = value as ReturnType<typeof createPiece>;
    return { ctor, props: props ?? {}, children: plain(children) };
  };
  assert.deepEqual(plain(made), plain(wanted));
}

test("the automatic runtime", async () => {
  assert.ok(!("vscpp" in globalThis), "no globals");
  same(await compiled({ jsx: "automatic", jsxImportSource: "espalier" }), expected);
  same(await compiled({ jsx: "automatic", jsxImportSource: "espalier", jsxDev: true }), expected);
  assert.equal(runtime.Fragment, devRuntime.Fragment);
  assert.deepEqual(runtime.jsx("br", {}).children, []);
  assert.deepEqual(runtime.jsx("x", { children: undefined }).children, [undefined]);
});

test("the classic factories", async () => {
  same(
    await compiled({ jsx: "transform", jsxFactory: "createPiece", jsxFragment: "Fragment" }, { createPiece, Fragment }),
    expected,
  );
  await import("../../../js/jsx/classic.ts");
  same(await compiled({ jsx: "transform", jsxFactory: "vscpp", jsxFragment: "vscppf" }), expected);
});
