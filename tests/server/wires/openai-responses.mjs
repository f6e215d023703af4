/** OpenAI Responses. */

import { event, list, pieces } from "./common.mjs";

const usageOf = ({ input, cacheRead = 0, output, reasoning = 0 }) => ({
  input_tokens: input + cacheRead,
  input_tokens_details: { cached_tokens: cacheRead },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + cacheRead + output,
});

function response({ text, refusal, reasoning, calls, finish, usage, compaction, number = 1 }) {
  const part = refusal ? { type: "refusal", refusal } : { type: "output_text", annotations: [], logprobs: [], text };
  const output = [
    ...(compaction ? [{ type: "compaction", id: "cmp_1", encrypted_content: compaction }] : []),
    ...(reasoning
      ? [
          {
            type: "reasoning",
            id: `rs_${number}`,
            summary: [{ type: "summary_text", text: reasoning }],
            encrypted_content: "sealed",
          },
        ]
      : []),
    ...(text || refusal
      ? [{ type: "message", id: `msg_${number}`, status: "completed", role: "assistant", content: [part] }]
      : []),
    ...calls.map(({ id, name, input }, at) => ({
      type: "function_call",
      id: number === 1 ? `fc_${at}` : `fc_${number}_${at}`,
      call_id: id,
      name,
      arguments: typeof input === "string" ? input : JSON.stringify(input),
      status: "completed",
    })),
  ];
  const reason = finish === "length" ? "max_output_tokens" : finish === "content_filter" ? "content_filter" : undefined;
  return {
    id: `resp_${number}`,
    object: "response",
    created_at: 0,
    model: "test",
    status: reason ? "incomplete" : "completed",
    error: null,
    incomplete_details: reason ? { reason } : null,
    output,
    parallel_tool_calls: true,
    ...(usage && { usage: usageOf(usage) }),
  };
}

export const openaiResponses = {
  name: "openai-responses",
  matches: (path) => path.endsWith("/responses"),
  isStream: (_request, body) => body.stream === true,
  key: ({ authorization = "" }) => authorization.replace(/^Bearer /, ""),
  body: response,

  events(answer) {
    let sequence = 0;
    const send = (type, fields) => event({ type, sequence_number: sequence++, ...fields }, type);
    const whole = response(answer);
    const out = [
      send("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } }),
      send("response.in_progress", { response: { ...whole, status: "in_progress", output: [], usage: null } }),
    ];
    for (const [output_index, item] of whole.output.entries()) {
      const about = { item_id: item.id, output_index };
      out.push(
        send("response.output_item.added", {
          output_index,
          item: {
            ...item,
            status: "in_progress",
            ...(item.content && { content: [] }),
            ...(item.summary && { summary: [] }),
          },
        }),
      );
      for (const [summary_index, { text }] of list(item.summary).entries())
        for (const delta of pieces(text))
          out.push(send("response.reasoning_summary_text.delta", { ...about, summary_index, delta }));
      for (const [content_index, part] of list(item.content).entries()) {
        const kind = part.type === "refusal" ? "refusal" : "output_text";
        out.push(send("response.content_part.added", { ...about, content_index, part: { type: kind } }));
        for (const delta of pieces(part.text ?? part.refusal))
          out.push(send(`response.${kind}.delta`, { ...about, content_index, delta }));
        out.push(
          send(`response.${kind}.done`, {
            ...about,
            content_index,
            [part.type === "refusal" ? "refusal" : "text"]: part.text ?? part.refusal,
          }),
        );
      }
      if (item.type === "function_call")
        for (const delta of pieces(item.arguments))
          out.push(send("response.function_call_arguments.delta", { ...about, delta }));
      out.push(send("response.output_item.done", { output_index, item }));
    }
    out.push(send(whole.status === "completed" ? "response.completed" : "response.incomplete", { response: whole }));
    return out;
  },

  error: ({ message, type = "invalid_request_error", param = null, code = null }) => ({
    error: { message, type, param, code },
  }),
  errorEvents: ({ message, code = "server_error" }) => [
    event(
      {
        type: "response.failed",
        sequence_number: 9,
        response: { id: "resp_1", status: "failed", error: { code, message }, output: [] },
      },
      "response.failed",
    ),
  ],

  check(body) {
    const bad = (message, param = "input") => ({ status: 400, message, param });
    if (typeof body.model !== "string") return bad("Missing required parameter: 'model'.", "model");
    if (typeof body.input === "string") return undefined;
    if (!Array.isArray(body.input) || body.input.length === 0) return bad("Missing required parameter: 'input'.");
    const calls = body.input.filter(({ type }) => type === "function_call");
    const outputs = body.input.filter(({ type }) => type === "function_call_output");
    for (const { call_id: id } of outputs)
      if (!calls.some((call) => call.call_id === id))
        return bad(`No tool call found for function call output with call_id ${id}.`);
    for (const { call_id: id } of calls)
      if (!outputs.some((output) => output.call_id === id)) return bad(`No tool output found for function call ${id}.`);
    const alone = body.input.find(
      (item, at) =>
        item.type === "reasoning" && !["message", "function_call", "reasoning"].includes(body.input[at + 1]?.type),
    );
    if (alone) return bad(`Item '${alone.id}' of type 'reasoning' was provided without its required following item.`);
    for (const [at, item] of body.input.entries()) {
      const wanted = item.role === "assistant" ? /^(output_text|refusal)$/ : /^input_/;
      const wrong = (item.type ?? "message") === "message" && list(item.content).find(({ type }) => !wanted.test(type));
      if (wrong)
        return bad(
          `Invalid value: '${wrong.type}'. Supported values are: ${item.role === "assistant" ? "'output_text' and 'refusal'" : "'input_text', 'input_image', and 'input_file'"}.`,
          `input[${at}].content`,
        );
    }
    const tool = list(body.tools).find(({ type, name }) => type === "function" && typeof name !== "string");
    return tool ? bad("Missing required parameter: 'tools[0].name'.", "tools[0].name") : undefined;
  },
};
