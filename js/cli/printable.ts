/** Makes foreign names and texts safe for a terminal. */

/** Control characters except tab and line ends, and marks that change the direction of a text. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;

/**
 * Returns the text with its control characters written as escapes, so that a file name cannot set the title of a
 * terminal, move its cursor or clear it.
 */
export function printable(text: string): string {
  return text.replace(CONTROLS, (letter) => {
    const code = letter.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
  });
}
