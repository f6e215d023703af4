/** Answers of Gemini; in a stream, every event is a whole answer that holds a further piece. */

import type { Finish, Warning } from "../../providers/types.ts";
import { badAnswer, eventFields, objects, string, toolCall } from "../../providers/wire.ts";
import type { Delta, Fold, Progress, Read, Refuse } from "../../providers/wire.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

const FINISHES: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
  LANGUAGE: "content_filter",
};

export function read(body: unknown): Read {
  if (!isFields(body)) throw badAnswer("answered no object");
  const candidate = objects(body["candidates"])[0];
  const feedback = isFields(body["promptFeedback"]) ? body["promptFeedback"] : {};
  const blocked = typeof feedback["blockReason"] === "string";
  if (!candidate && !blocked) throw badAnswer("answered without a candidate");
  const content = isFields(candidate?.["content"]) ? candidate["content"] : {};
  const parts = objects(content["parts"]);
  const warnings: Warning[] = [];
  const toolCalls = parts.flatMap(({ functionCall: call }, at) =>
    // Calls without ids are identified by their position.
    isFields(call)
      ? [
          toolCall(
            string(call["id"]) || `call:${at}`,
            string(call["name"]),
            JSON.stringify(call["args"] ?? {}),
            warnings,
          ),
        ]
      : [],
  );
  const said = (thought: boolean) =>
    parts
      .filter((part) => (part["thought"] === true) === thought)
      .map(({ text }) => string(text))
      .join("");
  const reasoning = said(true);
  const reason = string(candidate?.["finishReason"]);
  const finish = blocked ? "content_filter" : Object.hasOwn(FINISHES, reason) ? FINISHES[reason]! : "other";
  return {
    text: said(false),
    toolCalls,
    ...(reasoning && { reasoning }),
    finish: finish === "stop" && toolCalls.length > 0 ? "tool_calls" : finish,
    usage: body["usageMetadata"],
    ...(typeof body["responseId"] === "string" && { id: body["responseId"] }),
    // The server would refuse a turn without parts when it is sent back.
    messages: parts.length > 0 ? [content] : [],
    warnings,
  };
}

export function fold(refuse: Refuse): Fold {
  let state: Progress = "begun";
  let head: Fields = {};
  let candidate: Fields = {};
  const parts: Fields[] = [];
  /** Pieces of the last part's text. */
  let open: string[] | undefined;
  const close = () => {
    if (open) parts.at(-1)!["text"] = open.join("");
    open = undefined;
  };
  return {
    get state() {
      return state;
    },
    push(event) {
      const { candidates, ...rest } = eventFields(event, refuse);
      head = { ...head, ...rest };
      const feedback = rest["promptFeedback"];
      if (isFields(feedback) && typeof feedback["blockReason"] === "string") state = "enough";
      const first = objects(candidates).find(({ index }) => index === undefined || index === 0);
      if (!first) return [];
      const { content, ...about } = first;
      candidate = { ...candidate, ...about };
      if (about["finishReason"]) state = "enough";
      return objects(isFields(content) ? content["parts"] : undefined).flatMap((part): Delta[] => {
        const last = parts.at(-1);
        // The end of a stream often repeats an empty text.
        if (part["text"] === "" && Object.keys(part).length === 1) return [];
        const words =
          typeof part["text"] === "string" && Object.keys(part).every((name) => name === "text" || name === "thought");
        // Plain text continues a text part; a part with other fields (a signature, a call) stays separate.
        if (words && open && last && last["thought"] === part["thought"]) open.push(part["text"] as string);
        else {
          close();
          parts.push({ ...part });
          if (words) open = [part["text"] as string];
        }
        return typeof part["text"] === "string"
          ? [{ type: part["thought"] === true ? "reasoning" : "text", text: part["text"] }]
          : [];
      });
    },
    body() {
      close();
      const whole =
        Object.keys(candidate).length === 0 && parts.length === 0
          ? {}
          : { candidates: [{ ...candidate, content: { role: "model", parts } }] };
      return { ...whole, ...head };
    },
  };
}
