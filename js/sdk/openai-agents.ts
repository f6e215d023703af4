/**
 * `espalier/openai-agents`: a conversation as a `Session` of the OpenAI Agents SDK, which compacts, and as its
 * `callModelInputFilter`, which does so within a run.
 */

import { badValue } from "../errors/errors.ts";
import { isEqual, isFields } from "../formats/values.ts";
import { isResult } from "../formats/openai-agents/shape.ts";
import { Follower } from "./follow.ts";
import type { AnyConversation } from "./follow.ts";

/** A session of the Agents SDK, and the filter that belongs to it. */
export interface ContextSession {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<any[]>;
  addItems(items: any[]): Promise<void>;
  popItem(): Promise<any>;
  clearSession(): Promise<void>;
  /** For the option `callModelInputFilter` of the run. */
  callModelInputFilter(args: {
    modelData: { input: any[]; instructions?: string };
  }): Promise<{ input: any[]; instructions?: string }>;
}

/**
 * Returns a session over a conversation. A run begins with the view that `conversation.prepare` returns; with
 * `callModelInputFilter` every step of the run is prepared too. The conversation keeps all items, and stores them if
 * it has a storage.
 *
 * ```ts
 * import { Agent, run } from "@openai/agents";
 * import { openConversation } from "espalier";
 * import { createSession } from "espalier/openai-agents";
 *
 * const conversation = await openConversation({ format: "openai-agents", model: "gpt-4o" });
 * const session = createSession(conversation);
 * const agent = new Agent({ name: "Fixer", instructions: "You fix builds.", model: "gpt-4o" });
 * const { callModelInputFilter } = session;
 * await run(agent, "Fix the parser.", { session, callModelInputFilter });
 * (await session.getItems()).length; // => 2
 * await conversation.dispose();
 * ```
 *
 * @throws EspalierError `bad_option` if the conversation has another format
 */
export function createSession(
  conversation: AnyConversation,
  { sessionId = "espalier" }: { sessionId?: string } = {},
): ContextSession {
  if (typeof sessionId !== "string") throw badValue("options.sessionId", "a text", sessionId);
  const follower = new Follower(conversation, {
    format: "openai-agents",
    sdk: "the OpenAI Agents SDK 0.20",
    isSame: isSameItem,
  });
  /** Number of items that the SDK has stored; the filter has seen the others before they are stored. */
  let stored = follower.length;
  /** Takes back what was not stored, unless somebody else added to the conversation: that stays. */
  const settle = () => {
    if (follower.look()) stored = follower.length;
    follower.rewind(stored);
  };
  return {
    getSessionId: async () => sessionId,

    async getItems(limit) {
      settle();
      const items = stored === 0 ? [] : await follower.prepare();
      return limit === undefined ? items : newest(items, limit);
    },

    async addItems(items) {
      if (follower.look()) stored = follower.length;
      const known = follower.shared(follower.from(stored), items);
      follower.rewind(stored + known);
      follower.append(items.slice(known));
      stored = follower.length;
    },

    async popItem() {
      settle();
      const [last] = stored === 0 ? [] : follower.from(stored - 1);
      follower.rewind(Math.max(stored - 1, 0));
      stored = follower.length;
      return last;
    },

    async clearSession() {
      follower.rewind(0);
      stored = 0;
    },

    async callModelInputFilter({ modelData: { input, instructions } }) {
      const system = instructions === undefined ? {} : { system: instructions };
      const items = await follower.next(input as object[], system);
      stored = Math.min(stored, follower.length);
      return { input: items, ...(instructions !== undefined && { instructions }) };
    },
  };
}

/** The newest items, without results whose calls are older. */
function newest(items: readonly object[], limit: number): object[] {
  const last = limit > 0 ? items.slice(-limit) : [];
  const first = last.findIndex((item) => !isResult(item));
  return first < 0 ? [] : last.slice(first);
}

/** The SDK removes and adds data of the provider (ids, states) between a run and its session. */
function isSameItem(a: unknown, b: unknown): boolean {
  return a === b || isEqual(ownFields(a), ownFields(b));
}

function ownFields(item: unknown): unknown {
  if (!isFields(item)) return item;
  const { id, status, providerData, ...own } = item;
  return { ...own, type: own["type"] ?? "message" };
}
