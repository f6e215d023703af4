/**
 * Remembers texts on which the parser crashed. The limits of a parse bound its work, memory and depth, so there should
 * be none, but grammars are native code and can come from the host. Such a text is folded by indentation from then on,
 * like a text that takes too much work.
 */

/** A text that was parsed. */
export interface Parsed {
  text: string;
  language: string | undefined;
}

/** Maximum number of texts that are kept, and of UTF-16 units in them. The last text is always kept. */
const MAX_TEXTS = 64;
const MAX_UNITS = 16 << 20;
let crashing: Parsed[] = [];

/** Returns whether parsing this text crashed the engine. */
export function crashes(text: string, language: string | undefined): boolean {
  return crashing.some((known) => known.language === language && known.text === text);
}

/** Allows parsing texts of a language again, since its grammar changed. */
export function forgive(language: string): void {
  crashing = crashing.filter((known) => known.language !== language);
}

/** Forgets texts that did not crash the engine after all. */
export function forgetCrashes(texts: readonly Parsed[]): void {
  crashing = crashing.filter(
    (known) => !texts.some(({ text, language }) => known.language === language && known.text === text),
  );
}

export function rememberCrash({ text, language }: Parsed): void {
  crashing.push({ text, language });
  let units = crashing.reduce((sum, known) => sum + known.text.length, 0);
  while (crashing.length > 1 && (crashing.length > MAX_TEXTS || units > MAX_UNITS))
    units -= crashing.shift()!.text.length;
}
