/** Models of VS Code. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setVSCode } from "../../../js/formats/index.ts";
import { EspalierError, vscode } from "../../../js/providers/index.ts";
import type { VscodeOptions } from "../../../js/providers/index.ts";
import { failure, firing } from "./support.ts";
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "../formats/samples.ts";
import { api, CHAT, editor, parts, TOOLS } from "./model-objects.ts";
import type { Fields } from "./model-objects.ts";

class LanguageModelError extends Error {
  code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
    this.name = "LanguageModelError";
  }
}

/** Parts as the provider makes them: of the editor's class, with nothing but what they say. */
const made = (like: { prototype: object }, fields: object): unknown =>
  Object.assign(Object.create(like.prototype) as object, fields);
const text = (value: string) => made(LanguageModelTextPart, { value });
const result = (callId: string, value: string) => made(LanguageModelToolResultPart, { callId, content: [text(value)] });

test("VS Code: words, thoughts and calls", async () => {
  const call = new LanguageModelToolCallPart("c1", "look", { at: 2 });
  const { provider, seen } = editor(() =>
    parts(
      new LanguageModelThinkingPart("hm"),
      new LanguageModelTextPart("one "),
      new LanguageModelTextPart("two"),
      call,
    ),
  );
  const pieces: unknown[] = [];
  const answer = await provider.send(provider.toRequest(CHAT, { tools: TOOLS, maxTokens: 7 }), {
    onPart: (part) => pieces.push(part.type),
  });
  assert.deepEqual(
    [answer.text, answer.reasoning, answer.finish, answer.usage, answer.toolCalls],
    ["one two", "hm", "tool_calls", undefined, [{ id: "c1", name: "look", arguments: '{"at":2}', input: { at: 2 } }]],
  );
  assert.deepEqual(pieces, ["reasoning", "text", "text", "toolCall", "done"]);
  const [{ messages, options } = assert.fail()] = seen;
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      [1, [text("Be brief.")]],
      [1, [text("What is this?"), new LanguageModelDataPart(new TextEncoder().encode("hi"), "image/png")]],
      [
        2,
        [
          text("I look."),
          new LanguageModelToolCallPart("a", "look", { at: 1 }),
          new LanguageModelToolCallPart("b", "look", {}),
        ],
      ],
      [1, [result("a", "a pixel"), result("b", "another"), text("Thanks.")]],
    ],
  );
  assert.deepEqual(options, {
    tools: [{ name: "look", description: "", inputSchema: { type: "object" } }],
    modelOptions: { max_tokens: 7 },
  });
  // The answer can be sent back: words are one part, everything else is the editor's own.
  const [message] = answer.messages as LanguageModelChatMessage[];
  assert.ok(message instanceof LanguageModelChatMessage && message.role === 2);
  assert.deepEqual(message.content, [new LanguageModelThinkingPart("hm"), text("one two"), call]);
});

test("VS Code: its own messages stay as they are; others need its classes", async () => {
  const own = [new LanguageModelChatMessage(1, "Hello.")];
  const { provider } = editor(() => parts(new LanguageModelTextPart("Hi.")), { api: undefined as never });
  assert.equal(provider.toRequest(own)["messages"], own);
  assert.throws(
    () => provider.toRequest(CHAT),
    (error) => error instanceof EspalierError && error.code === "bad_option" && error.path === "options.api",
  );
  assert.equal((await provider.send(provider.toRequest(own))).text, "Hi.");
  assert.throws(
    () => vscode({ model: {} } as unknown as VscodeOptions),
    (error) => error instanceof EspalierError && error.path === "options.model",
  );
});

test("VS Code: messages that lost their classes on the way through JSON get them back; the module is found where it can be", async () => {
  const plain = [
    { role: 1, content: [{ value: "Look." }] },
    { role: 2, content: [{ callId: "a", name: "look", input: {} }] },
    { role: 1, content: [{ callId: "a", content: [{ value: "a pixel" }] }] },
  ];
  const kept = new LanguageModelChatMessage(1, "Thanks.");
  const { provider } = editor(() => parts(new LanguageModelTextPart("Hi.")));
  const [first, second, third, last] = provider.toRequest([...plain, kept])["messages"] as LanguageModelChatMessage[];
  assert.ok(last === kept && [first, second, third].every((message) => message instanceof LanguageModelChatMessage));
  const [result] = third!.content as [LanguageModelToolResultPart];
  assert.ok(
    first!.content[0] instanceof LanguageModelTextPart &&
      second!.content[0] instanceof LanguageModelToolCallPart &&
      result instanceof LanguageModelToolResultPart &&
      result.content[0] instanceof LanguageModelTextPart,
  );
  const { provider: without } = editor(() => parts(new LanguageModelTextPart("Hi.")), { api: undefined as never });
  setVSCode(api as never);
  try {
    assert.ok(
      (without.toRequest(CHAT)["messages"] as unknown[]).every(
        (message) => message instanceof LanguageModelChatMessage,
      ),
    );
  } finally {
    setVSCode();
  }
});

