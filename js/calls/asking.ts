/**
 * Prepares `compact`'s requests to the host's model and hooks: checks options, converts requests to the host's format,
 * reads the replies of hooks.
 */

import { maxOutputOf, modelOf } from "./limits.ts";
import { toolsOf } from "../formats/tools.ts";
import type { Reading } from "../formats/adapter.ts";
import { RULES } from "../formats/index.ts";
import { isLostCall } from "../formats/reasoning-ids.ts";
import type { Fields } from "../formats/values.ts";
import type { HookAnswer, ModelEffect } from "../engine/drive.ts";
import { providerOf } from "../validity/providers.ts";
import { wireSendable } from "./wire-repair.ts";
import type { CompactOptions, HostBlock, PreCompactWish } from "../types/compact.ts";
import type { LlmRequest } from "../types/llm.ts";
import type { PlanItem } from "../types/messages.ts";
import { defined } from "../options/data.ts";
import { checkForeign } from "../options/check.ts";
import { HOOK_REPLY } from "../options/schemas/compaction.ts";

/**
 * Returns the options of {@link CompactOptions} for asking the model, in the core's form, with all fields set.
 */
export function asking(options: CompactOptions) {
  const { focus, force, trigger, shape, llmModel, hooks, readFile, recallTool, transcript } = options;
  const { name: asked } = modelOf(llmModel);
  return {
    trigger: trigger ?? (force || focus ? "manual" : "overflow"),
    shape,
    cacheWarm: options.cacheWarm ?? false,
    strict: options.strict ?? false,
    askedModel: asked,
    modelRules: (options.modelRules ?? []).map((rule) => ({
      exact: false,
      textOnly: false,
      keepGoing: false,
      ...defined(rule),
    })),
    instructions: [options.instructions ?? []].flat(),
    preHook: hooks?.preCompact !== undefined,
    postHook: hooks?.postCompact !== undefined,
    blocks: (options.blocks ?? []).map(hostBlock),
    transcript: breadcrumb(transcript, recallTool),
    readsFiles: readFile !== undefined,
    isHandover: false,
  };
}

/** Returns the fields of a block that cross; the host's block may have others. */
const hostBlock = ({ kind, title, text }: HostBlock): HostBlock => ({
  kind,
  ...(title !== undefined && { title }),
  text,
});

function breadcrumb(transcript: CompactOptions["transcript"], recall: string | undefined) {
  if (transcript === undefined) return recall === undefined ? undefined : { recall };
  const { path, lines, tool, argument } = transcript;
  return { path, lines, tool, argument, recall };
}

/** Returns the request for the host's model, in the conversation's own format. */
export function llmRequest(
  reading: Reading,
  { tools: given, jobId, provider, model, llmModel = model }: CompactOptions,
  effect: ModelEffect,
): Omit<LlmRequest, "id" | "signal"> {
  const {
    type: _,
    messages: plan,
    withTools,
    purpose,
    shape,
    system,
    prompt,
    promptTokens,
    maxTokens: wanted,
    temperature,
    signatures = false,
  } = effect;
  const { source } = reading;
  const tools = toolsOf(given, source.request);
  const sends = withTools && tools.length > 0;
  const maxTokens = wanted && Math.min(wanted, maxOutputOf(llmModel));
  const settings = { ...(maxTokens !== undefined && { maxTokens }), ...(temperature !== undefined && { temperature }) };
  const about = {
    tag: "conversation-compaction" as const,
    purpose,
    shape,
    system,
    prompt,
    promptTokens,
    ...settings,
    // A fork is the running request: its tool choice stays, since another choice would miss the cache.
    params: { ...settings, ...(sends && shape !== "fork" && { toolChoice: "none" as const }) },
    ...(sends && { tools }),
    ...(jobId !== undefined && { jobId }),
  };
  // No model takes neutral messages.
  if (shape === "simple" && reading.format === "espalier") {
    return {
      ...about,
      format: "openai-chat",
      messages: [
        { role: "system", content: system },
        { role: "user", content: prompt },
      ],
    };
  }
  const receiver = providerOf(reading.format, provider);
  const asked = reading.rebuild(shape === "simple" ? twoTexts(system, prompt) : withoutLostCalls(reading, plan));
  const facts = { model, tools: given };
  const built = receiver ? wireSendable(asked, reading.format, receiver, facts, signatures).messages : asked;
  const list: unknown = Array.isArray(built) ? built : (built as Record<string, unknown>)[source.name];
  return {
    ...about,
    format: reading.format,
    messages: Array.isArray(list) ? (list as unknown[]) : [...source.list],
    ...(shape === "fork" && source.request && { request: built as Record<string, unknown> }),
  };
}

/** Leaves out what the provider refuses without the reasoning that led to it: a request for a summary shows none. */
function withoutLostCalls({ format, messages, source }: Reading, plan: PlanItem[]): PlanItem[] {
  const { inAnswer } = RULES[format];
  if (!inAnswer) return plan;
  const before = messages.length - source.list.length;
  const places = new Map(messages.map(({ id }, at) => [id, at - before]));
  const placeOf = (item: PlanItem) => (item.type === "insert" ? -1 : (places.get(item.id) ?? -1));
  const isLost = isLostCall(inAnswer, (at) => source.list[at] as Fields, new Set(plan.map(placeOf)));
  return plan.filter((item) => placeOf(item) < 0 || !isLost(placeOf(item)));
}

/** A plan of two messages that the conversation does not have. */
function twoTexts(system: string, prompt: string): PlanItem[] {
  const message = (role: "system" | "user", text: string): PlanItem => ({
    type: "insert",
    message: { id: role, role, parts: [{ type: "text", text }] },
  });
  return [message("system", system), message("user", prompt)];
}

/** Reads the reply of a hook. Throws if it is invalid; the hook is then reported as failed. */
export function readHookReply(given: unknown, kept: (pins: readonly (string | number)[]) => string[]): HookAnswer {
  const nothing = { type: "hook" as const, keep: [], blocks: [], skip: false };
  if (given === undefined || given === null) return nothing;
  const { instructions, pins, blocks, skip } = checkForeign(given as PreCompactWish, HOOK_REPLY, "hooks.preCompact");
  return {
    ...nothing,
    ...(instructions !== undefined && { instructions }),
    keep: pins === undefined ? [] : kept(pins),
    blocks: (blocks ?? []).map(hostBlock),
    skip: skip ?? false,
  };
}
