/** The core chunk of `espalier/count`: what its entries import from each other's side of the bundle. Not for hosts. */

export * from "./count-public.ts";
export { call, canStart, setLoader, wasm, wasmNotFound } from "../engine/engine.ts";
export { init } from "../engine/init.ts";
export { notFound, provideVocabulary, setVocabularyReader } from "../engine/vocabulary.ts";
