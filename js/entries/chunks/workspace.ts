/**
 * The core chunk of `espalier/search` and `espalier/inline-context`: what their entries import from each other's side
 * of the bundle. Not for hosts.
 */

export * from "../search-list.ts";
export * from "../storage-list.ts";
export * from "../inline-context.ts";
export { call, canStart, setAsyncLoader, setLoader, wasm, wasmNotFound } from "../../engine/engine.ts";
export { badInput, badOption, badValue } from "../../errors/errors.ts";
export { check, checkForeign, choice, items, need } from "../../options/check.ts";
export {
  vocabularyNotFound,
  provideVocabulary,
  setVocabularyLocator,
  setVocabularyReader,
} from "../../engine/vocabulary.ts";
export { judgeOf } from "../../search/sources/rules.ts";
