/** Turns the core's report of a limit that cannot be met into the host's error. */

import { BudgetExceededError } from "./budget-error.ts";
import { ChatRole } from "../formats/raw/prompt.ts";
import type { RenderNode } from "./render-tree.ts";
import type { Failure, Session } from "./session.ts";
import { survivors } from "./survivors.ts";

/** `convert` turns the messages into the host's form. */
export function budgetError(
  session: Session,
  failure: Failure,
  convert: (messages: any[]) => any[],
): BudgetExceededError {
  const { nodes } = session;
  const { limit, allowed, needed, largest } = failure;
  const details = {
    limit: readable(nodes[limit]),
    budget: allowed,
    needed,
    largest: largest.map(([node, tokens]) => ({ path: readable(nodes[node]), tokens })),
  };
  return new BudgetExceededError(details, survivors(session).metadata, convert(session.original()));
}

/** Returns the names from the root to a node; messages are named by their role. */
export function readable(node: RenderNode | undefined): string {
  const names: string[] = [];
  for (let at: RenderNode | undefined = node; at; at = at.parent) {
    if (at.type !== "element") continue;
    names.unshift(at.kind === "message" ? ChatRole.display(at.props.role as ChatRole) : (at.name ?? "(anonymous)"));
  }
  return names.join(" -> ");
}
