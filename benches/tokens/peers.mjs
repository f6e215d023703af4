// The tokenizers, each behind the same small interface: `load()` gives `{ count, memory? }` for o200k_base.
import { readFileSync } from "node:fs";

/** Where the built package is: `npm run build` leaves it in `pkg/`. */
const built = new URL(process.env.ESPALIER_PKG ? `file://${process.env.ESPALIER_PKG}/` : "../../pkg/", import.meta.url);

export const peers = {
  async espalier() {
    const { initSync, ...wasm } = await import(new URL("espalier.js", built));
    const exports = initSync({ module: readFileSync(new URL("espalier_bg.wasm", built)) });
    wasm.loadEncoding("o200k_base", readFileSync(new URL("o200k_base.vocab", built)));
    const encoder = new TextEncoder();
    let view = new Uint8Array();
    const input = (room) => (view.byteLength < room ? (view = wasm.inputView(Math.max(room, 131_072))) : view);
    // What js/tokens.ts does, but for its cache: write into the engine's buffer, count there; long texts in chunks.
    const count = (text) => {
      if (text.length <= 32_768) return wasm.countBuffer(0, encoder.encodeInto(text, input(text.length * 3)).written);
      let [at, carried, total] = [0, 0, 0];
      for (;;) {
        let end = Math.min(text.length, at + 32_768);
        if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
        const chunk = text.slice(at, end);
        const needed = carried + chunk.length * 3;
        const buffer = input(needed > view.byteLength ? Math.max(needed, 2 * view.byteLength) : needed);
        const length = carried + encoder.encodeInto(chunk, buffer.subarray(carried)).written;
        at = end;
        if (at === text.length) return total + wasm.countBuffer(0, length);
        total += wasm.countChunk(0, length);
        carried = wasm.carried();
      }
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
