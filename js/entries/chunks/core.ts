/** The core chunk of the package: what entries import from each other's side of the bundle. Not for hosts. */

export * from "../verbs.ts";
export * from "../tokens.ts";
export * from "../documents.ts";
export * from "../results.ts";
export * from "../cache.ts";
export * from "../storage-list.ts";
export * from "../log.ts";
export * from "../profiles.ts";
export { abortable, onAbort } from "../../errors/abortable.ts";
export { badInput, badOption, badValue, CodedError } from "../../errors/errors.ts";
export { isExceeded } from "../../errors/exceeded.ts";
export { check, checkForeign, choice, items, need } from "../../options/check.ts";
export {
  call,
  canStart,
  onFreshInstance,
  ready,
  setAsyncLoader,
  setLoader,
  wasm,
  wasmNotFound,
} from "../../engine/engine.ts";
export { summarizeCompatible } from "../../documents/compatible.ts";
export {
  grammarNotFound,
  setFileReader,
  setGrammarFile,
  setGrammarLocator,
  setGrammarReader,
} from "../../documents/grammars.ts";
export { setSearchLoader } from "../../log/loader.ts";
export {
  ensureEncoding,
  loadNeeded,
  vocabularyNotFound,
  provideVocabulary,
  setVocabularyLocator,
  setVocabularyReader,
} from "../../engine/vocabulary.ts";
export { countText } from "../../tokens/texts.ts";
export { loading } from "../../tokens/loading.ts";
export { fullPrices } from "../../tokens/usage.ts";
export { outputLimitOf } from "../../tokens/output-limits.ts";
export { requestOf } from "../../formats/convert.ts";
export { detect } from "../../formats/detect.ts";
export { FORMATS, genuine, isThought, readConversation } from "../../formats/index.ts";
export { usageFrom } from "../../providers/usage.ts";
export { chatReport } from "../../formats/openai/usage.ts";
export { sourceOf, withSource } from "../../formats/sources.ts";
export { hostClasses, setVSCode, vscodeClasses } from "../../formats/vscode/classes.ts";
export { namesOf } from "../../conversation/names.ts";
export { encodingOf } from "../../tokens/count.ts";
export { exceededBy, refuseExceeded, shownExceeded, smallerBudget } from "../../calls/request-limits.ts";
export { bodyBytes, mediaOf } from "../../validity/media.ts";
export { PROVIDERS, providerOf } from "../../validity/providers.ts";
