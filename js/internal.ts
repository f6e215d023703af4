/** The core chunk of the package: what entries import from each other's side of the bundle. Not for hosts. */

export * from "./core.ts";
export { call, onFreshInstance, setLoader, wasm } from "./engine.ts";
export { init } from "./init.ts";
export { ensureEncoding, notFound, setVocabularyReader } from "./vocabulary.ts";
