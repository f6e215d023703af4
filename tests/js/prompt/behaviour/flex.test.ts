/** Which element gets which budget. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, probes, render } from "../pieces.ts";
import { ours as s } from "../subject.ts";

/** Budgets of probes at the root. */
async function told(
  budget: number,
  make: (probe: (name: string, text?: string) => any) => any,
): Promise<Record<string, number>> {
  const { heard, probe } = probes(s);
  await render(s, make(probe), { budget });
  return heard;
}

test("siblings share evenly, and rounding is lost", async () => {
  assert.deepEqual(await told(100, (p) => all(h(p("a")), h(p("b")), h(p("c")))), { a: 33, b: 33, c: 33 });
});

test("flexBasis weighs", async () => {
  assert.deepEqual(await told(100, (p) => all(h(p("a")), h(p("b"), { flexBasis: 2 }))), { a: 33, b: 66 });
  assert.deepEqual(await told(100, (p) => all(h(p("a")), h(p("b"), { flexBasis: 0 }))), { a: 100, b: 0 });
});

test("flexGrow waits for those that do not grow, and takes what they left", async () => {
  const both = (p: any): any => h(s.UserMessage, {}, h(p("late"), { flexGrow: 1 }), h(p("first", "ten tokens")));
  assert.deepEqual(await told(103, both), { first: 100, late: 90 });
});

test("higher flexGrow comes first, and unset before all", async () => {
  const { order, probe } = probes(s);
  await render(
    s,
    all(
      h(probe("low"), { flexGrow: 1 }),
      h(probe("high"), { flexGrow: 7 }),
      h(probe("below"), { flexGrow: -1 }),
      h(probe("unset")),
    ),
  );
  assert.deepEqual(order, ["unset", "high", "low", "below"]);
});

test("flexReserve holds tokens back from those who come earlier", async () => {
  assert.deepEqual(await told(100, (p) => all(h(p("a")), h(p("b"), { flexGrow: 1, flexReserve: 30 }))), {
    a: 70,
    b: 100,
  });
});

test("flexReserve may be a share of what is left", async () => {
  assert.deepEqual(await told(100, (p) => all(h(p("a")), h(p("b"), { flexGrow: 1, flexReserve: "/3" }))), {
    a: 67,
    b: 100,
  });
  assert.deepEqual(await told(100, (p) => all(h(p("a")), h(p("b"), { flexGrow: 1, flexReserve: "/2.5" }))), {
    a: 60,
    b: 100,
  });
});

test("reservations of all later groups add up, and never go below nothing", async () => {
  const three = (p: any): any =>
    all(h(p("a")), h(p("b"), { flexGrow: 2, flexReserve: 30 }), h(p("c"), { flexGrow: 1, flexReserve: 90 }));
  assert.deepEqual(await told(100, three), { a: 0, b: 10, c: 100 });
});

test("a message in full", async () => {
  const message = (p: any): any =>
    h(
      s.UserMessage,
      {},
      h(p("a")),
      h(p("b"), { flexGrow: 1, flexReserve: "/3" }),
      h(p("c"), { flexBasis: 0 }),
      h(p("d"), { flexGrow: 1 }),
    );
  assert.deepEqual(await told(103, message), { a: 67, b: 50, c: 0, d: 50 });
});

test("messages and literals are charged, line breaks and pictures are not", async () => {
  const message = (p: any): any =>
    h(s.UserMessage, { name: "ann" }, "12345", h("br"), h(s.Image, { src: "x" }), h(p("a"), { flexGrow: 1 }));
  // 3 for the message, 4 for its name, 5 for the text.
  assert.deepEqual(await told(100, message), { a: 88 });
});

test("who writes too much is charged its budget only", async () => {
  const message = (p: any): any =>
    h(
      s.UserMessage,
      {},
      h(s.LogicalWrapper, { flexGrow: 2 }, h(p("loud", "x".repeat(60)), { flexGrow: 1 }), h(p("rest"))),
      h(p("late"), { flexGrow: 1 }),
    );
  assert.deepEqual(await told(53, message), { rest: 50, loud: 50, late: 0 });
});

test("a TokenLimit gets no more than its most", async () => {
  const beside =
    (max: number) =>
    (p: any): any =>
      all(h(s.TokenLimit, { max }, h(p("capped"))), h(p("free")));
  assert.deepEqual(await told(100, beside(30)), { capped: 30, free: 70 });
  assert.deepEqual(await told(100, beside(80)), { capped: 50, free: 50 });
});

test("budgets are handed on to what is inside", async () => {
  const nested = (p: any): any =>
    all(h(s.LogicalWrapper, {}, h(p("a")), h(p("b"))), h(s.LogicalWrapper, { flexBasis: 3 }, h(p("c"))));
  assert.deepEqual(await told(100, nested), { a: 12, b: 12, c: 75 });
});
