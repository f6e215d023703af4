// The tokenizers, each behind the same small interface: `load()` gives `{ count, memory? }` for o200k_base.
import { readFileSync } from "node:fs";

/** Where the built package is: `npm run build` leaves it in `pkg/`. */
const built = new URL(process.env.ESPALIER_PKG ? `file://${process.env.ESPALIER_PKG}/` : "../../pkg/", import.meta.url);

export const peers = {
  async espalier() {
    const { default: init, initSync, ...wasm } = await import(new URL("espalier.js", built));
    const exports = initSync({ module: readFileSync(new URL("espalier_bg.wasm", built)) });
    wasm.loadEncoding("o200k_base", readFileSync(new URL("o200k_base.vocab", built)));
    const encoder = new TextEncoder();
    let view = new Uint8Array();
    const reserve = (room) => {
      const at = wasm.reserveInput(room);
      view = new Uint8Array(exports.memory.buffer, at, room);
    };
    // What js/tokens.ts does: write into the reserved buffer, count there; long texts in chunks.
    const count = (text) => {
      if (view.buffer !== exports.memory.buffer) reserve(131_072);
      if (text.length * 3 <= view.length) return wasm.countBuffer(0, encoder.encodeInto(text, view).written);
      let [at, carried, total] = [0, 0, 0];
      while (at < text.length) {
        let end = Math.min(text.length, at + 32_768);
        if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
        const chunk = text.slice(at, end);
        if (carried + chunk.length * 3 > view.length || view.buffer !== exports.memory.buffer) reserve(carried + 65_536 + chunk.length * 3);
        const length = carried + encoder.encodeInto(chunk, view.subarray(carried)).written;
        at = end;
        total += at < text.length ? wasm.countChunk(0, length) : wasm.countBuffer(0, length);
        carried = at < text.length ? wasm.carried() : 0;
      }
      return total;
    };
    return { count, memory: () => exports.memory.buffer.byteLength };
  },
  async "gpt-tokenizer"() {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    const options = { disallowedSpecial: new Set() };
    return { count: (text) => countTokens(text, options) };
  },
  async "ai-tokenizer"() {
    const [{ Tokenizer }, encoding] = await Promise.all([import("ai-tokenizer"), import("ai-tokenizer/encoding/o200k_base")]);
    const tokenizer = new Tokenizer(encoding);
    return { count: (text) => tokenizer.count(text) };
  },
  async tiktoken() {
    const { get_encoding } = await import("tiktoken");
    const encoding = get_encoding("o200k_base");
    return { count: (text) => encoding.encode_ordinary(text).length };
  },
  async "@microsoft/tiktokenizer"() {
    const [{ createTokenizer, getRegexByEncoder, getSpecialTokensByEncoder }, ranks] = await Promise.all([
      import("@microsoft/tiktokenizer"),
      import("js-tiktoken/ranks/o200k_base"),
    ]);
    // The package has no vocabulary; its users fetch the rank file. Here it is made from js-tiktoken's.
    const tokens = new Map();
    for (const line of ranks.default.bpe_ranks.split("\n")) {
      const [, offset, ...words] = line.split(" ");
      words.forEach((word, index) => tokens.set(Uint8Array.from(Buffer.from(word, "base64")), Number(offset) + index));
    }
    const name = "o200k_base";
    const tokenizer = createTokenizer(tokens, getSpecialTokensByEncoder(name), getRegexByEncoder(name), 64_000);
    return { count: (text) => tokenizer.encode(text).length };
  },
  async "js-tiktoken"() {
    const [{ Tiktoken }, ranks] = await Promise.all([import("js-tiktoken/lite"), import("js-tiktoken/ranks/o200k_base")]);
    const tokenizer = new Tiktoken(ranks.default);
    return { count: (text) => tokenizer.encode(text, [], []).length };
  },
};
