/**
 * ATIF, the Agent Trajectory Interchange Format of Harbor: `trajectory.json`. Each step is a message; that of the agent
 * holds its calls and, as observations, their results. The fields are those of the models of `harbor` 0.26
 * (`harbor/models/trajectories`, ATIF-v1.8).
 */

import { chatCall } from "./chat-record.ts";
import { Draft, fields, isFields, number, objects, text, timeOf, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

export const atif: Reader = {
  layout: "atif",
  tool: "Harbor (ATIF)",
  shapes: ["value", "lines"],
  marks: ["schema_version", "agent", "steps", "final_metrics", "session_id"],
  recognise,
  read: (_, { keepsHistory }) => new Atif(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  const found = records.filter(isTrajectory);
  if (found.length === 0 || found.length * 2 < records.length) return undefined;
  const count = found.length === 1 ? objects(fields(found[0])["steps"]).length : found.length;
  return { count, evidence: `schema_version ${word(fields(found[0])["schema_version"])} and steps` };
}

function isTrajectory(record: unknown): boolean {
  const { schema_version: version, steps } = fields(record);
  return typeof version === "string" && version.startsWith("ATIF-") && Array.isArray(steps);
}

class Atif implements Reading {
  readonly #keepsHistory: boolean;
  readonly #drafts: Draft[] = [];

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  add(record: unknown, place: number): void {
    const trajectory = fields(record);
    const draft = new Draft("openai-chat", this.#keepsHistory);
    draft.label =
      text(trajectory["trajectory_id"]) ?? text(trajectory["session_id"]) ?? `run ${this.#drafts.length + 1}`;
    readTrajectory(draft, trajectory, place);
    this.#drafts.push(draft);
  }

  end(): Draft | Draft[] {
    return this.#drafts.length > 1 ? this.#drafts : (this.#drafts[0] ?? new Draft("openai-chat"));
  }
}

function readTrajectory(draft: Draft, trajectory: Fields, place: number): void {
  const { agent, session_id: session, trajectory_id: own, subagent_trajectories: others } = trajectory;
  const { name, version, model_name: model, tool_definitions: tools } = fields(agent);
  const definitions = objects(tools);
  draft.tell({
    id: text(session) ?? text(own),
    model: text(model),
    version: [text(name), text(version)].filter((part) => part !== undefined).join(" ") || undefined,
    ...(definitions.length > 0 && { tools: [...definitions] }),
  });
  /** Calls that delegated to a trajectory of this file. */
  const callOf = new Map<string, string>();
  objects(trajectory["steps"]).forEach((step, at) => readStep(draft, step, place === 0 ? at : place, callOf));
  for (const other of objects(others)) {
    const id = text(other["trajectory_id"]);
    if (id === undefined || !isTrajectory(other)) continue;
    const call = callOf.get(id);
    readTrajectory(draft.chain(id, { kind: "subagent", ...(call !== undefined && { call }) }), other, place);
  }
}

function readStep(draft: Draft, step: Fields, place: number, callOf: Map<string, string>): void {
  const { source, message, reasoning_content: thought, observation, metrics, model_name: model } = step;
  const time = timeOf(step["timestamp"]);
  const more = time === undefined ? {} : { time };
  const calls = objects(step["tool_calls"]);
  const said = contentOf(message);
  if (source === "agent") {
    const hasCalls = calls.length > 0;
    const answer = {
      role: "assistant",
      content: said === "" && hasCalls ? null : said,
      ...(text(thought) !== undefined && { reasoning_content: thought }),
      ...(hasCalls && { tool_calls: calls.map(callFrom) }),
    };
    // A step that nothing was said in is an event.
    const index = said === "" && !hasCalls && text(thought) === undefined ? -1 : draft.push(answer, place, more);
    const { prompt_tokens: prompt, cached_tokens: cached, completion_tokens: output } = fields(metrics);
    const cacheRead = number(cached) ?? 0;
    draft.report(index, usageOf({ input: (number(prompt) ?? 0) - cacheRead, cacheRead, output }), text(model));
  } else if (source === "system" || source === "user") {
    if (said !== "") draft.push({ role: source, content: said }, place, more);
  } else draft.skip(`step/${word(source).slice(0, 40)}`);
  const ids = new Set(calls.map((call) => call["tool_call_id"]));
  const results = new Map<string, unknown[]>();
  const others: unknown[] = [];
  for (const result of objects(fields(observation)["results"])) {
    const call = text(result["source_call_id"]);
    for (const { trajectory_id: id } of objects(result["subagent_trajectory_ref"]))
      if (typeof id === "string" && call !== undefined) callOf.set(id, call);
    const content = contentOf(result["content"]);
    if (call !== undefined && ids.has(call)) results.set(call, [...(results.get(call) ?? []), content]);
    else if (content !== "") others.push(content);
  }
  for (const [id, content] of results)
    draft.push({ role: "tool", tool_call_id: id, content: joined(content) }, place, more);
  // Agents without calls have the output of their commands as the next text of the user.
  for (const content of others) draft.push({ role: "user", content }, place, { ...more, injected: true });
}

function callFrom({ tool_call_id: id, function_name: name, arguments: args }: Fields): Fields {
  return chatCall(id, name, args);
}

/** Texts, or texts and media. A file beside the trajectory is not at hand: its path remains. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  const parts = objects(content).flatMap(({ type, text: said, source }): Fields[] => {
    if (type === "text") return typeof said === "string" ? [{ type, text: said }] : [];
    const path = fields(source)["path"];
    if (typeof path !== "string") return [];
    if (type === "image" && /^(https?|data):/i.test(path)) return [{ type: "image_url", image_url: { url: path } }];
    return [{ type: "text", text: `[${word(type)}: ${path}]` }];
  });
  return parts.every(({ type }) => type === "text") ? parts.map((part) => part["text"]).join("\n") : parts;
}

function joined(contents: readonly unknown[]): unknown {
  if (contents.length === 1) return contents[0];
  if (contents.every((content) => typeof content === "string")) return contents.join("\n");
  return contents.flatMap((content) =>
    isFields(content) || Array.isArray(content) ? content : [{ type: "text", text: content }],
  );
}
