/**
 * The effect loop: the core returns effects, and the loop carries them out with the host's callbacks and returns the
 * answers. Aborts, timeouts and progress are handled only here.
 */

import { onAbort } from "../errors/abortable.ts";
import { EspalierError } from "../errors/errors.ts";
import { isFields } from "../formats/values.ts";
import type { Clock } from "../providers/types.ts";
import type {
  CompactHooks,
  CompactOptions,
  Trigger,
  HostBlock,
  PostCompactEvent,
  PreCompactEvent,
} from "../types/compact.ts";
import type { CompactProgress } from "../types/compact-report.ts";
import type { Llm, LlmReply, LlmRequest } from "../types/llm.ts";
import type { PlanItem } from "../types/messages.ts";

/** One effect, with the number that the core gave it. */
interface Ask {
  id: number;
  effect: ModelEffect | HookEffect | { type: "readFile"; path: string };
}
export type ModelEffect = { type: "callModel"; messages: PlanItem[]; withTools: boolean; signatures?: boolean } & Pick<
  LlmRequest,
  "purpose" | "shape" | "system" | "prompt" | "promptTokens" | "maxTokens" | "temperature"
>;
type HookEffect = { type: "runHook"; name: "preCompact" | "postCompact" } & Record<string, unknown>;
/** What the core asks next, or its result. `timeouts` are the profile's, in milliseconds. */
export type Step<D> =
  | { type: "ask"; effects: Ask[]; timeouts: { model: number; hook: number; twoTriggers: boolean } }
  | { type: "done"; result: D };
/** `code` is that of the error; the core knows what it means for requests. */
type Failed = { type: "failed"; reason: string; code?: string; limit?: number };
export type HookAnswer = { type: "hook"; instructions?: string; keep: string[]; blocks: HostBlock[]; skip: boolean };
export type Answer =
  | { type: "model"; text: string; finishReason?: string }
  | HookAnswer
  | { type: "file"; text: string }
  | Failed
  | { type: "cancelled" };

/** Answers an effect. Returns the next step once all effects of a step are answered. Throws `EspalierError`s. */
export type Resume<D> = (id: number, answer: Answer) => Step<D> | undefined;

export interface Callbacks {
  llm?: Llm | undefined;
  /** Makes the request for the host's model, without the signal. */
  request: (effect: ModelEffect) => Omit<LlmRequest, "id" | "signal">;
  signal?: AbortSignal | undefined;
  /** Timeout of each model call, in milliseconds, instead of the profile's. */
  timeoutMs: number | undefined;
  onProgress?: ((event: CompactProgress) => void) | undefined;
  /** Receives the usage that the provider reported. */
  onUsage?: (usage: Record<string, unknown>) => void;
  onRequestId?: (id: string | undefined, service: string | undefined) => void;
  /** Receives the HTTP status of a failed request, if its error has one. */
  onStatus?: (status: number) => void;
  hooks?: CompactHooks | undefined;
  /** Checks and converts the reply of a hook; throws if it is invalid. */
  readHookReply: (given: unknown) => HookAnswer;
  readFile?: CompactOptions["readFile"];
  /** Timeout of each hook and each file, in milliseconds, instead of the profile's. */
  hookTimeoutMs: number | undefined;
  /** The timer for these timeouts. */
  after: Clock["after"];
}

/**
 * Runs an operation from its first step to its end. If a callback throws or times out, the core receives that as its
 * answer; only bugs throw here.
 */
export async function drive<D>(first: Step<D>, resume: Resume<D>, callbacks: Callbacks): Promise<D> {
  let step = first;
  while (step.type === "ask") {
    const { effects, timeouts } = step;
    const { timeoutMs = timeouts.model, hookTimeoutMs = timeouts.hook } = callbacks;
    const host = { ...callbacks, timeoutMs, hookTimeoutMs, twoTriggers: timeouts.twoTriggers };
    const next = await Promise.all(effects.map(async (ask) => resume(ask.id, await carryOut(ask, host))));
    step = next.find((step) => step !== undefined)!;
  }
  return step.result;
}

