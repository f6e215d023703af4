/** Compactions on request: of the whole view or of a range, at once or first as a plan. */

import { onAbort } from "../errors/abortable.ts";
import { EspalierError } from "../errors/errors.ts";
import type { Compactor } from "./compactor.ts";
import { aborted, cancelled } from "./turns.ts";
import type { Context } from "./context.ts";
import type { Made } from "./maker.ts";
import type { Turns } from "./turns.ts";
import type { Trigger } from "../types/compact.ts";
import type { Compacted, ModelSwitch, Plan } from "./types.ts";

/** Ids of messages of the view, or of messages that it hides. */
export interface Range {
  from: string | undefined;
  to: string | undefined;
}

export interface Asked {
  focus?: string | undefined;
  signal?: AbortSignal | undefined;
}

export class ByHand<T> {
  private readonly c: Context<T>;
  private readonly compactor: Compactor<T>;
  private readonly turns: Turns;
  private running: AbortController | undefined;

  constructor(context: Context<T>, compactor: Compactor<T>, turns: Turns) {
    this.c = context;
    this.compactor = compactor;
    this.turns = turns;
  }

  async compact(trigger: "manual" | "range", { focus, signal }: Asked, range?: Range): Promise<Compacted> {
    for (const [path, id] of Object.entries(range ?? {})) {
      if (id !== undefined && typeof id !== "string")
        throw new EspalierError({ code: "bad_input", message: `${path} must be the id of a message`, path });
    }
    // A call from within a compaction, or beside one by hand, cannot wait for its end.
    if (this.running || this.c.inside.isInside) return this.unbegun("already_running", trigger);
    // Throws for impossible bounds before anything begins.
    this.shown(range);
    const running = new AbortController();
    this.running = running;
    const stop = () => running.abort(signal?.reason);
    if (signal?.aborted) stop();
    const unheard = onAbort(signal, stop);
    return this.turns
      .take(running.signal, async () => {
        // An earlier turn may have hidden them.
        const within = this.shown(range);
        const verdict = this.c.machine.verdict(this.c.requests);
        this.compactor.cancelJob();
        const look = this.c.look();
        this.compactor.start(trigger, look);
        const wanted = { focus, model: true, signal: running.signal, ...(within && { range: within }) };
        const made = await this.compactor.maker.make(trigger, wanted, look);
        const { compacted } = this.compactor.finish(
          running.signal.aborted ? { ...made, status: "cancelled", edits: [] } : made,
        );
        return { ...compacted, ...(verdict !== "try" && { bypassed: verdict }) };
      })
      .catch((error: unknown): Compacted => {
        // The abort ended the wait for an earlier turn.
        if (error instanceof EspalierError && error.code === "aborted") return this.unbegun("cancelled", trigger);
        throw error;
      })
      .finally(() => {
        unheard();
        this.running = undefined;
      });
  }

  /** Returns the result of a compaction that did not begin. */
  private unbegun(status: "already_running" | "cancelled", trigger: Trigger): Compacted {
    const totals = this.c.log.totals();
    return { status, trigger, retryable: true, edits: [], before: totals, after: totals };
  }

  /**
   * Returns the plan of a compaction; `summary` replaces the covered messages if given.
   *
   * @throws EspalierError `aborted` if the signal was aborted meanwhile
   */
  async plan(
    trigger: Trigger,
    wanted: Asked & { model: boolean; range?: Range; budget?: number },
    summary?: string,
  ): Promise<Plan<T>> {
    const made = await this.compactor.maker.make(trigger, { ...wanted, ...(summary !== undefined && { summary }) });
    if (wanted.signal?.aborted) throw aborted(wanted.signal);
    return this.planOf(made);
  }

  /**
   * Returns the plan that makes the view fit another model, or the reason why there is none.
   *
   * @throws EspalierError `aborted` if the signal was aborted meanwhile
   */
  async planSwitch(budget: number, signal?: AbortSignal): Promise<Pick<ModelSwitch<T>, "plan" | "reason">> {
    const made = await this.compactor.maker.make("model_switch", { model: false, budget, signal });
    if (signal?.aborted) throw aborted(signal);
    if (made.thrown && made.thrown.code !== "budget_exceeded") throw made.thrown;
    // Removals that only make one request fit have no lasting effect.
    if (made.edits.length > 0) return { plan: this.planOf(made) };
    const { code, message } = made.thrown ?? noPlanError(made);
    return { reason: { code: code as "budget_exceeded" | "nothing_to_compact" | "not_ready", message } };
  }

  private planOf(made: Made): Plan<T> {
    if (made.thrown) throw made.thrown;
    if (!made.report) throw noPlanError(made);
    const { edits, since, report, trigger } = made;
    return { status: report.status, trigger, edits, view: this.c.log.previewAdopted(edits, { since }), report, since };
  }

  /** Cancels the running compaction. Returns false if none runs. */
  cancel(): boolean {
    this.running?.abort(cancelled());
    return this.running !== undefined;
  }

  /** Converts a range to its current bounds in the view. */
  private shown(range: Range | undefined): Range | undefined {
    const within = range && { from: this.shownAt(range.from), to: this.shownAt(range.to) };
    if (within) this.inOrder(within);
    return within;
  }

  /** Returns the id of a message of the log in the view: its own, or that of the summary that replaces it. */
  private shownAt(id: string | undefined): string | undefined {
    if (id === undefined || id.endsWith(":summary") || id.endsWith(":reply")) return id;
    const by = this.c.log
      .recall(id)
      .find((found) => found.id === id && found.place === "covered")
      ?.by.at(-1);
    return by === undefined ? id : `${by}:summary`;
  }

  private inOrder({ from, to }: Range): void {
    const ids = this.c.log.view().plan.map((item) => (item.type === "insert" ? item.message.id : item.id));
    for (const [path, id] of Object.entries({ from, to })) {
      if (id !== undefined && !ids.includes(id))
        throw new EspalierError({
          code: "unknown_id",
          message: `there is no message ${JSON.stringify(id)} in the view`,
          path,
        });
    }
    if (from !== undefined && to !== undefined && ids.indexOf(from) > ids.indexOf(to))
      throw new EspalierError({ code: "bad_input", message: `${from} comes after ${to}`, path: "from" });
  }
}

/** Makes the error that explains why there is no plan. */
function noPlanError({ status, error = "there is nothing to compact" }: Made): EspalierError {
  return new EspalierError({ code: status === "not_ready" ? "not_ready" : "nothing_to_compact", message: error });
}
