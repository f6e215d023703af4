/** Answers of VS Code's language models: streams of parts. */

import type { ProviderRequest, AnswerToolCall } from "../../providers/types.ts";
import { usageFrom } from "../../providers/usage.ts";
import { string } from "../../providers/wire.ts";
import { isThought } from "../index.ts";
import type { Reported } from "../usage.ts";
import { isFields } from "../values.ts";
import type { VscodeApi } from "./request.ts";

/**
 * Reads the usage of the request: Copilot's models send it in a part of their stream, in OpenAI's format; others send
 * none.
 */
export function usageIn(value: unknown): Reported | undefined {
  if (!isFields(value) || value["mimeType"] !== "usage" || !ArrayBuffer.isView(value["data"])) return undefined;
  try {
    return usageFrom("openai-chat", JSON.parse(new TextDecoder().decode(value["data"])));
  } catch {
    return undefined;
  }
}

type Piece = { type: "text" | "reasoning"; text: string } | { type: "call"; call: AnswerToolCall };

/** Identifies a part by its fields: bundlers rename classes, and an extension's tests have their own. */
export function partOf(value: unknown): Piece | undefined {
  if (!isFields(value)) return undefined;
  if (typeof value["callId"] === "string" && !Array.isArray(value["content"])) {
    const input = value["input"];
    return {
      type: "call",
      call: {
        id: value["callId"],
        name: string(value["name"]),
        arguments: JSON.stringify(input ?? {}),
        input: input ?? {},
      },
    };
  }
  const { value: said } = value;
  if (Array.isArray(said)) return { type: "reasoning", text: said.filter((item) => typeof item === "string").join("") };
  if (typeof said !== "string") return undefined;
  return { type: isThought(value) ? "reasoning" : "text", text: said };
}

/**
 * Returns the answer as a message, of the class of the request's messages. Streams send text in pieces, which are
 * joined.
 */
export function messageOf(raw: readonly unknown[], request: ProviderRequest, api: VscodeApi | undefined): unknown[] {
  const content: unknown[] = [];
  let open: { like: object; pieces: string[] } | undefined;
  const close = () => {
    if (open)
      content.push(
        Object.assign(Object.create(Object.getPrototypeOf(open.like) as object) as object, {
          value: open.pieces.join(""),
        }),
      );
    open = undefined;
  };
  for (const value of raw) {
    const part = partOf(value);
    if (part?.type === "text") {
      if (open) open.pieces.push(part.text);
      else open = { like: value as object, pieces: [part.text] };
    } else {
      close();
      if (isFields(value)) content.push(value);
    }
  }
  close();
  if (content.length === 0) return [];
  if (api) return [new api.LanguageModelChatMessage(2, content as never)];
  const first = Array.isArray(request["messages"]) ? (request["messages"] as unknown[])[0] : undefined;
  const like = isFields(first) ? (Object.getPrototypeOf(first) as object) : Object.prototype;
  return [Object.assign(Object.create(like) as object, { role: 2, content, name: undefined })];
}
