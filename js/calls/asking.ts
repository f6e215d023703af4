/**
 * How `compact` asks the host's model and hooks: options checked, requests put into the host's format, wishes of hooks
 * read.
 */

import { modelOf } from "./limits.ts";
import { call, wasm } from "../engine/engine.ts";
import { badOption as bad } from "../errors/errors.ts";
import { listedTools, requestTools } from "../formats/tools.ts";
import type { Reading } from "../formats/adapter.ts";
import type { HookAnswer, ModelEffect } from "../engine/drive.ts";
import { providerOf, sendable } from "../validity/sendable.ts";
import type { CompactOptions, HostBlock, ModelRule } from "../types/compact.ts";
import type { LlmRequest } from "../types/llm.ts";
import { known, noSlip } from "../options/known.ts";
import { HOOKS, TRANSCRIPT } from "../options/names/compaction.ts";

/** What the summarising model takes: as the host says, else as its limits do, else whatever it does not refuse. */
export function modelLimit({ llmBudget, llmModel }: CompactOptions): number | undefined {
  if (llmBudget !== undefined) return llmBudget;
  const { maxPromptTokens, maxContextWindowTokens, outputReserve } = modelOf(llmModel, "llmModel");
  if (maxPromptTokens === undefined && maxContextWindowTokens === undefined) return undefined;
  return call(
    () => wasm().limitOf(undefined, maxPromptTokens, maxContextWindowTokens, outputReserve) as { tokens: number },
  ).tokens;
}

const TRIGGERS = [
  "threshold",
  "overflow",
  "provider_error",
  "manual",
  "range",
  "model_switch",
  "memory_pressure",
  "agent_request",
];
const SHAPES = ["fork", "full", "simple"];
const SECTIONS = ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"];
const VERIFY = ["auto", "always", "never"];

/**
 * The options of {@link CompactOptions} that say how the model is asked, as the core takes them, with every field in
 * place.
 */
export function asking(options: CompactOptions) {
  const { focus, force, trigger, shape, sections, verify, llmModel, hooks, readFile, recallTool, transcript, jobId } =
    options;
  oneOf("trigger", trigger, TRIGGERS);
  oneOf("shape", shape, SHAPES);
  oneOf("sections", sections, SECTIONS);
  oneOf("verify", verify, VERIFY);
  for (const name of ["cacheWarm", "strict"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw bad(name, "true or false", options[name]);
  }
  const { name: asked } = modelOf(llmModel, "llmModel");
  for (const [name, value] of Object.entries({ recallTool, jobId, focus })) {
    if (value !== undefined && typeof value !== "string") throw bad(name, "a text", value);
  }
  if (readFile !== undefined && typeof readFile !== "function") throw bad("readFile", "a function", readFile);
  if (hooks !== undefined && (typeof hooks !== "object" || hooks === null))
    throw bad("hooks", "an object of functions", hooks);
  if (hooks !== undefined) noSlip(hooks, HOOKS, "options.hooks");
  for (const name of ["preCompact", "postCompact"] as const) {
    if (hooks?.[name] !== undefined && typeof hooks[name] !== "function")
      throw bad(`hooks.${name}`, "a function", hooks[name]);
  }
  return {
    trigger: trigger ?? (force || focus ? "manual" : "overflow"),
    shape,
    sections,
    verify,
    isWarm: options.cacheWarm ?? false,
    strict: options.strict ?? false,
    askedModel: asked,
    models: modelRules(options.modelRules),
    additions: paragraphs(options.instructions),
    preHook: hooks?.preCompact !== undefined,
    postHook: hooks?.postCompact !== undefined,
    blocks: hostBlocks(options.blocks, "blocks"),
    breadcrumb: breadcrumb(transcript, recallTool),
    readsFiles: readFile !== undefined,
    isHandover: false,
  };
}

function oneOf(name: string, value: unknown, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value as string)) throw bad(name, `one of ${known.join(", ")}`, value);
}

function modelRules(rules: CompactOptions["modelRules"]): ModelRule[] {
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) throw bad("modelRules", "a list", rules);
  return rules.map((rule: ModelRule, at) => {
    const path = `modelRules[${at}]`;
    if (typeof rule !== "object" || rule === null) throw bad(path, "{ model, … }", rule);
    const { model, exact = false, textOnly = false, keepGoing = false, ...unknown } = rule;
    if (typeof model !== "string" || model === "") throw bad(`${path}.model`, "the beginning of a model's name", model);
    for (const [name, value] of Object.entries({ exact, textOnly, keepGoing })) {
      if (typeof value !== "boolean") throw bad(`${path}.${name}`, "true or false", value);
    }
    const [other] = Object.keys(unknown);
    if (other !== undefined) throw bad(`${path}.${other}`, "one of model, exact, textOnly, keepGoing", other);
    return { model, exact, textOnly, keepGoing };
  });
}

