/** Decides which lines of a Codex rollout are items of a request. */

import { word } from "./draft.ts";
import type { Fields } from "./draft.ts";

/** Items that a request contains. Everything else in a rollout is for Codex itself, or a note between agents. */
const ITEM = /^(message|reasoning|compaction|compaction_summary|context_compaction)$|_call$|_output$/;
const ROLES = new Set(["user", "assistant", "system", "developer"]);

export function isItem({ type, role }: Fields): boolean {
  return typeof type === "string" && ITEM.test(type) && (type !== "message" || ROLES.has(word(role)));
}
