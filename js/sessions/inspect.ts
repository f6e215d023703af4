/**
 * Inspect AI: logs as JSON, of which each sample holds a conversation (`inspect log dump LOG.eval`, or logs in the
 * format json), and one sample of an unpacked `.eval` (`samples/*.json`). Large contents are in `attachments`.
 *
 * Source: `EvalLog` and `EvalSample` of src/inspect_ai/log/_log.py, log/_condense.py, model/_chat_message.py and
 * tests/log/test_eval_log/log_tool_call_error.json (UKGovernmentBEIS/inspect_ai).
 */

import { chatCall } from "./chat-record.ts";
import { Draft, fields, isFields, objects, text, usageOf, withMessages, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const inspect: Reader = {
  layout: "inspect",
  tool: "Inspect AI",
  shapes: ["value"],
  marks: ["version", "status", "eval", "plan", "results", "stats", "samples"],
  recognise,
  read: () => new Inspect(),
};

function recognise({ records: [value] }: Sample): Match | undefined {
  const samples = samplesOf(value);
  return samples.length === 0
    ? undefined
    : { count: samples.length, evidence: "samples with epoch, input and messages" };
}

/** The samples of a log, or one sample. */
function samplesOf(value: unknown): readonly Fields[] {
  const { eval: spec, samples } = fields(value);
  const isSample = ({ epoch, messages, input }: Fields) =>
    typeof epoch === "number" && Array.isArray(messages) && input !== undefined;
  return (isFields(spec) ? objects(samples) : [fields(value)]).filter(isSample);
}

class Inspect implements Reading {
  readonly #drafts: Draft[] = [];

  add(value: unknown): void {
    const { eval: spec } = fields(value);
    const { model, packages, task } = fields(spec);
    for (const sample of samplesOf(value)) {
      const draft = new Draft("openai-chat");
      const name = `${word(sample["id"])}, epoch ${word(sample["epoch"])}`;
      draft.label = name;
      const used = text(fields(sample["output"])["model"]) ?? text(model);
      draft.tell({ id: text(sample["uuid"]), title: [text(task), name].filter(Boolean).join(", "), model: used });
      draft.tell({ version: text(fields(packages)["inspect_ai"]) });
      const full = withAttachments(sample["messages"], fields(sample["attachments"]));
      objects(full).forEach((message, place) => this.#message(draft, message, place));
      this.#drafts.push(draft);
      this.#usage(draft, sample);
    }
  }

  #message(draft: Draft, message: Fields, place: number): void {
    const { id, role, content, tool_calls: calls, tool_call_id: call, error, source } = message;
    const { parts, thoughts } = partsOf(content, draft);
    const known = text(id) === undefined ? {} : { id: word(id) };
    if (role === "tool") {
      const why = parts === "" ? fields(error)["message"] : undefined;
      draft.push({ role, tool_call_id: word(call), content: text(why) ?? parts }, place, known);
    } else if (role === "assistant") {
      const list = objects(calls).map((one) => chatCall(one["id"], one["function"], one["arguments"]));
      const answer = {
        role,
        content: parts === "" && list.length > 0 ? null : parts,
        ...(thoughts !== "" && { reasoning_content: thoughts }),
        ...(list.length > 0 && { tool_calls: list }),
      };
      draft.push(answer, place, known);
    } else if (role === "system" || role === "user") {
      // What a solver adds, such as "continue", is not of the sample.
      const isAdded = role === "user" && draft.messages.length > 0 && source !== "input" && hasAnswer(draft);
      draft.push({ role, content: parts }, place, { ...known, ...(isAdded && { injected: true as const }) });
    } else draft.skip(`role ${word(role).slice(0, 40)}`);
  }

  /** The output of a sample is its newest answer, with the usage of its request. */
  #usage(draft: Draft, { output }: Fields): void {
    const { usage, model } = fields(output);
    const counts = fields(usage);
    const index = draft.messages.findLastIndex((message) => fields(message)["role"] === "assistant");
    draft.report(
      index,
      usageOf({
        input: counts["input_tokens"],
        output: counts["output_tokens"],
        cacheRead: counts["input_tokens_cache_read"],
        cacheWrite: counts["input_tokens_cache_write"],
        reasoning: counts["reasoning_tokens"],
      }),
      text(model),
    );
  }

  end(): Draft | Draft[] {
    return withMessages(this.#drafts) ?? new Draft("openai-chat");
  }
}

function hasAnswer({ messages }: Draft): boolean {
  return messages.some((message) => fields(message)["role"] === "assistant");
}

/** Replaces references by the contents that they name. */
function withAttachments(value: unknown, attachments: Fields): unknown {
  if (typeof value === "string") {
    const name = /^(?:attachment|tc):\/\/(.+)$/.exec(value)?.[1];
    return name !== undefined && Object.hasOwn(attachments, name) ? attachments[name] : value;
  }
  if (Array.isArray(value)) return value.map((one) => withAttachments(one, attachments));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withAttachments(one, attachments)]));
}

/** Returns contents as OpenAI's: a text, or texts and pictures; and the thoughts among them. */
function partsOf(content: unknown, draft: Draft): { parts: unknown; thoughts: string } {
  if (!Array.isArray(content)) return { parts: typeof content === "string" ? content : "", thoughts: "" };
  const thoughts: string[] = [];
  const parts = objects(content).flatMap((part): Fields[] => {
    const { type, text: said, image, detail, reasoning, summary, redacted } = part;
    if (type === "text") return typeof said === "string" ? [{ type, text: said }] : [];
    if (type === "image" && typeof image === "string")
      return [{ type: "image_url", image_url: { url: image, ...(typeof detail === "string" && { detail }) } }];
    const thought = type === "reasoning" ? text(redacted === true ? summary : reasoning) : undefined;
    if (thought !== undefined) thoughts.push(thought);
    else draft.skip(`${word(type)} part`);
    return [];
  });
  const isText = parts.every((part) => part["type"] === "text");
  return { parts: isText ? parts.map((part) => part["text"]).join("\n") : parts, thoughts: thoughts.join("\n") };
}
