/**
 * What the worker does only when somebody asks for it, loaded together: files of their own would split what they share
 * with the first view into many small ones, which cost more than they save.
 */

export { compactAt } from "./compacting.ts";
export { applyRun, edited, logText, pin, recorded, redo, restoreLog, takeUp, undo } from "./edits.ts";
export { handRows } from "./hand-rows.ts";
export { openFile } from "./open-file.ts";
export { readTyped } from "./profiles.ts";
export { result } from "./result.ts";
export { savedPage } from "./saved-page.ts";
export { factsOf } from "./session-facts.ts";
export { linkOf, openLink } from "./sharing.ts";
