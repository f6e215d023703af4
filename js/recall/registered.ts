/** The recall tools that hosts made, by log: a record names the tool only if there is one. */

const names = new WeakMap<object, string>();

/** Remembers that the agent of this log has a recall tool of this name. */
export function registerRecallTool(log: object, name: string): void {
  names.set(log, name);
}

/** The name of the recall tool of a log, if one was made for it. */
export function recallToolOf(log: object): string | undefined {
  return names.get(log);
}
