/** The usage that a provider reports in the body of an answer, while the client reads it. */

import { chatReport } from "../formats/openai/usage.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import { EventStream } from "../providers/sse.ts";
import type { ServerEvent } from "../providers/sse.ts";

/** Returns the response; `report` gets its usage when its body, or its stream of events, was read to the end. */
export function withReport(response: Response, report: (usage: Fields) => void): Response {
  const { body, status, statusText, headers } = response;
  // Other implementations of `fetch` have streams of their own.
  if (typeof body?.pipeThrough !== "function") return response;
  const isStream = /event-stream/.test(headers.get("content-type") ?? "");
  const events = new EventStream();
  const decoder = new TextDecoder();
  let whole = "";
  let usage: Fields | undefined;
  const read = (text: string) => {
    if (!text.includes('"usage')) return;
    try {
      const found = usageIn(JSON.parse(text));
      if (found) usage = { ...usage, ...found };
    } catch {
      // No JSON.
    }
  };
  const readEvents = (more: () => readonly ServerEvent[]) => {
    try {
      for (const { data } of more()) read(data);
    } catch {
      // An event longer than are read: the client gets it all the same.
    }
  };
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (isStream) readEvents(() => events.push(chunk));
      else whole += decoder.decode(chunk, { stream: true });
    },
    flush() {
      if (isStream) readEvents(() => events.end());
      else read(whole);
      if (usage) report(usage);
    },
  });
  return new Response(body.pipeThrough(watch), { status, statusText, headers });
}

/** Finds the usage in an answer, or in an event of a stream. */
function usageIn(answer: unknown): Fields | undefined {
  if (!isFields(answer)) return undefined;
  const holders = [answer, answer["response"], answer["message"], answer["delta"]].filter(isFields);
  const reports = holders.flatMap((holder) => [holder["usage"], holder["usageMetadata"]]);
  const usage = reports.find(isFields) ?? chatReport(answer);
  // Cohere reports what it bills, and beside it the tokens.
  return isFields(usage?.["tokens"]) ? usage["tokens"] : usage;
}
