/** Context windows of models, by name. */

/**
 * Patterns of names, and the window in tokens, input and output together. The first match counts. The table has only
 * families whose window differs from the default of 128,000 tokens. Source: the model pages of OpenAI and Anthropic, for
 * the default window of the models.
 */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4-32k/, 32_768],
  [/^gpt-4(-0314|-0613)?$/, 8_192],
  [/^gpt-3\.?5-turbo-(0301|0613|instruct)/, 4_096],
  [/^gpt-3\.?5(-turbo|$)/, 16_385],
  [/^claude-(instant|2\.0|2$)/, 100_000],
  [/^claude-/, 200_000],
];

/**
 * Returns the window of the model with this name, which may have the path of a router (`openai/gpt-4`); undefined if it
 * is not known.
 */
export function windowByName(name: string | undefined): number | undefined {
  const last = name?.slice(name.lastIndexOf("/") + 1).toLowerCase();
  return last === undefined ? undefined : WINDOWS.find(([pattern]) => pattern.test(last))?.[1];
}
