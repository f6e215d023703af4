/** The assertion behind `// => value` in a code block. */

import assert from "node:assert/strict";

/** Throws unless `value` equals the documented value; a pattern is matched against its text. */
export function check(value, expected, place) {
  const plain = ArrayBuffer.isView(value) ? Array.from(value) : value;
  const message = `${place}: is ${JSON.stringify(plain)}`;
  if (expected instanceof RegExp) assert.match(String(plain), expected, message);
  else assert.deepEqual(plain, expected, message);
}
