/** What views do to the opened file that is not needed before they are shown. */

import { autoBudget, budget, opened } from "./state.ts";
import type { Opened } from "./state.ts";
import { saveFile } from "./store.ts";

/** Puts the edited text of the opened file in its place: other views show it, and it survives a reload. */
export function editFile(before: File, text: string): File | undefined {
  const thing = opened.value;
  if (!thing || !("file" in thing) || thing.file !== before) return undefined;
  const name = before.name.slice(before.name.lastIndexOf("/") + 1);
  const file = new File([text], name);
  opened.value = { ...thing, name, file, from: { file } };
  void saveFile({ name, file });
  return file;
}

/** The opened thing that has a budget of its own. */
let budgetedFor: number | undefined;

/** Sets the budget with which a thing opens, unless its address or an earlier view has set one. */
export function startWith(thing: Exclude<Opened, { kind: "conversation" }>, tokens: number): void {
  if (budgetedFor === thing.id) return;
  budgetedFor = thing.id;
  if (thing.budget === undefined) autoBudget.value = budget.value = tokens;
}
