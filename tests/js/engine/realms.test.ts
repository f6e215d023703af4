/** Bytes of another realm, as in the test environment jsdom, whose classes are not those of Node. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { espalier } from "../built.ts";

test("a vocabulary and a picture may be bytes of another realm", async () => {
  const file = new URL("../../../pkg/dist/vocab/cl100k_base.vocab", import.meta.url);
  const copied = (bytes: Uint8Array) =>
    runInNewContext("Uint8Array.from(bytes)", { bytes: Array.from(bytes) }) as Uint8Array;
  const bytes = copied(readFileSync(file));
  assert.equal(bytes instanceof Uint8Array, false);
  espalier.loadEncodingSync("cl100k_base", bytes);
  await espalier.loadEncoding("cl100k_base", bytes.buffer as ArrayBuffer);
  assert.equal(espalier.count("Hello world!", { encoding: "cl100k_base" }), 3);
  const picture = { type: "file", mediaType: "image/png", data: copied(new Uint8Array(64)) };
  const counted = (data: Uint8Array) =>
    espalier.countMessages([{ role: "user", content: [{ ...picture, data }] }], { format: "ai-sdk" }).total;
  assert.equal(counted(picture.data), counted(new Uint8Array(64)));
});
