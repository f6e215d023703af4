/** Providers with a simulated clock: who is asked when, how long a completion waits, what becomes of late answers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inline, settled, TestClock } from "./built.ts";
import type { InlineItem, InlineProvider, InlineProviderRequest, InlineSessionOptions } from "./built.ts";

const TEXT = "const stock = 1;\nconst rate = stock;\n\n";

/** A provider that answers when the test says so. */
class Manual implements InlineProvider {
  asked: (InlineProviderRequest & { answer: (items: InlineItem[]) => void; fail: (error: unknown) => void })[] = [];
  readonly name = "manual";
  provide(request: InlineProviderRequest) {
    return new Promise<InlineItem[]>((answer, fail) => this.asked.push({ ...request, answer, fail }));
  }
}

const item = (id: string, more: Partial<InlineItem> = {}): InlineItem => ({
  id,
  path: "lib.ts",
  text: `interface ${id} {}`,
  ...more,
});
const sent = (result: { items: { kind: string; id: string; dropped?: string | undefined }[] }) =>
  result.items.filter(({ kind, dropped }) => kind === "snippet" && !dropped).map(({ id }) => id);

function open(providers: InlineProvider[], options: InlineSessionOptions = {}) {
  const clock = new TestClock();
  const session = new inline.InlineContext({ clock, providers, ...options });
  session.open({ path: "a.ts", text: TEXT });
  session.open({ path: "b.ts", text: TEXT });
  return { clock, session };
}

test("an answer in time", async () => {
  const provider = new Manual();
  const { clock, session } = open([provider]);
  session.focus("b.ts");
  const result = session.contextFor({ file: "a.ts", cursor: 16 });
  await settled();
  const [asked] = provider.asked;
  assert.deepEqual([asked!.cursor, asked!.file.text, asked!.neighbours], [16, TEXT, ["b.ts"]]);
  assert.deepEqual(asked!.budget, {
    available: Math.trunc(8_192 - 256 - TEXT.length / 4),
    primaryChars: 28_672,
    secondaryChars: 32_768,
  });
  await clock.pass(100);
  asked!.answer([item("Stock")]);
  const { providers, ms, isPartial, ...rest } = await result;
  assert.deepEqual(sent(rest), ["Stock"]);
  assert.deepEqual(
    [providers, ms, isPartial],
    [[{ name: "manual", status: "answered", items: 1, isCached: false }], 100, false],
  );
  assert.ok(asked!.signal.aborted);
  session.free();
});

test("what is there by then, and the late answer next time", async () => {
  const provider = new Manual();
  const { clock, session } = open([provider]);
  const first = session.contextFor({ file: "a.ts", cursor: 16 });
  await clock.pass(150);
  const { ms, isPartial, providers } = await first;
  assert.deepEqual([ms, isPartial, providers[0]!.status, session.state().isAsking], [150, true, "late", true]);
  await clock.pass(50);
  provider.asked[0]!.answer([item("Late")]);
  await settled();
  assert.equal(session.state().isAsking, false);
  const second = session.contextFor({ file: "a.ts", cursor: 17 });
  await clock.pass(150);
  const next = await second;
  assert.deepEqual(
    [sent(next), next.providers],
    [["Late"], [{ name: "manual", status: "late", items: 1, isCached: true }]],
  );
  session.free();
});

test("one request at a time, and of the others the newest", async () => {
  const provider = new Manual();
  const { clock, session } = open([provider]);
  void session.contextFor({ file: "a.ts", cursor: 1 });
  void session.contextFor({ file: "a.ts", cursor: 2 });
  void session.contextFor({ file: "a.ts", cursor: 3 });
  await clock.pass(30);
  assert.deepEqual(
    provider.asked.map(({ cursor }) => cursor),
    [1],
  );
  provider.asked[0]!.answer([]);
  await settled();
  assert.deepEqual(
    provider.asked.map(({ cursor }) => cursor),
    [1, 3],
  );
  // The document changes: what waits for its older version does not start.
  void session.contextFor({ file: "a.ts", cursor: 4 });
  await settled();
  session.change("a.ts", `${TEXT}x`);
  provider.asked[1]!.answer([]);
  await clock.pass(200);
  assert.deepEqual(
    provider.asked.map(({ cursor }) => cursor),
    [1, 3],
  );
  session.free();
});