function paragraphs(given: CompactOptions["instructions"]): string[] {
  if (given === undefined) return [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  list.forEach((text, at) => {
    if (typeof text !== "string")
      throw bad(Array.isArray(given) ? `instructions[${at}]` : "instructions", "a text", text);
  });
  return list as string[];
}

function hostBlocks(blocks: unknown, name: string): HostBlock[] {
  if (blocks === undefined || blocks === null) return [];
  if (!Array.isArray(blocks)) throw bad(name, "a list of { kind, text }", blocks);
  return blocks.map((block: unknown, at) => {
    if (typeof block !== "object" || block === null) throw bad(`${name}[${at}]`, "{ kind, text }", block);
    const { kind, title, text } = block as HostBlock;
    for (const [field, value] of Object.entries({ kind, text })) {
      if (typeof value !== "string") throw bad(`${name}[${at}].${field}`, "a text", value);
    }
    if (title !== undefined && typeof title !== "string") throw bad(`${name}[${at}].title`, "a text", title);
    return { kind, ...(title !== undefined && { title }), text };
  });
}

function breadcrumb(transcript: CompactOptions["transcript"], recall: string | undefined) {
  if (transcript === undefined) return recall === undefined ? undefined : { recall };
  if (typeof transcript !== "object" || transcript === null) throw bad("transcript", "{ path, … }", transcript);
  known(transcript, TRANSCRIPT, "options.transcript");
  const { path, lines, tool, argument } = transcript;
  if (typeof path !== "string" || path === "") throw bad("transcript.path", "a path", path);
  if (lines !== undefined && !(Number.isSafeInteger(lines) && lines >= 0))
    throw bad("transcript.lines", "a whole number, 0 or more", lines);
  for (const [name, value] of Object.entries({ tool, argument })) {
    if (value !== undefined && typeof value !== "string") throw bad(`transcript.${name}`, "a text", value);
  }
  return { path, lines, tool, argument, recall };
}

/** What the host's model is given, in the conversation's own format. */
export function llmRequest(
  reading: Reading,
  { tools: given, jobId, provider, model }: CompactOptions,
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
    maxTokens,
    temperature,
  } = effect;
  const { source } = reading;
  const tools = (given && listedTools(given)) ?? (source.request && requestTools(source.request)) ?? [];
  const sends = withTools && tools.length > 0;
  const settings = { ...(maxTokens !== undefined && { maxTokens }), ...(temperature !== undefined && { temperature }) };
  const about = {
    tag: "conversation-compaction" as const,
    purpose,
    shape,
    system,
    prompt,
    promptTokens,
    ...settings,
    // A fork is the running request: what it says of tools stays, since another choice would be another request to the
    // cache.
    params: { ...settings, ...(sends && shape !== "fork" && { toolChoice: "none" as const }) },
    ...(sends && { tools }),
    ...(jobId !== undefined && { jobId }),
  };
  if (shape === "simple") {
    return {
      ...about,
      format: "openai-chat",
      messages: [
        { role: "system", content: system },
        { role: "user", content: prompt },
      ],
    };
  }
  // Whoever writes the summary is asked by the rules of the same provider.
  const { messages: built } = sendable(
    reading.rebuild(plan),
    reading.format,
    providerOf(reading.format, provider),
    model,
  );
  const list: unknown = Array.isArray(built) ? built : (built as Record<string, unknown>)[source.name];
  return {
    ...about,
    format: reading.format,
    messages: Array.isArray(list) ? (list as unknown[]) : [...source.list],
    ...(shape === "fork" && source.request && { request: built as Record<string, unknown> }),
  };
}

/** Reads the reply of a hook. Throws if it makes no sense, and the hook is reported as failed. */
export function readHookReply(given: unknown, kept: (pins: readonly (string | number)[]) => string[]): HookAnswer {
  const nothing = { type: "hook" as const, keep: [], blocks: [], skip: false };
  if (given === undefined || given === null) return nothing;
  if (typeof given !== "object") throw bad("preCompact", "nothing or an object", given, "hooks");
  const { instructions, pins, blocks, skip } = given as {
    instructions?: unknown;
    pins?: unknown;
    blocks?: unknown;
    skip?: unknown;
  };
  if (instructions !== undefined && typeof instructions !== "string")
    throw bad("preCompact.instructions", "a text", instructions, "hooks");
  if (skip !== undefined && typeof skip !== "boolean") throw bad("preCompact.skip", "true or false", skip, "hooks");
  return {
    ...nothing,
    ...(instructions !== undefined && { instructions }),
    keep: pins === undefined ? [] : kept(pins as (string | number)[]),
    blocks: hostBlocks(blocks, "hooks.preCompact.blocks"),
    skip: skip ?? false,
  };
}
