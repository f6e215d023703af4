/**
 * `espalier/fetch`: a conversation in the `fetch` of a provider's client, for frameworks whose own messages are not
 * read. What is fitted is the request as it goes to the provider, so that any framework will do.
 */

import { badValue } from "../errors/errors.ts";
import { instructionsOf, isElsewhere, isSameUnmarked, SENT } from "../formats/sent.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import { Follower } from "./follow.ts";
import type { AnyConversation } from "./follow.ts";
import { systemText } from "./prompts.ts";
import { withReport } from "./reported.ts";

/** A `fetch`, as clients call it. */
export type Fetch = (input: any, init?: any) => Promise<Response>;

/** Options of {@link createFetch}. */
export interface FetchOptions {
  /** Sends the requests. Default: the global `fetch` at this time. */
  fetch?: Fetch;
  /**
   * Returns whether a request belongs to the conversation. Others are sent as they are: those for titles, or of other
   * agents with the same client. Default: all that have messages.
   */
  belongs?: (body: any) => boolean;
}

/**
 * Returns a `fetch` for the client of a provider. Each request of the client gets the messages that
 * `conversation.prepare` returns; the conversation takes the reported usage, also of streams, and sends a smaller
 * request if the provider refuses one as too large. The format of the conversation is that of the provider's API.
 *
 * ```ts
 * import OpenAI from "openai";
 * import { openConversation } from "espalier";
 * import { createFetch } from "espalier/fetch";
 *
 * const conversation = await openConversation({ format: "openai-chat", model: "gpt-4o" });
 * const client = new OpenAI({ fetch: createFetch(conversation) });
 * const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Fix the parser." }];
 * await client.chat.completions.create({ model: "gpt-4o", messages });
 * conversation.usage().requests; // => 1
 * await conversation.dispose();
 * ```
 *
 * @throws EspalierError `bad_option` if the conversation has another format than `openai-chat`, `openai-responses`,
 *   `anthropic` or `gemini`
 */
export function createFetch(
  conversation: AnyConversation,
  // That of now: for a client that takes no `fetch`, the result may become the global one.
  { fetch: send = globalThis.fetch, belongs = () => true }: FetchOptions = {},
): Fetch {
  const format: unknown = conversation?.log?.format;
  const call = SENT[String(format)];
  if (!call) throw badValue("conversation.log.format", `one of ${Object.keys(SENT).join(", ")}`, format);
  const { list: name, path } = call;
  const follower = new Follower(conversation, {
    format: conversation.log.format,
    sdk: "the client",
    isSame: isSameUnmarked,
  });
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const body = await bodyOf(init?.body ?? request?.clone());
    const list = typeof body?.[name] === "string" ? [{ role: "user", content: body[name] }] : body?.[name];
    const url = new URL(request?.url ?? String(input), "http://localhost");
    if (!body || !Array.isArray(list) || isElsewhere(body) || !path.test(url.pathname) || !belongs(body))
      return send(input, init);
    const { system, rest } = split(list);
    const signal: AbortSignal | undefined = init?.signal ?? request?.signal;
    const options = {
      system: [instructionsOf(body), systemText(system)].filter(Boolean).join("\n"),
      tools: (body["tools"] ?? []) as object[],
      ...(signal && { signal }),
    };
    let refused: Response | undefined;
    try {
      const response = await follower.send(rest, options, async (messages) => {
        const isWhole = messages.length === rest.length && messages.every((message, at) => message === rest[at]);
        const sent = isWhole
          ? await send(request ? request.clone() : input, init)
          : await send(request?.url ?? input, {
              ...(request && fieldsOf(request)),
              ...init,
              headers: withoutLength(init?.headers ?? request?.headers),
              body: JSON.stringify({ ...body, [name]: [...system, ...messages] }),
            });
        if (sent.status < 400) return sent;
        refused = sent;
        throw { status: sent.status, message: await sent.clone().text() };
      });
      return withReport(response, (usage) => follower.report(usage));
    } catch (error) {
      if (refused) return refused;
      throw error;
    }
  };
}

/** Parses a body; undefined for one that is no JSON object. */
async function bodyOf(body: unknown): Promise<Fields | undefined> {
  const text =
    typeof body === "string"
      ? body
      : body instanceof Uint8Array
        ? new TextDecoder().decode(body)
        : body instanceof Request
          ? await body.text()
          : "";
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Splits off the system messages at the start: they may change with every request. */
function split(list: readonly object[]): { system: readonly object[]; rest: readonly object[] } {
  const first = list.findIndex((message) => !/^(system|developer)$/.test((message as Fields)?.["role"] as string));
  const end = first < 0 ? list.length : first;
  return { system: list.slice(0, end), rest: list.slice(end) };
}

/** What a changed request keeps of the client's `Request`. */
function fieldsOf({ method, signal, redirect, credentials }: Request): RequestInit {
  return { method, signal, redirect, credentials };
}

function withoutLength(given: HeadersInit | undefined): Headers {
  const headers = new Headers(given);
  headers.delete("content-length");
  return headers;
}
