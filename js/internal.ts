/** The core chunk of the package: what entries import from each other's side of the bundle. Not for hosts. */

export * from "./core.ts";
export { badOption, CodedError } from "./errors.ts";
export { call, canStart, onFreshInstance, ready, setAsyncLoader, setLoader, wasm, wasmNotFound } from "./engine.ts";
export { summarizeCompatible } from "./documents/compatible.ts";
export { grammarNotFound, setFileReader, setGrammarFile, setGrammarLocator, setGrammarReader } from "./documents.ts";
export { init } from "./init.ts";
export { setSearchLoader } from "./log/loader.ts";
export { ensureEncoding, loadNeeded, notFound, provideVocabulary, setVocabularyLocator, setVocabularyReader } from "./vocabulary.ts";
export { countText } from "./tokens.ts";
export { FORMATS, genuine, isThought, readConversation, sourceOf } from "./adapters/index.ts";
export { hostClasses, setVSCode, vscodeClasses } from "./adapters/vscode-classes.ts";
export { namesOf } from "./conversation/names.ts";
export { encodingOf } from "./count/text.ts";
export { PROVIDERS } from "./validity.ts";
