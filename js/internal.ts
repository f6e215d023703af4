/** The core chunk of the package: what entries import from each other's side of the bundle. Not for hosts. */

export * from "./core.ts";
export { badOption } from "./errors.ts";
export { call, onFreshInstance, ready, setAsyncLoader, setLoader, wasm } from "./engine.ts";
export { summarizeCompatible } from "./documents/compatible.ts";
export { reduceCompatible } from "./documents/changed.ts";
export { grammarNotFound, setGrammarLocator, setGrammarReader } from "./documents.ts";
export { init } from "./init.ts";
export { ensureEncoding, loadNeeded, notFound, setVocabularyLocator, setVocabularyReader } from "./vocabulary.ts";
export { countText } from "./tokens.ts";
export { readConversation, sourceOf } from "./adapters/index.ts";
