/** Answers of Anthropic's Messages: whole ones, and streams of events. */

import type { Finish, Warning } from "../../providers/types.ts";
import { badAnswer, eventFields, objects, place, string, toolCall } from "../../providers/wire.ts";
import type { Delta, Fold, Progress, Read, Refuse } from "../../providers/wire.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "refusal",
  pause_turn: "pause",
  compaction: "pause",
};

export function read(body: unknown): Read {
  if (!isFields(body) || !Array.isArray(body["content"])) throw badAnswer("answered without content");
  const blocks = objects(body["content"]);
  const warnings: Warning[] = [];
  const toolCalls = blocks
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) =>
      // If the arguments in a stream were not JSON, their text is kept.
      toolCall(string(id), string(name), typeof input === "string" ? input : JSON.stringify(input ?? {}), warnings),
    );
  const reasoning = blocks
    .filter(({ type }) => type === "thinking")
    .map(({ thinking }) => string(thinking))
    .join("\n");
  const reason = string(body["stop_reason"]);
  return {
    text: blocks
      .filter(({ type }) => type === "text")
      .map(({ text }) => string(text))
      .join(""),
    toolCalls,
    ...(reasoning && { reasoning }),
    finish: Object.hasOwn(FINISHES, reason) ? FINISHES[reason]! : "other",
    usage: body["usage"],
    ...(typeof body["id"] === "string" && { id: body["id"] }),
    // The server would refuse a message without content when it is sent back.
    messages: blocks.length > 0 ? [{ role: "assistant", content: body["content"] }] : [],
    warnings,
  };
}

/** The field of a block to which pieces of a kind are appended. */
const PIECES: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  compaction_delta: "content",
};

export function fold(refuse: Refuse): Fold {
  let state: Progress = "begun";
  let message: Fields | undefined;
  let usage: Fields = {};
  const blocks: { block: Fields; pieces: Map<string, string[]>; input: string[] }[] = [];
  const started = (): Fields => {
    if (!message) throw badAnswer("the stream does not begin with a message");
    return message;
  };
  const at = (index: unknown) => {
    const found = typeof index === "number" ? blocks[index] : undefined;
    if (!found) throw badAnswer(`the stream goes on with the block ${String(index)}, which it did not begin`);
    return found;
  };
  return {
    get state() {
      return state;
    },
    push(event) {
      const fields = eventFields(event, refuse);
      switch (string(fields["type"]) || event.event) {
        case "message_start": {
          const given = fields["message"];
          if (!isFields(given)) throw badAnswer("the stream begins without a message");
          message = given;
          usage = override(usage, given["usage"]);
          return [];
        }
        case "content_block_start": {
          started();
          const block = fields["content_block"];
          if (!isFields(block)) throw badAnswer("the stream begins a block that is none");
          blocks[place(fields["index"], blocks.length)] = { block: { ...block }, pieces: new Map(), input: [] };
          return block["type"] === "text" ? [{ type: "text", text: string(block["text"]) }] : [];
        }
        case "content_block_delta": {
          const { block, pieces, input } = at(fields["index"]);
          const delta = isFields(fields["delta"]) ? fields["delta"] : {};
          const type = string(delta["type"]);
          if (type === "input_json_delta") {
            input.push(string(delta["partial_json"]));
            return [];
          }
          if (type === "citations_delta") {
            block["citations"] = [
              ...(Array.isArray(block["citations"]) ? (block["citations"] as unknown[]) : []),
              delta["citation"],
            ];
            return [];
          }
          const name = Object.hasOwn(PIECES, type) ? PIECES[type]! : undefined;
          if (name === undefined) return [];
          const piece = string(delta[name]);
          const before = pieces.get(name);
          if (before) before.push(piece);
          else pieces.set(name, [string(block[name]), piece]);
          return name === "text" || name === "thinking"
            ? [{ type: name === "text" ? "text" : "reasoning", text: piece } satisfies Delta]
            : [];
        }
        case "message_delta": {
          const delta = isFields(fields["delta"]) ? fields["delta"] : {};
          const { context_management: managed } = fields;
          message = { ...started(), ...delta, ...(managed !== undefined && { context_management: managed }) };
          usage = override(usage, fields["usage"]);
          return [];
        }
        case "message_stop":
          started();
          state = "over";
          return [];
        // `ping` and future event types.
        default:
          return [];
      }
    },
    body() {
      const content = blocks.flatMap((entry) => (entry ? [wholeBlock(entry)] : []));
      return { ...message, content, ...(Object.keys(usage).length > 0 && { usage }) };
    },
  };
}

/**
 * Merges later usage over earlier usage: values are running totals, so the later one counts; `null` carries no value.
 */
function override(usage: Fields, later: unknown): Fields {
  if (!isFields(later)) return usage;
  return {
    ...usage,
    ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null && value !== undefined)),
  };
}

function wholeBlock({
  block,
  pieces,
  input,
}: {
  block: Fields;
  pieces: Map<string, string[]>;
  input: string[];
}): Fields {
  const joined = Object.fromEntries([...pieces].map(([name, list]) => [name, list.join("")]));
  const text = input.join("");
  return { ...block, ...joined, ...(text.trim() !== "" && { input: parsed(text) }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
