/** The core chunk of `espalier/count`: what its entries import from each other's side of the bundle. Not for hosts. */

export * from "../count.ts";
export { call, canStart, setAsyncLoader, setLoader, wasm, wasmNotFound } from "../../engine/engine.ts";
export {
  vocabularyNotFound,
  provideVocabulary,
  setVocabularyLocator,
  setVocabularyReader,
} from "../../engine/vocabulary.ts";
