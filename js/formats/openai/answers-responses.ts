/** Answers of the Responses API: a list of items, streamed as events; the last one holds the whole answer. */

import { errorIn } from "../../providers/failure.ts";
import type { Finish, Warning } from "../../providers/types.ts";
import { badAnswer, eventFields, objects, place, string, toolCall } from "../../providers/wire.ts";
import type { Delta, Fold, Progress, Read, Refuse } from "../../providers/wire.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

export function read(body: unknown): Read {
  if (!isFields(body) || !Array.isArray(body["output"])) throw badAnswer("answered without output");
  const output = objects(body["output"]);
  const warnings: Warning[] = [];
  const parts = output.flatMap((item) => (item["type"] === "message" ? objects(item["content"]) : []));
  const refusals = parts.filter(({ type }) => type === "refusal").map(({ refusal }) => string(refusal));
  const texts = parts.filter(({ type }) => type === "output_text").map(({ text }) => string(text));
  const toolCalls = output
    .filter(({ type }) => type === "function_call" || type === "custom_tool_call")
    .map((item) =>
      toolCall(string(item["call_id"]), string(item["name"]), string(item["arguments"] ?? item["input"]), warnings),
    );
  const reasoning = output
    .filter(({ type }) => type === "reasoning")
    .flatMap((item) => [...objects(item["summary"]), ...objects(item["content"])].map(({ text }) => string(text)))
    .join("\n");
  const error = body["status"] === "failed" ? errorIn({ error: body["error"] ?? "failed" }) : undefined;
  // `finishing` reads the error from the body.
  if (error) throw badAnswer(`failed: ${error.text}`);
  return {
    text: texts.join("") || refusals.join(""),
    toolCalls,
    ...(reasoning && { reasoning }),
    finish: refusals.length > 0 ? "refusal" : finishOf(body, toolCalls.length > 0),
    usage: body["usage"],
    ...(typeof body["id"] === "string" && { id: body["id"] }),
    messages: body["output"],
    warnings,
  };
}

function finishOf(body: Fields, calls: boolean): Finish {
  const details = body["incomplete_details"];
  const why = isFields(details) ? details["reason"] : undefined;
  if (body["status"] === "incomplete" || why !== undefined)
    return why === "max_output_tokens" ? "length" : why === "content_filter" ? "content_filter" : "other";
  if (body["status"] === "completed" || body["status"] === undefined) return calls ? "tool_calls" : "stop";
  return "other";
}

export function fold(refuse: Refuse): Fold {
  let state: Progress = "begun";
  let response: unknown;
  const items: unknown[] = [];
  return {
    get state() {
      return state;
    },
    push(event) {
      if (event.data.trim() === "[DONE]") return [];
      const fields = eventFields(event, refuse);
      const type = string(fields["type"]) || event.event;
      switch (type) {
        case "response.completed":
        case "response.incomplete":
          response = fields["response"];
          state = "over";
          return [];
        case "response.failed": {
          const failed = fields["response"];
          throw refuse(errorIn({ error: (isFields(failed) && failed["error"]) || "the response failed" })!);
        }
        case "error":
          throw refuse(errorIn({ error: fields })!);
        case "response.output_item.done":
          items[place(fields["output_index"], items.length)] = fields["item"];
          return [];
        case "response.output_text.delta":
        case "response.refusal.delta":
          return delta("text", fields);
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          return delta("reasoning", fields);
        default:
          return [];
      }
    },
    body() {
      // Gateways leave the items out of the last event, since earlier events had them.
      if (isFields(response) && objects(response["output"]).length === 0 && items.length > 0)
        return { ...response, output: items.filter((item) => item !== undefined) };
      return response;
    },
  };
}

function delta(type: Delta["type"], fields: Fields): Delta[] {
  return [{ type, text: string(fields["delta"]) }];
}
