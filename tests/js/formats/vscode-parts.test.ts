/**
 * VS Code's classes as the editor has them: content behind an accessor, texts with a JSON of their own, names that a
 * bundler has shortened.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromStored, genuine, readConversation, setVSCode, toStored } from "../../../js/formats/index.ts";
import { a, b, c, d, e, editor, f, g } from "./editor.ts";

const inEditor = (work: () => void) => () => {
  setVSCode(editor);
  try {
    work();
  } finally {
    setVSCode();
  }
};
const conversation = () => [
  new a(1, "Look.", "ann"),
  new a(2, [new f("hm", "t1", { signature: "s" }), new b("I look."), new c("c1", "shot", { at: [1] })]),
  new a(1, [
    new d("c1", [new b("one"), new e(new Uint8Array([137, 80]), "image/png"), new g({ node: 1 })]),
    new e(new Uint8Array(20_000), "application/pdf"),
  ]),
];
const restored = () => conversation().map((message) => fromStored(JSON.parse(JSON.stringify(toStored(message)))));

test(
  "stored and read again, messages are what they were",
  inEditor(() => {
    // JSON has no undefined: a name that nobody gave is absent afterwards.
    const shape = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
      if (Array.isArray(value)) return value.map(shape);
      const given = Object.entries(value).filter(([, inner]) => inner !== undefined);
      return [
        Object.getPrototypeOf(value) === Object.prototype ? "object" : value.constructor.name,
        Object.fromEntries(given.map(([key, inner]) => [key, shape(inner)])),
      ];
    };
    assert.deepEqual(restored().map(shape), conversation().map(shape));
    assert.deepEqual(readConversation(restored(), {}).messages, readConversation(conversation(), {}).messages);
  }),
);

test("the same outside of the editor: plain objects, with their bytes, that read alike", () => {
  const plain = restored() as { content: { content?: { data?: unknown }[] }[] }[];
  assert.equal(Object.getPrototypeOf(plain[0]), Object.prototype);
  assert.ok(plain[2]!.content[0]!.content![1]!.data instanceof Uint8Array);
  assert.deepEqual(readConversation(plain, {}).messages, readConversation(conversation(), {}).messages);
});

test("a thought is known by what it has: its metadata, or a list of texts", () => {
  const [, said] = readConversation(conversation(), {}).messages;
  assert.deepEqual(
    said!.parts.map(({ type }) => type),
    ["reasoning", "text", "toolCall"],
  );
  const bare = fromStored(JSON.parse(JSON.stringify(toStored(new a(2, [new f("hm")])))));
  assert.deepEqual(readConversation([bare], { format: "vscode" }).messages[0]!.parts, [
    { type: "reasoning", text: "hm" },
  ]);
});

test(
  "genuine: what is VS Code's own stays, what is plain becomes it",
  inEditor(() => {
    const own = conversation();
    assert.equal(genuine(own), own);
    const plain = [
      { role: 1, content: "hi" },
      { role: 2, content: [{ value: "I look." }, { callId: "c1", name: "shot", input: {} }] },
      { role: 1, content: [{ callId: "c1", content: [{ value: "one" }, { odd: 1 }] }] },
    ];
    const before = structuredClone(plain);
    assert.deepEqual(
      genuine(plain),
      [
        new a(1, "hi"),
        new a(2, [new b("I look."), new c("c1", "shot", {})]),
        Object.assign(
          new a(1, [Object.assign(Object.create(d.prototype), { callId: "c1", content: [new b("one"), { odd: 1 }] })]),
        ),
      ].map((message) => (delete (message as { name?: string }).name, message)),
    );
    assert.deepEqual(plain, before);
    const mixed = [own[0], new a(2, [own[1]!.content[1], { value: "and" }])];
    const [first, second] = genuine(mixed) as a[];
    assert.ok(
      first === own[0] &&
        second instanceof a &&
        second.content[0] === own[1]!.content[1] &&
        second.content[1] instanceof b,
    );
    assert.deepEqual(genuine([null, 7, {}, { content: null }]).length, 4);
  }),
);

test(
  "what a conversation has no example of is made of the editor's classes",
  inEditor(() => {
    const reading = readConversation([], { format: "vscode" });
    const parts = [
      { type: "text" as const, text: "Lost." },
      { type: "toolCall" as const, callId: "c1", name: "run", arguments: "{}" },
    ];
    assert.deepEqual(
      reading.rebuild([
        { type: "insert", message: { id: "x", role: "assistant", parts } },
        {
          type: "insert",
          message: {
            id: "y",
            role: "tool",
            parts: [{ type: "toolResult", callId: "c1", content: [{ type: "text", text: "none" }] }],
          },
        },
      ]),
      [
        new a(2, [new b("Lost."), new c("c1", "run", {})]),
        new a(1, [Object.assign(Object.create(d.prototype), { callId: "c1", content: [new b("none")] })]),
      ],
    );
  }),
);

test(
  "nothing is too deep, and nothing that was stored is taken at its word",
  inEditor(() => {
    let part: unknown = { value: "deep" };
    for (let depth = 0; depth < 100_000; depth += 1) part = { callId: "c", content: [part] };
    assert.equal((genuine([{ role: 1, content: [part] }]) as a[])[0]!.content.length, 1);
    toStored(new a(1, [part]));
    for (const line of [
      null,
      7,
      "x",
      [],
      {},
      { content: 7 },
      { content: [null, { data: {} }, { data: { $bytes: 7 } }] },
    ])
      fromStored(line);
    assert.throws(() => fromStored({ role: 1, content: [{ mimeType: "image/png", data: { $bytes: "*" } }] }));
  }),
);
