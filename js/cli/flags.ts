/** Renames options to their flags on the command line. */

/** Options with another name on the command line. */
const NAMES: Readonly<Record<string, string>> = {
  keep: "pin",
  lineNumbers: "lines",
  lifetime: "ttl",
  paceMs: "pace",
};

/** Replaces the options in an error message by the flags that the user typed. */
export function flagged(message: string, flags: readonly string[]): string {
  const renamed = message.replace(
    /\b(?:options|documents\[\d+\])\.(\w+)(?:\[\d+\])?/g,
    (option: string, name: string) => {
      const flag = NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return flags.includes(flag) ? `--${flag}` : option;
    },
  );
  // A flag is not a place in the input.
  return renamed.replace(/ \(at (--[\w-]+)\)$/, " (see $1)");
}
