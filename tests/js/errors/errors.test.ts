/** Errors: typed by code, the same in every copy of the package, and all of them in docs/errors.md. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import type { ErrorCode } from "../../../js/errors/errors.ts";
import { espalier } from "../built.ts";

const { EspalierError, isEspalierError, prune } = espalier;
const root = new URL("../../..", import.meta.url).pathname;
const commonJs = createRequire(import.meta.url)("../../../pkg/dist/index-node.cjs") as typeof espalier;
const messages = [{ role: "user", content: "Why does the build fail?" }];

function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("the code decides the type of details", () => {
  const error = thrown(() => prune(messages, { budget: 5 }));
  assert.ok(isEspalierError(error) && error.code === "budget_exceeded");
  // These lines compile only if `details` is that of the code.
  const {
    needed,
    budget,
    largest = [],
  }: { needed: number; budget: number; largest?: readonly { tokens: number }[] } = error.details;
  assert.ok(needed > budget && largest[0]!.tokens > 0);
});

test("instanceof narrows as isEspalierError does", () => {
  const error = thrown(() => (espalier.count as any)("x", { enc: "o200k_base" }));
  assert.ok(error instanceof EspalierError && error.code === "bad_option");
  assert.equal(error.details?.nearest, "encoding");
});

test("errors of the CommonJS copy are recognised, other errors are not", () => {
  const error = thrown(() => commonJs.prune(messages, { budget: 5 }));
  assert.ok(error instanceof EspalierError);
  assert.ok(isEspalierError(error));
  for (const other of [new Error("x"), { code: "budget_exceeded" }, null, undefined, "x"]) {
    assert.equal(other instanceof EspalierError, false);
    assert.equal(isEspalierError(other), false);
  }
});

test("an error without details has no field for them", () => {
  const error = thrown(() => (espalier.count as any)(7));
  assert.ok(isEspalierError(error));
  assert.deepEqual(
    [error.code, error.path, "details" in error, error.name],
    ["bad_input", "text", false, "EspalierError"],
  );
});

// ---------------------------------------------------------------- docs/errors.md

const documented = [...readFileSync(join(root, "docs/errors.md"), "utf8").matchAll(/^\| `([a-z_]+)` \|/gm)].map(
  ([, code]) => code!,
);

function files(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, folder, name));
}

test("every code of the types is documented once, and no other", () => {
  const types = readFileSync(join(root, "js/errors/details.ts"), "utf8");
  const bare = /type Bare =([\s\S]*?);\n/.exec(types)![1]!;
  const own = /interface WithDetails[^{]*\{([\s\S]*?)\n\}/.exec(types)![1]!;
  const provider = /type ProviderErrorCode =([\s\S]*?);\n/.exec(
    readFileSync(join(root, "js/providers/types.ts"), "utf8"),
  )![1]!;
  const codes = [
    ...[...bare.matchAll(/"([a-z_]+)"/g), ...provider.matchAll(/"([a-z_]+)"/g)].map(([, code]) => code!),
    ...[...own.matchAll(/^ {2}([a-z_]+):/gm)].map(([, code]) => code!),
  ];
  assert.ok(codes.length > 50);
  assert.deepEqual(documented.toSorted(), codes.toSorted() as ErrorCode[]);
});

test("every documented code is thrown somewhere", () => {
  const sources = files("js", ".ts").filter((file) => !file.includes("errors/details.ts"));
  const text = [...sources, join(root, "core/src/error.rs")].map((file) => readFileSync(file, "utf8")).join("\n");
  assert.deepEqual(
    documented.filter((code) => !text.includes(`"${code}"`)),
    [],
  );
});

test("every code of the engine is documented", () => {
  const codes = [...readFileSync(join(root, "core/src/error.rs"), "utf8").matchAll(/=> "([a-z_]+)"/g)].map(
    ([, code]) => code!,
  );
  assert.ok(codes.length > 15);
  assert.deepEqual(
    codes.filter((code) => !documented.includes(code)),
    [],
  );
});
