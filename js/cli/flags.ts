/** What the package calls an option, as it is typed on the command line. */

/** Options that go by another name here. */
const NAMES: Readonly<Record<string, string>> = { lineNumbers: "lines" };

/** A message with the flags that somebody typed in the place of the options that the package was given. */
export function flagged(message: string, flags: readonly string[]): string {
  const renamed = message.replace(/\b(?:options|documents\[\d+\])\.(\w+)/g, (option: string, name: string) => {
    const flag = NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return flags.includes(flag) ? `--${flag}` : option;
  });
  // A flag is no place in the input.
  return renamed.replace(/ \(at (--[\w-]+)\)$/, " (see $1)");
}
