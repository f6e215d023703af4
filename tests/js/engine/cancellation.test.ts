import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { EspalierError, signalFrom } = espalier;

function source() {
  const listeners = new Set<() => void>();
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => (
      listeners.add(listener), { dispose: () => listeners.delete(listener) }
    ),
  };
  const cancel = () => {
    token.isCancellationRequested = true;
    for (const listener of listeners) listener();
  };
  return { token, cancel };
}

test("a token that is cancelled later, or has been", () => {
  const { token, cancel } = source();
  const signal = signalFrom(token);
  assert.equal(signal.aborted, false);
  cancel();
  assert.deepEqual([signal.aborted, (signal.reason as Error).name], [true, "AbortError"]);
  assert.equal(signalFrom(token).aborted, true);
});

test("what is no token is named", () => {
  for (const odd of [undefined, null, 7, {}, new AbortController().signal])
    assert.throws(
      () => signalFrom(odd as never),
      (error) => error instanceof EspalierError && error.code === "bad_input" && error.path === "token",
    );
});
