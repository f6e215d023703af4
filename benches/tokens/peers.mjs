// The tokenizers, each with the same small interface: `load()` returns `{ count, forget?, memory? }` for o200k_base.

import { readFileSync } from "node:fs";

/** The package as it is shipped: `npm run build` makes it in `pkg/`. */
const dist = process.env.ESPALIER_DIST
  ? new URL(`file://${process.env.ESPALIER_DIST}/`)
  : new URL("../../pkg/dist/", import.meta.url);

export const peers = {
  async espalier() {
    const [{ count }, { clearCache }, { wasm }] = await Promise.all([
      import(new URL("index-node.js", dist)),
      import(new URL("tokens-node.js", dist)),
      import(new URL("core.js", dist)),
    ]);
    // Counts of whole texts are cached; `forget` makes sure that the encoder is measured, not the cache.
    return { count, forget: clearCache, memory: () => wasm().inputView(1).buffer.byteLength };
  },
  async "espalier/count"() {
    const [{ clearCache, count }, { wasm }] = await Promise.all([
      import(new URL("count-node.js", dist)),
      import(new URL("count-core.js", dist)),
    ]);
    return { count, forget: clearCache, memory: () => wasm().inputView(1).buffer.byteLength };
  },
  /** Compiled by `run.mjs` from `tiktoken-rs/`, if there is a Rust tool chain. */
  async "tiktoken-rs"() {
    const { initSync, count } = await import(new URL("tiktoken-rs/pkg/tiktoken_rs_bench.js", import.meta.url));
    initSync({ module: readFileSync(new URL("tiktoken-rs/pkg/tiktoken_rs_bench_bg.wasm", import.meta.url)) });
    return { count };
  },
  async "gpt-tokenizer"() {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    const options = { disallowedSpecial: new Set() };
    return { count: (text) => countTokens(text, options) };
  },
  async "ai-tokenizer"() {
    const [{ Tokenizer }, encoding] = await Promise.all([
      import("ai-tokenizer"),
      import("ai-tokenizer/encoding/o200k_base"),
    ]);
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
    const [{ Tiktoken }, ranks] = await Promise.all([
      import("js-tiktoken/lite"),
      import("js-tiktoken/ranks/o200k_base"),
    ]);
    const tokenizer = new Tiktoken(ranks.default);
    return { count: (text) => tokenizer.encode(text, [], []).length };
  },
};
