/**
 * The core chunk of `espalier/search` and `espalier/inline-context`: what their entries import from each other's side of
 * the bundle. Not for hosts.
 */

export * from "../search/public.ts";
export * from "../inline-context/public.ts";
export { call, canStart, setAsyncLoader, setLoader, wasm, wasmNotFound } from "../engine.ts";
export { badOption } from "../errors.ts";
export { init } from "../init.ts";
export { notFound, provideVocabulary, setVocabularyLocator, setVocabularyReader } from "../vocabulary.ts";
export { checkShared, judgeOf } from "../search/sources/rules.ts";
