/** Remembers the recall tools of hosts, by log: a record names the tool only if there is one. */

const names = new WeakMap<object, string>();

/** Remembers that the agent of this log has a recall tool of this name. */
export function registerRecallTool(log: object, name: string): void {
  names.set(log, name);
}

/** Returns the name of the recall tool of a log, if one was made for it. */
export function recallToolOf(log: object): string | undefined {
  return names.get(log);
}
