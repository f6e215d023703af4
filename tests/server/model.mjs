/**
 * A scripted model on loopback that speaks OpenAI's chat completions: it answers as it is told to, and remembers what it was sent.
 */

import { createServer } from "node:http";

const SUMMARY = "<analysis>scratch</analysis>\n<summary>\n## Conversation Overview\nThe record of a scripted model.\n</summary>";

const answer = (message, finish_reason = "stop") => JSON.stringify({
  id: "chatcmpl-1", object: "chat.completion", created: 0, model: "test",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
});
const refusal = (message, type, code = null) => JSON.stringify({ error: { message, type, param: null, code } });

/** What it can be told to do: status and body, or a function that does as it likes with the response. */
const BEHAVIOURS = {
  good: [200, answer({ content: SUMMARY })],
  "no-tag": [200, answer({ content: "I would rather not." })],
  empty: [200, answer({ content: "" })],
  "tool-call": [200, answer({ content: null, tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] }, "tool_calls")],
  "empty-choices": [200, JSON.stringify({ choices: [] })],
  malformed: [200, '{"choices": [{"message": '],
  401: [401, refusal("Incorrect API key provided: k.", "invalid_request_error", "invalid_api_key")],
  429: [429, refusal("Rate limit reached for test in organization org on tokens per min.", "tokens", "rate_limit_exceeded")],
  500: [500, refusal("The server had an error while processing your request. Sorry about that!", "server_error")],
  hang: () => undefined,
  cut: (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"choices"');
    setTimeout(() => response.destroy(), 20);
  },
  "no-max-tokens": (response, body) => {
    const bad = "max_tokens" in body;
    const text = refusal("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "invalid_request_error", "unsupported_parameter");
    response.writeHead(bad ? 400 : 200, { "content-type": "application/json" }).end(bad ? text : answer({ content: SUMMARY }));
  },
};

export function modelServer() {
  const seen = [];
  let behaviour = "good";
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    seen.push({ url: request.url, headers: request.headers, body });
    if (request.url !== "/v1/chat/completions") return response.writeHead(404).end(refusal("Unknown path", "invalid_request_error"));
    const act = BEHAVIOURS[behaviour];
    if (typeof act === "function") return act(response, body);
    response.writeHead(act[0], { "content-type": "application/json" }).end(act[1]);
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve({
      url: `http://127.0.0.1:${server.address().port}`,
      seen,
      script(next) {
        if (!(next in BEHAVIOURS)) throw new Error(`no behaviour ${next}`);
        behaviour = next;
      },
      close() {
        server.closeAllConnections();
        server.close();
      },
    })));
}
