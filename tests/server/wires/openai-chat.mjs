/** OpenAI chat completions. */

import { event, isFields, list, pieces } from "./common.mjs";

const usageOf = ({ input, cacheRead = 0, output, reasoning = 0 }) => ({
  prompt_tokens: input + cacheRead,
  completion_tokens: output,
  total_tokens: input + cacheRead + output,
  prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: reasoning,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
});
const FINISH = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  refusal: "stop",
};
const headOf = (number = 1) => ({ id: `chatcmpl-${number}`, created: 0, model: "test", system_fingerprint: "fp_1" });

export const openaiChat = {
  name: "openai-chat",
  matches: (path) => path.endsWith("/chat/completions"),
  isStream: (_request, body) => body.stream === true,
  key: ({ authorization = "" }) => authorization.replace(/^Bearer /, ""),

  body({ text, refusal, reasoning, calls, finish, usage, number }) {
    const message = {
      role: "assistant",
      content: refusal ? null : text || (calls.length > 0 ? null : text),
      refusal: refusal ?? null,
      annotations: [],
      ...(reasoning && { reasoning_content: reasoning }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: "function",
          function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
        })),
      }),
    };
    return {
      ...headOf(number),
      object: "chat.completion",
      choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[finish] ?? finish }],
      ...(usage && { usage: usageOf(usage) }),
    };
  },

  events({ text, refusal, reasoning, calls, finish, usage, number }, { stream_options: options }) {
    const head = headOf(number);
    const chunk = (delta, finish_reason = null) =>
      event({
        ...head,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      });
    return [
      chunk({ role: "assistant", content: "", refusal: null }),
      ...pieces(reasoning ?? "").map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(refusal ?? "").map((piece) => chunk({ refusal: piece })),
      ...pieces(refusal ? "" : text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap(({ id, name, input }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...pieces(typeof input === "string" ? input : JSON.stringify(input)).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      chunk({}, FINISH[finish] ?? finish),
      ...(usage && options?.include_usage
        ? [event({ ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(usage) })]
        : []),
      event("[DONE]"),
    ];
  },

  error: ({ message, type = "invalid_request_error", param = null, code = null }) => ({
    error: { message, type, param, code },
  }),
  /** An error after the stream has begun. */
  errorEvents: (error) => [event(openaiChat.error(error))],

  /** What the service itself would refuse, in its words. */
  check(body) {
    const bad = (message, param = null, code = null) => ({ status: 400, message, param, code });
    if (typeof body.model !== "string") return bad("you must provide a model parameter");
    if (!Array.isArray(body.messages) || body.messages.length === 0)
      return bad(
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "messages",
        "empty_array",
      );
    if (body.tool_choice !== undefined && body.tools === undefined)
      return bad(
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        "tool_choice",
      );
    for (const [at, tool] of list(body.tools).entries()) {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function?.name ?? tool.custom?.name ?? "")) {
        return bad(
          `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
          `tools[${at}].function.name`,
          "invalid_value",
        );
      }
    }
    const open = new Set();
    const unanswered = () =>
      bad(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
        "messages",
      );
    for (const [at, message] of body.messages.entries()) {
      const place = `messages[${at}]`;
      if (!["system", "developer", "user", "assistant", "tool", "function"].includes(message.role))
        return bad(
          `Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
          `${place}.role`,
          "invalid_value",
        );
      if (message.role === "tool") {
        if (!open.delete(message.tool_call_id))
          return bad(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
            `messages.[${at}].role`,
          );
        if (list(message.content).some((part) => part.type !== "text"))
          return bad(
            `Invalid '${place}'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.`,
            place,
            "invalid_value",
          );
        continue;
      }
      if (open.size > 0) return unanswered();
      if (message.role === "assistant") {
        if (Array.isArray(message.tool_calls) && message.tool_calls.length === 0)
          return bad(
            `Invalid '${place}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
            `${place}.tool_calls`,
            "empty_array",
          );
        if (
          (message.content === null || message.content === undefined) &&
          !message.tool_calls &&
          !message.function_call &&
          !message.refusal
        )
          return bad("Invalid value for 'content': expected a string, got null.", `messages.[${at}].content`);
        for (const { id } of list(message.tool_calls)) {
          if (id.length > 40)
            return bad(
              `Invalid '${place}.tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
              place,
              "string_above_max_length",
            );
          if (open.has(id)) return bad(`Duplicate value for 'tool_call_id' of '${id}'`, "messages");
          open.add(id);
        }
      } else if (message.content === null || message.content === undefined) {
        return bad("Invalid value for 'content': expected a string, got null.", `messages.[${at}].content`);
      }
      if (
        message.role !== "user" &&
        list(message.content).some((part) => isFields(part) && part.type === "image_url")
      ) {
        return bad(
          `Invalid '${place}'. Image URLs are only allowed for messages with role 'user', but this message with role '${message.role}' contains an image URL.`,
          place,
          "invalid_value",
        );
      }
    }
    return open.size > 0 ? unanswered() : undefined;
  },
};
