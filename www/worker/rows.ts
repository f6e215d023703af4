/** The rows of a run: all messages of the conversation, those that edits hide already, and the inserted ones. */

import type { MessageFate } from "../../js/types/prune.ts";
import type { Held } from "./held.ts";
import { FATES, ROLES } from "./questions.ts";
import type { Rows } from "./questions.ts";

const HIDDEN = FATES.indexOf("hidden");

/** `fates` are those of the view; messages that the view lacks get rows before the next one that it has. */
export function rowsOf({ reading: { messages }, indexOf, log }: Held, fates: readonly MessageFate[]): Rows {
  const inserted = fates.reduce((sum, { id }) => (indexOf.has(id) ? sum : sum + 1), 0);
  const size = messages.length + inserted;
  const rows: Rows = {
    index: new Int32Array(size),
    roles: new Uint8Array(size),
    fates: new Uint8Array(size),
    before: new Uint32Array(size),
    after: new Uint32Array(size),
  };
  let row = 0;
  let next = 0;
  const add = (index: number, role: string, fate: number, before: number, after: number) => {
    rows.index[row] = index;
    rows.roles[row] = Math.max(0, ROLES.indexOf(role as (typeof ROLES)[number]));
    rows.fates[row] = fate;
    rows.before[row] = before;
    rows.after[row] = after;
    row++;
  };
  const hide = (until: number) => {
    for (; next < until; next++) {
      const { id, role } = messages[next]!;
      add(next, role, HIDDEN, log?.counts(id).tokens ?? 0, 0);
    }
  };
  for (const { id, role, before, after, fate } of fates) {
    const index = indexOf.get(id);
    if (index === undefined) add(-1, role, FATES.indexOf(fate), before, after);
    else if (index >= next) {
      hide(index);
      next++;
      add(index, role, FATES.indexOf(fate), before, after);
    }
  }
  hide(messages.length);
  return row === size ? rows : cut(rows, row);
}

function cut({ index, roles, fates, before, after }: Rows, size: number): Rows {
  return {
    index: index.slice(0, size),
    roles: roles.slice(0, size),
    fates: fates.slice(0, size),
    before: before.slice(0, size),
    after: after.slice(0, size),
  };
}