test("VS Code: what a model says of usage is read, and is no part of the answer", async () => {
  const usage = (json: string) => new LanguageModelDataPart(new TextEncoder().encode(json), "usage");
  const ask = async (...said: unknown[]) => {
    const { provider } = editor(() =>
      parts(new LanguageModelTextPart("one "), ...said, new LanguageModelTextPart("two")),
    );
    const { text, usage, messages, warnings } = await provider.send(provider.toRequest(CHAT));
    assert.equal(text, "one two");
    return {
      usage: usage && [usage.input, usage.cacheRead, usage.output, usage.promptTotal],
      warnings: warnings.length,
      parts: (messages as LanguageModelChatMessage[])[0]!.content.length,
    };
  };
  assert.deepEqual(
    await ask(
      usage(
        '{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":60}}',
      ),
    ),
    { usage: [40, 60, 7, 100], warnings: 0, parts: 1 },
  );
  assert.deepEqual(await ask(), { usage: undefined, warnings: 0, parts: 1 });
  // What is no record is a part like any other.
  for (const odd of ["{not", "null", "{}"])
    assert.deepEqual(await ask(usage(odd)), { usage: undefined, warnings: 0, parts: 3 });
});

test("VS Code: errors", async () => {
  const table: [unknown, string, object][] = [
    [new LanguageModelError("Model was not found", "NotFound"), "bad_request", { kind: "not_found" }],
    [new LanguageModelError("Language model 'x' cannot be used", "NoPermissions"), "auth", {}],
    [new LanguageModelError("Response got filtered", "Blocked"), "content_filter", {}],
    [new LanguageModelError("Your quota is used up", "Blocked"), "rate_limited", { kind: "quota", attempts: 1 }],
    [Object.assign(new Error("Try again later"), { name: "ChatRateLimited" }), "rate_limited", { attempts: 3 }],
    [
      new Error(
        'Request Failed: 400 {"error":{"message":"prompt token count of 140213 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}\n',
      ),
      "context_length",
      { used: 140213, limit: 128000, status: 400 },
    ],
    [new Error("Message exceeds token limit."), "context_length", {}],
    [new Error("Request Failed: 429 slow down"), "rate_limited", { attempts: 3 }],
    [new Error("Request Failed: 502 Bad Gateway"), "overloaded", { attempts: 3 }],
    [new Error("net::ERR_CONNECTION_RESET"), "network", { attempts: 3 }],
    [new Error("Response contained no choices."), "bad_response", {}],
    ["thrown text", "bad_response", {}],
    [undefined, "bad_response", {}],
  ];
  for (const [thrown, code, details] of table) {
    // Thrown at once, and from within the stream.
    for (const provider of [
      editor(() => {
        throw thrown;
      }).provider,
      editor(() => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(thrown) }) })).provider,
    ]) {
      const error = await failure(provider.send(provider.toRequest(CHAT)));
      assert.equal(error.code, code, String(thrown));
      assert.equal(error.cause, thrown);
      for (const [name, value] of Object.entries(details))
        assert.equal((error.details as unknown as Fields)[name], value, name);
    }
  }
});

test("VS Code: calling off and silence reach the editor as a cancelled token", async () => {
  const silent = () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => undefined),
      return: async () => (returned++, { done: true as const, value: undefined }),
    }),
  });
  let returned = 0;
  const soon = () => {
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    return stop.signal;
  };
  for (const [how, limit, code] of [
    [{ timeoutMs: 30 }, 30, "timeout"],
    [{ idleTimeoutMs: 20 }, 20, "timeout"],
    [
      {
        get signal() {
          return soon();
        },
      },
      0,
      "aborted",
    ],
  ] as const) {
    const { provider, seen } = editor(silent, { clock: firing(limit, () => limit > 0 && seen.length > 0)! });
    const error = await failure(provider.send(provider.toRequest(CHAT), how));
    assert.equal(error.code, code);
    assert.equal(seen[0]!.token.isCancellationRequested, true);
  }
  assert.equal(returned, 3);
  const { provider: never, seen } = editor(silent);
  assert.equal((await failure(never.send(never.toRequest(CHAT), { signal: AbortSignal.abort() }))).code, "aborted");
  assert.equal(seen.length, 0, "what was called off before it began is not sent");
  // A reader that stops.
  let cancelled = 0;
  const { provider } = editor(({ token }) => {
    token.onCancellationRequested(() => cancelled++);
    return parts(new LanguageModelTextPart("a"), new LanguageModelTextPart("b"));
  });
  for await (const part of provider.stream(provider.toRequest(CHAT))) if (part.type === "text") break;
  assert.equal(cancelled, 1);
  await provider.send(provider.toRequest(CHAT));
  assert.equal(cancelled, 1, "what ended by itself is not cancelled");
});
