/** What someone who writes code gets into the prompt, on files of this repository. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { behind, count, inline, source } from "./built.ts";
import type { InlineRequest } from "./built.ts";

const file = source("js/engine/cancellation.ts");
const neighbours = ["js/errors/errors.ts", "js/options/kinds.ts", "js/calls/pruner.ts", "js/providers/clock.ts"].map(
  source,
);
const cursor = behind(file, "const controller = new AbortController();\n");
const request = (more: Partial<InlineRequest> = {}): InlineRequest => ({ file, cursor, neighbours, ...more });

/** Runs a request and checks what holds for each: the report adds up, and the prompt is what the document has. */
function run(given: InlineRequest) {
  const result = inline.inlineContext(given);
  const { tokens, context, prefix, restOfLine, suffix, trailing, items } = result;
  assert.equal(tokens.context + tokens.prefix + tokens.restOfLine + tokens.suffix + tokens.free, tokens.budget);
  assert.equal(count(context + prefix), tokens.context + tokens.prefix);
  assert.equal(count(suffix), tokens.suffix);
  assert.equal(count(restOfLine), tokens.restOfLine);
  assert.ok(given.file.text.slice(0, given.cursor).endsWith(prefix + trailing));
  assert.ok(given.file.text.includes(suffix));
  assert.equal(
    items
      .filter(({ dropped }) => !dropped)
      .map(({ text }) => text)
      .join(""),
    context,
  );
  return result;
}

test("the prompt of a completion", () => {
  const { context, prefix, suffix, trailing, tokens, items, isPartial, isTooShort } = run(request());
  assert.ok(
    prefix.endsWith("const controller = new AbortController();\n") &&
      prefix.startsWith("/** Converts VS Code's cancellation tokens"),
  );
  assert.equal(trailing, "");
  assert.ok(
    suffix.startsWith("else token.onCancellationRequested") && suffix.endsWith("return controller.signal;\n}\n"),
  );
  assert.ok(context.startsWith("Path: js/engine/cancellation.ts\n"));
  assert.match(context, /Compare this snippet from js\/options\/kinds\.ts:\n/);
  assert.equal(tokens.budget, 7_692);
  assert.deepEqual([isPartial, isTooShort], [false, false]);
  // Each neighbour is in the report once.
  assert.deepEqual(
    items
      .map(({ id }) => id)
      .filter((id) => id !== file.path)
      .sort(),
    neighbours.map(({ path }) => path).sort(),
  );
});

test("the rest of the cursor's line is a field of its own, in one call and in a session", () => {
  const text = "const sum = total(, 0.25, { round: true });";
  const given = { file: { path: "a.ts", text }, cursor: text.indexOf(",") };
  const session = new inline.InlineContext();
  for (const { prefix, restOfLine, suffix } of [run(given), session.context(given)])
    assert.deepEqual([prefix, restOfLine, suffix], ["const sum = total(", ", 0.25, { round: true });", ""]);
  session.free();
});

test("an excluded document is not sent", () => {
  const session = new inline.InlineContext();
  const given = { file, cursor, excluded: [file.path] };
  for (const result of [inline.inlineContext({ ...given, neighbours }), session.context(given)]) {
    const { isExcluded, context, prefix, restOfLine, suffix, items } = result;
    assert.deepEqual([isExcluded, context + prefix + restOfLine + suffix, items], [true, "", []]);
  }
  assert.equal(run(request()).isExcluded, false);
  session.free();
});

test("files with secrets are not sent unless the host says so", async () => {
  const secret = "API_TOKEN = sk-secret-123\nDATABASE_TOKEN = sk-secret-456\n";
  const text = "const API_TOKEN = read();\nconst DATABASE_TOKEN = API_TOKEN + ";
  const document = { path: "src/main.ts", text };
  for (const path of [".env", "config/.env.local", "keys/id_rsa", ".env#2"]) {
    const neighbours = [{ path, text: secret }];
    const items = [{ id: "one", path, text: secret }];
    const edits = [{ path, before: "API_TOKEN = none\n", after: secret }];
    const given = { file: document, cursor: Infinity, neighbours, items, edits };
    const { context, items: told } = inline.inlineContext(given);
    assert.doesNotMatch(context, /sk-secret/, path);
    assert.ok(told.some(({ dropped }) => dropped === "excluded"));
    assert.match(inline.inlineContext({ ...given, secrets: true }).context, /sk-secret/);
    for (const secrets of [false, true]) {
      const session = new inline.InlineContext({ secrets });
      session.open(neighbours[0]!);
      session.open(document);
      session.change(path, `${secret}MORE = sk-secret-789\n`, { now: 0 });
      const result = session.context({ file: document.path, cursor: Infinity, items });
      assert.equal(/sk-secret/.test(result.context), secrets, path);
      const own = await session.contextFor({ file: path, cursor: 30 });
      assert.deepEqual([own.isExcluded, own.prefix !== ""], [!secrets, secrets]);
      session.free();
    }
  }
});

