/** Edits of the conversation: pins, applied plans, and what takes them back. */

import { ask } from "../app/ask.ts";
import { undoable } from "../app/history.ts";
import { changing } from "../app/shared-log.ts";
import { failure, opened, say } from "../app/state.ts";
import type { Failed } from "../talk.ts";
import type { Edited } from "../worker/questions.ts";
import { BY_ANOTHER, ran, showEdits } from "./state.ts";

type Change = "apply" | "pin" | "undo" | "redo";

async function change(make: () => Promise<Edited>, what: Change, done: string): Promise<boolean> {
  const { id } = opened.value ?? {};
  try {
    await changing(async (newer) => {
      if (newer !== undefined) {
        showEdits(await ask("takeUp", { log: newer }));
        // It was meant for what was seen; a pin is meant for its message.
        if (what !== "pin") throw { code: "stale_plan", message: `${BY_ANOTHER} Look at them, then try again.` };
      }
      if (opened.value?.id !== id) throw { code: "stale_plan", message: "Something else is open now." };
      const { log, ...answer } = await make();
      showEdits(answer);
      return log;
    });
    if (what === "apply" || what === "pin") undoable(undoEdit);
    say(done, true);
    return true;
  } catch (error) {
    failure.value = error as Failed;
    return false;
  }
}

export const setPin = (message: number, isPinned: boolean) =>
  change(
    () => ask("pin", { message, isPinned }),
    "pin",
    isPinned
      ? `Message ${message + 1} is pinned: it stays whatever the budget.`
      : `Message ${message + 1} is not pinned any more.`,
  );
export const apply = () => {
  const run = ran.value?.run;
  return run === undefined
    ? Promise.resolve(false)
    : change(
        () => ask("apply", { run }),
        "apply",
        "Applied. The originals still exist: choose a row to read one, or undo.",
      );
};
export const undoEdit = () => change(() => ask("undo", {}), "undo", "Undone: the request is what it was.");
export const redoEdit = () => change(() => ask("redo", {}), "redo", "Done again.");
