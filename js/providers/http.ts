/**
 * Runs one request over HTTP: sends it, times it, reads the answer, retries if that is safe, and always closes the
 * connection. Everything that differs between providers is in a `Wire`.
 */

import { EspalierError } from "../errors/errors.ts";
import { Body } from "./body.ts";
import { CLOCK, retryAfter } from "./clock.ts";
import { errorBody, errorIn, Failure, hider, NO_SECRETS, refused, SECRET } from "./failure.ts";
import { aborted, Guard, reason } from "./guard.ts";
import { patience, retrying } from "./retry.ts";
import type { AttemptState } from "./retry.ts";
import { EventStream } from "./sse.ts";
import type { ServerEvent } from "./sse.ts";
import type { Answer, Clock, HttpOptions, ProviderRequest, SendOptions, StreamPart } from "./types.ts";
import { usageFrom } from "./usage.ts";
import { badAnswer, endOf } from "./wire.ts";
import type { Delta, Fold, Read, Wire } from "./wire.ts";

/** Max bytes of an answer, and of a refusal that is read. */
const ANSWER = 256 * 1024 * 1024;
const REFUSAL = 256 * 1024;
const REQUEST_IDS = [
  "x-request-id",
  "request-id",
  "x-goog-request-id",
  "apim-request-id",
  "x-ms-request-id",
  "x-amzn-requestid",
  "x-github-request-id",
  "cf-ray",
];

/** Sends a request and yields the answer piece by piece; the last piece is `done`. */
export async function* ask(
  wire: Wire,
  host: HttpOptions,
  request: ProviderRequest,
  options: SendOptions,
): AsyncGenerator<StreamPart, void, void> {
  const clock: Clock = { ...CLOCK, ...host.clock };
  const { signal } = options;
  const about = { provider: wire.name, model: host.model, clock, host, options };
  const early = (failure: Failure) => failure.for({ ...about, attempts: 0 }, NO_SECRETS);
  if (signal?.aborted) throw early(aborted(signal));
  const key = await keyOf(host, clock, signal).catch((error: unknown) => {
    throw error instanceof Failure ? early(error) : error;
  });
  const url = address(host.baseUrl ?? wire.baseUrl);
  const hide = hider([...(key === undefined ? [] : [key]), ...secrets(host.headers ?? {}, url)]);
  const learn = (failure: Failure, { sent }: AttemptState) =>
    failure.code === "bad_request" && sent ? wire.learn?.(failure.sentence(NO_SECRETS), sent) : undefined;
  yield* retrying({ ...about, hide, learn }, (state) =>
    attempt({ wire, host, request, options, key, url, clock, state }),
  );
}

/** One attempt, with the state that its steps share. */
interface Attempt {
  wire: Wire;
  host: HttpOptions;
  request: ProviderRequest;
  options: SendOptions;
  key: string | undefined;
  url: URL;
  clock: Clock;
  state: AttemptState;
}

/** The facts from the head of an answer. */
interface Head {
  status: number;
  requestId?: string;
}

async function* attempt(about: Attempt): AsyncGenerator<StreamPart, void, void> {
  const { wire, options, host, state, clock } = about;
  const stream = options.stream ?? false;
  const { timeout, idle } = patience(host, options);
  const guard = new Guard(clock, options.signal, timeout);
  let body: Body | undefined;
  let head: Head | undefined;
  let finished = false;
  const texts: string[] = [];
  try {
    const response = await guard.race(post(about, guard.signal, stream), unreachable);
    head = headOf(response);
    body = new Body(response, guard);
    if (!response.ok) throw await refusal(about, response, head, body);
    const kind = response.headers.get("content-type") ?? "";
    if (/html/i.test(kind)) {
      const { text } = errorBody(await body.text(REFUSAL, false));
      throw badAnswer(`${wire.name} answered with a page: `, text).with({ detail: { ...head } });
    }
    let raw: unknown;
    // Some servers do not support streams, and answer in one piece.
    const streamed = stream && !/\bjson\b/i.test(kind);
    if (streamed) {
      const fold = wire.fold((error) =>
        refused(wire.name, error, { requestId: head!.requestId, rules: host.refusals }),
      );
      for await (const delta of deltas(about, body, fold, guard, idle)) {
        state.answered = true;
        if (delta.type === "text") texts.push(delta.text);
        yield delta;
      }
      raw = fold.body();
    } else {
      raw = parsed(wire, await body.text(ANSWER, true));
    }
    const answer = finishing(wire, raw, head, host);
    finished = true;
    yield* endOf(answer, streamed);
  } catch (error) {
    // If the guard ended the attempt, its failure is the reason for any other error.
    const failure = guard.failure ?? error;
    if (!(failure instanceof Failure)) throw failure;
    // The provider may charge for half an answer.
    if (failure.code === "network" && body?.begun) state.answered = true;
    const partialText = texts.join("");
    const more = {
      ...(head?.requestId !== undefined && { requestId: head.requestId }),
      ...(partialText !== "" && { partialText }),
    };
    throw failure.with({ detail: { ...failure.detail, ...more } });
  } finally {
    guard.end();
    if (!finished) {
      // The rest of the answer is not read, so the connection must not stay open.
      body?.cancel();
      guard.abort();
    } else if (body?.open) {
      void body.drain(clock).finally(() => guard.abort());
    }
  }
}