/** The callbacks with the timeouts of the profile. */
type Host = Callbacks & { timeoutMs: number; hookTimeoutMs: number; twoTriggers: boolean };

function carryOut({ id, effect }: Ask, callbacks: Host): Promise<Answer> {
  if (effect.type === "callModel") return callModel(id, effect, callbacks);
  if (effect.type === "runHook") return runHook(effect, callbacks);
  return readFile(effect.path, callbacks);
}

async function callModel(id: number, effect: ModelEffect, callbacks: Host): Promise<Answer> {
  const { llm, timeoutMs, after, onProgress, onUsage, onRequestId } = callbacks;
  // The core calls the model only if the operation was started with one.
  if (!llm) return { type: "failed", reason: "no llm callback was passed" };
  if (callbacks.signal?.aborted) return { type: "cancelled" };
  let fields: ReturnType<Callbacks["request"]>;
  try {
    fields = callbacks.request(effect);
  } catch (error) {
    return { type: "failed", reason: sentence(error), code: "unavailable" };
  }
  onProgress?.({ type: "model", id, promptTokens: fields.promptTokens });
  const late = `the model did not answer within ${timeoutMs} ms`;
  const answer = await callWithTimeout(
    timeoutMs,
    late,
    callbacks.signal,
    async (signal) => {
      try {
        return readReply(await llm({ id, ...fields, signal }, { signal }));
      } catch (error) {
        const status = statusOf(error);
        if (status !== undefined) callbacks.onStatus?.(status);
        throw error;
      }
    },
    after,
  );
  if ("usage" in answer) {
    const { usage, requestId, serviceRequestId, ...model } = answer;
    if (usage) onUsage?.(usage);
    if (requestId !== undefined || serviceRequestId !== undefined) onRequestId?.(requestId, serviceRequestId);
    if (model.type === "model") onProgress?.({ type: "answered", id, characters: model.text.length });
    return model;
  }
  return answer;
}

async function runHook({ type: _, name, ...told }: HookEffect, callbacks: Host): Promise<Answer> {
  const { hooks, hookTimeoutMs, after, onProgress, signal, readHookReply, twoTriggers } = callbacks;
  const event = { ...told, trigger: triggerForHooks(told["trigger"] as Trigger, twoTriggers) };
  const answer = await callWithTimeout(
    hookTimeoutMs,
    `the hook ${name} did not end within ${hookTimeoutMs} ms`,
    signal,
    async (signal) => {
      const given: unknown =
        name === "preCompact"
          ? await hooks?.preCompact?.(event as unknown as PreCompactEvent, { signal })
          : await hooks?.postCompact?.(event as unknown as PostCompactEvent, { signal });
      return readHookReply(name === "preCompact" ? given : undefined);
    },
    after,
  );
  if (answer.type !== "cancelled") {
    const failed = answer.type === "failed" ? answer : undefined;
    const outcome = !failed ? "done" : failed.code === "timeout" ? "timeout" : "failed";
    onProgress?.({ type: "hook", name, outcome, ...(failed && { why: failed.reason }) });
  }
  return answer;
}

/** Returns the trigger that hooks receive. */
export function triggerForHooks(trigger: Trigger, twoTriggers: boolean): Trigger | "auto" {
  if (!twoTriggers) return trigger;
  return trigger === "manual" || trigger === "range" ? "manual" : "auto";
}

async function readFile(path: string, { readFile, hookTimeoutMs, after, signal }: Host): Promise<Answer> {
  return callWithTimeout(
    hookTimeoutMs,
    `${path} was not read within ${hookTimeoutMs} ms`,
    signal,
    async (signal): Promise<Answer> => {
      const text: unknown = await readFile?.(path, { signal });
      if (typeof text === "string") return { type: "file", text };
      const isAbsent = text === undefined || text === null;
      return { type: "failed", reason: isAbsent ? "there is no such file" : "readFile must return a text" };
    },
    after,
  );
}

