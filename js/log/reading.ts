/** The view of a log as a conversation in the host's format, for requests to the host's model. */

import type { Reading } from "../formats/adapter.ts";
import { readConversation } from "../formats/index.ts";
import type { NeutralMessage, PlanItem } from "../types/messages.ts";
import type { LogState } from "./state.ts";

/**
 * Returns the view as a reading. Its ids are those of the view, its messages those that the running request has: the
 * host's own objects where nothing changed. What a plan changes of a message that the view already changed is written
 * anew.
 */
export function viewReading(state: LogState<unknown>): Reading {
  const { plan, messages } = state.view();
  const neutral = readConversation(state.neutral(), { format: "espalier" });
  const inView = new Map<string, PlanItem[]>();
  for (const item of plan) {
    const id = item.type === "insert" ? item.message.id : item.id;
    inView.set(id, [...(inView.get(id) ?? []), item]);
  }
  const shown = (item: PlanItem): PlanItem[] => {
    if (item.type === "insert") return [item];
    const [own, ...more] = inView.get(item.id) ?? [];
    if (own && more.length === 0 && (item.type === "keep" || own.type === "keep")) {
      const joins = item.joins ?? own.joins;
      return [item.type === "keep" ? { ...own, ...(joins !== undefined && { joins }) } : item];
    }
    return (neutral.rebuild([item]) as NeutralMessage[]).map((message) => ({ type: "insert", message }));
  };
  return {
    ...neutral,
    format: state.format,
    source: { input: messages, list: messages, name: "messages" },
    rebuild: (asked) => state.hosts.rebuild(asked.flatMap(shown)),
  };
}
