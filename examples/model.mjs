/**
 * The model of the examples: OpenAI's if there is an OPENAI_API_KEY, else a server on localhost that speaks OpenAI's
 * chat completions over HTTP. That one reads one page after the other, then says its last words. Like a real model it
 * refuses requests that are larger than its window. An agent of yours does not need this file.
 */

import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { countMessages } from "espalier";
import { pages } from "./documentation.mjs";

export const WINDOW = 16_000;
const ANSWER = "`prune` cuts one request, `compact` replaces older history by a summary.";
const SUMMARY = "<summary>Some pages were read. The question is still open.</summary>";

/**
 * Returns key and address of the model. `close` stops the server on localhost; `requests` has the tokens it received.
 */
export async function openModel() {
  const apiKey = process.env.OPENAI_API_KEY;
  if (apiKey) return { apiKey, baseURL: "https://api.openai.com/v1", requests: [], close() {} };
  const requests = [];
  const unread = [...pages];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    const { total } = countMessages(body, { format: "openai-chat" });
    const reply = (status, value) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (total > WINDOW) {
      const message = `This model's maximum context length is ${WINDOW} tokens. However, your messages resulted in ${total} tokens.`;
      return reply(400, { error: { message, type: "invalid_request_error", code: "context_length_exceeded" } });
    }
    requests.push(total);
    const isSummary = /Write the (whole )?record/.test(JSON.stringify(body.messages.at(-1)));
    const name = isSummary ? undefined : unread.shift();
    const call = { id: `call_${requests.length}`, type: "function" };
    const message = name
      ? {
          content: null,
          tool_calls: [{ ...call, function: { name: "read_page", arguments: JSON.stringify({ name }) } }],
        }
      : { content: isSummary ? SUMMARY : ANSWER };
    return reply(200, {
      id: `chatcmpl-${requests.length}`,
      object: "chat.completion",
      created: 0,
      model: body.model,
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: name ? "tool_calls" : "stop" }],
      usage: { prompt_tokens: total, completion_tokens: 20, total_tokens: total + 20 },
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { apiKey: "none", baseURL: `http://127.0.0.1:${server.address().port}/v1`, requests, close };
}
