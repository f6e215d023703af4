/** Anthropic Messages. */

import { event, isFields, list, pieces } from "./common.mjs";

const STOP = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "refusal",
  content_filter: "refusal",
  pause: "pause_turn",
};
const inputOf = ({ input, cacheRead = 0, cacheWrite = 0 }) => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
  service_tier: "standard",
});

function message({ text, refusal, reasoning, calls, finish, usage, compaction, number = 1 }) {
  const content = [
    ...(compaction ? [{ type: "compaction", content: compaction }] : []),
    ...(reasoning ? [{ type: "thinking", thinking: reasoning, signature: "sig-1" }] : []),
    ...(text || refusal ? [{ type: "text", text: refusal ?? text }] : []),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "test",
    content,
    stop_reason: STOP[finish] ?? finish,
    stop_sequence: null,
    ...(usage && { usage: { ...inputOf(usage), output_tokens: usage.output } }),
  };
}

export const anthropic = {
  name: "anthropic",
  matches: (path) => path.endsWith("/messages"),
  isStream: (_request, body) => body.stream === true,
  key: (headers) => headers["x-api-key"] ?? "",
  body: message,

  events(answer) {
    const whole = message(answer);
    const { usage } = answer;
    const send = (fields) => event(fields, fields.type);
    // The first count of output is a beginning, the last one is the whole.
    const out = [
      send({
        type: "message_start",
        message: {
          ...whole,
          content: [],
          stop_reason: null,
          ...(usage && { usage: { ...inputOf(usage), output_tokens: 1 } }),
        },
      }),
      send({ type: "ping" }),
    ];
    for (const [index, block] of whole.content.entries()) {
      const delta = (fields) => out.push(send({ type: "content_block_delta", index, delta: fields }));
      const empty = {
        text: { type: "text", text: "" },
        thinking: { type: "thinking", thinking: "", signature: "" },
        tool_use: { ...block, input: {} },
        compaction: { type: "compaction", content: "" },
      }[block.type];
      out.push(send({ type: "content_block_start", index, content_block: empty }));
      if (block.type === "text") for (const text of pieces(block.text)) delta({ type: "text_delta", text });
      if (block.type === "compaction")
        for (const content of pieces(block.content)) delta({ type: "compaction_delta", content });
      if (block.type === "thinking") {
        for (const thinking of pieces(block.thinking)) delta({ type: "thinking_delta", thinking });
        delta({ type: "signature_delta", signature: block.signature });
      }
      if (block.type === "tool_use")
        for (const partial_json of [
          "",
          ...pieces(typeof block.input === "string" ? block.input : JSON.stringify(block.input)),
        ])
          delta({ type: "input_json_delta", partial_json });
      out.push(send({ type: "content_block_stop", index }));
    }
    out.push(
      send({
        type: "message_delta",
        delta: { stop_reason: whole.stop_reason, stop_sequence: null },
        ...(usage && { usage: { ...inputOf(usage), output_tokens: usage.output } }),
      }),
    );
    out.push(send({ type: "message_stop" }));
    return out;
  },

  error: ({ message, type = "invalid_request_error" }) => ({
    type: "error",
    error: { type, message },
    request_id: "req_1",
  }),
  errorEvents: (error) => [event(anthropic.error(error), "error")],

  check(body, headers) {
    const bad = (message) => ({ status: 400, message });
    if (!headers["anthropic-version"]) return bad("anthropic-version: header is required");
    if (typeof body.model !== "string") return bad("model: Field required");
    if (!Number.isInteger(body.max_tokens)) return bad("max_tokens: Field required");
    if (!Array.isArray(body.messages) || body.messages.length === 0)
      return bad("messages: at least one message is required");
    if (body.context_management && !headers["anthropic-beta"])
      return bad("context_management: Extra inputs are not permitted");
    const marks = JSON.stringify([body.system, body.tools, body.messages]).split('"cache_control":{').length - 1;
    if (marks > 4) return bad(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
    if (body.messages[0].role !== "user") return bad('messages: first message must use the "user" role');
    let before = [];
    for (const [at, { role, content }] of body.messages.entries()) {
      if (role === "system")
        return bad(
          'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
        );
      if (role !== "user" && role !== "assistant")
        return bad(`messages.${at}.role: Input should be 'user' or 'assistant'`);
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : list(content);
      const isLast = at === body.messages.length - 1;
      if (blocks.length === 0 || content === "") {
        if (!(isLast && role === "assistant"))
          return bad(
            `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
          );
      }
      if (blocks.some((block) => block.type === "text" && block.text.trim() === ""))
        return bad("messages: text content blocks must contain non-whitespace text");
      const results = blocks.filter(({ type }) => type === "tool_result");
      for (const [number, { tool_use_id: id }] of results.entries()) {
        if (!before.includes(id))
          return bad(
            `messages.${at}.content.${number}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
          );
      }
      const missing = before.filter((id) => !results.some((block) => block.tool_use_id === id));
      const late = before.length > 0 && blocks.slice(0, results.length).some(({ type }) => type !== "tool_result");
      if (missing.length > 0 || late)
        return bad(
          `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(missing.length > 0 ? missing : before).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        );
      const calls = blocks.filter(({ type }) => type === "tool_use");
      const odd = calls.find(({ id }) => !/^[a-zA-Z0-9_-]+$/.test(id));
      if (odd) return bad(`messages.${at}.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      const plain = calls.find(({ input }) => !isFields(input));
      if (plain) return bad(`messages.${at}.content.0.tool_use.input: Input should be a valid dictionary`);
      before = calls.map(({ id }) => id);
      if (isLast && role === "assistant" && typeof content === "string" && /\s$/.test(content))
        return bad("messages: final assistant content cannot end with trailing whitespace");
    }
    if (before.length > 0)
      return bad(
        `messages.${body.messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${before.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    return undefined;
  },
};