type Ending = Failed | { type: "cancelled" };

/**
 * Waits for a callback until it ends, its timeout is over or `signal` is aborted. The callback may ignore its own
 * signal; its late answer is dropped.
 */
export async function callWithTimeout<T>(
  timeout: number,
  late: string,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  after: Clock["after"],
): Promise<T | Ending> {
  if (outer?.aborted) return { type: "cancelled" };
  const controller = new AbortController();
  let callOff: (() => void) | undefined;
  let unheard: (() => void) | undefined;
  const ended = new Promise<Ending>((resolve) => {
    unheard = onAbort(outer, () => {
      controller.abort(outer?.reason);
      resolve({ type: "cancelled" });
    });
    callOff = after(timeout, () => {
      controller.abort(new EspalierError({ code: "timeout", message: late }));
      resolve({ type: "failed", reason: late, code: "timeout" });
    });
  });
  const answer = Promise.resolve()
    .then(() => work(controller.signal))
    .catch((error: unknown): Ending => (outer?.aborted ? { type: "cancelled" } : failure(error)));
  try {
    return await Promise.race([answer, ended]);
  } finally {
    callOff?.();
    unheard?.();
  }
}

/**
 * Max length of a reply that is read, in UTF-16 code units: four times the length of 128,000 tokens of a model that
 * repeats itself.
 */
const MAX_REPLY = 2_000_000;

function readReply(reply: LlmReply | string): (Extract<Answer, { type: "model" }> | Failed) & {
  usage: Record<string, unknown> | undefined;
  requestId: string | undefined;
  serviceRequestId: string | undefined;
} {
  const {
    text: given,
    usage: reported,
    finishReason,
    ...ids
  } = typeof reply === "string" ? ({ text: reply } as LlmReply) : (reply ?? ({} as LlmReply));
  const text = given === null ? "" : given;
  const usage = usageIn(reported);
  const nonEmpty = (id: unknown) => (typeof id === "string" && id !== "" ? id : undefined);
  const [requestId, serviceRequestId] = [nonEmpty(ids.requestId), nonEmpty(ids.serviceRequestId)];
  if (typeof text !== "string") {
    return {
      type: "failed",
      reason: "the llm callback must return a text or { text }",
      usage,
      requestId,
      serviceRequestId,
    };
  }
  if (text.length > MAX_REPLY) {
    const reason = `the reply has ${text.length} characters; a summary of more than ${MAX_REPLY} is not read`;
    return { type: "failed", reason, usage, requestId, serviceRequestId };
  }
  return {
    type: "model",
    text,
    ...(finishReason !== undefined && finishReason !== null && { finishReason: String(finishReason) }),
    usage,
    requestId,
    serviceRequestId,
  };
}

/** Returns a copy of reported usage; nothing for what JSON cannot hold, since logs keep it. */
function usageIn(reported: unknown): Record<string, unknown> | undefined {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(reported) ?? "null");
    return isFields(copy) ? copy : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the HTTP status of an error of an SDK or of this package's providers. */
function statusOf(error: unknown): number | undefined {
  try {
    const { status, statusCode, details } = (typeof error === "object" && error !== null ? error : {}) as {
      status?: unknown;
      statusCode?: unknown;
      details?: { status?: unknown };
    };
    return [status, statusCode, details?.status].find((value): value is number => Number.isInteger(value));
  } catch {
    return undefined;
  }
}

/** Converts any thrown value to a failure. */
function failure(error: unknown): Ending {
  const reason = sentence(error);
  try {
    const { code, details } = (typeof error === "object" && error !== null ? error : {}) as {
      code?: unknown;
      details?: { limit?: unknown };
    };
    const limit = details?.limit;
    return {
      type: "failed",
      reason,
      ...(typeof code === "string" && { code }),
      ...(typeof limit === "number" && { limit }),
    };
  } catch {
    return { type: "failed", reason };
  }
}

function sentence(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message || error.name);
    return String(error);
  } catch {
    return "the callback threw a value that cannot be shown";
  }
}