test("the race: 20 ms for a request of another place", async () => {
  const provider = new Manual();
  const { clock, session } = open([provider]);
  const partial: string[][] = [];
  const ask = (cursor: number, file = "a.ts") =>
    session.contextFor({ file, cursor, onPartial: (result) => partial.push(sent(result)) });
  const first = ask(1);
  await settled();
  provider.asked[0]!.answer([item("Old"), item("Held", { isForTimeout: true })]);
  await first;
  void ask(2);
  await settled();
  const third = ask(3);
  await clock.pass(20);
  const result = await third;
  assert.equal(result.ms, 20);
  assert.deepEqual(sent(result), ["Old", "Held"]);
  // At once there was what does not wait for a request under way.
  assert.deepEqual(partial, [[], ["Old"], ["Old"]]);
  const fourth = ask(4);
  await clock.pass(5);
  provider.asked[1]!.answer([item("New")]);
  await clock.pass(0);
  assert.deepEqual([sent(await fourth), (await fourth).ms], [["New"], 5]);
  // Another document waits for nobody.
  const other = ask(1, "b.ts");
  await clock.pass(0);
  assert.deepEqual([(await other).ms, (await other).providers[0]!.status], [0, "late"]);
  session.free();
});

test("items one after the other", async () => {
  let resume = () => {};
  const provider: InlineProvider = {
    name: "stream",
    async *provide() {
      yield item("One");
      yield item("Two");
      await new Promise<void>((resolve) => (resume = resolve));
      yield item("Three");
    },
  };
  const { clock, session } = open([provider]);
  const first = session.contextFor({ file: "a.ts", cursor: 1 });
  await clock.pass(150);
  assert.deepEqual([sent(await first), (await first).providers[0]!.status], [["One", "Two"], "late"]);
  resume();
  await settled();
  const second = session.contextFor({ file: "a.ts", cursor: 2 });
  await clock.pass(150);
  assert.deepEqual(sent(await second), ["One", "Two", "Three"]);
  session.free();
});

test("cursor moves warm the cache", async () => {
  const provider = new Manual();
  const { clock, session } = open([provider], { moveDebounceMs: 250 });
  const asked = () => provider.asked.length;
  clock.time = 10_000;
  session.moveCursor({ path: "a.ts", cursor: 5, by: "mouse" });
  await settled();
  assert.equal(asked(), 0, "within a line");
  session.moveCursor({ path: "a.ts", cursor: 16, by: "mouse", isOneCursor: false });
  session.moveCursor({ path: "a.ts", cursor: 16, by: "mouse", isActiveEditor: false });
  await settled();
  assert.equal(asked(), 0);
  session.moveCursor({ path: "a.ts", cursor: 16, by: "mouse" });
  await settled();
  assert.equal(asked(), 1, "at a line's end");
  provider.asked[0]!.answer([item("Warm")]);
  await settled();
  const { providers, ms } = await session.contextFor({ file: "a.ts", cursor: 16, providers: [] });
  assert.deepEqual([providers, ms], [[], 0]);
  session.moveCursor({ path: "a.ts", cursor: 36 });
  await clock.pass(249);
  assert.equal(asked(), 1);
  session.moveCursor({ path: "a.ts", cursor: 37 });
  await clock.pass(250);
  assert.deepEqual([asked(), provider.asked[1]!.cursor], [2, 37]);
  provider.asked[1]!.answer([]);
  await settled();
  session.change("a.ts", `${TEXT}x`);
  session.moveCursor({ path: "a.ts", cursor: 39, by: "command" });
  await clock.pass(499);
  assert.equal(asked(), 2, "right after a change");
  clock.time += 1;
  session.moveCursor({ path: "a.ts", cursor: 39, by: "command" });
  await settled();
  assert.equal(asked(), 3);
  session.free();
});