async function post(
  { wire, host, request, key, url, state }: Attempt,
  signal: AbortSignal,
  stream: boolean,
): Promise<Response> {
  const target = new URL(url);
  const [path, query] = wire.path(host.model, stream).split("?");
  target.pathname = `${target.pathname.replace(/\/+$/, "")}/${path}`;
  new URLSearchParams(query).forEach((value, name) => target.searchParams.set(name, value));
  const accept = stream ? "text/event-stream, application/json" : "application/json";
  const headers = headersOf(
    [{ "content-type": "application/json", accept }, wire.headers(key, request), host.headers],
    wire.listHeaders,
  );
  state.sent = wire.body(request, stream);
  // A redirect would send the key to another address.
  return (host.fetch ?? fetch)(target.href, {
    method: "POST",
    headers,
    body: jsonOf(state.sent),
    signal,
    redirect: "manual",
  });
}

function headOf(response: Response): Head {
  const requestId = REQUEST_IDS.map((name) => response.headers.get(name)).find((id) => id);
  return { status: response.status, ...(requestId ? { requestId } : {}) };
}

/** Makes the failure for an answer with an unsuccessful status. */
async function refusal({ wire, host, clock }: Attempt, response: Response, head: Head, body: Body): Promise<Failure> {
  if (response.type === "opaqueredirect" || (head.status >= 300 && head.status < 400)) {
    return new Failure(
      "bad_response",
      `${wire.name} answered ${head.status || "with a redirection"}: it is elsewhere; baseUrl must name the place itself`,
      { ...head },
    );
  }
  // If the rest is lost, the status is enough.
  const text = await body.text(REFUSAL, false).catch((error: unknown) => {
    if (error instanceof Failure && error.code === "network") return "(cut)";
    throw error;
  });
  const wait = retryAfter(response.headers, clock.now());
  const failure = refused(wire.name, errorBody(text), {
    ...head,
    empty: text.trim() === "",
    retryAfterMs: wait,
    rules: host.refusals,
  });
  // OpenAI and Anthropic set this header when a retry would not help.
  const final = failure.final || response.headers.get("x-should-retry") === "false";
  return failure.with({ final });
}

/** Reads a stream into `fold`, and yields texts and thoughts as they arrive. */
async function* deltas(
  { wire }: Attempt,
  body: Body,
  fold: Fold,
  guard: Guard,
  idle: number,
): AsyncGenerator<Delta, void, void> {
  const events = new EventStream();
  // A function, because the fold changes it.
  const isOver = () => fold.state === "over";
  let seen = 0;
  let length = 0;
  for (let open = true; open && !isOver(); ) {
    guard.idle(idle);
    const bytes = await body.read();
    // The host may take its time with each piece; that is not silence of the provider.
    guard.idle(0);
    open = bytes !== undefined;
    length += bytes?.length ?? 0;
    if (length > ANSWER) throw badAnswer(`the stream of ${wire.name} is longer than ${ANSWER} bytes`);
    for (const event of eventsOf(() => (bytes ? events.push(bytes) : events.end()))) {
      if (isOver()) break;
      seen++;
      for (const delta of fold.push(event)) if (delta.text !== "") yield delta;
    }
  }
  if (fold.state !== "begun") return;
  if (seen === 0) throw badAnswer(`the stream of ${wire.name} ended without an event`);
  throw new Failure("network", `the stream of ${wire.name} was cut: it ended before the answer did`, { kind: "cut" });
}

function eventsOf(read: () => ServerEvent[]): ServerEvent[] {
  try {
    return read();
  } catch (error) {
    throw badAnswer(`the stream is invalid: ${reason(error)}`);
  }
}

