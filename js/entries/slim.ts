/** Neither engine nor vocabulary: the host passes both as bytes (`initSync`, `loadEncodingSync`) or URLs. */

export * from "../core.ts";
