/** Reports a rendered tree to a tracer, which may then ask for the same tree at other budgets. */

import { explainAll } from "./explain.ts";
import { budgetError } from "./fail.ts";
import type { Session } from "./session.ts";
import type { ITokenizer } from "./tokenizer.ts";
import type { ITracer, ITraceRenderData } from "./tracer.ts";
import { materializedView } from "./view.ts";

/** What a tracer gets beside the tree. */
export interface Materialized {
  tokenizer: ITokenizer;
  /** The outcome of the render. */
  tokens: number;
  removed: number;
  /** True if somebody else explains the session, which then keeps the budget that it has. */
  isShared: boolean;
}

/** The session must live as long as the tracer can ask. */
export function materialize(
  tracer: ITracer,
  session: Session,
  { tokenizer, tokens, removed, isShared }: Materialized,
): void {
  const { budget } = session;
  let last = Promise.resolve();
  tracer.didMaterializeTree?.({
    budget,
    renderedTree: treeOf(session, tokens, removed),
    tokenizer,
    renderTree: (asked) => {
      // In sequence, since all budgets share the tree.
      const next = last.then(() => treeAt(session, asked, isShared));
      last = next.then(
        () => undefined,
        () => undefined,
      );
      return next;
    },
  });
}

async function treeAt(session: Session, asked: number, isShared: boolean): Promise<ITraceRenderData> {
  const { budget } = session;
  await session.recut(asked);
  try {
    const { failure, tokens, removed } = session.outcome();
    const tree = treeOf(session, tokens, removed);
    if (!failure) return tree;
    throw Object.assign(
      budgetError(session, failure, (raw) => raw),
      { trace: tree.trace },
    );
  } finally {
    if (isShared && asked !== budget) await session.recut(budget);
  }
}

function treeOf(session: Session, tokens: number, removed: number): ITraceRenderData {
  const { budget } = session;
  const reports = session.reports();
  const trace = { budget, tokens, nodes: explainAll(session, Number.POSITIVE_INFINITY, reports) };
  return { container: materializedView(session, reports), removed, budget, trace };
}
