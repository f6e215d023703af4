/**
 * Texts over which the parser crashed. Its budget bounds its work, its memory and its depth, so there should be none,
 * but grammars are native code, those of hosts too. Such a text is folded by indentation from then on, as one that
 * takes too much work.
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

/** True if parsing this text crashed the engine. */
export function crashes(text: string, language: string | undefined): boolean {
  return crashing.some((known) => known.language === language && known.text === text);
}

/** Lets texts of a language be parsed again, because it has another grammar now. */
export function forgive(language: string): void {
  crashing = crashing.filter((known) => known.language !== language);
}

/** Forgets these texts: something else crashed the engine. */
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
