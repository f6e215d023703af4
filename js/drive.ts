/**
 * The effect loop: the core says what it needs, this carries it out with the host's callbacks and hands the answers back.
 * Abort, timeouts and progress live here and nowhere else.
 */

import { EspalierError } from "./errors.ts";
import type { CompactProgress, Llm, LlmReply, LlmRequest } from "./types.ts";

/** One effect as the core numbers it. */
interface Ask {
  id: number;
  effect: { type: "callModel" } & Omit<LlmRequest, "id" | "messages">;
}
type Step<D> = { type: "ask"; effects: Ask[] } | { type: "done"; result: D };
type Answer =
  | { type: "model"; text: string; finishReason?: string }
  | { type: "failed"; reason: string; kind: "error" | "timeout" }
  | { type: "cancelled" };

/** An operation of the core. `poll` and `resume` go through the engine, so they throw `EspalierError`s. */
export interface Operation<D> {
  poll(): Step<D>;
  resume(id: number, answer: Answer): void;
}

export interface Callbacks {
  llm?: Llm | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds for each model call. */
  timeout: number;
  onProgress?: ((event: CompactProgress) => void) | undefined;
  /** Receives what the provider reported. */
  onUsage?: (usage: Record<string, unknown>) => void;
}

/** Runs an operation to its end. A callback that throws or hangs is an answer like any other; only bugs throw here. */
export async function drive<D>(operation: Operation<D>, callbacks: Callbacks): Promise<D> {
  for (;;) {
    const step = operation.poll();
    if (step.type === "done") return step.result;
    await Promise.all(
      step.effects.map(async ({ id, effect }) => operation.resume(id, await callModel({ id, ...effect }, callbacks))),
    );
  }
}

async function callModel(effect: Ask["effect"] & { id: number }, callbacks: Callbacks): Promise<Answer> {
  const { llm, signal, timeout, onProgress, onUsage } = callbacks;
  // The core asks for a model only where it was told that there is one.
  if (!llm) return { type: "failed", reason: "no llm callback was given", kind: "error" };
  const { type: _, ...fields } = effect;
  const request: LlmRequest = {
    ...fields,
    messages: [
      { role: "system", content: fields.system },
      { role: "user", content: fields.prompt },
    ],
  };
  if (signal?.aborted) return { type: "cancelled" };
  onProgress?.({ type: "model", id: request.id, promptTokens: request.promptTokens });
  const controller = new AbortController();
  const cancelled = new Promise<Answer>((resolve) => {
    signal?.addEventListener("abort", () => (controller.abort(signal.reason), resolve({ type: "cancelled" })), { once: true });
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => {
      const reason = `the model did not answer within ${timeout} ms`;
      controller.abort(new EspalierError({ code: "timeout", message: reason }));
      resolve({ type: "failed", reason, kind: "timeout" });
    }, timeout);
  });
  // The callback may ignore its signal, so the race is what ends the wait; its late answer is dropped.
  const answer = Promise.resolve()
    .then(() => llm(request, { signal: controller.signal }))
    .then(
      (reply) => read(reply, onUsage),
      (error: unknown): Answer =>
        signal?.aborted ? { type: "cancelled" } : { type: "failed", reason: sentence(error), kind: "error" },
    );
  try {
    const first = await Promise.race([answer, cancelled, late]);
    if (first.type === "model") onProgress?.({ type: "answered", id: request.id, characters: first.text.length });
    return first;
  } finally {
    clearTimeout(timer);
  }
}

function read(reply: LlmReply | string, onUsage: Callbacks["onUsage"]): Answer {
  const { text, usage, finishReason } = typeof reply === "string" ? { text: reply } as LlmReply : reply ?? ({} as LlmReply);
  if (usage && typeof usage === "object") onUsage?.(usage);
  if (typeof text !== "string") {
    return { type: "failed", reason: "the llm callback must give a text or { text }", kind: "error" };
  }
  return finishReason === undefined ? { type: "model", text } : { type: "model", text, finishReason: String(finishReason) };
}

/** What a thrown value says, whatever it is. */
function sentence(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  try {
    return String(error);
  } catch {
    return "the llm callback threw something that cannot be shown";
  }
}
