/**
 * Keeps a rendered request within the limits of its provider that are not tokens: pictures of the history become notes,
 * then the prompt is rendered to fewer tokens, in which priorities decide.
 */

import { exceededBy, refuseExceeded, shownExceeded, smallerBudget } from "../../calls/request-limits.ts";
import { isExceeded } from "../../errors/exceeded.ts";
import { readConversation } from "../../formats/index.ts";
import type { LimitFinding, RequestLimits } from "../../types/limits.ts";
import type { ToolList } from "../../types/messages.ts";
import type { ProviderName } from "../../types/validity.ts";
import { bodyBytes, mediaOf } from "../../validity/media.ts";
import type { RenderFormat } from "../output/request.ts";
import { historyOf } from "../render.ts";
import type { Rendered } from "../render.ts";
import type { RenderedRequest } from "./render-request.ts";

/** Max renders to keep a limit. */
const ROUNDS = 8;

/** What another render may have. */
export interface Room {
  /** Max tokens. Default: the budget of the request. */
  budget?: number;
  /** Limits of the history alone. Default: those that were stated. */
  history?: RequestLimits;
  /** True if it is not the first render of the request. */
  isAgain?: boolean;
}

/** A request that was rendered, and is not reported yet. */
export interface Made<F extends RenderFormat> {
  rendered: Rendered<F>;
  /** Max tokens of the whole request. */
  budget: number;
  finish(): RenderedRequest<F>;
}

export interface LimitedRequest {
  format: RenderFormat;
  provider: ProviderName | undefined;
  model: string | undefined;
  tools: ToolList | undefined;
  /** The limits that the host stated. */
  limits: RequestLimits | undefined;
  /** True if nothing is left out, because the server manages the context. */
  isServerManaged: boolean;
}

/**
 * Renders until the request is within its limits, and reports it. A smaller request that exceeds as many limits has
 * lost content for nothing: the first one is reported then.
 *
 * @throws EspalierError `budget_exceeded` if a stated limit is exceeded in the end
 */
export async function withinLimits<F extends RenderFormat>(
  request: LimitedRequest,
  make: (room: Room) => Promise<Made<F>>,
): Promise<RenderedRequest<F>> {
  const first = { room: {} as Room, made: await make({}) };
  const exceeded = findings(first.made.rendered, request);
  let [last, left] = [first, exceeded];
  for (let round = 0; round < ROUNDS && !request.isServerManaged; round += 1) {
    const room = roomWithin(last.made.rendered, left, last.room, request.limits);
    if (!room) break;
    try {
      last = { room, made: await make(room) };
    } catch (error) {
      if (!isExceeded(error)) throw error;
      break;
    }
    left = findings(last.made.rendered, request);
  }
  const [{ made }, found] = left.length < exceeded.length ? [last, left] : [first, exceeded];
  refuseExceeded(found, request.limits);
  return { ...made.finish(), budget: first.made.budget, ...shownExceeded(found) };
}

function findings(rendered: Rendered<any>, { format, provider, model, tools, limits }: LimitedRequest) {
  const { request, messages } = rendered;
  const isWhole = format === "anthropic" || format === "gemini";
  const reading = readConversation(isWhole ? request : messages, { format, tools });
  return exceededBy(reading, provider, { ...(limits && { limits }), ...(model !== undefined && { model }) });
}

/** Returns the room of the next render; nothing if no render keeps the limits. */
function roomWithin(
  rendered: Rendered<any>,
  found: readonly LimitFinding[],
  room: Room,
  stated: RequestLimits | undefined,
): Room | undefined {
  const history = room.history ? {} : historyWithin(rendered, found);
  if (Object.keys(history).length > 0) return { isAgain: true, history: { ...stated, ...history } };
  const budget = smallerBudget(found, rendered.tokens);
  return budget === undefined ? undefined : { ...room, isAgain: true, budget };
}

/** Returns the part of the exceeded limits that is left to a history with pictures or documents. */
function historyWithin(rendered: Rendered<any>, found: readonly LimitFinding[]): RequestLimits {
  const entries = historyOf(rendered);
  const media = mediaOf({ messages: entries.map(({ neutral }) => neutral) });
  if (media.length === 0) return {};
  const own: RequestLimits = {
    maxImages: media.filter(({ isImage }) => isImage).length,
    maxBytes: bodyBytes(entries.map(({ message }) => message)),
  };
  return Object.fromEntries(
    found.flatMap(({ limit, allowed, found: whole }) => {
      const held = own[limit];
      return held === undefined ? [] : [[limit, Math.max(0, allowed - (whole - held))]];
    }),
  );
}
