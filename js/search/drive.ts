/**
 * The effect loop of a search: the core lists the effects that it needs and until when; this loop carries them out and
 * returns the answers in any order. It cancels effects that the core no longer lists; an abort cancels all.
 */

import { call } from "../engine/engine.ts";
import { onAbort } from "../errors/abortable.ts";
import { EspalierError } from "../errors/errors.ts";
import type { Clock } from "../providers/types.ts";
import { workspace } from "../engine/workspace.ts";
import type { WorkspaceWasm } from "../engine/workspace.ts";
import type { PlanOutcome, SearchEffect, SearchStep } from "../types/generated/search.ts";

export interface ScoredHit {
  hit: number;
  score?: number | undefined;
}

/** The outcome of an effect. */
export type SearchReply =
  | { type: "whole"; hits: ScoredHit[]; tokens: number }
  | { type: "hits"; hits: ScoredHit[] }
  | { type: "keywords"; keywords: { keyword: string; variations: readonly string[] }[] }
  | { type: "order"; order: number[] }
  | { type: "read"; missing: number[] }
  | { type: "done" }
  | { type: "failed"; reason: string };

/** The input of the core's decisions; see `PlanOptions` in search/src/plan/options.rs. */
export interface PlanInput {
  query: string;
  files: number;
  tokens: number;
  vectors: number;
  callbacks: { remote: boolean; embed: boolean; keywords: boolean; rerank: boolean };
  fullWorkspace: { files: number; tokens: number } | null;
  budget: number;
  maxResults: number;
  maxSpread: number | null;
  minSimilarityShare: number;
  combine: "race" | "fuse";
  rrfK: number;
  timeouts: { remote: number; embeddings: number; keywords: number; rerank: number; read: number };
}

/** Carries an effect out. Its error is the reason why the effect failed. */
export type CarryOut = (effect: SearchEffect, signal: AbortSignal) => Promise<SearchReply>;

/**
 * Runs a search to its end.
 *
 * @throws the signal's reason if it is aborted; EspalierError if the engine crashes
 */
export function drive(
  input: PlanInput,
  carryOut: CarryOut,
  signal: AbortSignal | undefined,
  clock: Pick<Clock, "now" | "after">,
): Promise<PlanOutcome> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const plan = new Plan(input);
    const running = new Map<number, AbortController>();
    let callOff: (() => void) | undefined;
    let isOver = false;

    const end = (reason: unknown) => {
      isOver = true;
      callOff?.();
      unheard();
      plan.free();
      for (const controller of running.values()) controller.abort(reason);
      running.clear();
    };
    const abort = () => {
      end(signal?.reason);
      reject(signal?.reason);
    };
    const start = (id: number, effect: SearchEffect) => {
      const controller = new AbortController();
      running.set(id, controller);
      // A callback may throw before it returns a promise.
      Promise.resolve()
        .then(() => carryOut(effect, controller.signal))
        .catch((error: unknown): SearchReply => ({ type: "failed", reason: messageOf(error) }))
        .then((reply) => {
          if (isOver || running.get(id) !== controller) return;
          running.delete(id);
          step(() => plan.resume(id, reply, clock.now()));
        });
    };
    const step = (before?: () => void) => {
      callOff?.();
      callOff = undefined;
      try {
        before?.();
        const next = plan.poll(clock.now());
        if (next.type === "done") {
          end(unneeded());
          return resolve(next.result);
        }
        const open = new Set(next.effects.map(({ id }) => id));
        for (const [id, controller] of running) {
          if (open.has(id)) continue;
          running.delete(id);
          controller.abort(unneeded());
        }
        for (const { id, effect } of next.effects) if (!running.has(id)) start(id, effect);
        if (next.nextMs !== undefined) callOff = clock.after(Math.max(0, next.nextMs - clock.now()), () => step());
      } catch (error) {
        end(error);
        reject(error);
      }
    };
    const unheard = onAbort(signal, abort);
    step();
  });
}

function unneeded(): EspalierError {
  return new EspalierError({ code: "cancelled", message: "The search does not need this answer any more." });
}

/** The core's half of one search. */
class Plan {
  private readonly instance: WorkspaceWasm;
  private readonly handle: InstanceType<WorkspaceWasm["SearchPlan"]>;

  constructor(input: PlanInput) {
    const instance = workspace();
    this.instance = instance;
    this.handle = call(() => new instance.SearchPlan(json(input)));
  }

  poll(now: number): SearchStep {
    return JSON.parse(this.use(() => this.handle.poll(now))) as SearchStep;
  }

  /** An answer that is no longer pending changes nothing. */
  resume(id: number, reply: SearchReply, now: number): void {
    this.use(() => this.handle.resume(id, json(reply), now));
  }

  free(): void {
    if (this.instance === workspace()) this.handle.free();
  }

  private use<T>(run: () => T): T {
    return call(() => {
      if (this.instance === workspace()) return run();
      throw new EspalierError({
        code: "engine_crashed",
        message: "The engine crashed during the search; search again.",
      });
    });
  }
}

/** Returns JSON without lone surrogates, which the core's reader refuses. */
function json(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "string" ? item.replace(/\p{Surrogate}/gu, "\ufffd") : item,
  );
}

/** Returns a message for any thrown value. */
export function messageOf(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message || error.name : String(error);
    return text === "" ? "it threw an empty text" : text;
  } catch {
    return "it threw something that cannot be shown";
  }
}
