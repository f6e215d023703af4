/** @jsxImportSource preact */
/** Applies the plan of a compaction, and takes that back. */

import type { Ran } from "../worker/questions.ts";
import { apply, redoEdit, undoEdit } from "./edits.ts";
import { edited, isBusy, recorded } from "./state.ts";
import { number } from "./words.ts";

export function Actions({ run }: { run: Ran }) {
  const canApply = run.plan?.status === "applied" && !isBusy.value;
  const kept = recorded.value?.run === run.run ? recorded.value.tokens : undefined;
  const more = (kept ?? 0) - run.after.total;
  return (
    <div class="actions">
      {canApply && kept !== undefined && (
        <p id="recorded">
          If you apply it, later requests start from {number(kept)} tokens
          {more > 0 &&
            `: ${number(more)} more than this request, because what only this request leaves out is decided anew each time`}
          .
        </p>
      )}
      <button type="button" id="apply" aria-disabled={!canApply} onClick={() => canApply && void apply()}>
        Apply
      </button>
      <button type="button" id="undo" aria-disabled={!edited.value?.canUndo} onClick={() => void undoEdit()}>
        Undo
      </button>
      <button type="button" id="redo" aria-disabled={!edited.value?.canRedo} onClick={() => void redoEdit()}>
        Redo
      </button>
    </div>
  );
}