function parsed(wire: Wire, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text.trim() === "") throw badAnswer(`${wire.name} answered nothing`);
    throw badAnswer(`${wire.name} answered something that is not JSON: `, text.trim());
  }
}

/** Makes the answer of a body. */
function finishing(wire: Wire, raw: unknown, head: Head, host: HttpOptions): Answer {
  let read: Read;
  try {
    read = wire.read(raw);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Some gateways answer 200 and put the refusal into the body.
    const said = errorIn(raw);
    if (said) throw refused(wire.name, said, { ...head, rules: host.refusals });
    throw error.with({ message: `${wire.name} ${error.message}`, detail: { ...head } });
  }
  const { usage: record, id, warnings = [], ...rest } = read;
  const reported = usageFrom(wire.format, record);
  const requestId = head.requestId ?? id;
  return {
    ...rest,
    raw,
    ...(reported && { usage: reported.usage }),
    ...(reported?.passes && { passes: reported.passes }),
    ...(requestId !== undefined && { requestId }),
    warnings: [
      ...warnings,
      ...(reported?.warnings ?? [{ code: "usage_missing", message: `${wire.name} reported no usage` }]),
    ],
  };
}

/** Returns a request as JSON. Lone surrogates become U+FFFD, because providers refuse their escapes. */
function jsonOf(request: ProviderRequest): string {
  try {
    const text = JSON.stringify(request);
    if (!/\\ud[89a-f]/.test(text)) return text;
    return JSON.stringify(request, (_, value: unknown) =>
      typeof value === "string"
        ? value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
        : value,
    );
  } catch (cause) {
    throw new EspalierError({
      code: "bad_input",
      message: `the request cannot be written as JSON: ${(cause as Error).message}`,
      path: "request",
      cause,
    });
  }
}

async function keyOf(
  { apiKey }: HttpOptions,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  let key: unknown = apiKey;
  if (typeof apiKey === "function") {
    const guard = new Guard(clock, signal, 0);
    const failed = (error: unknown) => new Failure("auth", `options.apiKey failed: ${reason(error)}`, { kind: "key" });
    key = await guard.race(Promise.resolve().then(apiKey), failed).finally(() => guard.end());
  }
  if (key === undefined || key === null || key === "") return undefined;
  // Keys read from files end in a line end. The error of `fetch` would show any other character that a header cannot
  // contain.
  const trimmed = typeof key === "string" ? key.trim() : "";
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new EspalierError({
      code: "bad_option",
      message: "options.apiKey must be a text of visible ASCII characters",
      path: "options.apiKey",
    });
  }
  return trimmed;
}

/** Parses the base URL of requests. */
export function address(baseUrl: unknown): URL {
  try {
    const url = new URL(String(baseUrl));
    if (/^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  } catch {
    // Reported below.
  }
  throw new EspalierError({
    code: "bad_option",
    message: "options.baseUrl must be an http or https address without user and password",
    path: "options.baseUrl",
  });
}

/**
 * Merges headers, ignoring the case of their names; later ones win, and headers without a value are not sent. A list
 * gets the values of all.
 */
function headersOf(
  lists: readonly (Readonly<Record<string, string | undefined>> | undefined)[],
  listHeaders: readonly string[] = [],
): Headers {
  const headers = new Headers();
  for (const [name, value] of lists.flatMap((list) => Object.entries(list ?? {}))) {
    if (value === undefined) continue;
    const before = listHeaders.includes(name.toLowerCase()) ? headers.get(name) : null;
    headers.set(name, before ? `${before},${value}` : value);
  }
  return headers;
}

/** Returns the values of headers and query parameters that are secret by their name. */
function secrets(headers: Readonly<Record<string, string>>, url: URL): string[] {
  return [...Object.entries(headers), ...url.searchParams].flatMap(([name, value]) =>
    SECRET.test(name) ? [value] : [],
  );
}

/** Makes the failure for an error that `fetch` throws without a connection: the reason is one or two causes down. */
function unreachable(error: unknown): Failure {
  // Node's own limit for the head of an answer is five minutes: the request got through, and may still be processed.
  if (/UND_ERR_HEADERS_TIMEOUT/.test(reason(error)))
    return new Failure("timeout", `there was no answer: ${reason(error)}`, { kind: "transport" }, { cause: error });
  return new Failure(
    "network",
    `the provider cannot be reached: ${reason(error)}`,
    { kind: "unreachable" },
    { cause: error },
  );
}
