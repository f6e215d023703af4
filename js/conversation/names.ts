/** Maps the messages of a view to ids of the log, even if neighbours were joined. */

import type { LogView } from "../log/types.ts";

/** Returns the log's ids of each message of a view. `original` finds the host's own object of an id. */
export function namesOf<T>(
  { plan, messages }: Pick<LogView<T>, "plan" | "messages">,
  original: (id: string) => T | undefined,
): string[][] {
  const ids = plan.map((item) => (item.type === "insert" ? item.message.id : item.id));
  if (ids.length === messages.length) return ids.map((id) => [id]);
  const own = new Map(plan.flatMap((item, at) => (item.type === "keep" ? [[original(item.id), at] as const] : [])));
  const names: string[][] = messages.map(() => []);
  // Messages between two of the host's own objects were made from the items in between.
  let [item, made] = [0, 0];
  const close = (message: number, upTo: number) => {
    const run = ids.slice(item, upTo);
    for (let at = made; at < message; at += 1) names[at] = run.length === message - made ? [run[at - made]!] : run;
  };
  messages.forEach((message, number) => {
    const at = own.get(message);
    if (at === undefined || at < item) return;
    close(number, at);
    names[number] = [ids[at]!];
    [item, made] = [at + 1, number + 1];
  });
  close(messages.length, ids.length);
  return names;
}