test("a budget below the least is refused with it", () => {
  for (const budget of [0, 5, 7])
    assert.throws(() => run(request({ budget })), { path: "request.budget", message: /a whole number, 8 or more/ });
  run(request({ budget: 8 }));
});

test("a small budget keeps what is nearest", () => {
  const small = run(request({ budget: 200 }));
  assert.ok(small.tokens.free < 60 && small.prefix.length > 300, JSON.stringify(small.tokens));
  const least = run(request({ budget: 60 }));
  assert.ok(least.items.some(({ dropped }) => dropped === "noRoom"));
});

test("the suffix gets the tokens of a snippet that has no room", () => {
  const lines = (name: string, count: number) => `let ${name} = total(stock, rate);\n`.repeat(count);
  const document = { path: "a.ts", language: "typescript", text: lines("sum", 40) };
  const given = { file: document, cursor: lines("sum", 3).length, budget: 300 };
  const alone = run(given);
  const long = lines("other", 60).replaceAll("\n", " "); // a line is not shortened
  const { tokens, items } = run({ ...given, neighbours: [{ ...document, path: "b.ts", text: long }] });
  assert.equal(items.find(({ id }) => id === "b.ts")?.dropped, "noRoom");
  assert.deepEqual([tokens.suffix, tokens.free], [alone.tokens.suffix, alone.tokens.free]);
  assert.ok(tokens.suffix > 200 && tokens.free < 10, JSON.stringify(tokens));
});

test("similar code is shortened to the room for context", () => {
  const lines = (name: string, count: number) => `log.${name}(one, two, three);\n`.repeat(count);
  const text = `${lines("write", 200)}const rate = stockTotal(`;
  const declaration = "export function stockTotal(rate: number) {\n";
  const neighbour = { path: "b.ts", language: "typescript", text: lines("read", 50) + declaration + lines("read", 50) };
  const given = { file: { path: "a.ts", language: "typescript", text }, neighbours: [neighbour] };
  const { context, items, tokens } = run({ ...given, cursor: Infinity, budget: 600 });
  const { firstLine = 0, endLine = 0, dropped } = items.find(({ id }) => id === "b.ts")!;
  assert.equal(dropped, undefined);
  assert.ok(context.includes(declaration) && firstLine <= 50 && endLine > 50, `${firstLine} to ${endLine}`);
  assert.ok(endLine - firstLine < 60);
  assert.ok(tokens.context <= 210 && tokens.context > 150, JSON.stringify(tokens));
});

test("a blank line's indentation is kept apart", () => {
  const text = "function f() {\n\t\t\n}\n";
  const { prefix, trailing, suffix } = run(request({ file: { path: "a.ts", text }, cursor: text.indexOf("\n}") }));
  assert.deepEqual([prefix, trailing, suffix], ["function f() {\n", "\t\t", "}\n"]);
});

test("items of a language server come with their reasons", () => {
  const items = [
    {
      id: "signal",
      kind: "snippet" as const,
      path: "lib.dom.d.ts",
      text: "interface AbortSignal { readonly aborted: boolean }",
      priority: 1,
    },
    { id: "strict", kind: "trait" as const, text: "The project is strict." },
    { id: "unused", kind: "diagnostic" as const, text: "signal is not used", priority: 0.5 },
    { id: "strict", kind: "trait" as const, text: "again" },
    { id: "slow", text: "later", arrivedMs: "pending" as const },
  ];
  const { context, items: report, isPartial, nextMs } = run(request({ items }));
  assert.match(
    context,
    /^Path: .*\nThe project is strict\.\nsignal is not used\nCompare this snippet from lib\.dom\.d\.ts:\ninterface AbortSignal/,
  );
  assert.deepEqual(
    report
      .filter(({ dropped }) => dropped)
      .map(({ id, dropped }) => [id, dropped])
      .slice(0, 2),
    [
      ["strict", "duplicate"],
      ["slow", "pending"],
    ],
  );
  assert.deepEqual([isPartial, nextMs], [true, 150]);
  const late = run(request({ items, elapsedMs: 150 }));
  assert.deepEqual([late.isPartial, late.nextMs], [false, undefined]);
  assert.equal(late.items.find(({ id }) => id === "slow")?.dropped, "late");
});

