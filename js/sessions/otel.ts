/**
 * OpenTelemetry: spans with the attributes of its GenAI conventions, as OTLP JSON (a request, or lines of a collector's
 * file exporter) or as JSON of an SDK's exporter. The span with the longest input holds the conversation; its output is
 * the newest message. Each `gen_ai.conversation.id`, or trace, is a conversation.
 *
 * Source: docs/gen-ai/gen-ai-input-messages.json, gen-ai-output-messages.json and gen-ai-spans.md
 * (open-telemetry/semantic-conventions-genai). Examples of the convention had `result` for `response`.
 */

import { chatCall } from "./chat-record.ts";
import { Draft, fields, isFields, items, number, objects, text, usageOf, withMessages, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const INPUT = "gen_ai.input.messages";

export const otel: Reader = {
  layout: "otel",
  tool: "OpenTelemetry",
  shapes: ["lines", "value"],
  marks: ["resourceSpans", "attributes", "name", "traceId", "spanId", "context"],
  recognise,
  read: () => new Otel(),
};

function recognise({ records }: Sample): Match | undefined {
  const own = records.filter((record) => requestsOf(record).length > 0).length;
  return own === 0 ? undefined : { count: own, evidence: `spans with ${INPUT}` };
}

interface Request {
  attributes: Fields;
  key: string;
}

/** Returns the spans with messages, at any depth of a request, a trace or a list. */
function requestsOf(value: unknown): Request[] {
  if (Array.isArray(value)) return value.flatMap(requestsOf);
  const { resourceSpans, scopeSpans, spans, attributes, traceId, trace_id: older, context } = fields(value);
  const inner = [resourceSpans, scopeSpans, spans].flatMap((list) => items(list).flatMap(requestsOf));
  const known = attributesOf(attributes);
  if (messagesOf(known[INPUT]).length === 0) return inner;
  const trace = traceId ?? older ?? fields(context)["trace_id"] ?? fields(context)["traceId"];
  return [{ attributes: known, key: word(known["gen_ai.conversation.id"] ?? trace) }, ...inner];
}

/** Returns attributes by name: OTLP has a list of them, with typed values. */
function attributesOf(value: unknown): Fields {
  if (!Array.isArray(value)) return fields(value);
  return Object.fromEntries(objects(value).map(({ key, value: typed }) => [word(key), plain(typed)]));
}

function plain(typed: unknown): unknown {
  const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue } = fields(typed);
  if (isFields(arrayValue)) return items(arrayValue["values"]).map(plain);
  if (isFields(kvlistValue)) return attributesOf(kvlistValue["values"]);
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(word(intValue)));
}

/** Returns a list; an attribute may be its JSON. */
function messagesOf(value: unknown): readonly Fields[] {
  if (typeof value !== "string") return objects(value);
  try {
    return objects(JSON.parse(value));
  } catch {
    return [];
  }
}

class Otel implements Reading {
  readonly #longest = new Map<string, { size: number; attributes: Fields; place: number; count: number }>();

  add(record: unknown, place: number): void {
    for (const { attributes, key } of requestsOf(record)) {
      const size = JSON.stringify(attributes[INPUT]).length;
      const best = this.#longest.get(key);
      const count = (best?.count ?? 0) + 1;
      if (!best || size >= best.size) this.#longest.set(key, { size, attributes, place, count });
      else best.count = count;
    }
  }

  end(): Draft | Draft[] {
    const drafts = Array.from(this.#longest, ([key, { attributes, place, count }]) => {
      const draft = new Draft("openai-chat");
      draft.label = key;
      for (let left = count; left > 1; left--)
        draft.skip("shorter request", "an earlier one; the longest holds the conversation");
      readSpan(draft, attributes, place);
      return draft;
    });
    return withMessages(drafts) ?? new Draft("openai-chat");
  }
}

function readSpan(draft: Draft, attributes: Fields, place: number): void {
  const of = (name: string) => attributes[`gen_ai.${name}`];
  const model = text(of("response.model")) ?? text(of("request.model"));
  const tools = messagesOf(of("tool.definitions")).map(({ type: _, ...tool }) => ({
    type: "function",
    function: tool["function"] ?? tool,
  }));
  draft.tell({
    id: text(of("conversation.id")),
    title: text(of("agent.name")),
    model,
    ...(tools.length > 0 && { tools }),
  });
  const system = messagesOf(of("system_instructions"));
  if (system.length > 0) pushMessage(draft, { role: "system", parts: system }, place);
  for (const message of messagesOf(attributes[INPUT])) pushMessage(draft, message, place);
  const [output] = messagesOf(of("output.messages"));
  if (!output) return;
  pushMessage(draft, output, place);
  // The counts of the convention include what a cache gave and took.
  const [cacheRead, cacheWrite] = ["read", "creation"].map(
    (kind) => number(of(`usage.cache_${kind}.input_tokens`)) ?? 0,
  ) as [number, number];
  const input = Math.max(0, (number(of("usage.input_tokens")) ?? 0) - cacheRead - cacheWrite);
  const usage = usageOf({ input, cacheRead, cacheWrite, output: of("usage.output_tokens") });
  draft.report(draft.messages.length - 1, usage, model);
}

function pushMessage(draft: Draft, { role, parts, content }: Fields, place: number): void {
  const list = objects(parts);
  const calls = list.filter(({ type }) => type === "tool_call");
  const thoughts = list.filter(({ type }) => type === "reasoning").flatMap((part) => text(part["content"]) ?? []);
  const shown = list.flatMap((part) => contentOf(part, draft));
  const isText = shown.every(({ type }) => type === "text");
  const said = isText ? shown.map((part) => part["text"]).join("\n") : shown;
  for (const { type, id, response, result } of list) {
    if (type !== "tool_call_response") continue;
    const value = response ?? result ?? "";
    draft.push(
      { role: "tool", tool_call_id: word(id), content: typeof value === "string" ? value : JSON.stringify(value) },
      place,
    );
  }
  const other = said === "" ? text(content) : said;
  if (role === "assistant") {
    const answer = {
      role,
      content: other ?? (calls.length > 0 ? null : ""),
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join("\n") }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => chatCall(call["id"], call["name"], call["arguments"])),
      }),
    };
    draft.push(answer, place);
  } else if (other !== undefined) draft.push({ role: role === "system" ? role : "user", content: other }, place);
}

function contentOf(part: Fields, draft: Draft): Fields[] {
  const { type, content, modality, mime_type: mime, uri } = part;
  if (type === "text") return text(content) === undefined ? [] : [{ type, text: content }];
  const url = type === "uri" ? text(uri) : `data:${text(mime) ?? "image/png"};base64,${word(content)}`;
  if ((type === "uri" || type === "blob") && modality === "image" && url !== undefined)
    return [{ type: "image_url", image_url: { url } }];
  if (!/^(tool_call|tool_call_response|reasoning)$/.test(word(type))) draft.skip(`${word(type)} part`);
  return [];
}
