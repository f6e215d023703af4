/** The core chunk of `espalier/count`: what its entries import from each other's side of the bundle. Not for hosts. */

export * from "./public.ts";
export { call, canStart, setLoader, wasm, wasmNotFound } from "../engine.ts";
export { init } from "../init.ts";
export { notFound, provideVocabulary, setVocabularyReader } from "../vocabulary.ts";