test("recent edits in three forms", () => {
  const edits = [{ path: "src/rate.ts", before: "let rate = 1;\nlet other;\n", after: "let rate = 2;\nlet other;\n" }];
  const of = (editForm: InlineRequest["editForm"]) =>
    run(request({ edits, editForm })).items.find(({ kind }) => kind === "recentEdits")?.text;
  assert.match(
    of("unified")!,
    /File: src\/rate\.ts\n@@ -1,3 \+1,3 @@\n\+let rate = 2;\n-let rate = 1; --- IGNORE ---\n/,
  );
  assert.match(of("searchReplace")!, /<<<<<<< SEARCH\nlet rate = 1;\nlet other;\n\n=======\nlet rate = 2;/);
  assert.match(of("plain")!, /File: src\/rate\.ts\nlet rate = 2;\nlet other;\n/);
  assert.equal(
    run(request({ edits, excluded: ["src/rate.ts"] })).items.some(({ kind }) => kind === "recentEdits"),
    false,
  );
});

test("the four modes of the optional pool", () => {
  const text = `${"let filler = value;\n".repeat(10)}`;
  const items = Array.from({ length: 60 }, (_, at) => ({
    id: `${at}`,
    text: `interface Number${at} { value: string }`,
    priority: 0.5,
  }));
  const taken = (mode: InlineRequest["mode"], profile: InlineRequest["profile"]) =>
    run(
      request({ file: { path: "a.ts", text }, cursor: 20, neighbours: [], items, mode, profile, exact: true }),
    ).items.filter(({ kind, dropped }) => kind === "snippet" && !dropped).length;
  const sizes = (["minimal", "double", "fillHalf", "fill"] as const).map((mode) => taken(mode, "espalier"));
  assert.equal(sizes[0], 0);
  // As much as the document is long: 200 characters, 50 tokens.
  assert.ok(sizes[1]! > 0 && sizes[1]! < 10, `${sizes}`);
  assert.deepEqual(sizes.slice(2), [60, 60]);
  // Copilot Chat takes an unknown mode for the smallest.
  assert.equal(taken("unheard" as never, "copilot-chat"), 0);
});

test("the profile leaves long documents no room", () => {
  const long = { path: "a.ts", language: "typescript", text: "let filler = value;\n".repeat(2_000) };
  const items = [{ id: "one", text: "interface Stock {}" }];
  const of = (profile: InlineRequest["profile"]) =>
    inline.inlineContext({ file: long, cursor: Infinity, items, profile });
  assert.equal(of("copilot-chat").context, "");
  assert.match(of("espalier").context, /interface Stock/);
});

test("shares instead of weights", () => {
  const long = { path: "a.ts", language: "typescript", text: "let filler = value;\n".repeat(2_000) };
  const items = Array.from({ length: 400 }, (_, at) => ({
    id: `${at}`,
    path: "b.ts",
    text: `interface Number${at} { value: string }`,
  }));
  const { tokens } = run({ file: long, cursor: 20_000, items, mode: "fill", budget: 2_000, cascade: true });
  assert.ok(
    tokens.context > 500 && tokens.context <= 720 && tokens.prefix > 600 && tokens.suffix >= 200,
    JSON.stringify(tokens),
  );
  const whole = run({
    file: long,
    cursor: 20_000,
    items,
    mode: "fill",
    budget: 2_000,
    cascade: { prefix: 1, suffix: 0, stable: 0, volatile: 0 },
  });
  assert.ok(whole.tokens.prefix > 1_700, JSON.stringify(whole.tokens));
});

test("a tokenizer of the host's, and an encoding", () => {
  const letters = inline.inlineContext(request({ tokenizer: (text) => text.length, budget: 800 }));
  const { tokens, context, prefix, suffix } = letters;
  assert.equal(context.length + prefix.length, tokens.context + tokens.prefix);
  assert.ok(tokens.context + tokens.prefix + tokens.suffix <= 800 && suffix.length === tokens.suffix);
  assert.throws(
    () =>
      inline.inlineContext(
        request({
          tokenizer: () => {
            throw new Error("out of order");
          },
        }),
      ),
    /out of order/,
  );
  assert.equal(inline.inlineContext(request({ encoding: "cl100k_base" })).tokens.budget, 7_692);
});

test("equal requests have equal results, whatever came before", () => {
  const first = run(request());
  run(request({ file: neighbours[0]!, cursor: 500, neighbours: [file] }));
  assert.deepEqual(run(request()), first);
});
