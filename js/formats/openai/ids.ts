/** Ids that the reader of chat messages makes up for calls that have none. */

/** Begins the ids of calls of the old form, which have their function's name. */
export const OLD = "function:";

/** Returns the id of a call without one: its place in the conversation. */
export function madeUpId(message: number, call: number): string {
  return `call:${message}.${call}`;
}

/** True for the id of a result whose call has none. */
export function isMadeUp(id: string): boolean {
  return id === "" || /^call:\d+\.\d+$/.test(id);
}
