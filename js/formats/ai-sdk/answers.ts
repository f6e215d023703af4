/** Answers of the AI SDK: those of `doGenerate` and of `generateText`, and streams of parts. */

import type { Answer, Finish, AnswerToolCall, Warning } from "../../providers/types.ts";
import { usageFrom } from "../../providers/usage.ts";
import { badAnswer, objects, string, toolCall } from "../../providers/wire.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";
import type { Reported } from "../usage.ts";

const FINISHES: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/** Reads an answer of `doGenerate` (content parts) or of `generateText` (separate fields). */
export function read(body: Fields): Answer {
  const warnings: Warning[] = [];
  const content = Array.isArray(body["content"]) ? objects(body["content"]) : undefined;
  if (!content && typeof body["text"] !== "string") throw badAnswer("the model answered without content or text");
  const said = (type: string) =>
    (content ?? [])
      .filter((part) => part["type"] === type)
      .map((part) => string(part["text"]))
      .join("");
  const called = content ? content.filter(({ type }) => type === "tool-call") : objects(body["toolCalls"]);
  const toolCalls = called.map((call): AnswerToolCall => {
    const input = call["input"] ?? call["args"] ?? {};
    return toolCall(
      string(call["toolCallId"]),
      string(call["toolName"]),
      typeof input === "string" ? input : JSON.stringify(input),
      warnings,
    );
  });
  const text = typeof body["text"] === "string" ? body["text"] : said("text");
  const reasoning = typeof body["reasoningText"] === "string" ? body["reasoningText"] : said("reasoning");
  const given = body["finishReason"];
  const reason = string(isFields(given) ? given["unified"] : given);
  const reported = usageOf(body);
  const response = isFields(body["response"]) ? body["response"] : {};
  const made = response["messages"];
  return {
    text,
    toolCalls,
    ...(reasoning && { reasoning }),
    finish: Object.hasOwn(FINISHES, reason) ? FINISHES[reason]! : "other",
    ...(reported && { usage: reported.usage }),
    raw: body,
    ...(typeof response["id"] === "string" && { requestId: response["id"] }),
    messages: Array.isArray(made) ? (made as unknown[]) : messageOf(content, text, toolCalls),
    warnings: [
      ...warnings,
      ...(reported?.warnings ?? [{ code: "usage_missing", message: "the model reported no usage" }]),
    ],
  };
}

/**
 * Reads the SDK's usage. Its version 5 leaves cached tokens out of Anthropic's input, but passes on Anthropic's own
 * record; from version 6 on the input is split.
 */
function usageOf({ usage, providerMetadata }: Fields): Reported | undefined {
  const [given, metadata] = [usage, providerMetadata].map((value) => (isFields(value) ? value : {})) as [
    Fields,
    Fields,
  ];
  const own = isFields(metadata["anthropic"]) ? metadata["anthropic"]["usage"] : undefined;
  return (isFields(given["inputTokens"]) ? undefined : usageFrom("anthropic", own)) ?? usageFrom("ai-sdk", usage);
}

/** Returns the answer as a model message: the model's content, with the input of calls as a value. */
function messageOf(content: readonly Fields[] | undefined, text: string, calls: readonly AnswerToolCall[]): unknown[] {
  const call = ({ id, name, input, arguments: args }: AnswerToolCall) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: input ?? args,
  });
  if (!content) {
    const made = [...(text ? [{ type: "text", text }] : []), ...calls.map(call)];
    return made.length > 0 ? [{ role: "assistant", content: made }] : [];
  }
  let at = 0;
  const made = content.flatMap((part): unknown[] => {
    const { type, providerMetadata, ...rest } = part;
    const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
    if (type === "tool-call")
      return [
        {
          ...call(calls[at++]!),
          ...("providerExecuted" in rest && { providerExecuted: rest["providerExecuted"] }),
          ...options,
        },
      ];
    return type === "source" ? [] : [{ type, ...rest, ...options }];
  });
  return made.length > 0 ? [{ role: "assistant", content: made }] : [];
}

/** Assembles the parts of a model's stream. */
export class Fold {
  finished = false;
  #content: Fields[] = [];
  #open = new Map<string, { part: Fields; pieces: string[] }>();
  #fields: Fields = {};
  #response: Fields = {};

  push(part: Fields): { type: "text" | "reasoning"; text: string } | undefined {
    const type = string(part["type"]);
    const found = /^(text|reasoning)-(start|delta|end)$/.exec(type);
    if (found) {
      const kind = found[1] as "text" | "reasoning";
      const key = `${kind}:${string(part["id"])}`;
      let open = this.#open.get(key);
      if (!open) {
        open = { part: { type: kind, text: "" }, pieces: [] };
        this.#open.set(key, open);
        this.#content.push(open.part);
      }
      // Signatures arrive with the end of a thought.
      if (part["providerMetadata"] !== undefined) open.part["providerMetadata"] = part["providerMetadata"];
      if (found[2] === "end") this.#close(key);
      if (found[2] !== "delta") return undefined;
      const text = string(part["delta"]);
      open.pieces.push(text);
      return { type: kind, text };
    }
    if (type === "tool-call" || type === "file" || type === "source" || type === "tool-result")
      this.#content.push(part);
    else if (type === "response-metadata") this.#response = { ...this.#response, ...part };
    else if (type === "finish") {
      const { type: _, ...rest } = part;
      this.#fields = rest;
      this.finished = true;
    }
    return undefined;
  }

  body(): Fields {
    for (const key of [...this.#open.keys()]) this.#close(key);
    const { type: _, ...response } = this.#response;
    return { content: this.#content, ...this.#fields, response };
  }

  #close(key: string): void {
    const open = this.#open.get(key);
    if (open) open.part["text"] = open.pieces.join("");
    this.#open.delete(key);
  }
}
