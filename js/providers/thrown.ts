/** Converts errors of models that are called without HTTP to failures. */

import { errorBody, errorIn, Failure, refused } from "./failure.ts";
import type { ErrorBody } from "./failure.ts";
import { reason } from "./guard.ts";
import type { RefusalRule } from "./refusal-rules.ts";
import { retryAfter } from "./clock.ts";

/** Errors of connections, also of cut streams: Node's codes, then words of Node, Chromium, Firefox and WebKit. */
const CONNECTION = new RegExp(
  [
    /net::ERR_|\bE(CONN|NOTFOUND|TIMEDOUT|AI_AGAIN|PIPE|HOSTUNREACH)/,
    /fetch failed|socket hang up|^terminated/,
    /failed to fetch|network ?error|error in input stream|load failed/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "i",
);

/** Converts a thrown value to a failure. Looks for an HTTP status, a body and headers where SDKs keep them. */
export function thrown(
  provider: string,
  error: unknown,
  rules: readonly RefusalRule[] | undefined,
  now: number,
): Failure {
  if (error instanceof Failure) return error;
  // An SDK's retries end in an error that holds the last one.
  const last = fields(error)["lastError"];
  const given = fields(last ?? error);
  const said = reason(last ?? error);
  const status = [
    given["statusCode"],
    given["status"],
    Number(/request failed:? (?:with status )?(\d{3})/i.exec(said)?.[1]),
  ].find((value): value is number => typeof value === "number" && value >= 400 && value < 600);
  const body = bodyOf(given, said);
  const codes = [
    ...body.codes,
    ...[given["code"], given["name"]].filter((code): code is string => typeof code === "string" && code !== "Error"),
  ];
  if (status === undefined && CONNECTION.test(said))
    return new Failure("network", `${provider} cannot be reached: ${said}`, { kind: "unreachable" }, { cause: error });
  const headers = headersOf(given["responseHeaders"] ?? given["headers"]);
  const failure = refused(
    provider,
    { ...body, codes },
    {
      ...(status !== undefined && { status }),
      retryAfterMs: headers && retryAfter(headers, now),
      requestId: headers?.get("x-request-id") ?? headers?.get("request-id") ?? undefined,
      rules,
    },
  );
  // A model that throws anything else has a bug, or reports a refusal that no rule knows.
  const unknown = failure.code === "bad_request" && status === undefined && failure.detail.kind === undefined;
  return failure.with({
    code: unknown ? "bad_response" : failure.code,
    final: failure.final || given["isRetryable"] === false,
    cause: error,
  });
}

/** Finds the provider's own error: in a field, in the middle of the sentence, or the sentence itself. */
function bodyOf(given: Record<string, unknown>, said: string): ErrorBody {
  if (typeof given["responseBody"] === "string") {
    const body = errorBody(given["responseBody"]);
    if (body.known) return body;
  }
  const from = said.indexOf("{");
  if (from >= 0) {
    try {
      const inner = errorIn(JSON.parse(said.slice(from, said.lastIndexOf("}") + 1)));
      if (inner) return inner;
    } catch {
      // The brace was part of the sentence.
    }
  }
  return { text: said, codes: [], known: false, ...(typeof given["code"] === "string" && { code: given["code"] }) };
}

function headersOf(value: unknown): Headers | undefined {
  try {
    return typeof value === "object" && value !== null ? new Headers(value as HeadersInit) : undefined;
  } catch {
    return undefined;
  }
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
