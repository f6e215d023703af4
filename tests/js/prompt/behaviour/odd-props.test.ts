/** Props that are no numbers where numbers are meant: the reference renders them, and so does the drop-in module. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, texts } from "../pieces.ts";
import type { Subject } from "../subject.ts";
import { ours, reference } from "../subject.ts";

/** Renders at a budget that all fits and at one that it does not. */
function check(name: string, content: (s: Subject) => any): void {
  test(name, async () => {
    for (const budget of [200, 22]) {
      assert.deepEqual(
        await texts(ours, content(ours), { budget }),
        await texts(reference, content(reference), { budget }),
        `budget ${budget}`,
      );
    }
  });
}

const chunks = (s: Subject, ...props: object[]): any =>
  h(s.UserMessage, {}, ...props.map((each, at) => h(s.TextChunk, each as any, `chunk number ${at}`)));

check("TokenLimit without max", (s) =>
  h(s.UserMessage, {}, h(s.TokenLimit, { max: undefined }, h(s.TextChunk, {}, "within"))),
);
check("TokenLimit with a string", (s) =>
  h(
    s.UserMessage,
    {},
    h(s.TokenLimit, { max: "8" }, h(s.TextChunk, { priority: 1 }, "within"), h(s.TextChunk, { priority: 2 }, "limits")),
  ),
);
check("TokenLimit with null", (s) =>
  all(h(s.UserMessage, {}, "a"), h(s.UserMessage, {}, h(s.TokenLimit, { max: null }, h(s.TextChunk, {}, "within")))),
);
check("a priority that is a string", (s) => chunks(s, { priority: "5" }, { priority: "1" }, { priority: 3 }));
check("flexGrow that is a string", (s) =>
  all(h(s.UserMessage, { flexGrow: "1" }, "a"), h(s.UserMessage, { flexGrow: 2 }, "b")),
);
check("flexBasis that is a string", (s) => all(h(s.UserMessage, { flexBasis: "2" }, "a")));

test("an image without a detail has none", async () => {
  for (const s of new Set([reference, ours])) {
    for (const detail of [null, undefined]) {
      const { messages } = await renderImage(s, detail);
      assert.equal(messages[0].content[0].imageUrl.detail ?? undefined, undefined);
    }
  }
  assert.equal(JSON.stringify((await renderImage(ours, null)).messages).includes("detail"), false);
});

async function renderImage(s: Subject, detail: unknown): Promise<any> {
  const { render } = await import("../pieces.ts");
  return render(s, h(s.UserMessage, {}, h(s.Image, { src: "iVBORw0KGgo=", detail })));
}
