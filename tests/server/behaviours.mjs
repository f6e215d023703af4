/**
 * What the scripted model can do with one request. A behaviour is a function of the exchange
 * `{ wire, request, response, body, isStream }` that answers, refuses, hangs or breaks.
 */

/** The sections of a summary in eight sections, in order. */
export const SECTIONS = [
  "Conversation Overview",
  "Technical Foundation",
  "Codebase Status",
  "Problem Resolution",
  "Progress Tracking",
  "Active Work State",
  "Recent Operations",
  "Continuation Plan",
];
/** A record with nothing to find fault with. */
export const SUMMARY = `<analysis>scratch</analysis>\n<summary>\n## Conversation Overview\nThe record of a scripted model.\n${SECTIONS.slice(
  1,
)
  .map((name) => `## ${name}\nNothing to tell.`)
  .join("\n")}\n</summary>`;
const USAGE = { input: 100, output: 20 };
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * What is said: `text`, `reasoning`, `refusal`, `calls: [{ id, name, input }]`, `finish`,
 * `usage: { input, cacheRead, cacheWrite, output, reasoning }`.
 */
const whole = (what) => ({
  text: "",
  calls: [],
  finish: what.calls?.length ? "tool_calls" : "stop",
  usage: USAGE,
  ...what,
});

/**
 * Answers in the format that was asked in, as a stream if one was asked for.
 *
 * @param {object} how
 *   `chunks`: sizes in bytes of what is written at once, used in turn (default: one event each)
 *   `delay`: ms between writes; `headers`: further headers
 *   `cutAfter` / `hangAfter`: this number of bytes is written, then the connection breaks, or nothing more happens
 *   `end: "quiet"`: the body ends regularly where it was cut
 */
export function answer(what = {}, how = {}) {
  return async ({ wire, response, body, isStream }) => {
    const events = isStream ? wire.events(whole(what), body) : [JSON.stringify(wire.body(whole(what)))];
    await write(response, events, { type: isStream ? "text/event-stream; charset=utf-8" : "application/json", ...how });
  };
}

/** These texts, whatever they are. */
export function raw(texts, { status = 200, type = "application/json", ...how } = {}) {
  return ({ response }) => write(response, [texts].flat(), { status, type, ...how });
}

/** Refuses in the shape of the provider that was asked: `{ status, message, type, code, headers }`. */
export function refuse({ status = 400, headers = {}, ...error }) {
  return ({ wire, response }) =>
    write(response, [JSON.stringify(wire.error({ status, ...error }))], { status, type: "application/json", headers });
}

/** Begins a stream (`what` of it) and then reports an error in it. */
export function failWithin(error, what) {
  return ({ wire, response, body }) => {
    const begun = what ? wire.events(whole(what), body).slice(0, 3) : [];
    return write(response, [...begun, ...wire.errorEvents(error)], { type: "text/event-stream" });
  };
}

/** Takes the request and says nothing. */
export const hang = () => () => undefined;

/** Breaks the connection at once. */
export const reset =
  () =>
  ({ request }) =>
    request.socket.resetAndDestroy();

async function write(
  response,
  texts,
  { status = 200, type, headers = {}, chunks, delay = 0, cutAfter, hangAfter, end },
) {
  const all = Buffer.from(texts.join(""));
  const cut = cutAfter ?? hangAfter ?? all.length;
  response.writeHead(status, { ...(type && { "content-type": type }), "x-request-id": "req-scripted", ...headers });
  response.flushHeaders();
  let at = 0;
  for (const size of sizes(texts, chunks, all.length)) {
    if (response.destroyed || at >= cut) break;
    const piece = all.subarray(at, Math.min(at + size, cut));
    at += piece.length;
    response.write(piece);
    await (delay > 0 ? wait(delay) : new Promise(setImmediate));
  }
  if (hangAfter !== undefined) return;
  if (cutAfter === undefined || end === "quiet") response.end();
  // What was written must be on its way first.
  else setTimeout(() => response.destroy(), 20);
}

function* sizes(texts, chunks, length) {
  if (!chunks) return yield* texts.map((text) => Buffer.byteLength(text));
  for (let at = 0, number = 0; at < length; number++) {
    const size = chunks[number % chunks.length];
    yield size;
    at += size;
  }
}

/** Behaviours by name. */
export const BEHAVIOURS = {
  good: answer({ text: SUMMARY }),
  "no-tag": answer({ text: "I would rather not." }),
  "wrong-tag": answer({ text: "<resume>It went well.</resume>" }),
  "too-long": answer({
    text: `<summary>${"The build was green again. ".repeat(20_000)}</summary>`,
    finish: "length",
    usage: { input: 100, output: 100_000 },
  }),
  empty: answer({ text: "" }),
  refusal: answer({ refusal: "I'm sorry, I cannot help with that.", finish: "refusal" }),
  filtered: answer({ text: "", finish: "content_filter" }),
  "tool-call": answer({ calls: [{ id: "c", name: "f", input: {} }] }),
  "empty-choices": raw('{"choices":[]}'),
  malformed: raw('{"choices": [{"message": '),
  html: raw("<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>", {
    status: 502,
    type: "text/html",
  }),
  "empty-body": raw("", { status: 502 }),
  401: refuse({ status: 401, message: "Incorrect API key provided: k.", code: "invalid_api_key" }),
  429: refuse({
    status: 429,
    message: "Rate limit reached for test in organization org on tokens per min.",
    type: "tokens",
    code: "rate_limit_exceeded",
    headers: { "retry-after-ms": "5" },
  }),
  500: refuse({
    status: 500,
    message: "The server had an error while processing your request. Sorry about that!",
    type: "server_error",
    headers: { "retry-after-ms": "5" },
  }),
  hang: hang(),
  "hang-in-body": answer({ text: SUMMARY }, { hangAfter: 10 }),
  cut: answer({ text: SUMMARY }, { cutAfter: 10, headers: { "content-length": "1000" } }),
  reset: reset(),
  "no-max-tokens": (exchange) =>
    ("max_tokens" in exchange.body
      ? refuse({
          message:
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          code: "unsupported_parameter",
        })
      : answer({ text: SUMMARY }))(exchange),
};
