/** Functions of the host as the engine calls them: one wrapper for each, which remembers what the host returned. */

/** Max UTF-16 code units of the texts that are remembered for one function. */
const MAX_REMEMBERED = 4 << 20;

/** Returns a function that makes one wrapper for each function of the host, and returns the same one each time. */
export function eachOnce<F extends object, W>(wrap: (host: F) => W): (host: F | undefined) => W | undefined {
  const wrapped = new WeakMap<F, W>();
  return (host) => {
    if (host === undefined) return undefined;
    const known = wrapped.get(host);
    if (known !== undefined) return known;
    const made = wrap(host);
    wrapped.set(host, made);
    return made;
  };
}

/** Values by text. All are forgotten when their texts become too long together. */
export class Remembered<V> {
  private readonly values = new Map<string, V>();
  private units = 0;

  get(text: string): V | undefined {
    return this.values.get(text);
  }

  set(text: string, value: V): void {
    if (this.units > MAX_REMEMBERED) {
      this.values.clear();
      this.units = 0;
    }
    this.units += text.length;
    this.values.set(text, value);
  }
}