test("providers that throw, hang, or send what is no item", async () => {
  const good = { name: "good", provide: () => [item("Good"), item("Good", { text: "again" })] };
  const providers: InlineProvider[] = [
    good,
    {
      name: "throws",
      provide: () => {
        throw new Error("broken");
      },
    },
    { name: "rejects", provide: () => Promise.reject(new Error("gone")) },
    { name: "wrong", provide: () => [item("Wrong"), { id: 5 } as never] },
    { name: "list", provide: () => ({ items: [] }) as never },
    { name: "none", provide: () => undefined },
    { name: "hangs", provide: () => new Promise(() => {}) },
  ];
  const { clock, session } = open(providers);
  const first = session.contextFor({ file: "a.ts", cursor: 1 });
  await clock.pass(150);
  const result = await first;
  assert.deepEqual(sent(result), ["Good", "Wrong"]);
  assert.equal(result.items.find(({ dropped }) => dropped === "duplicate")?.id, "Good");
  assert.deepEqual(
    result.providers.map(({ status }) => status),
    ["answered", "failed", "failed", "failed", "failed", "answered", "late"],
  );
  assert.match(String(result.providers[3]!.error), /providers\["wrong"\]\.items\[1\]\.id must be a text/);
  // The one that hangs does not keep the others from being asked again.
  await clock.pass(1_200);
  assert.equal(session.state().isAsking, false);
  const second = session.contextFor({ file: "a.ts", cursor: 2 });
  await clock.pass(150);
  assert.deepEqual((await second).providers.map(({ status }) => status)[0], "answered");
  session.free();
});

test("aborts", async () => {
  const provider = new Manual();
  const { clock, session } = open([provider]);
  const controller = new AbortController();
  const result = session.contextFor({ file: "a.ts", cursor: 1, signal: controller.signal });
  await clock.pass(10);
  controller.abort(new Error("typed on"));
  await assert.rejects(result, /typed on/);
  await assert.rejects(session.contextFor({ file: "a.ts", cursor: 1, signal: controller.signal }), /typed on/);
  assert.equal(session.state().isAsking, true, "the answer is for the next request");
  provider.asked[0]!.answer([item("Next")]);
  await settled();
  const next = session.contextFor({ file: "a.ts", cursor: 1 });
  await clock.pass(150);
  assert.deepEqual(sent(await next), ["Next"]);
  session.free();
});

test("items of many documents stay within their limit", async () => {
  const provider = { name: "all", provide: () => Array.from({ length: 5_000 }, (_, at) => item(`N${at}`)) };
  const { session } = open([provider], { maxCachedDocuments: 3 });
  for (let at = 0; at < 10; at += 1) {
    const file = { path: `${at}.ts`, text: TEXT };
    const { providers } = await session.contextFor({ file, cursor: 1 });
    assert.deepEqual([providers[0]!.status, providers[0]!.items], ["answered", 1_000]);
  }
  assert.equal(session.state().cachedDocuments, 3);
  session.free();
});

test("bad requests", async () => {
  const { session } = open([]);
  const cases: [object, string, string][] = [
    [{ timeoutMs: NaN }, "bad_input", "request.timeoutMs"],
    [{ providers: [{ name: "a" }] }, "bad_option", "request.providers[0].provide"],
    [{ providers: {} }, "bad_option", "request.providers"],
    [{ signal: {} }, "bad_option", "request.signal"],
    [{ onPartial: 1 }, "bad_option", "request.onPartial"],
    [{ elapsedMs: 1 }, "bad_option", "request.elapsedMs"],
  ];
  for (const [more, code, path] of cases) {
    await assert.rejects(session.contextFor({ file: "a.ts", cursor: 1, ...more }), { code, path });
  }
  assert.throws(
    () =>
      new inline.InlineContext({
        providers: [
          { name: "a", provide() {} },
          { name: "a", provide() {} },
        ],
      }),
    { path: "options.providers[1].name" },
  );
  session.free();
});
