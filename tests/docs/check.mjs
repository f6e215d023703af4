/** What `// => value` in a code block becomes. */

import assert from "node:assert/strict";

/** Throws unless `value` equals what the documentation says; a pattern is matched against its text. */
export function check(value, expected, place) {
  const plain = ArrayBuffer.isView(value) ? Array.from(value) : value;
  const message = `${place}: is ${JSON.stringify(plain)}`;
  if (expected instanceof RegExp) assert.match(String(plain), expected, message);
  else assert.deepEqual(plain, expected, message);
}
