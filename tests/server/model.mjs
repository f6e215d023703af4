/**
 * A scripted model on loopback. It speaks OpenAI chat completions and Responses, Anthropic Messages and Gemini,
 * streamed and not; it follows its orders, request by request, and remembers what it was sent.
 */

import { createServer } from "node:http";
import { BEHAVIOURS } from "./behaviours.mjs";
import { anthropic } from "./wires/anthropic.mjs";
import { gemini } from "./wires/gemini.mjs";
import { openaiChat } from "./wires/openai-chat.mjs";
import { openaiResponses } from "./wires/openai-responses.mjs";

export * from "./behaviours.mjs";

/** By the format their requests have. */
export const WIRES = { "openai-chat": openaiChat, "openai-responses": openaiResponses, anthropic, gemini };

/**
 * @param options `strict`: requests that the provider itself would refuse are refused, in its words. `key`: any other
 * is refused. `cors`: pages of any origin may ask.
 */
export function modelServer({ strict = false, key, cors = false } = {}) {
  const seen = [];
  const queue = [];
  const sockets = new Set();
  let standing = BEHAVIOURS.good;
  const server = createServer(async (request, response) => {
    const chunks = [];
    if (cors) {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "*, authorization");
      if (request.method === "OPTIONS") return response.writeHead(204).end();
    }
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const text = Buffer.concat(chunks).toString("utf8");
    const path = request.url.split("?")[0];
    const wire = Object.values(WIRES).find(({ matches }) => matches(path));
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    const record = {
      at: seen.length,
      url: request.url,
      method: request.method,
      headers: request.headers,
      body,
      text,
      closed: false,
    };
    seen.push(record);
    response.on("close", () => (record.closed = true));
    const refuse = (status, error) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify((wire ?? openaiChat).error({ status, ...error })));
    if (!wire || request.method !== "POST")
      return refuse(404, {
        message: `Invalid URL (${request.method} ${path})`,
        code: "NOT_FOUND",
        type: "not_found_error",
      });
    if (body === undefined) return refuse(400, { message: "We could not parse the JSON body of your request." });
    if (key !== undefined && wire.key(request.headers) !== key)
      return refuse(401, { message: "invalid x-api-key", type: "authentication_error", code: "invalid_api_key" });
    const found = strict ? wire.check(body, request.headers) : undefined;
    if (found) {
      const { status, ...error } = found;
      record.refused = error.message;
      return refuse(status, error);
    }
    const behaviour = queue.shift() ?? standing;
    try {
      await behaviour({ wire, request, response, body, isStream: wire.isStream(request, body) });
    } catch (error) {
      record.failed = error;
      response.destroy();
    }
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  // Tests look at sockets themselves; a time-out of the server would hide those that are left.
  server.keepAliveTimeout = 0;
  const behaviourOf = (behaviour) => {
    if (typeof behaviour === "function") return behaviour;
    if (!Object.hasOwn(BEHAVIOURS, behaviour)) throw new Error(`no behaviour ${behaviour}`);
    return BEHAVIOURS[behaviour];
  };
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        seen,
        /** Connections that are open now. */
        get sockets() {
          return sockets.size;
        },
        /** What to do with every request the queue has nothing for: the name of a behaviour, or one. */
        script(next) {
          standing = behaviourOf(next);
        },
        /** What to do with the next requests, in order. */
        queue(...next) {
          queue.push(...next.map(behaviourOf));
        },
        /** Forgets what was sent and what was to be done. */
        clear() {
          seen.length = 0;
          queue.length = 0;
          standing = BEHAVIOURS.good;
        },
        close() {
          server.closeAllConnections();
          return new Promise((done) => server.close(done));
        },
      }),
    ),
  );
}
