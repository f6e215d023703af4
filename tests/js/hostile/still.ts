/**
 * Freezes everything reachable, so that a change of hosts' values throws. Without recursion: some of it is deeper than
 * the stack.
 */
export function still<T>(value: T): T {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const item = waiting.pop();
    if (typeof item !== "object" || item === null || seen.has(item)) continue;
    seen.add(item);
    try {
      if (Object.isFrozen(item)) continue;
      // Bytes cannot be frozen, and a signal changes by itself.
      if (ArrayBuffer.isView(item) || item instanceof AbortSignal) continue;
      for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(item))) waiting.push(inner);
      Object.freeze(item);
    } catch {
      // A revoked proxy cannot be changed either.
    }
  }
  return value;
}
