/** Values that hosts pass by mistake or with malice; made each time, since some can be used once. */

import { runInNewContext } from "node:vm";

const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 0);
const ownError = () => {
  throw new Error("of the host");
};

export const VALUES: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  NaN: () => NaN,
  "-1": () => -1,
  "1.5": () => 1.5,
  Infinity: () => Infinity,
  "2 ** 53": () => 2 ** 53,
  "a bigint": () => 7n,
  "a symbol": () => Symbol("s"),
  "no text": () => "",
  "a number as text": () => "7",
  "half a character and NUL": () => "\ud800 \0",
  "a name of every object": () => "__proto__",
  "a function": () => () => 1,
  "a function that throws": () => ownError,
  "an object": () => ({}),
  "an object without a prototype": () => Object.create(null) as object,
  "a list": () => [],
  "a list of nothing": () => [null],
  "a list with a hole": () => [, 7],
  "a long list without items": () => new Array(100_000),
  "a long text": () => "x ".repeat(100_000),
  "an object of another realm": () => runInNewContext(`({ role: "user", type: "text", text: "x", id: "x" })`),
  "a list of another realm": () => runInNewContext("[{ role: 'user', content: 'x' }]"),
  "a proxy of a list": () => new Proxy([{ role: "user", content: "x" }], {}),
  "a proxy whose keys cannot be read": () => new Proxy({}, { ownKeys: ownError, has: ownError }),
  "what has no text": () => ({ toString: ownError, valueOf: ownError, toJSON: ownError }),
  "a date": () => new Date(NaN),
  "a map": () => new Map([["a", 1]]),
  bytes: () => new Uint8Array(3),
  "what holds itself": () => {
    const loop: Record<string, unknown> = { role: "user", type: "text" };
    loop["self"] = loop;
    return loop;
  },
  "a list that holds itself": () => {
    const loop: unknown[] = [];
    loop.push(loop);
    return loop;
  },
  "what is nested deeper than the stack": () => deep,
  "what throws when it is looked at": () =>
    Object.defineProperties(
      {},
      Object.fromEntries(["role", "length", "type", "id"].map((name) => [name, { enumerable: true, get: ownError }])),
    ),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
};
