/**
 * The two modules that the tests of this folder compare. With `SUBJECT=reference` in the environment the reference
 * replaces ours, which shows that the tests state the reference's behaviour.
 */

import { materialized, peer, VSCodeTokenizer } from "./peer.ts";

/** A module with the names of `@vscode/prompt-tsx`; untyped, since the two declare them separately. */
export type Subject = { readonly name: "reference" | "ours" } & Record<string, any>;

export const reference: Subject = {
  ...peer,
  BudgetExceededError: materialized.BudgetExceededError,
  VSCodeTokenizer,
  name: "reference",
};

/** True while the tests run on the reference itself. */
export const rehearsal = process.env.SUBJECT === "reference";

export const ours: Subject = rehearsal ? reference : { ...(await loadOurs()), name: "ours" };

async function loadOurs(): Promise<Record<string, any>> {
  return (await import(new URL("../../../pkg/dist/prompt-tsx-node.js", import.meta.url).href)) as Record<string, any>;
}
